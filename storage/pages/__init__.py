"""Pages in the database: how they are read, written and moved to the trash."""

import json
from collections.abc import Sequence
from functools import lru_cache

from landform.storage.clock import Moment
from landform.storage.errors import AlreadyTrashed, EmptyPage, PageNotFound
from landform.storage.models import Page, PageText
from landform.storage.pages import naming, scheduling, slugs
from landform.storage.pages.meta_keys import meta_columns
from landform.storage.reactions import created, deleted, updated
from landform.storage.rows import Row, check_merged, to_columns
from landform.storage.search_text import check_sequences, fold
from landform.storage.sql import versions
from landform.storage.sql.numbers import MAX_INTEGER
from landform.storage.sql.prepared import Parameter, Prepared
from landform.storage.sql.versions import Versions
from landform.storage.store import Store, transactional

# Statuses in which a page may lack a slug, and its date moves on until it is published.
DRAFT_STATUSES = ("draft", "pending")

# With the date of the first future page.
TO_WRITE = Prepared(
    Page.select(Page, scheduling.FIRST.alias("first_future")).where(Page.id == Parameter("id"))
)
DELETE = Prepared(Page.delete().where(Page.id == Parameter("id")))
DELETE_TEXT = Prepared(PageText.delete().where(PageText.id == Parameter("id")))
REPLACE_TEXT = Prepared(
    PageText.update(title=Parameter("title"), content=Parameter("content")).where(
        PageText.id == Parameter("id")
    )
)
INSERT_TEXT = Prepared(
    PageText.insert(id=Parameter("id"), title=Parameter("title"), content=Parameter("content"))
)


def get(store: Store, page_id: int, columns: Sequence[str] = (), due: str = "") -> Row:
    """Return a page; `PageNotFound` if there is none.

    `due`: the date up to which future pages are shown as published (see `scheduling`); then
    `status` and `date_utc` have to be among the columns.
    """
    if page_id > MAX_INTEGER:
        raise PageNotFound
    rows = _by_id(tuple(columns)).rows(store, {"id": page_id})
    if not rows:
        raise PageNotFound
    return scheduling.as_shown(rows[0], due) if due else rows[0]


@lru_cache(64)
def _by_id(columns: tuple[str, ...]) -> Prepared:
    wanted = [getattr(Page, name) for name in columns]
    return Prepared(Page.select(*wanted).where(Page.id == Parameter("id")))


def create(store: Store, values: Row) -> Row:
    """Store a new page and return it.

    `values` are columns, but for `date`: a datetime, with an offset or in local time, or None
    for now. The slug is derived from the title where it is empty, and made unique.
    """
    now = store.clock.now()
    derived = {**meta_columns(values["meta"]), "version": 1}
    page = to_columns({**values, **_dates(store, {}, values, now), **_stamp(now), **derived})
    _refuse_empty(page)
    page["title_key"] = fold(page["title_raw"], "title")
    page["status"] = _effective_status(page, now)
    page["slug_before_trash"] = ""
    page["slug"] = slugs.slugify(values["slug"])
    if not page["slug"] and page["status"] not in DRAFT_STATUSES:
        page["slug"] = slugs.slugify(page["title_raw"])
    # All that needs no database is made before others have to wait for this write.
    return _create(store, page, searched_text(page), now)


@transactional
def _create(store: Store, page: Row, text: Row, now: Moment) -> Row:
    page_id, first = naming.insert(store, page)
    page["id"] = text["id"] = page_id
    if scheduling.is_due(first, now.utc):
        scheduling.publish_due(store, now.utc)
    if not page["slug"] and page["status"] not in DRAFT_STATUSES:
        page["slug"] = naming.unique_slug(store, str(page_id), page)
        _update(("slug",)).run(store, {"slug": page["slug"], "page": page_id})
    INSERT_TEXT.run(store, text)
    store.reactions.record(created, "page", page)
    return page


@lru_cache(512)
def _update(columns: tuple[str, ...]) -> Prepared:
    changes = {name: Parameter(name) for name in columns}
    return Prepared(Page.update(changes).where(Page.id == Parameter("page")))


@transactional
def update(store: Store, page_id: int, values: Row, expected: Versions = None) -> Row:
    """Write the columns given and what follows from them; return the page as it is then.

    Nothing given, nothing written. Leaving the trash gives the page its slug back, or the
    next one free. `VersionConflict` where the page is at none of the versions expected.
    """
    now = store.clock.now()
    old = _to_write(store, page_id, now, expected)
    if not values:
        return old
    changes = {**values, **_dates(store, old, values, now), **_stamp(now)}
    if "meta" in values:
        changes["meta"] = {**json.loads(old["meta"]), **values["meta"]}
        check_merged({name: value for name, value in changes["meta"].items() if value})
        changes.update(meta_columns(changes["meta"]))
    changes = to_columns(changes)
    if "title_raw" in values:
        changes["title_key"] = fold(values["title_raw"], "title")
    page = {**old, **changes}
    _refuse_empty(page)
    changes["status"] = page["status"] = _effective_status(page, now)
    if old["status"] == "trash" != page["status"]:
        page["slug"], changes["slug_before_trash"] = old["slug_before_trash"], ""
    wanted = slugs.slugify(values["slug"]) if "slug" in values else old["slug"]
    if wanted == old["slug"]:
        # Nothing new was asked for, or clients wrote back what they had read in the trash.
        wanted = page["slug"]
    changes["slug"] = _slug(store, page, wanted, old)
    _write(store, old, changes)
    page.update(changes)
    store.reactions.record(updated, "page", old, page)
    if any(page[name] != old[name] for name in ("title_key", "content_raw")):
        REPLACE_TEXT.run(store, searched_text(page))
    return page


@transactional
def trash(store: Store, page_id: int, expected: Versions = None) -> Row:
    """Move a page to the trash and return it; `AlreadyTrashed` where it is there."""
    now = store.clock.now()
    page = _to_write(store, page_id, now, expected)
    if page["status"] == "trash":
        raise AlreadyTrashed
    changes = {
        **_stamp(now),
        "status": "trash",
        "slug_before_trash": page["slug"],
        "slug": naming.unique_slug(store, slugs.trashed(page["slug"]), page),
    }
    _write(store, page, changes)
    store.reactions.record(updated, "page", page, {**page, **changes})
    return {**page, **changes}


@transactional
def delete(store: Store, page_id: int, expected: Versions = None) -> Row:
    """Remove a page for good and return it as it last was."""
    page = _to_write(store, page_id, store.clock.now(), expected)
    DELETE_TEXT.run(store, page)
    DELETE.run(store, page)
    store.reactions.record(deleted, "page", page)
    return page


def _to_write(store: Store, page_id: int, now: Moment, expected: Versions) -> Row:
    """Return the page that is to be written, as readers see it, and store what is due first.

    `VersionConflict` where it is at none of the versions expected.
    """
    if page_id > MAX_INTEGER:
        raise PageNotFound
    rows = TO_WRITE.rows(store, {"id": page_id})
    if not rows:
        raise PageNotFound
    page = rows[0]
    if scheduling.is_due(page.pop("first_future"), now.utc):
        scheduling.publish_due(store, now.utc)
        # This one may be among them: then it is stored so now.
        page = scheduling.as_shown(page, now.utc)
    versions.check_version(store, page, expected)
    return page


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
    floats = given is None and status in DRAFT_STATUSES
    if given and given.tzinfo is None and moment.local == old.get("date"):
        # Written back as it was read: in the hour that comes twice it is still the same instant.
        moment = Moment(old["date"], old["date_utc"])
    return {"date": moment.local, "date_utc": moment.utc, "date_floats": floats}


def _effective_status(page: Row, now: Moment) -> str:
    """Return the status that a page has at this moment."""
    if page["status"] in ("publish", "future"):
        return "future" if page["date_utc"] > now.utc else "publish"
    return str(page["status"])


def _slug(store: Store, page: Row, wanted: str, old: Row) -> str:
    if not wanted and page["status"] not in DRAFT_STATUSES:
        wanted = slugs.slugify(page["title_raw"]) or str(page["id"])
    if not wanted or wanted == old["slug"]:
        return wanted
    return naming.unique_slug(store, wanted, page)


def _stamp(now: Moment) -> Row:
    return {"modified": now.local, "modified_utc": now.utc}


def _write(store: Store, page: Row, changes: Row) -> None:
    changes["version"] = scheduling.next_version(page)
    # An index is written anew wherever one of its columns is named, whatever the value.
    written = sorted(name for name, value in changes.items() if value != page[name])
    _update(tuple(written)).run(store, {**changes, "page": page["id"]})


def searched_text(page: Row) -> Row:
    """Return what `REPLACE_TEXT` and `INSERT_TEXT` take of a page, which may have no id yet."""
    content = fold(page["content_raw"], "content")
    check_sequences(content, "content")
    return {"id": page.get("id"), "title": page["title_key"], "content": content}
