"""Copying a whole store into an empty one of any engine, with the same ids."""

from collections.abc import Callable, Iterator

from landform.storage.errors import CopyRefused, reason_of
from landform.storage.maintenance.tables import read_rows
from landform.storage.models import TABLES
from landform.storage.rows import Row
from landform.storage.sql import renew_generation
from landform.storage.store import Store

# In the order in which they are written; what counts or indexes them follows.
COPIED = [model for model in TABLES if model.copied]


def copy(
    source: Store, target: Store, watch: Callable[[Iterator[Row]], Iterator[Row]] = iter
) -> int:
    """Fill an empty target with what the source holds at this moment; return how many rows.

    Both have the current schema. It is one transaction: whoever writes to the target waits, and
    what is interrupted leaves it empty. Raises `CopyRefused` for a target that holds something.
    The rows of each table are read through `watch`.
    """
    count = 0
    with source.connection() as read, read.snapshot(), target.connection(), target.transaction():
        written = target.database
        if any(model.select().count(written) for model in COPIED):
            raise CopyRefused(f"{target.database.name} holds something already; take an empty one.")
        for model in COPIED:
            row: Row = {}
            try:
                for row in watch(read_rows(read, model)):
                    model.insert(row).execute(written)
                    count += 1
            except Exception as error:
                # Unreadable, or what a target cannot hold: a NUL, a number too large, a slug twice.
                why, last = reason_of(error), next(iter(row.values()), None)
                found = f"Not every row of {model._meta.table_name} can be copied"
                raise CopyRefused(f"{found}, the last read is {last!r:.99}: {why}.") from error
        written.advance_sequences(read.last_ids())
        # Rows that the target held before may have had the same ids and versions.
        renew_generation(written)
    return count
