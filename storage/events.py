"""The log of events: what happened to pages, feeds and runs, for others to read.

An event is written in the transaction of what it tells of. Writers take turns, so the ids are in
the order of the commits: whoever has read all events up to an id never misses one before it.
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from functools import cache
from itertools import chain, takewhile

import orjson
from peewee import ColumnBase, ModelSelect, fn

from landform.storage.clock import earlier
from landform.storage.errors import EventsExpired
from landform.storage.event_types import TOLD, TYPES
from landform.storage.models import Event, EventState, Feed, Page, Webhook
from landform.storage.rows import Row, storable
from landform.storage.sql import Parameter, Prepared
from landform.storage.store import Store

# After each so many events those are deleted that are no longer kept, so many at most.
EXPIRY, MOST_EXPIRED = 100, 500
EXPIRED = "expired"
# As much of the name of an add-on is told.
LONGEST = 255

# The columns of each resource whose changes events name.
ANNOUNCED = {
    resource: sorted(model.announced_columns())
    for resource, model in (("page", Page), ("feed", Feed))
}
NEWEST = Prepared(Event.select(fn.MAX(Event.id)))
LAST_EXPIRED = Prepared(EventState.select(EventState.number).where(EventState.name == EXPIRED))


def record(store: Store, resource: str, old: Row | None, new: Row | None) -> None:
    """Write the events of a write to a `page` or a `feed`, in its transaction.

    `old`: what was there before, None for a new row; `new`: None for a deleted one.
    """
    before, after = old or {}, new or {}
    row = before | after
    changed = [
        name.removesuffix("_raw")
        for name in ANNOUNCED[resource]
        if name in after and (name not in before or before[name] != after[name])
    ]
    told = {name: row[name] for name in TOLD[resource]}
    if resource == "feed":
        # An integer in some databases, and of any length.
        told |= {"is_active": bool(row["is_active"]), "addon_slug": row["addon_slug"][:LONGEST]}
    if "slug" in changed and old:
        told["previous_slug"] = old["slug"]
    write(
        store, _types(resource, before, after), {"resource": resource, **told, "changed": changed}
    )


def _types(resource: str, old: Row, new: Row) -> list[str]:
    """Return the types of the events of a write; feeds have no status."""
    verb = "deleted" if not new else "updated" if old else "created"
    types, was, status = [f"{resource}.{verb}"], old.get("status"), new.get("status")
    if old and new and "trash" in (was, status) and was != status:
        types = ["page.trashed" if status == "trash" else "page.restored"]
    if (was == "publish") != (status == "publish"):
        types.append("page.published" if status == "publish" else "page.unpublished")
    return types


def write(store: Store, types: Sequence[str], data: Row, time: str = "") -> int:
    """Write events of some types with the same data, and return the id of the last one.

    `time` is UTC text, without one it is now. Use in the transaction of what they tell of.
    Listeners get the rows of events; the id is 0 where none are stored.
    """
    ids = [0] * len(types)
    same = {"created_utc": time or store.clock.now().utc, "data": orjson.dumps(data).decode()}
    if store.event_days:
        row: Row = {f"type{place}": name for place, name in enumerate(types)}
        row |= {**same, "resource_id": data.get("id")}
        cursor = _insert(len(types)).run_on(store.database, row)
        ids = sorted(chain.from_iterable(cursor.fetchall()))
        if ids[-1] % EXPIRY < len(types):
            _expire(store, ids[-1])
    for number, name in zip(ids, types, strict=True):
        store.write_queue.add_event({"id": number, "type": name, **same})
    return ids[-1]


@cache
def _insert(count: int) -> Prepared:
    """Return the insert of so many events, which have other types and are otherwise the same."""
    same = {name: Parameter(name) for name in ("resource_id", "created_utc", "data")}
    rows = [{"type": Parameter(f"type{number}"), **same} for number in range(count)]
    return Prepared(Event.insert_many(rows).returning(Event.id))


def _expire(store: Store, last: int) -> None:
    """Delete the first events, if they are too old, but none that an active webhook waits for.

    They are as old as they are older than now and than an event before the last ones: a clock that
    jumps ahead expires nothing at once. What it has written goes with the next one that is too old.
    """
    events, db, now = (
        Event.select(Event.id, Event.created_utc).tuples(),
        store.database,
        store.clock.now().utc,
    )
    before = events.where(Event.id <= last - EXPIRY).order_by(Event.id.desc()).first(db)
    old = earlier(min(before[1], now), timedelta(days=store.event_days)) if before else ""
    first = events.where(Event.id < _first_awaited(store, last))
    rows = first.order_by(Event.id).limit(MOST_EXPIRED).execute(db)
    # Those of a clock that was ahead tell nothing about their age.
    beginning = takewhile(lambda row: row[1] < old or row[1] > now, rows)
    expired = [number for number, created in beginning if created < old]
    if expired:
        Event.delete().where(Event.id <= expired[-1]).execute(db)
        state = EventState.insert(name=EXPIRED, number=expired[-1], holder="")
        state.on_conflict(
            conflict_target=[EventState.name], preserve=[EventState.number]
        ).execute(db)  # fmt: skip


def _first_awaited(store: Store, last: int) -> int:
    """Return the first event that an active webhook waits for, `last` where that is none."""
    hooks = Webhook.select(Webhook.cursor, Webhook.resend).where(Webhook.active).tuples()
    awaited = [last]
    for cursor, resend in hooks.execute(store.database):
        awaited.append(cursor + 1)
        # Where the column is damaged no webhook gets any of it.
        with suppress(ValueError, TypeError):
            awaited += [int(number) for number in orjson.loads(resend)]
    return min(awaited)


def newest(store: Store) -> int:
    """Return the id of the last event; 0 where there never was one."""
    return int(NEWEST.row(store)[0] or last_expired(store))


def last_expired(store: Store) -> int:
    """Return the id of the last event that is not kept any more; 0 where all are."""
    return int((LAST_EXPIRED.row(store) or (0,))[0])


def read(
    store: Store,
    after: int | None,
    types: Sequence[str] = (),
    resource_id: Sequence[int] = (),
    limit: int = 100,
) -> tuple[list[Row], int]:
    """Return events after an id, or (None) all, the oldest first, and the id to go on after.

    `types` may be patterns; without any, or without ids, it is all. `EventsExpired` where not all
    of them are kept, or the id is of another store.
    """
    after, last = last_expired(store) if after is None else after, newest(store)
    if after == last:
        return [], last
    found = _select(after, types, resource_id).where(Event.id <= last)
    rows = list(found.order_by(Event.id).limit(limit).dicts().execute(store.database))
    # After the rows: nothing of what they should hold has gone before they were read.
    if not last_expired(store) <= after <= last:
        raise EventsExpired
    return rows, rows[-1]["id"] if len(rows) == limit else last


def read_back(
    store: Store, before: int, types: Sequence[str], resource_id: Sequence[int], limit: int
) -> list[Row]:
    """Return events before an id, the newest first; else as `read`."""
    found = _select(last_expired(store), types, resource_id).where(Event.id < before)
    return list(found.order_by(Event.id.desc()).limit(limit).dicts().execute(store.database))


def _select(after: int, types: Sequence[str], resource_id: Sequence[int]) -> "ModelSelect[Event]":
    """Return the query for events after an id, of these types and resources."""
    found = Event.select().where(Event.id > after, *_asked(types))
    return found.where(Event.resource_id.in_(storable(resource_id))) if resource_id else found


def _asked(types: Sequence[str]) -> list[ColumnBase]:
    """Return the condition that events are of some types, or patterns of them."""
    if not types or "*" in types:
        return []
    wanted = [name for name in TYPES if name in types or f"{name.partition('.')[0]}.*" in types]
    return [Event.type.in_(wanted)]


def count(store: Store, after: int, types: Sequence[str]) -> int:
    """Return how many events there are after an id."""
    return int(Event.select().where(Event.id > after, *_asked(types)).count(store.database))


def by_id(store: Store, number: int) -> Row | None:
    """Return an event; None where it is not kept."""
    found: Row | None = Event.select().where(Event.id == number).dicts().first(store.database)
    return found


def before(store: Store, utc: str) -> int:
    """Return the id after which the events from a time (UTC text) on begin."""
    first = Event.select(fn.MIN(Event.id)).where(Event.created_utc >= utc).scalar(store.database)
    return newest(store) if first is None else int(first) - 1
