"""Moving a whole store to another one, of whichever engine, ids kept."""

from collections.abc import Iterable, Iterator
from heapq import merge
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import peewee
from peewee import Tuple

from landform.storage import identity
from landform.storage.engines.base import Progress
from landform.storage.errors import CopyRefused
from landform.storage.models import COPY_IN_PROGRESS, TABLES, ResourceVersion
from landform.storage.store import Store

# In the order in which they are written; what counts or indexes them is rebuilt.
COPIED = [model for model in TABLES if model.traits.copied]
# How many rows are read and written at a time: pages may be large, and all of them are in memory.
FEWEST, MOST, CHARACTERS = 10, 200, 4_000_000
# What a target says of a row that it cannot hold: a NUL, a number too large, a slug twice.
REFUSALS = (peewee.DataError, peewee.IntegrityError, ValueError)


class Pair(NamedTuple):
    """The rows of one key in two stores; None where a store has none."""

    key: Any
    source: tuple[Any, ...] | None
    target: tuple[Any, ...] | None


def copy(source: Store, target: Store, *, resume: bool, progress: Progress) -> int:
    """Make the target hold what the source holds at this moment, and return how many rows.

    Both have the current schema. With `resume` the target may hold what an earlier copy left;
    whatever is not as in the source goes. `progress` is told rows done and rows in all. Raises
    `CopyRefused` for a target that holds something, and where the two are not the same in the
    end.
    """
    with source.connection() as read, read.snapshot(), target.connection() as written:
        if not resume and any(_rows(written, model) for model in COPIED):
            raise CopyRefused(
                f"{target.engine.name} holds something already; with --resume it is made equal."
            )
        total = sum(_rows(read, model) for model in COPIED)
        shown = _Shown(progress, total * (3 if resume else 2))
        given = read.last_ids()
        with target.transaction():
            # Whatever happens on the way, nobody serves half of a store.
            written.advance_sequences(given)
            mark = ResourceVersion.select().where(ResourceVersion.name == COPY_IN_PROGRESS)
            if not mark.count(written):
                ResourceVersion.insert(name=COPY_IN_PROGRESS, version=0).execute(written)
        for model in reversed(COPIED) if resume else ():
            _remove(source, target, model, shown)
        for model in COPIED:
            _insert(source, target, model, shown)
        for model in COPIED:
            if pair := next(_differences(source, target, model, shown), None):
                name = model._meta.table_name
                raise CopyRefused(f"The copy is not the same: look at {pair.key} of {name}.")
        with target.transaction():
            written.recount()
            written.advance_sequences(given)
            _turn(read, written)
            identity.renew_generation(written)
            ResourceVersion.delete().where(ResourceVersion.name == COPY_IN_PROGRESS).execute(
                written
            )
    return total


class _Shown:
    """Counts rows, and tells of them."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress, self._total, self._done = progress, total, 0

    def one(self) -> None:
        self._done += 1
        if self._done % MOST == 0 or self._done >= self._total:
            self._progress(min(self._done, self._total), self._total)


def _rows(db: Any, model: Any) -> int:
    return int(model.select().count(db))


def _remove(source: Store, target: Store, model: Any, shown: _Shown) -> None:
    """Remove the rows of the target that the source has not, or has another way."""
    found = (pair.key for pair in _differences(source, target, model, shown) if pair.target)
    for keys in _batches(found):
        with target.transaction() as db:
            db.defer_counters()
            for key in keys:
                model.delete().where(_key(model) == key).execute(db)


def _insert(source: Store, target: Store, model: Any, shown: _Shown) -> None:
    """Write the rows that the target lacks."""
    found = (pair.source for pair in _differences(source, target, model, shown) if pair.source)
    for rows in _batches(found):
        _write(target, model, rows)


def _batches(found: Iterator[Any]) -> Iterator[list[Any]]:
    """Yield them some at a time: as many as there is room for, and no more than `MOST`."""
    batch: list[Any] = []
    room = CHARACTERS
    for one in found:
        batch.append(one)
        room -= _characters(one)
        if room <= 0 or len(batch) == MOST:
            yield batch
            batch, room = [], CHARACTERS
    if batch:
        yield batch


def _characters(row: Any) -> int:
    texts = row if isinstance(row, tuple) else ()
    return sum(len(value) for value in texts if isinstance(value, str))


def _write(target: Store, model: Any, rows: list[Any]) -> None:
    try:
        with target.transaction() as db:
            db.defer_counters()
            model.insert_many(rows, model._meta.sorted_fields).execute(db)
    except REFUSALS as error:
        if len(rows) > 1:
            # One after the other, to name the one that the target does not take.
            for row in rows:
                _write(target, model, [row])
            return
        named = f"The row {rows[0][0]!r:.99} of {model._meta.table_name}"
        why = str(error).strip().partition("\n")[0]
        raise CopyRefused(f"{named} cannot be copied: {why}.") from error


def _differences(source: Store, target: Store, model: Any, shown: _Shown) -> Iterator[Pair]:
    """Yield the keys whose rows are not the same; both sides are walked by their key."""
    walks = [_walk(store, model, side) for side, store in enumerate((source, target))]
    for key, found in groupby(merge(*walks, key=itemgetter(0)), key=itemgetter(0)):
        rows = {side: row for _, side, row in found}
        if 0 in rows:
            shown.one()
        if rows.get(0) != rows.get(1):
            yield Pair(key, rows.get(0), rows.get(1))


def _walk(store: Store, model: Any, side: int) -> Iterator[tuple[Any, int, tuple[Any, ...]]]:
    """Yield key, side and row by key, a batch at a time: the target is written meanwhile."""
    fields = model._meta.sorted_fields
    places = [fields.index(field) for field in model._meta.get_primary_keys()]
    last: Any = None
    size = FEWEST
    while True:
        query = model.select(*fields).order_by(*model._meta.get_primary_keys()).limit(size)
        if last is not None:
            query = query.where(_key(model) > last)
        try:
            rows = list(query.tuples().execute(store.database))
        except Exception as error:
            # Of what it reads, the driver of SQLite complains in its own words.
            if isinstance(error, peewee.DatabaseError) and store.engine.translate_error(error):
                raise
            after = f"A row of {model._meta.table_name} after {last or 'its beginning'}"
            raise CopyRefused(f"{after} cannot be read: {error}.") from error
        for row in rows:
            last = tuple(row[place] for place in places)
            last = last if len(last) > 1 else last[0]
            yield last, side, row
        if len(rows) < size:
            return
        # The next ones are mostly as large as these.
        room = CHARACTERS * size // (1 + sum(map(_characters, rows)))
        size = max(FEWEST, min(MOST, room))


def _key(model: Any) -> Any:
    keys = model._meta.get_primary_keys()
    return Tuple(*keys) if len(keys) > 1 else keys[0]


def _turn(read: Any, written: Any) -> None:
    """Let the target's versions go on from the source's, so that no entity tag comes back."""
    versions: Iterable[Any] = ResourceVersion.select().tuples().execute(read)
    for name, version in list(versions):
        later = ResourceVersion.update(version=version + 1)
        here = (ResourceVersion.name == name) & (ResourceVersion.version <= version)
        later.where(here).execute(written)
