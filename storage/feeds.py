"""Feeds in the database: how they are listed, read, written, and put into an order."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from peewee import ColumnBase

from landform.storage import events
from landform.storage.engines import expressions
from landform.storage.errors import EmptyFeed, FeedNotFound, OrderIncomplete
from landform.storage.models import Feed, StoreInfo
from landform.storage.rows import MAX_INTEGER, Row, check_merged, storable, to_columns
from landform.storage.sql import (
    Filters,
    Parameter,
    Precondition,
    Prepared,
    Shape,
    cached,
    check_version,
    current_version,
    make_conditions,
    parameter_values,
    shape_of,
    write_changes,
)
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
WRITTEN = tuple(name for name in COLUMNS if name != "id")
# The values of a new feed that the caller may leave out.
DEFAULTS: Row = {
    name: field.default
    for name, field in Feed._meta.fields.items()
    if field.default is not None or field.null
}
# What the name of a copy ends with.
COPY = " (copy)"
INSERT = Prepared(Feed.insert({name: Parameter(name) for name in WRITTEN}).returning(Feed.id))
FORMS = Prepared(
    Feed.select(Feed.form_id).where(Feed.form_id > 0).distinct().order_by(Feed.form_id)
)
DELETE = Prepared(Feed.delete().where(Feed.id == Parameter("id")))
# How many ids a refusal of an order names at most, of each kind.
MOST_NAMED = 100
SELECTED: dict[str, Any] = {
    **{name: getattr(Feed, name) for name in COLUMNS},
    "generation": StoreInfo.select(StoreInfo.generation).alias("generation"),
}


def list_state(store: Store) -> tuple[int, str]:
    """Return the version and the generation of all feeds, which a list depends on."""
    return current_version(store, "feed")


def list_feeds(
    store: Store,
    filters: Mapping[str, Any],
    columns: Sequence[str] = (),
    most_bytes: int | None = None,
) -> list[Row]:
    """Return the feeds that pass all filters, by `feed_order`, then id.

    `filters`: `include` (ids), `form_id` (ids), `addon` (slug), `is_active` (bool); one that is
    absent or empty filters nothing. Raises `TooLarge` for rows of more than `most_bytes`.
    """
    active: Filters = {
        name: storable(value) if isinstance(value, list) else [value]
        for name, value in filters.items()
        if name in CONDITIONS and value not in (None, "", [])
    }
    query = _select(shape_of(active), tuple(columns))
    return query.rows(store, parameter_values(active), most_bytes)


def get(store: Store, feed_id: int) -> Row:
    """Return one feed; `FeedNotFound` where there is none."""
    return _read_row(store, feed_id, {}, COLUMNS)


def read(store: Store, feed_id: int, filters: Mapping[str, Any]) -> tuple[Row, str]:
    """Return one feed and the generation of the store; `FeedNotFound` if the filters exclude it."""
    feed = _read_row(store, feed_id, filters, (*COLUMNS, "generation"))
    return feed, feed.pop("generation")


def _read_row(
    store: Store, feed_id: int, filters: Mapping[str, Any], columns: Sequence[str]
) -> Row:
    if feed_id > MAX_INTEGER:
        raise FeedNotFound
    rows = list_feeds(store, {**filters, "id": feed_id}, columns)
    if not rows:
        raise FeedNotFound
    return rows[0]


@cached
def _select(shape: Shape, columns: tuple[str, ...]) -> Prepared:
    query = Feed.select(*[SELECTED[name] for name in columns])
    if conditions := make_conditions(shape, CONDITIONS):
        query = query.where(*conditions)
    return Prepared(query.order_by(Feed.feed_order, Feed.id))


def list_forms(store: Store) -> list[int]:
    """Return the forms that feeds name, in order; 0, which stands for all forms, is none."""
    return [form for (form,) in FORMS.run(store).fetchall()]


def exists(store: Store, feed_id: int) -> bool:
    """Return whether there is such a feed."""
    return bool(list_feeds(store, {"include": [feed_id]}, ("id",)))


def create(store: Store, values: Row) -> Row:
    """Store a new feed and return it."""
    # What needs no database is made before others have to wait for this write.
    return _create(store, to_columns({**DEFAULTS, **values, "modified_utc": store.clock.now().utc}))


@transactional
def _create(store: Store, feed: Row) -> Row:
    feed["id"] = INSERT.row(store, feed)[0]
    events.record(store, "feed", None, feed)
    return feed


@transactional
def duplicate(store: Store, feed_id: int, form_id: int | None = None) -> Row:
    """Store an inactive copy of a feed, in another form where one is given, and return it."""
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
    if_match: Precondition | None = None,
) -> Row:
    """Write the columns given and return the feed as it is then; or `FeedNotFound`.

    With `merge`, `meta` is a JSON Merge Patch (RFC 7396) of the meta that is there.
    `EmptyFeed` where that leaves nothing of it. `VersionConflict` where the feed is at none of the
    versions expected.
    """
    feed = get(store, feed_id)
    check_version(store, feed["version"], if_match)
    if not values:
        return feed
    if merge and "meta" in values:
        meta = merge_patch(json.loads(feed["meta"]), values["meta"])
        if not meta:
            raise EmptyFeed
        check_merged(meta)
        values = {**values, "meta": meta}
    changed = _write(store, feed, values)
    events.record(store, "feed", feed, changed)
    return changed


def _write(store: Store, feed: Row, values: Row) -> Row:
    """Write columns of a feed, and return it as it is then."""
    stamp = {"version": feed["version"] + 1, "modified_utc": store.clock.now().utc}
    return write_changes(store, Feed, feed, to_columns({**values, **stamp}))


@transactional
def delete(store: Store, feed_id: int, if_match: Precondition | None = None) -> Row:
    """Remove a feed for good and return it as it last was."""
    feed = get(store, feed_id)
    check_version(store, feed["version"], if_match)
    DELETE.run(store, feed)
    events.record(store, "feed", feed, None)
    return feed


def merge_patch(target: Any, patch: Any) -> Any:
    """Return a JSON value with a patch applied (RFC 7396); neither is changed."""
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
    if_match: Precondition | None,
    columns: Sequence[str],
) -> tuple[list[Row], int]:
    """Give the feeds of a form the orders 1, 2, 3 ...; return them, and the version of all feeds.

    With `partial`, feeds that are not among the ids follow after the others, in the order that they
    have now. Raises `OrderIncomplete` where an id is of no feed of the form, or one is missing, and
    `VersionConflict` where the feeds are at none of the versions expected.
    """
    check_version(store, list_state(store)[0], if_match)
    found = list_feeds(store, {"form_id": [form_id]}, ("id", "feed_order"))
    places = {feed["id"]: feed["feed_order"] for feed in found}
    given = set(ids)
    missing = [number for number in places if number not in given]
    unknown = [number for number in ids if number not in places]
    if unknown or (missing and not partial):
        raise OrderIncomplete({"missing": missing[:MOST_NAMED], "unknown": unknown[:MOST_NAMED]})
    moved = {
        number: place for place, number in enumerate((*ids, *missing), 1) if places[number] != place
    }
    for number, place in moved.items():
        _write(store, get(store, number), {"feed_order": place})
    if moved:
        data = {"resource": "feed", "id": None, "form_id": form_id, "changed": ["feed_order"]}
        events.write(store, ["feed.reordered"], data)
    return list_feeds(store, {"form_id": [form_id]}, columns), list_state(store)[0]
