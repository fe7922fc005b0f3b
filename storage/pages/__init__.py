"""Pages in the database: how they are read, written and moved to the trash."""

import json
from collections.abc import Sequence
from functools import lru_cache

from peewee import SQL, Select, fn

from landform.storage import events, signatures
from landform.storage.clock import Moment, epoch
from landform.storage.errors import AlreadyTrashed, EmptyPage, PageNotFound
from landform.storage.models import Page, PageText, StoreInfo
from landform.storage.pages import scheduling, slugs
from landform.storage.pages.scheduling import FIRST, NO_WINDOW, Validity, window_columns
from landform.storage.pages.slugs import HAS_SLUG
from landform.storage.rows import MAX_INTEGER, Row, check_merged, json_text, to_columns
from landform.storage.search import check_sequences, fold, form_key, language_keys
from landform.storage.sql import Parameter, Precondition, Prepared, check_version, write_changes
from landform.storage.store import Store, transactional

# Statuses in which a page may lack a slug, and its date moves on until it is published.
DRAFT_STATUSES = ("draft", "pending")

# The columns that decide who may see a page, and those of its `ETag` and `Last-Modified`.
ACCESS_COLUMNS = ("id", "status", "date_utc", "password", "version", "modified_utc")
GENERATION = StoreInfo.select(StoreInfo.generation).alias("generation")
FIRST_FUTURE = FIRST.alias("first_future")
COLUMNS = tuple(name for name in Page._meta.fields if name != "id")
OWNER = Page.select(SQL("1")).where(Page.slug == Parameter("slug"), HAS_SLUG)
# Inserts nothing if another page has the slug.
INSERT = Prepared(
    Page.insert_from(
        Select(columns=[Parameter(name) for name in COLUMNS]).where(~fn.EXISTS(OWNER)),
        [getattr(Page, name) for name in COLUMNS],
    ).returning(Page.id, FIRST)
)
WRITE_TEXT = Prepared(
    PageText.insert({name: Parameter(name) for name in PageText._meta.fields}).on_conflict(
        conflict_target=[PageText.id], preserve=[PageText.title, PageText.content]
    )
)


def get(store: Store, page_id: int, columns: Sequence[str] = ()) -> Row:
    """Return a stored page, with some columns or all of them. Raises `PageNotFound`."""
    return _read_row(store, tuple(columns) or tuple(Page._meta.fields), page_id)[0]


def read_page(store: Store, key: int | str, columns: Sequence[str]) -> tuple[Row, Validity]:
    """Return a page by its id or slug as readers see it, and until when it is valid.

    `status` and `date_utc` have to be among the columns. Raises `PageNotFound`.
    """
    page, generation, first = _read_row(store, tuple(dict.fromkeys(columns)), key)
    now = store.clock.now().utc
    if not scheduling.is_due(first, now):
        return page, Validity(generation, epoch(first))
    until = scheduling.read_state(store).until
    # If it was stored as published since, that is the same page.
    return scheduling.as_published(page, now), Validity(generation, until)


def _read_row(
    store: Store, columns: tuple[str, ...], key: int | str
) -> tuple[Row, str, str | None]:
    """Return a page, the store's generation, and the first date of a future page."""
    if isinstance(key, int) and key > MAX_INTEGER:
        raise PageNotFound
    rows = _select(columns, isinstance(key, str)).rows(store, {"key": key})
    if not rows:
        raise PageNotFound
    return rows[0], rows[0].pop("generation"), rows[0].pop("first_future")


@lru_cache(256)
def _select(columns: tuple[str, ...], by_slug: bool) -> Prepared:
    selected = [*(getattr(Page, name) for name in columns), GENERATION, FIRST_FUTURE]
    key = Parameter("key")
    conditions = [Page.slug == key, HAS_SLUG] if by_slug else [Page.id == key]
    return Prepared(Page.select(*selected).where(*conditions))


def create(store: Store, values: Row) -> Row:
    """Store a new page and return it.

    `values` are columns, except `date`: a datetime, with an offset or in local time, or None
    for now. An empty slug is derived from the title; any is made unique. Raises `EmptyPage`.
    """
    now = store.clock.now()
    page = {**_changes(store, {}, values, now), **_modified(now)}
    page |= {"version": 1, "slug_before_trash": ""}
    page["slug"] = slugs.slugify(values["slug"], store.language)
    if not page["slug"] and page["status"] not in DRAFT_STATUSES:
        page["slug"] = slugs.slugify(page["title_raw"], store.language)
    # What needs no database is computed before other writers have to wait for this one.
    return _create(store, page, searched_text(page), now)


@transactional
def _create(store: Store, page: Row, text: Row, now: Moment) -> Row:
    # Most slugs are free.
    reserved = slugs.RESERVED.fullmatch(page["slug"])
    inserted = None if reserved else INSERT.row(store, page)
    if inserted is None:
        page["slug"] = slugs.unique(store, page["slug"], page)
        inserted = INSERT.row(store, page)
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
    """Write columns of a page, and those computed from them; return the page.

    `values` as for `create`; without any nothing is written. A page that leaves the trash gets
    its slug back, or the next one that is free. `keep_rendering`: see `with_old_rendering`;
    `writer`: the author number of the caller. Raises `PageNotFound`, `EmptyPage` and
    `VersionConflict`.
    """
    now = store.clock.now()
    old = _read_to_write(store, page_id, now, if_match)
    if not values:
        return old
    values = with_old_rendering(old, values) if keep_rendering else values
    changes = _changes(store, old, values, now)
    page = {**old, **changes, "slug": old["slug"]}
    if old["status"] == "trash" and page["status"] != "trash":
        page["slug"], changes["slug_before_trash"] = old["slug_before_trash"], ""
    slug = slugs.slugify(values["slug"], store.language) if "slug" in values else old["slug"]
    if slug == old["slug"]:
        # Clients may send the slug back that they read in the trash.
        slug = page["slug"]
    if not slug and page["status"] not in DRAFT_STATUSES:
        slug = slugs.slugify(page["title_raw"], store.language) or str(page["id"])
    is_new = slug and slug != old["slug"]
    changes["slug"] = slugs.unique(store, slug, page) if is_new else slug
    page = _write(store, old, changes, writer, now)
    if any(page[name] != old[name] for name in ("title_key", "content_raw")):
        WRITE_TEXT.run(store, searched_text(page))
    if old["password"] not in ("", page["password"]):
        # Cookies of an earlier password stay invalid if it is set again.
        signatures.revoke(store, page_id)
    return page


def with_old_rendering(old: Row, values: Row) -> Row:
    """Return values with the stored HTML for each of their texts that does not change.

    Texts that differ only in the kind of their line breaks count as unchanged.
    """
    values = {**values}
    for name in ("title", "content"):
        text = values.get(f"{name}_raw")
        if text is not None and _with_plain_breaks(text) == _with_plain_breaks(old[f"{name}_raw"]):
            values[f"{name}_rendered"] = old[f"{name}_rendered"]
    return values


def _with_plain_breaks(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


@transactional
def trash(
    store: Store, page_id: int, if_match: Precondition | None = None, writer: int | None = None
) -> Row:
    """Move a page to the trash and return it.

    Raises `PageNotFound`, `AlreadyTrashed` and `VersionConflict`.
    """
    now = store.clock.now()
    page = _read_to_write(store, page_id, now, if_match)
    if page["status"] == "trash":
        raise AlreadyTrashed
    slug = slugs.unique(store, slugs.trashed(page["slug"]), page)
    changes = {"status": "trash", "slug_before_trash": page["slug"], "slug": slug}
    return _write(store, page, changes, writer, now)


@transactional
def delete(store: Store, page_id: int, if_match: Precondition | None = None) -> Row:
    """Remove a page for good and return its last row; `PageNotFound`, `VersionConflict`."""
    page = _read_to_write(store, page_id, store.clock.now(), if_match)
    PageText.delete().where(PageText.id == page_id).execute(store.database)
    Page.delete().where(Page.id == page_id).execute(store.database)
    slugs.remember_former_slug(store, page, None)
    # Another page may be imported under its id.
    signatures.revoke(store, page_id)
    events.record(store, "page", page, None)
    return page


def _read_to_write(store: Store, page_id: int, now: Moment, if_match: Precondition | None) -> Row:
    """Return a page as readers see it, after due pages are stored; `VersionConflict`."""
    page, _, first = _read_row(store, tuple(Page._meta.fields), page_id)
    if scheduling.is_due(first, now.utc):
        scheduling.publish_due(store, now.utc)
        # It may be one of them.
        page = scheduling.as_published(page, now.utc)
    check_version(store, page["version"], if_match)
    return page


def _changes(store: Store, old: Row, values: Row, now: Moment) -> Row:
    """Return the columns that change with some values, except the slug; `EmptyPage`."""
    changes = {**values, **_dates(store, old, values, now)}
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
    """Return the date columns that change: those of `date`, or now if a draft has none yet."""
    date, status = values.get("date"), values.get("status", old.get("status"))
    if date is not None:
        moment = store.clock.moment(date)
    elif "date" in values or not old or (old["date_floats"] and status != "trash"):
        moment = now
    else:
        return {}
    floats = date is None and status in DRAFT_STATUSES
    if date and date.tzinfo is None and moment.local == old.get("date"):
        # Unchanged: in the hour that clocks show twice it has to stay the same instant.
        moment = Moment(old["date"], old["date_utc"])
    return {"date": moment.local, "date_utc": moment.utc, "date_floats": floats}


def _modified(now: Moment) -> Row:
    return {"modified": now.local, "modified_utc": now.utc}


def _write(store: Store, old: Row, changes: Row, writer: int | None, now: Moment) -> Row:
    """Write changes of a page and when it was modified, with its events, and return the page.

    `changes`: columns, as `_changes` returns them.
    """
    changes = {**changes, **_modified(now), "version": scheduling.next_version(old)}
    page = write_changes(store, Page, old, changes)
    slugs.remember_former_slug(store, old, page)
    events.record(store, "page", old, page, writer)
    return page


def meta_columns(meta: object) -> Row:
    """Return the columns that follow from the meta of a page: `form`, `languages`, its window.

    `languages` is a JSON list of keys in order. Both are empty without a value.
    """
    if not isinstance(meta, dict):
        return {"form": "", "languages": "", **NO_WINDOW}
    languages = language_keys(meta.get("language"))
    return {
        "form": form_key(meta.get("form_id")),
        "languages": json_text(languages) if languages else "",
        **window_columns(meta),
    }


def searched_text(page: Row) -> Row:
    """Return the values for `WRITE_TEXT` from a page, which may have no id yet.

    Raises `TextRefused` for a content that costs too much to search.
    """
    content = fold(page["content_raw"], "content")
    check_sequences(content, "content")
    return {"id": page.get("id"), "title": page["title_key"], "content": content}
