"""Pictures in the database: how they are read, listed and written."""

import json
import re
import secrets
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import reduce
from operator import or_
from typing import Any

from peewee import Case

from landform.parts.media.errors import MediaNotFound
from landform.parts.media.models import Media
from landform.storage import events, pages
from landform.storage.clock import Moment
from landform.storage.engines import expressions
from landform.storage.errors import PageNotFound, TextRefused, TooExpensive
from landform.storage.models import Page
from landform.storage.pages import listing, slugs
from landform.storage.pages.filters import Filter, item_filters
from landform.storage.rows import Row, Values, storable
from landform.storage.search import parse
from landform.storage.sql import (
    Parameter,
    Precondition,
    Prepared,
    bounded,
    check_version,
    write_changes,
)
from landform.storage.store import Store, transactional

BY_ID = Prepared(Media.select().where(Media.id == Parameter("id")))
BY_FOLDER = Prepared(Media.select(Media.id).where(Media.folder == Parameter("folder")))
SAME = Prepared(
    Media.select(Media.id).where(Media.digest == Parameter("digest")).order_by(Media.id).limit(1)
)
ORDERS: Mapping[str, Any] = {
    "author": Media.author, "date": Media.date, "id": Media.id, "modified": Media.modified,
    "parent": Media.page, "slug": Media.slug, "title": Media.title_key,
}  # fmt: skip
FILTER_ORDERS = {"include": ("include", Media.id), "include_slugs": ("slug", Media.slug)}
# The columns of a picture that a search looks at, by the names of those of pages.
SEARCHED = {"title": "title_key", "content": "searched", "excerpt": "searched"}
FILTERS: Mapping[str, Filter] = {
    **item_filters(Media),
    "parent": Filter(lambda *ids: Media.page.in_(ids), lambda _, ids: storable(ids)),
    "parent_exclude": Filter(lambda *ids: Media.page.not_in(ids), lambda _, ids: storable(ids)),
    # All are images.
    "media_type": Filter(
        lambda *types: Media.id > 0 if "image" in types else Media.id < 0, lambda _, types: types
    ),
    "mime_type": Filter(lambda *types: Media.mime_type.in_(types), lambda _, types: types),
}
# How many pages that use a picture are named.
MOST_USERS = 20


def get(store: Store, media_id: int, if_match: Precondition | None = None) -> Row:
    """Return a picture; raises `MediaNotFound` and `VersionConflict`."""
    row = BY_ID.first(store, {"id": media_id}) if storable([media_id]) else None
    if row is None:
        raise MediaNotFound
    check_version(store, row["version"], if_match)
    return row


def has_folder(store: Store, folder: str) -> bool:
    """Return whether a picture has its files in a folder."""
    return BY_FOLDER.row(store, {"folder": folder}) is not None


def find_all(store: Store, ids: Iterable[int], folders: Iterable[str]) -> list[Row]:
    """Return the pictures that have one of some ids or folders."""
    condition = Media.id.in_(storable(ids)) | Media.folder.in_([*folders])
    return [*Media.select().where(condition).dicts().execute(store.database)]


def new_folder() -> str:
    """Return a folder that no picture has: 100 random bits."""
    return secrets.token_hex(13)


def paths_of(row: Values) -> list[str]:
    """Return the paths of the files of a picture."""
    names = [row["file"], *(size["file"] for size in json.loads(row["sizes"]))]
    return [f"{row['folder']}/{name}" for name in names]


def list_media(store: Store, query: Values, most_bytes: int) -> tuple[list[Row], int]:
    """Return the pictures on a page of results that pass every filter, and the number of all.

    Raises `TooLarge` for rows of more than `most_bytes`, and `TooExpensive`.
    """
    conditions = [*_conditions(store, query)]
    pictures = Media.select().where(*conditions) if conditions else Media.select()
    offset = query.get("offset")
    skipped = (query["page"] - 1) * query["per_page"] if offset is None else offset
    ordered = pictures.order_by(*_order(store, query)).limit(query["per_page"]).offset(skipped)

    def read() -> tuple[list[Row], int]:
        with store.database.snapshot():
            total = pictures.count(store.database)
            rows = ordered.dicts().execute(store.database) if skipped < total else ()
            return bounded(rows, most_bytes), total

    return store.bounded(read) if conditions else read()


def _conditions(store: Store, query: Values) -> Iterator[Any]:
    """Yield the conditions of a query; empty values are left out."""
    for name, filter_ in FILTERS.items():
        if value := query.get(name):
            yield filter_.condition(*filter_.values(store.clock, value))
    if text := query.get("search", "").strip():
        names = query.get("search_columns") or [*SEARCHED]
        columns, search = {SEARCHED[name] for name in names}, parse(text)
        yield from (_is_in(word, columns) for word in search.words)
        yield from (~_is_in(word, columns) for word in search.without)


def _is_in(word: str, columns: Iterable[str]) -> Any:
    return reduce(or_, [expressions.contains(getattr(Media, name), word) for name in columns])


def _order(store: Store, query: Values) -> list[Any]:
    """Return the terms of the order of a query."""
    by, terms = query["orderby"], list[Any]()
    name, column = FILTER_ORDERS.get(by, ("", None))
    if query.get(name):
        # The place of its id or slug among the values of the filter.
        values = [*FILTERS[name].values(store.clock, query[name])]
        terms = [Case(column, [(value, place) for place, value in enumerate(values)], len(values))]
    elif by == "relevance":
        in_title = expressions.contains(Media.title_key, parse(query["search"]).sentence)
        terms = [Case(None, [(in_title, 0)], 1)]
    key, direction = ORDERS.get(by, Media.date), query["order"].upper()
    return [*terms, *(expressions.sorted_by(column, direction) for column in (key, Media.id))]


@transactional
def create(store: Store, values: Row) -> tuple[Row, int | None]:
    """Store a picture; return its row, and the first picture that was sent with the same bytes.

    `values` are columns, except `date`: a datetime, or None for now. An empty slug is derived from
    the title; any is made unique. Raises `TextRefused` for a page that is not there.
    """
    now = store.clock.now()
    same = SAME.row(store, values)
    row = {"page": 0, **values, **_dates(store, values, now), "version": 1}
    check_page(store, row["page"])
    row |= Media.computed_values(row)
    row["slug"] = free_slug(store, values.get("slug") or "", row)
    row["id"] = Media.insert(row).execute(store.database)
    _write_event(store, "media.created", row)
    return row, same[0] if same else None


@transactional
def update(store: Store, media_id: int, values: Row, if_match: Precondition | None = None) -> Row:
    """Write columns of a picture and return it; without any nothing is written.

    Raises `MediaNotFound`, `VersionConflict` and `TextRefused`.
    """
    old = get(store, media_id, if_match)
    if not values:
        return old
    now = store.clock.now()
    changes = {**values, "version": old["version"] + 1, **_dates(store, values, now, old)}
    check_page(store, changes.get("page", 0))
    if "slug" in values:
        changes["slug"] = free_slug(store, values["slug"], {**old, **changes})
    changes |= Media.computed_values({**old, **changes})
    row = write_changes(store, Media, old, changes)
    _write_event(store, "media.updated", row)
    return row


@transactional
def delete(store: Store, media_id: int, if_match: Precondition | None = None) -> Row:
    """Remove a picture and return its last row; raises `MediaNotFound`, `VersionConflict`."""
    row = get(store, media_id, if_match)
    Media.delete().where(Media.id == media_id).execute(store.database)
    _write_event(store, "media.deleted", row)
    return row


def pages_with(store: Store, row: Values) -> list[int]:
    """Return the ids of pages that use a picture, in the content or in the gallery.

    Of many only some; none if the search takes too long.
    """
    is_shown = re.compile(rf"{row['folder']}|wp-image-{row['id']}(?![0-9])")
    query = {"status": ["any", "trash"], "page": 1, "per_page": MOST_USERS, "orderby": "id"}
    users = set[int]()
    with suppress(TooExpensive):
        for text in (row["folder"], f"wp-image-{row['id']}"):
            search_query = {**query, "order": "asc", "search": text}
            matches = listing.list_pages(store, search_query, ("id", "content_raw")).rows
            users |= {page["id"] for page in matches if is_shown.search(page["content_raw"])}
        galleries = Page.select(Page.id, Page.meta).where(
            expressions.contains(Page.meta, '"gallery":['),
            ~expressions.contains(Page.meta, '"gallery":[]'),
            expressions.contains(Page.meta, str(row["id"])),
        )
        for page in store.bounded(lambda: [*galleries.dicts().execute(store.database)]):
            users |= {page["id"]} if row["id"] in gallery_ids(json.loads(page["meta"])) else set()
    return sorted(users)[:MOST_USERS]


def gallery_ids(meta: Values) -> list[int]:
    """Return the ids of pictures in the gallery of a page, as numbers, texts or objects."""
    gallery, ids = meta.get("gallery"), list[int]()
    for item in gallery if isinstance(gallery, list) else ():
        value = item.get("id") if isinstance(item, dict) else item
        if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 20:
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool):
            ids.append(value)
    return ids


def _dates(store: Store, values: Row, now: Moment, old: Row | None = None) -> Row:
    """Return the date columns of a write; a date of None is now."""
    columns = {"modified": now.local, "modified_utc": now.utc}
    if "date" in values or old is None:
        moment = store.clock.moment(values["date"]) if values.get("date") else now
        columns |= {"date": moment.local, "date_utc": moment.utc}
    return columns


def check_page(store: Store, number: int) -> None:
    """Raise `TextRefused` for a number that is neither that of a page nor 0."""
    try:
        if number:
            pages.get(store, number, ("id",))
    except PageNotFound:
        raise TextRefused("post", "must be the id of a page, or 0.") from None


def free_slug(store: Store, slug: str, row: Row) -> str:
    """Return a slug that no other picture has: that of a text, or of the title or the name."""
    texts = (slug, row["title_raw"], row["file"].rpartition(".")[0])
    slug = next(filter(None, (slugs.slugify(text, store.language) for text in texts)))

    def used(names: Collection[str]) -> list[str]:
        rows = Media.select(Media.slug).where(Media.slug.in_(names), Media.id != row.get("id", 0))
        return [name for (name,) in rows.tuples().execute(store.database)]

    return slugs.numbered(slug, used) if used([slug]) else slug


def _write_event(store: Store, event_type: str, row: Row) -> None:
    data = {"resource": "media", **{name: row[name] for name in ("id", "version", "slug")}}
    events.write(store, [event_type], data)
