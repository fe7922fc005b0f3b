"""Copying a whole store into an empty one of any engine, with the same ids."""

from collections.abc import Iterator
from itertools import zip_longest

import peewee

from landform.storage.engines.base import Progress
from landform.storage.engines.cursor import Record
from landform.storage.errors import CopyRefused
from landform.storage.models import COPY_IN_PROGRESS, TABLES, ResourceVersion, Table
from landform.storage.sql import identity
from landform.storage.store import Store

# In the order in which they are written; what counts or indexes them is rebuilt.
COPIED = [model for model in TABLES if model.traits.copied]
# How many rows are read and written at a time: pages may be large, and all of them are in memory.
FEWEST, MOST, CHARACTERS = 10, 200, 4_000_000
# What a target raises for a row that it cannot hold: a NUL, a number too large, a slug twice.
REFUSALS = (peewee.DataError, peewee.IntegrityError, ValueError)
MARK = ResourceVersion.name == COPY_IN_PROGRESS


def copy(source: Store, target: Store, progress: Progress) -> int:
    """Fill an empty target with what the source holds at this moment; return how many rows.

    Both have the current schema. An interrupted copy leaves a target that is not served. `progress`
    is called with rows done and rows in all, each read twice: to be written and compared. Raises
    `CopyRefused` for a target that holds something, and where the two are not the same in the end.
    """
    with source.connection() as read, read.snapshot(), target.connection() as written:
        if any(model.select().count(written) for model in COPIED):
            raise CopyRefused(f"{target.engine.name} holds something already; take an empty one.")
        total = sum(model.select().count(read) for model in COPIED)
        counter = _RowCounter(progress, total * 2)
        given = read.last_ids()
        with target.transaction():
            ResourceVersion.insert(name=COPY_IN_PROGRESS, version=0).execute(written)
        for model in COPIED:
            _insert(source, target, model, counter)
        for model in COPIED:
            _compare(source, target, model, counter)
        with target.transaction():
            written.advance_sequences(given)
            # Rows that the target held before may have had the same ids and versions.
            identity.renew_generation(written)
            ResourceVersion.delete().where(MARK).execute(written)
    return total


class _RowCounter:
    """Counts rows, and reports them."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress, self._total, self._done = progress, total, 0

    def add(self, rows: int) -> None:
        before, self._done = self._done, self._done + rows
        if self._done // MOST > before // MOST or self._done == self._total:
            self._progress(self._done, self._total)


def _insert(source: Store, target: Store, model: type[Table], counter: _RowCounter) -> None:
    for rows in _batches(source, model):
        _write(target, model, rows)
        counter.add(len(rows))


def _write(target: Store, model: type[Table], rows: list[Record]) -> None:
    try:
        with target.transaction() as db:
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


def _compare(source: Store, target: Store, model: type[Table], counter: _RowCounter) -> None:
    for mine, copied in zip_longest(_rows(source, model), _rows(target, model)):
        if mine != copied:
            key, name = _key_of(model, mine or copied), model._meta.table_name
            raise CopyRefused(f"The copy is not the same: look at {key!r:.99} of {name}.")
        counter.add(1)


def _rows(store: Store, model: type[Table]) -> Iterator[Record]:
    for batch in _batches(store, model):
        yield from batch


def _batches(store: Store, model: type[Table]) -> Iterator[list[Record]]:
    """Yield all rows by key, some at a time: as many as there is room for, and at most `MOST`."""
    keys = model._meta.get_primary_keys()
    key = peewee.Tuple(*keys) if len(keys) > 1 else keys[0]
    ordered = model.select(*model._meta.sorted_fields).order_by(*keys)
    last: object = None
    size = FEWEST
    while True:
        query = ordered if last is None else ordered.where(key > last)
        try:
            rows = list(query.limit(size).tuples().execute(store.database))
        except Exception as error:
            # What the driver of SQLite reads may make it raise errors of its own.
            if isinstance(error, peewee.DatabaseError) and store.engine.translate_error(error):
                raise
            after = f"A row of {model._meta.table_name} after {last or 'its beginning'}"
            raise CopyRefused(f"{after} cannot be read: {error}.") from error
        if rows:
            yield rows
            last = _key_of(model, rows[-1])
        if len(rows) < size:
            return
        # The next rows are mostly as large as these.
        room = CHARACTERS * size // (1 + sum(map(_characters, rows)))
        size = max(FEWEST, min(MOST, room))


def _key_of(model: type[Table], row: Record) -> object:
    fields = model._meta.sorted_fields
    key = tuple(row[fields.index(field)] for field in model._meta.get_primary_keys())
    return key if len(key) > 1 else key[0]


def _characters(row: Record) -> int:
    return sum(len(value) for value in row if isinstance(value, str))
