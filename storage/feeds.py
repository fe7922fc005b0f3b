"""Feeds in the database: what is listed, in which order, and how they are written."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from landform.storage import versions
from landform.storage.database import Store
from landform.storage.errors import FeedNotFound
from landform.storage.models import Feed
from landform.storage.numbers import MAX_INTEGER, storable
from landform.storage.versions import Versions

Row = dict[str, Any]


def listed(store: Store, filters: Mapping[str, Any], columns: Sequence[str] = ()) -> list[Row]:
    """Return the feeds that pass all filters, by `feed_order`, then id.

    `filters`: `include` (ids), `form_id` (ids), `addon` (slug), `is_active` (bool); one that is
    absent or empty filters nothing.
    """
    query = Feed.select(*[getattr(Feed, name) for name in columns])
    for condition in _conditions(filters):
        query = query.where(condition)
    query = query.order_by(Feed.feed_order, Feed.id)
    return [_read(row) for row in query.dicts().execute(store.database)]


def get(store: Store, feed_id: int, filters: Mapping[str, Any] | None = None) -> Row:
    """Return one feed; `FeedNotFound` where there is none or the filters exclude it."""
    if feed_id > MAX_INTEGER:
        raise FeedNotFound
    query = Feed.select().where(Feed.id == feed_id)
    for condition in _conditions(filters or {}):
        query = query.where(condition)
    rows = list(query.dicts().execute(store.database))
    if not rows:
        raise FeedNotFound
    return _read(rows[0])


def exists(store: Store, feed_id: int) -> bool:
    """Say whether there is such a feed."""
    query = Feed.select(Feed.id).where(Feed.id.in_(storable([feed_id]))).tuples()
    return bool(list(query.execute(store.database)))


def create(store: Store, values: Row) -> Row:
    """Store a new feed and return it."""
    with store.transaction() as db:
        stamped = {**values, "modified_utc": store.clock.now().utc}
        feed_id = Feed.insert(_written(stamped)).execute(db)
        versions.turn(store, "feed")
        return get(store, feed_id)


def update(
    store: Store, feed_id: int, values: Row, *, merge: bool = False, expected: Versions = None
) -> Row:
    """Write the columns given and return the feed as it is then; or `FeedNotFound`.

    With `merge`, `meta` is a JSON Merge Patch (RFC 7396) of the meta that is there.
    `VersionConflict` where the feed is at none of the versions expected.
    """
    with store.transaction() as db:
        feed = get(store, feed_id)
        versions.expect(feed, expected)
        if not values:
            return feed
        if merge and "meta" in values:
            values = {**values, "meta": merge_patch(feed["meta"], values["meta"])}
        stamp = {"version": feed["version"] + 1, "modified_utc": store.clock.now().utc}
        Feed.update(_written({**values, **stamp})).where(Feed.id == feed_id).execute(db)
        versions.turn(store, "feed")
        return {**feed, **values, **stamp}


def delete(store: Store, feed_id: int, expected: Versions = None) -> Row:
    """Remove a feed for good and return it as it last was."""
    with store.transaction() as db:
        feed = get(store, feed_id)
        versions.expect(feed, expected)
        Feed.delete().where(Feed.id == feed_id).execute(db)
        versions.turn(store, "feed")
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


def _conditions(filters: Mapping[str, Any]) -> list[Any]:
    conditions = []
    if filters.get("include"):
        conditions.append(Feed.id.in_(storable(filters["include"])))
    if filters.get("form_id"):
        conditions.append(Feed.form_id.in_(storable(filters["form_id"])))
    if filters.get("addon"):
        conditions.append(Feed.addon_slug == filters["addon"])
    if filters.get("is_active") is not None:
        conditions.append(Feed.is_active == filters["is_active"])
    return conditions


def _read(row: Row) -> Row:
    return {**row, "meta": json.loads(row["meta"])} if "meta" in row else row


def _written(values: Row) -> Row:
    if "meta" not in values:
        return values
    return {**values, "meta": json.dumps(values["meta"], ensure_ascii=False)}
