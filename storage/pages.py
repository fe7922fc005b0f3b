"""Pages in the database: how they are read, written, moved to the trash and published in time."""

import json
from collections.abc import Sequence
from typing import Any

from landform.storage import slugs, versions
from landform.storage.clock import Moment
from landform.storage.database import Store
from landform.storage.errors import AlreadyTrashed, EmptyPage, PageNotFound
from landform.storage.models import Page, PageText
from landform.storage.numbers import MAX_INTEGER
from landform.storage.search import fold
from landform.storage.versions import Versions

Row = dict[str, Any]

# Statuses in which a page may lack a slug, and its date moves on until it is published.
UNFINISHED = ("draft", "pending")


def get(store: Store, page_id: int, columns: Sequence[str] = ()) -> Row:
    """Return a page as a mapping of columns, `meta` parsed; `PageNotFound` if there is none."""
    if page_id > MAX_INTEGER:
        raise PageNotFound
    query = Page.select(*[getattr(Page, name) for name in columns]).where(Page.id == page_id)
    rows = list(query.dicts().execute(store.database))
    if not rows:
        raise PageNotFound
    return read(rows[0])


def create(store: Store, values: Row) -> Row:
    """Store a new page and return it.

    `values` are columns, but for `date`: a datetime, with an offset or in local time, or None
    for now. The slug is derived from the title where it is empty, and made unique.
    """
    with store.transaction() as db:
        now = store.clock.now()
        page = {**values, **_dates(store, {}, values, now), **_stamp(now), "version": 1}
        _refuse_empty(page)
        page["title_key"] = fold(page["title_raw"])
        page["status"] = _timed(page, now)
        page["slug_before_trash"] = ""
        page["slug"] = _slug(store, page, slugs.slugify(values["slug"]), None)
        page["id"] = Page.insert(_written(page)).execute(db)
        if not page["slug"] and page["status"] not in UNFINISHED:
            page["slug"] = _unique(store, str(page["id"]), page["id"])
            Page.update(slug=page["slug"]).where(Page.id == page["id"]).execute(db)
        _index_text(store, page)
        versions.turn(store, "page")
        return page


def update(store: Store, page_id: int, values: Row, expected: Versions = None) -> Row:
    """Write the columns given and what follows from them; return the page as it is then.

    Nothing given, nothing written. Leaving the trash gives the page its slug back, or the
    next one free. `VersionConflict` where the page is at none of the versions expected.
    """
    with store.transaction():
        old = get(store, page_id)
        versions.expect(old, expected)
        if not values:
            return old
        now = store.clock.now()
        changes = {**values, **_dates(store, old, values, now), **_stamp(now)}
        if "meta" in values:
            changes["meta"] = {**old["meta"], **values["meta"]}
        if "title_raw" in values:
            changes["title_key"] = fold(values["title_raw"])
        page = {**old, **changes}
        _refuse_empty(page)
        changes["status"] = page["status"] = _timed(page, now)
        if old["status"] == "trash" != page["status"]:
            page["slug"], changes["slug_before_trash"] = old["slug_before_trash"], ""
        wanted = slugs.slugify(values["slug"]) if "slug" in values else old["slug"]
        if wanted == old["slug"]:
            # Nothing new was asked for, or clients wrote back what they had read in the trash.
            wanted = page["slug"]
        changes["slug"] = _slug(store, page, wanted, old)
        _write(store, old, changes)
        page.update(changes)
        if "title_raw" in values or "content_raw" in values:
            _index_text(store, page)
        return page


def trash(store: Store, page_id: int, expected: Versions = None) -> Row:
    """Move a page to the trash and return it; `AlreadyTrashed` where it is there."""
    with store.transaction():
        page = get(store, page_id)
        versions.expect(page, expected)
        if page["status"] == "trash":
            raise AlreadyTrashed
        changes = {
            **_stamp(store.clock.now()),
            "status": "trash",
            "slug_before_trash": page["slug"],
            "slug": _unique(store, slugs.trashed(page["slug"]), page_id),
        }
        _write(store, page, changes)
        return {**page, **changes}


def delete(store: Store, page_id: int, expected: Versions = None) -> Row:
    """Remove a page for good and return it as it last was."""
    with store.transaction() as db:
        page = get(store, page_id)
        versions.expect(page, expected)
        PageText.delete().where(PageText.id == page_id).execute(db)
        Page.delete().where(Page.id == page_id).execute(db)
        versions.turn(store, "page")
        return page


def publish_due(store: Store) -> None:
    """Publish the future pages whose date has come, so that every reader sees them published."""
    now = store.clock.now()
    due = (Page.status == "future") & (Page.date_utc <= now.utc)
    if list(Page.select(Page.id).where(due).limit(1).tuples().execute(store.database)):
        with store.transaction() as db:
            published = {"status": "publish", "version": Page.version + 1}
            Page.update(published).where(due).execute(db)
            versions.turn(store, "page")


def read(row: Row) -> Row:
    """Return a row of the table with `meta`, where it was asked for, parsed."""
    return {**row, "meta": json.loads(row["meta"])} if "meta" in row else row


def _refuse_empty(page: Row) -> None:
    if not page["title_raw"] and not page["content_raw"]:
        raise EmptyPage


def _dates(store: Store, old: Row, values: Row, now: Moment) -> Row:
    """Return the date columns that change: as given, or now where a draft's date still floats."""
    given, status = values.get("date"), values.get("status", old.get("status"))
    if given is not None:
        moment = store.clock.moment(given)
    elif "date" in values or not old or (old["date_floats"] and status != "trash"):
        moment = now
    else:
        return {}
    floats = given is None and status in UNFINISHED
    if given and given.tzinfo is None and moment.local == old.get("date"):
        # Written back as it was read: in the hour that comes twice it is still the same instant.
        moment = Moment(old["date"], old["date_utc"])
    return {"date": moment.local, "date_utc": moment.utc, "date_floats": floats}


def _timed(page: Row, now: Moment) -> str:
    """Return the status that a page has at this moment."""
    if page["status"] in ("publish", "future"):
        return "future" if page["date_utc"] > now.utc else "publish"
    return str(page["status"])


def _slug(store: Store, page: Row, wanted: str, old: Row | None) -> str:
    if not wanted and page["status"] not in UNFINISHED:
        wanted = slugs.slugify(page["title_raw"]) or (str(page["id"]) if old else "")
    if not wanted or (old and wanted == old["slug"]):
        return wanted
    return _unique(store, wanted, old["id"] if old else None)


def _unique(store: Store, slug: str, page_id: int | None) -> str:
    def taken(candidate: str) -> bool:
        others = Page.select(Page.id).where(Page.slug == candidate).tuples()
        return any(found != page_id for (found,) in others.execute(store.database))

    return slugs.unique(slug, taken)


def _stamp(now: Moment) -> Row:
    return {"modified": now.local, "modified_utc": now.utc}


def _write(store: Store, page: Row, changes: Row) -> None:
    changes["version"] = page["version"] + 1
    Page.update(_written(changes)).where(Page.id == page["id"]).execute(store.database)
    versions.turn(store, "page")


def _written(values: Row) -> Row:
    if "meta" not in values:
        return values
    return {**values, "meta": json.dumps(values["meta"], ensure_ascii=False)}


def _index_text(store: Store, page: Row) -> None:
    text = {"title": page["title_key"], "content": fold(page["content_raw"])}
    changed = PageText.update(text).where(PageText.id == page["id"]).execute(store.database)
    if not changed:
        PageText.insert(id=page["id"], **text).execute(store.database)
