"""Copying a whole store into an empty one of any engine, with the same ids."""

from collections.abc import Iterator
from itertools import chain, count, zip_longest

import peewee

from landform.storage.engines.database import EngineDatabase, Progress, Record
from landform.storage.errors import CopyRefused
from landform.storage.maintenance.batches import batches
from landform.storage.models import TABLES, Table
from landform.storage.sql import identity
from landform.storage.store import Store

# In the order in which they are written; what counts or indexes them follows.
COPIED = [model for model in TABLES if model.traits.copied]
# What a target raises for a row that it cannot hold: a NUL, a number too large, a slug twice.
REFUSALS = (peewee.DataError, peewee.IntegrityError, ValueError)


def copy(source: Store, target: Store, progress: Progress) -> int:
    """Fill an empty target with what the source holds at this moment; return how many rows.

    Both have the current schema. It is one transaction: whoever writes to the target waits, and
    what is interrupted leaves it empty. `progress` is called with rows done and rows in all, each
    read twice: to be written and compared. Raises `CopyRefused` for a target that holds something,
    and where the two are not the same in the end.
    """
    with source.connection() as read, read.snapshot(), target.connection(), target.transaction():
        written = target.database
        if any(model.select().count(written) for model in COPIED):
            raise CopyRefused(f"{target.database.name} holds something already; take an empty one.")
        total = sum(model.select().count(read) for model in COPIED)
        done = count()
        for step in (_insert, _compare):
            for model in COPIED:
                for _ in step(source, target, model):
                    progress(next(done) + 1, total * 2)
        written.advance_sequences(read.last_ids())
        # Rows that the target held before may have had the same ids and versions.
        identity.renew_generation(written)
    return total


def _insert(source: Store, target: Store, model: type[Table]) -> Iterator[Record]:
    """Write the rows of a table, and yield them."""
    for rows in _read(source, model):
        try:
            _write(target.database, model, rows)
        except REFUSALS:
            # One after the other, to name the one that the target does not take.
            for row in rows:
                try:
                    _write(target.database, model, [row])
                except REFUSALS as error:
                    named = f"The row {row[0]!r:.99} of {model._meta.table_name}"
                    why = str(error).strip().partition("\n")[0]
                    raise CopyRefused(f"{named} cannot be copied: {why}.") from error
        yield from rows


def _write(db: EngineDatabase, model: type[Table], rows: list[Record]) -> None:
    with db.atomic():
        model.insert_many(rows, model._meta.sorted_fields).execute(db)


def _compare(source: Store, target: Store, model: type[Table]) -> Iterator[Record]:
    """Compare the rows of a table, and yield them."""
    sides = (chain.from_iterable(_read(store, model)) for store in (source, target))
    for mine, copied in zip_longest(*sides):
        if mine != copied:
            row, name = mine or copied, model._meta.table_name
            raise CopyRefused(f"The copy is not the same: look at {row[0]!r:.99} of {name}.")
        yield mine


def _read(store: Store, model: type[Table]) -> Iterator[list[Record]]:
    try:
        yield from batches(store.database, model)
    except Exception as error:
        # What the driver of SQLite reads may make it raise errors of its own.
        if isinstance(error, peewee.DatabaseError) and store.database.translate_error(error):
            raise
        name = model._meta.table_name
        raise CopyRefused(f"Not every row of {name} can be read: {error}.") from error
