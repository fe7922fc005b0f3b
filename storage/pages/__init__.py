"""Pages in the database: how they are read, written and moved to the trash."""

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from peewee import SQL, Select, fn

from landform.storage import events, signatures
from landform.storage.clock import Moment
from landform.storage.errors import AlreadyTrashed, EmptyPage, PageNotFound
from landform.storage.models import Page, PageText, StoreInfo
from landform.storage.pages import revisions, scheduling, slugs
from landform.storage.pages.scheduling import FIRST, NO_WINDOW, Validity, window_columns
from landform.storage.pages.slugs import HAS_SLUG
from landform.storage.rows import MAX_INTEGER, Row, check_merged, json_text, to_columns
from landform.storage.search import check_sequences, fold, form_key, language_keys
from landform.storage.sql import Parameter, Precondition, Prepared, check_version, write_changes
from landform.storage.store import Store, transactional

# Statuses in which a page may lack a slug, and its date moves on until it is published.
DRAFT_STATUSES = ("draft", "pending")

# The columns that say who may see a page, and which version it is at.
ACCESS_COLUMNS = ("id", "status", "date_utc", "password", "version", "modified_utc")
WITH_STATE = (
    StoreInfo.select(StoreInfo.generation).alias("generation"), FIRST.alias("first_future"),
)  # fmt: skip
WRITE_TEXT = Prepared(
    PageText.insert({name: Parameter(name) for name in PageText._meta.fields}).on_conflict(
        conflict_target=[PageText.id], preserve=[PageText.title, PageText.content]
    )
)


def get(store: Store, page_id: int, columns: Sequence[str] = ()) -> Row:
    """Return a page as it is stored, with the columns asked for or all; or `PageNotFound`."""
    return _one(store, tuple(columns) or tuple(Page._meta.fields), page_id)[0]


def read_page(store: Store, key: int | str, columns: Sequence[str]) -> tuple[Row, Validity]:
    """Return a page by its id or its slug as readers see it, and until when it is so.

    `status` and `date_utc` have to be among the columns. Raises `PageNotFound`.
    """
    page, generation, first = _one(store, tuple(dict.fromkeys(columns)), key)
    now = store.clock.now().utc
    if not scheduling.is_due(first, now):
        return page, Validity(generation, scheduling.seconds(first))
    until = scheduling.read_state(store).until
    # Not what was stored just now, but the same: this page as it is published.
    return scheduling.as_shown(page, now), Validity(generation, until)


def _one(store: Store, columns: tuple[str, ...], key: int | str) -> tuple[Row, str, str | None]:
    """Return a page, the store's generation, and the first date of a future page."""
    query = _select(columns, isinstance(key, str))
    can_be = isinstance(key, str) or key <= MAX_INTEGER
    if not (found := query.rows(store, {"key": key}) if can_be else []):
        raise PageNotFound
    return found[0], found[0].pop("generation"), found[0].pop("first_future")


@lru_cache(256)
def _select(columns: tuple[str, ...], by_slug: bool) -> Prepared:
    wanted = [*(getattr(Page, name) for name in columns), *WITH_STATE]
    key = Parameter("key")
    found = [Page.slug == key, HAS_SLUG] if by_slug else [Page.id == key]
    return Prepared(Page.select(*wanted).where(*found))


def create(store: Store, values: Row) -> Row:
    """Store a new page and return it.

    `values` are columns, but for `date`: a datetime, with an offset or in local time, or None
    for now. The slug is derived from the title where it is empty, and made unique.
    """
    now = store.clock.now()
    page = {**_changes(store, {}, values, now), "version": 1, "slug_before_trash": ""}
    page["slug"] = slugs.slugify(values["slug"], store.language)
    if not page["slug"] and page["status"] not in DRAFT_STATUSES:
        page["slug"] = slugs.slugify(page["title_raw"], store.language)
    # All that needs no database is made before others have to wait for this write.
    return _create(store, page, searched_text(page), now)


@transactional
def _create(store: Store, page: Row, text: Row, now: Moment) -> Row:
    # Most slugs are free.
    reserved = slugs.RESERVED.fullmatch(page["slug"])
    inserted = None if reserved else _insert(tuple(page)).row(store, page)
    if inserted is None:
        page["slug"] = slugs.unique(store, page["slug"], page)
        inserted = _insert(tuple(page)).row(store, page)
    page_id, first = inserted
    page["id"] = text["id"] = page_id
    if scheduling.is_due(first, now.utc):
        scheduling.publish_due(store, now.utc)
    if not page["slug"] and page["status"] not in DRAFT_STATUSES:
        slug = slugs.unique(store, str(page_id), page)
        page = write_changes(store, Page, page, {"slug": slug})
    WRITE_TEXT.run_on(store.database, text)
    events.record(store, "page", None, page)
    return page


@lru_cache(64)
def _insert(columns: tuple[str, ...]) -> Prepared:
    """Return the insert of a page, which does nothing where another page has its slug."""
    values: list[Any] = [Parameter(name) for name in columns]
    taken = Page.select(SQL("1")).where(Page.slug == Parameter("slug"), HAS_SLUG)
    new = Select(columns=values).where(~fn.EXISTS(taken))
    query = Page.insert_from(new, [getattr(Page, name) for name in columns])
    return Prepared(query.returning(Page.id, FIRST))


@transactional
def update(
    store: Store,
    page_id: int,
    values: Row,
    if_match: Precondition | None = None,
    writer: int | None = None,
    *,
    keep_rendering: bool = False,
) -> Row:
    """Write the columns given and what follows from them; return the page as it is then.

    Nothing given, nothing written. Leaving the trash gives the page its slug back, or the
    next one free. `VersionConflict` where the page is at none of the versions expected.
    `writer`: see `revisions.keep`. `keep_rendering`: of texts that do not change.
    """
    now = store.clock.now()
    old = _to_write(store, page_id, now, if_match)
    if not values:
        return old
    values = with_old_rendering(old, values) if keep_rendering else values
    changes = _changes(store, old, values, now)
    page = {**old, **changes}
    if old["status"] == "trash" != page["status"]:
        page["slug"], changes["slug_before_trash"] = old["slug_before_trash"], ""
    wanted = slugs.slugify(values["slug"], store.language) if "slug" in values else old["slug"]
    if wanted == old["slug"]:
        # Nothing new was asked for, or clients wrote back what they had read in the trash.
        wanted = page["slug"]
    if not wanted and page["status"] not in DRAFT_STATUSES:
        wanted = slugs.slugify(page["title_raw"], store.language) or str(page["id"])
    is_new = wanted and wanted != old["slug"]
    changes["slug"] = slugs.unique(store, wanted, page) if is_new else wanted
    page = _write(store, old, changes, writer)
    if any(page[name] != old[name] for name in ("title_key", "content_raw")):
        WRITE_TEXT.run(store, searched_text(page))
    if old["password"] not in ("", page["password"]):
        # Cookies of an earlier password stay worthless where it returns.
        signatures.revoke(store, page_id)
    return page


def with_old_rendering(old: Row, values: Row) -> Row:
    """Return values in which each text that they do not change has the HTML that it has.

    Line breaks count as the same, whatever a form or an editor makes of them.
    """
    same = [
        name for name in ("title", "content")
        if (text := values.get(f"{name}_raw")) is not None
        and _with_plain_breaks(text) == _with_plain_breaks(old[f"{name}_raw"])
    ]  # fmt: skip
    return values | {f"{name}_rendered": old[f"{name}_rendered"] for name in same}


def _with_plain_breaks(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


@transactional
def trash(
    store: Store, page_id: int, if_match: Precondition | None = None, writer: int | None = None
) -> Row:
    """Move a page to the trash and return it; `AlreadyTrashed` where it is there."""
    now = store.clock.now()
    page = _to_write(store, page_id, now, if_match)
    if page["status"] == "trash":
        raise AlreadyTrashed
    slug = slugs.unique(store, slugs.trashed(page["slug"]), page)
    changes = {"status": "trash", "slug_before_trash": page["slug"], "slug": slug}
    changes |= {"modified": now.local, "modified_utc": now.utc}
    return _write(store, page, changes, writer)


@transactional
def delete(store: Store, page_id: int, if_match: Precondition | None = None) -> Row:
    """Remove a page for good and return it as it last was."""
    page = _to_write(store, page_id, store.clock.now(), if_match)
    PageText.delete().where(PageText.id == page_id).execute(store.database)
    Page.delete().where(Page.id == page_id).execute(store.database)
    revisions.DELETE.run(store, {"page": page_id})
    slugs.leave(store, page, None)
    # Another page may be imported under its id.
    signatures.revoke(store, page_id)
    events.record(store, "page", page, None)
    return page


def _to_write(store: Store, page_id: int, now: Moment, if_match: Precondition | None) -> Row:
    """Return the page that is to be written, as readers see it, and store what is due first.

    `VersionConflict` where it is at none of the versions expected.
    """
    page, _, first = _one(store, tuple(Page._meta.fields), page_id)
    if scheduling.is_due(first, now.utc):
        scheduling.publish_due(store, now.utc)
        # This one may be among them: then it is stored so now.
        page = scheduling.as_shown(page, now.utc)
    check_version(store, page["version"], if_match)
    return page


def _changes(store: Store, old: Row, values: Row, now: Moment) -> Row:
    """Return the columns that change with some values, but for the slug; or `EmptyPage`."""
    changes = {**values, **_dates(store, old, values, now)}
    changes |= {"modified": now.local, "modified_utc": now.utc}
    if "meta" in values:
        if old:
            changes["meta"] = {**json.loads(old["meta"]), **values["meta"]}
            check_merged({name: value for name, value in changes["meta"].items() if value})
        changes.update(meta_columns(changes["meta"]))
    page = {**old, **changes}
    if not page["title_raw"] and not page["content_raw"]:
        raise EmptyPage
    if "title_raw" in values:
        changes["title_key"] = fold(values["title_raw"], "title")
    changes["status"] = page["status"]
    if page["status"] in ("publish", "future"):
        changes["status"] = "future" if page["date_utc"] > now.utc else "publish"
    return to_columns(changes)


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


def _write(store: Store, old: Row, changes: Row, writer: int | None) -> Row:
    """Write what differs of the changes to a page; return the page as it is then."""
    changes["version"] = scheduling.next_version(old)
    page = write_changes(store, Page, old, changes)
    revisions.keep(store, old, page, writer)
    slugs.leave(store, old, page)
    events.record(store, "page", old, page)
    return page


def meta_columns(meta: object) -> Row:
    """Return the columns that follow from the meta of a page: `form`, `languages`, its window.

    The first two are empty where there is none; `languages` is a JSON list of keys in order.
    """
    if not isinstance(meta, dict):
        return {"form": "", "languages": "", **NO_WINDOW}
    languages = language_keys(meta.get("language"))
    return {
        "form": form_key(meta.get("form_id")),
        "languages": json_text(languages) if languages else "",
        **window_columns(meta),
    }


def stored_meta_columns(text: object) -> Row:
    """Return these columns for meta as it is stored, which may be damaged."""
    try:
        meta: object = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        meta = None
    return meta_columns(meta)


def searched_text(page: Row) -> Row:
    """Return what `WRITE_TEXT` takes of a page, which may have no id yet."""
    content = fold(page["content_raw"], "content")
    check_sequences(content, "content")
    return {"id": page.get("id"), "title": page["title_key"], "content": content}
