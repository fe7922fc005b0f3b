"""The log of events: changes of pages, feeds and other resources.

An event is written in the transaction of the change. Writers take turns, so the ids are in the
order of the commits: whoever has read all events up to an id never misses one before it.
"""

from collections.abc import Sequence
from datetime import timedelta
from functools import cache
from itertools import chain

import orjson
from peewee import ColumnBase, ModelSelect, fn

from landform.parts import all_parts
from landform.storage.errors import EventsExpired
from landform.storage.event_types import EVENT_COLUMNS, all_types, resource_of
from landform.storage.expiry import expired_before
from landform.storage.models import Event, EventState, Feed, Page
from landform.storage.rows import Row, storable
from landform.storage.sql import Parameter, Prepared
from landform.storage.store import Store

# After how many events old ones are deleted, and how many at most.
EXPIRY_INTERVAL, MOST_EXPIRED = 100, 500
EXPIRED = "expired"
# How many characters of the name of an add-on are in an event.
LONGEST_ADDON = 255

# The columns of each resource whose changes events name.
ANNOUNCED = {
    resource: sorted({*model.content_columns()} - {*model.unannounced})
    for resource, model in (("page", Page), ("feed", Feed))
}
NEWEST = Prepared(Event.select(fn.MAX(Event.id)))
TIMES = Event.select(Event.id, Event.created_utc)
FIRST_BEFORE = Prepared(
    TIMES.where(Event.id < Parameter("id")).order_by(Event.id).limit(MOST_EXPIRED)
)
LAST_EXPIRED = Prepared(EventState.select(EventState.number).where(EventState.name == EXPIRED))


def record(
    store: Store, resource: str, old: Row | None, new: Row | None, writer: int | None = None
) -> None:
    """Let parts take part in a write to a `page` or a `feed`, and write its events.

    Use in its transaction. `old`: the row before, None for a new one; `new`: the row after, None
    for a deleted one; `writer`: the author number of the caller.
    """
    for row_written in store.row_written:
        row_written(store, resource, old, new, writer)
    before, after = old or {}, new or {}
    row = before | after
    changed = [
        name.removesuffix("_raw")
        for name in ANNOUNCED[resource]
        if name in after and (name not in before or before[name] != after[name])
    ]
    data = {"resource": resource, **{name: row[name] for name in EVENT_COLUMNS[resource]}}
    if resource == "feed":
        # An integer in some databases, and of any length.
        data["is_active"] = bool(row["is_active"])
        data["addon_slug"] = row["addon_slug"][:LONGEST_ADDON]
    if "slug" in changed and old:
        data["previous_slug"] = old["slug"]
    verb = "deleted" if not new else "updated" if old else "created"
    # Feeds have no status.
    types, was, status = [f"{resource}.{verb}"], before.get("status"), after.get("status")
    if old and new and "trash" in (was, status) and was != status:
        types = ["page.trashed" if status == "trash" else "page.restored"]
    if (was == "publish") != (status == "publish"):
        types.append("page.published" if status == "publish" else "page.unpublished")
    write(store, types, {**data, "changed": changed})


def write(store: Store, types: Sequence[str], data: Row, time: str = "") -> int:
    """Write events of some types with the same data, and return the id of the last one.

    `time` is UTC text, by default of now. Use in the transaction of the change. Listeners get the
    rows of the events; the id is 0 if none are stored.
    """
    ids = [0] * len(types)
    same = {"created_utc": time or store.clock.now().utc, "data": orjson.dumps(data).decode()}
    if store.event_days:
        row: Row = {f"type{place}": name for place, name in enumerate(types)}
        row |= {**same, "resource_id": data.get("id")}
        cursor = _insert(len(types)).run_on(store.database, row)
        ids = sorted(chain.from_iterable(cursor.fetchall()))
        if ids[-1] % EXPIRY_INTERVAL < len(types):
            _expire(store, ids[-1])
    for number, name in zip(ids, types, strict=True):
        store.write_queue.add_event({"id": number, "type": name, **same})
    return ids[-1]


@cache
def _insert(count: int) -> Prepared:
    """Return the insert of several events, which differ in their types only."""
    same = {name: Parameter(name) for name in ("resource_id", "created_utc", "data")}
    rows = [{"type": Parameter(f"type{number}"), **same} for number in range(count)]
    return Prepared(Event.insert_many(rows).returning(Event.id))


def _expire(store: Store, last: int) -> None:
    """Delete the first events that are too old, but none that a part still needs."""
    limit = expired_before(store, timedelta(days=store.event_days))
    awaited: list[int | None] = [part.first_awaited_event(store) for part in all_parts().values()]
    first_awaited = min(number for number in (last, *awaited) if number is not None)
    rows = FIRST_BEFORE.run(store, {"id": first_awaited})
    expired = [number for number, created in rows if created < limit]
    if expired:
        Event.delete().where(Event.id <= expired[-1]).execute(store.database)
        state = EventState.insert(name=EXPIRED, number=expired[-1], holder="")
        key = [EventState.name]
        state.on_conflict(conflict_target=key, preserve=[EventState.number]).execute(store.database)


def newest(store: Store) -> int:
    """Return the id of the last event; 0 if there never was one."""
    return int(NEWEST.row(store)[0] or last_expired(store))


def last_expired(store: Store) -> int:
    """Return the id of the last event that was deleted; 0 if all are stored."""
    return int((LAST_EXPIRED.row(store) or (0,))[0])


def read(
    store: Store,
    after: int | None,
    types: Sequence[str] = (),
    resource_id: Sequence[int] = (),
    limit: int = 100,
) -> tuple[list[Row], int]:
    """Return events after an id, the oldest first, and the id to go on after.

    With None as the id they are all. `types` may be patterns; no types, or no ids, are all. Raises
    `EventsExpired` if some of them were deleted, or the id is of another store.
    """
    after, last = last_expired(store) if after is None else after, newest(store)
    if after == last:
        return [], last
    query = _select(after, types, resource_id).where(Event.id <= last)
    rows = list(query.order_by(Event.id).limit(limit).dicts().execute(store.database))
    # After the rows were read: none of them was deleted before.
    if not last_expired(store) <= after <= last:
        raise EventsExpired
    return rows, rows[-1]["id"] if len(rows) == limit else last


def read_back(
    store: Store, before: int, types: Sequence[str], resource_id: Sequence[int], limit: int
) -> list[Row]:
    """Return events before an id, the newest first; otherwise as `read`."""
    query = _select(last_expired(store), types, resource_id).where(Event.id < before)
    return list(query.order_by(Event.id.desc()).limit(limit).dicts().execute(store.database))


def _select(after: int, types: Sequence[str], resource_id: Sequence[int]) -> "ModelSelect[Event]":
    """Return the query for events after an id, of these types and resources."""
    query = Event.select().where(Event.id > after, *_type_condition(types))
    return query.where(Event.resource_id.in_(storable(resource_id))) if resource_id else query


def _type_condition(types: Sequence[str]) -> list[ColumnBase]:
    """Return the condition that events have one of these types, which may be patterns."""
    if not types or "*" in types:
        return []
    matching = [name for name in all_types() if name in types or f"{resource_of(name)}.*" in types]
    return [Event.type.in_(matching)]


def count(store: Store, after: int, types: Sequence[str]) -> int:
    """Return how many events there are after an id."""
    return int(
        Event.select().where(Event.id > after, *_type_condition(types)).count(store.database)
    )


def by_id(store: Store, number: int) -> Row | None:
    """Return an event; None if it is not stored."""
    row: Row | None = Event.select().where(Event.id == number).dicts().first(store.database)
    return row


def before(store: Store, utc: str) -> int:
    """Return the id after which the events from a time (UTC text) on begin."""
    first = Event.select(fn.MIN(Event.id)).where(Event.created_utc >= utc).scalar(store.database)
    return newest(store) if first is None else int(first) - 1
