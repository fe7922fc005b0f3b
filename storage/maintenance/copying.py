"""Copying a whole store into an empty one of any engine, with the same ids."""

from collections.abc import Iterator

import peewee

from landform.storage.errors import CopyRefused
from landform.storage.maintenance.tables import read_rows
from landform.storage.models import TABLES, Table
from landform.storage.rows import Row
from landform.storage.sql import renew_generation
from landform.storage.store import Store

# In the order in which they are written; what counts or indexes them follows.
COPIED = [model for model in TABLES if model.copied]
# What a target raises for a row that it cannot hold: a NUL, a number too large, a slug twice.
REFUSALS = (peewee.DataError, peewee.IntegrityError, ValueError)


def copy(source: Store, target: Store) -> int:
    """Fill an empty target with what the source holds at this moment; return how many rows.

    Both have the current schema. It is one transaction: whoever writes to the target waits, and
    what is interrupted leaves it empty. Raises `CopyRefused` for a target that holds something.
    """
    count = 0
    with source.connection() as read, read.snapshot(), target.connection(), target.transaction():
        written = target.database
        if any(model.select().count(written) for model in COPIED):
            raise CopyRefused(f"{target.database.name} holds something already; take an empty one.")
        for model in COPIED:
            for row in _read(source, model):
                _insert(target, model, row)
                count += 1
        written.advance_sequences(read.last_ids())
        # Rows that the target held before may have had the same ids and versions.
        renew_generation(written)
    return count


def _insert(target: Store, model: type[Table], row: Row) -> None:
    try:
        model.insert(row).execute(target.database)
    except REFUSALS as error:
        why = str(error).strip().partition("\n")[0]
        name = f"row {next(iter(row.values()))!r:.99} of {model._meta.table_name}"
        raise CopyRefused(f"The {name} cannot be copied: {why}.") from error


def _read(source: Store, model: type[Table]) -> Iterator[Row]:
    try:
        yield from read_rows(source.database, model)
    except Exception as error:
        name = model._meta.table_name
        raise CopyRefused(f"Not every row of {name} can be read: {error}.") from error
