"""Feeds in the database: list, read, write and order them."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from peewee import ColumnBase

from landform.storage import events, sql
from landform.storage.engines import expressions
from landform.storage.errors import EmptyFeed, FeedNotFound, OrderIncomplete
from landform.storage.models import Feed, StoreInfo
from landform.storage.rows import MAX_INTEGER, Row, check_merged, storable, to_columns
from landform.storage.store import Store, transactional

# The condition of each filter, made of the parameters for its values.
CONDITIONS: Mapping[str, Callable[..., ColumnBase]] = {
    "id": lambda feed_id: Feed.id == feed_id,
    "include": lambda *ids: Feed.id.in_(ids),
    "form_id": lambda *ids: Feed.form_id.in_(ids),
    "addon": lambda slug: expressions.same(Feed.addon_slug, slug),
    "is_active": lambda is_active: Feed.is_active == is_active,
}
COLUMNS = tuple(Feed._meta.fields)
# The values for the columns of a new feed that the caller may leave out.
DEFAULTS: Row = {
    name: field.default
    for name, field in Feed._meta.fields.items()
    if field.default is not None or field.null
}
# The end of the name of a copy.
COPY = " (copy)"
INSERT = sql.Prepared(
    Feed.insert({name: sql.Parameter(name) for name in COLUMNS if name != "id"}).returning(Feed.id)
)
BY_ID = sql.Prepared(
    Feed.select(*[getattr(Feed, name) for name in COLUMNS]).where(Feed.id == sql.Parameter("id"))
)
# The most ids of each kind that the details of a refused order have.
MOST_NAMED = 100
SELECTED: dict[str, Any] = {
    **{name: getattr(Feed, name) for name in COLUMNS},
    "generation": StoreInfo.select(StoreInfo.generation).alias("generation"),
}


def list_feeds(
    store: Store,
    filters: Mapping[str, Any],
    columns: Sequence[str] = (),
    most_bytes: int | None = None,
) -> list[Row]:
    """Return the feeds that pass all filters, by `feed_order`, then id.

    `filters`: `include` (ids), `form_id` (ids), `addon` (slug), `is_active` (bool), all optional;
    empty ones are ignored. `columns`: none for all. Raises `TooLarge` for rows of more than
    `most_bytes`.
    """
    active: sql.Filters = {
        name: storable(value) if isinstance(value, list) else [value]
        for name, value in filters.items()
        if name in CONDITIONS and value not in (None, "", [])
    }
    query = _select(sql.shape_of(active), tuple(columns))
    return query.rows(store, sql.parameter_values(active), most_bytes)


def get(store: Store, feed_id: int) -> Row:
    """Return a feed. Raises `FeedNotFound`."""
    row = BY_ID.first(store, {"id": feed_id}) if feed_id <= MAX_INTEGER else None
    if row is None:
        raise FeedNotFound
    return row


def read(store: Store, feed_id: int, filters: Mapping[str, Any]) -> tuple[Row, str]:
    """Return a feed and the generation of the store.

    Raises `FeedNotFound`, also for a feed that does not pass the filters.
    """
    filters = {**filters, "id": [feed_id]}
    rows = list_feeds(store, filters, (*COLUMNS, "generation")) if feed_id <= MAX_INTEGER else []
    if not rows:
        raise FeedNotFound
    return rows[0], rows[0].pop("generation")


@sql.cached
def _select(shape: sql.Shape, columns: tuple[str, ...]) -> sql.Prepared:
    query = Feed.select(*[SELECTED[name] for name in columns])
    if conditions := sql.make_conditions(shape, CONDITIONS):
        query = query.where(*conditions)
    return sql.Prepared(query.order_by(Feed.feed_order, Feed.id))


def create(store: Store, values: Row) -> Row:
    """Store a new feed and return it."""
    # What needs no database is computed before other writers have to wait for this one.
    return _create(store, to_columns({**DEFAULTS, **values, "modified_utc": store.clock.now().utc}))


@transactional
def _create(store: Store, feed: Row) -> Row:
    feed["id"] = INSERT.row(store, feed)[0]
    events.record(store, "feed", None, feed)
    return feed


@transactional
def duplicate(store: Store, feed_id: int, form_id: int | None = None) -> Row:
    """Store an inactive copy of a feed, maybe for another form, and return it."""
    feed = get(store, feed_id)
    meta = json.loads(feed["meta"])
    if isinstance(meta.get("feedName"), str):
        meta["feedName"] += COPY
    values = {name: feed[name] for name in Feed.content_columns()}
    form_id = feed["form_id"] if form_id is None else form_id
    return create(store, {**values, "form_id": form_id, "is_active": False, "meta": meta})


@transactional
def update(
    store: Store,
    feed_id: int,
    values: Row,
    *,
    merge: bool = False,
    if_match: sql.Precondition | None = None,
) -> Row:
    """Write columns of a feed and return the feed; without any nothing is written.

    With `merge`, `meta` is a JSON Merge Patch (RFC 7396). Raises `FeedNotFound`, `EmptyFeed` if
    a patch leaves no meta, `TextRefused` if it leaves too much, and `VersionConflict`.
    """
    feed = get(store, feed_id)
    sql.check_version(store, feed["version"], if_match)
    if not values:
        return feed
    if merge and "meta" in values:
        meta = merge_patch(json.loads(feed["meta"]), values["meta"])
        if not meta:
            raise EmptyFeed
        check_merged(meta)
        values = {**values, "meta": meta}
    new = _write(store, feed, values)
    events.record(store, "feed", feed, new)
    return new


def _write(store: Store, feed: Row, values: Row) -> Row:
    """Write columns of a feed, with its version, and return the feed."""
    stamp = {"version": feed["version"] + 1, "modified_utc": store.clock.now().utc}
    return sql.write_changes(store, Feed, feed, to_columns({**values, **stamp}))


@transactional
def delete(store: Store, feed_id: int, if_match: sql.Precondition | None = None) -> Row:
    """Remove a feed and return its last row; `FeedNotFound`, `VersionConflict`."""
    feed = get(store, feed_id)
    sql.check_version(store, feed["version"], if_match)
    Feed.delete().where(Feed.id == feed_id).execute(store.database)
    events.record(store, "feed", feed, None)
    return feed


def merge_patch(target: Any, patch: Any) -> Any:
    """Return a new JSON value with a merge patch applied (RFC 7396)."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge_patch(merged.get(key), value)
    return merged


@transactional
def set_order(
    store: Store,
    form_id: int,
    ids: Sequence[int],
    *,
    partial: bool,
    if_match: sql.Precondition | None,
    columns: Sequence[str],
) -> tuple[list[Row], int]:
    """Give the feeds of a form the orders 1, 2, 3 ...; return them, and the version of all feeds.

    `ids`: all feeds of the form, or with `partial` the first ones, which the others follow in their
    present order. Raises `OrderIncomplete` for missing or unknown ids, and `VersionConflict` if
    all feeds together have another version.
    """
    sql.check_version(store, sql.current_version(store, "feed")[0], if_match)
    feeds = list_feeds(store, {"form_id": [form_id]}, ("id", "feed_order"))
    orders = {feed["id"]: feed["feed_order"] for feed in feeds}
    listed = set(ids)
    missing = [feed_id for feed_id in orders if feed_id not in listed]
    unknown = [feed_id for feed_id in ids if feed_id not in orders]
    if unknown or (missing and not partial):
        details = {"missing": missing[:MOST_NAMED], "unknown": unknown[:MOST_NAMED]}
        raise OrderIncomplete(details=details)
    has_moved = False
    for order, feed_id in enumerate((*ids, *missing), 1):
        if orders[feed_id] != order:
            _write(store, get(store, feed_id), {"feed_order": order})
            has_moved = True
    if has_moved:
        data = {"resource": "feed", "id": None, "form_id": form_id, "changed": ["feed_order"]}
        events.write(store, ["feed.reordered"], data)
    rows = list_feeds(store, {"form_id": [form_id]}, columns)
    return rows, sql.current_version(store, "feed")[0]
