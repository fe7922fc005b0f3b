"""Copying a whole store into an empty one of any engine, with the same ids."""

from collections.abc import Callable, Iterator

from landform.storage.engines.database import INDEX, EngineDatabase
from landform.storage.errors import CopyRefused, reason_of
from landform.storage.maintenance.tables import read_rows
from landform.storage.migrating import missing_parts, read_history
from landform.storage.part import all_tables
from landform.storage.rows import Row
from landform.storage.sql import renew_generation
from landform.storage.store import Store

ANY_ROW = 'SELECT 1 FROM "{}" LIMIT 1'


def copy(
    source: Store, target: Store, watch: Callable[[Iterator[Row]], Iterator[Row]] = iter
) -> int:
    """Fill an empty target with what the source holds at this moment; return how many rows.

    Both have the current schema. It is one transaction: whoever writes to the target waits, and
    what is interrupted leaves it empty. Raises `CopyRefused` for a target that holds something.
    The rows of each table are read through `watch`.
    """
    count, copied = 0, [model for model in all_tables() if model.copied]
    with source.connection() as read, read.snapshot(), target.connection(), target.transaction():
        written = target.database
        _check_parts(read)
        if any(model.select().count(written) for model in copied):
            raise CopyRefused(f"{target.database.name} holds something already; take an empty one.")
        for model in copied:
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


def _check_parts(db: EngineDatabase) -> None:
    """Raise `CopyRefused` for rows of parts that are not there, since nobody knows their tables."""
    missing = missing_parts(read_history(db))
    own = {model._meta.table_name for model in all_tables()} | {"schema_migration"}
    others = set(db.get_tables()) - own if missing else ()
    for name in others:
        is_engine = name.startswith(("sqlite_", INDEX.name))
        if not is_engine and db.execute_sql(ANY_ROW.format(name)).fetchone():
            raise CopyRefused(
                f"{db.name} has rows in {name}, and was used with parts that are not there: "
                f"{', '.join(missing)}. Copy it with a landform that has them, or drop the table."
            )
