"""Feeds in the database: how they are listed, read and written."""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from operator import eq
from typing import Any

from peewee import ColumnBase

from landform.storage.engines import expressions
from landform.storage.errors import FeedNotFound
from landform.storage.models import Feed, StoreInfo
from landform.storage.reactions import created, deleted, updated
from landform.storage.rows import Check, Row, Values, check_merged, json_text, no_check, to_columns
from landform.storage.sql import versions
from landform.storage.sql.numbers import MAX_INTEGER, storable
from landform.storage.sql.prepared import Parameter, Prepared
from landform.storage.sql.versions import Versions
from landform.storage.store import Store, transactional

# The column that a filter compares, and how.
FILTERS: dict[str, tuple[ColumnBase, expressions.Comparison]] = {
    "id": (Feed.id, eq),
    "include": (Feed.id, expressions.in_list),
    "form_id": (Feed.form_id, expressions.in_list),
    "one_form": (Feed.form_id, eq),
    "addon": (Feed.addon_slug, expressions.same),
    "is_active": (Feed.is_active, eq),
}
# What a new feed has where nothing else is given.
DEFAULTS: Row = {"is_active": True, "feed_order": 0, "event_type": None, "version": 1}
# What the name of a copy ends with.
COPY = " (copy)"
WRITTEN = ("form_id", *DEFAULTS, "addon_slug", "modified_utc", "meta")
INSERT = Prepared(Feed.insert({name: Parameter(name) for name in WRITTEN}).returning(Feed.id))
FORMS = Prepared(
    Feed.select(Feed.form_id).where(Feed.form_id > 0).distinct().order_by(Feed.form_id)
)
DELETE = Prepared(Feed.delete().where(Feed.id == Parameter("id")))
COLUMNS = ("id", *WRITTEN)
SELECTED: dict[str, Any] = {
    **{name: getattr(Feed, name) for name in COLUMNS},
    "generation": StoreInfo.select(StoreInfo.generation).alias("generation"),
}


def list_state(store: Store) -> tuple[int, str]:
    """Return the version and the generation of all feeds, which a list depends on."""
    return versions.current_version(store, "feed")


def list_feeds(
    store: Store,
    filters: Mapping[str, Any],
    columns: Sequence[str] = (),
    check_row: Check = no_check,
) -> list[Row]:
    """Return the feeds that pass all filters, by `feed_order`, then id.

    `filters`: `include` (ids), `form_id` (ids), `addon` (slug), `is_active` (bool); one that is
    absent or empty filters nothing. `check_row` is called with each row as it is read.
    """
    values = _values(filters)
    return _select(tuple(values), tuple(columns)).rows(store, values, check_row)


def get(store: Store, feed_id: int) -> Row:
    """Return one feed; `FeedNotFound` where there is none."""
    return _one(store, feed_id, {}, COLUMNS)


def read(store: Store, feed_id: int, filters: Mapping[str, Any]) -> tuple[Row, str]:
    """Return one feed and the generation of the store; `FeedNotFound` if the filters exclude it."""
    feed = _one(store, feed_id, filters, (*COLUMNS, "generation"))
    return feed, feed.pop("generation")


def _one(store: Store, feed_id: int, filters: Mapping[str, Any], columns: tuple[str, ...]) -> Row:
    if feed_id > MAX_INTEGER:
        raise FeedNotFound
    values = {"id": feed_id, **_values(filters)}
    rows = _select(tuple(values), columns).rows(store, values)
    if not rows:
        raise FeedNotFound
    return rows[0]


@lru_cache(256)
def _select(filters: tuple[str, ...], columns: tuple[str, ...]) -> Prepared:
    query = Feed.select(*[SELECTED[name] for name in columns])
    for name in filters:
        column, compare = FILTERS[name]
        query = query.where(compare(column, Parameter(name)))
    return Prepared(query.order_by(Feed.feed_order, Feed.id))


def list_forms(store: Store) -> list[int]:
    """Return the forms that feeds name, in order; 0, which stands for all forms, is none."""
    return [form for (form,) in FORMS.run(store).fetchall()]


def exists(store: Store, feed_id: int) -> bool:
    """Return whether there is such a feed."""
    if feed_id > MAX_INTEGER:
        return False
    return _select(("id",), ("id",)).row(store, {"id": feed_id}) is not None


def create(store: Store, values: Row) -> Row:
    """Store a new feed and return it."""
    # What needs no database is made before others have to wait for this write.
    return _create(store, to_columns({**DEFAULTS, **values, "modified_utc": store.clock.now().utc}))


@transactional
def _create(store: Store, feed: Row) -> Row:
    feed["id"] = INSERT.row(store, feed)[0]
    store.reactions.record(created, "feed", feed)
    return feed


@transactional
def duplicate(store: Store, feed_id: int, form_id: int | None = None) -> Row:
    """Store an inactive copy of a feed, in another form where one is given, and return it."""
    feed = get(store, feed_id)
    meta = json.loads(feed["meta"])
    if isinstance(meta.get("feedName"), str):
        meta["feedName"] += COPY
    kept = {name: feed[name] for name in ("feed_order", "addon_slug", "event_type")}
    form_id = feed["form_id"] if form_id is None else form_id
    return create(store, {**kept, "form_id": form_id, "is_active": False, "meta": meta})


@transactional
def update(
    store: Store,
    feed_id: int,
    values: Row,
    *,
    merge: bool = False,
    expected: Versions = None,
) -> Row:
    """Write the columns given and return the feed as it is then; or `FeedNotFound`.

    With `merge`, `meta` is a JSON Merge Patch (RFC 7396) of the meta that is there.
    `VersionConflict` where the feed is at none of the versions expected.
    """
    feed = get(store, feed_id)
    versions.check_version(store, feed, expected)
    if not values:
        return feed
    if merge and "meta" in values:
        meta = merge_patch(json.loads(feed["meta"]), values["meta"])
        check_merged(meta)
        values = {**values, "meta": meta}
    stamp = {"version": feed["version"] + 1, "modified_utc": store.clock.now().utc}
    changes = to_columns({**values, **stamp})
    # An index is written anew wherever one of its columns is named, whatever the value.
    written = sorted(name for name, value in changes.items() if value != feed[name])
    _update(tuple(written)).run(store, {**changes, "feed": feed_id})
    changed = {**feed, **changes}
    store.reactions.record(updated, "feed", feed, changed)
    return changed


@lru_cache(256)
def _update(columns: tuple[str, ...]) -> Prepared:
    changes = {name: Parameter(name) for name in columns}
    return Prepared(Feed.update(changes).where(Feed.id == Parameter("feed")))


@transactional
def delete(store: Store, feed_id: int, expected: Versions = None) -> Row:
    """Remove a feed for good and return it as it last was."""
    feed = get(store, feed_id)
    versions.check_version(store, feed, expected)
    DELETE.run(store, feed)
    store.reactions.record(deleted, "feed", feed)
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


def _values(filters: Values) -> Row:
    """Return the values of the filters that filter something; lists as JSON."""
    values: Row = {}
    for name in ("include", "form_id"):
        if filters.get(name):
            values[name] = json_text(storable(filters[name]))
    if len(filters.get("form_id") or ()) == 1 and storable(filters["form_id"]):
        values["one_form"] = filters["form_id"][0]
        del values["form_id"]
    if filters.get("addon"):
        values["addon"] = filters["addon"]
    if filters.get("is_active") is not None:
        values["is_active"] = filters["is_active"]
    return values
