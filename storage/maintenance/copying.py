"""Copying a whole store into an empty one of any engine, with the same ids."""

from collections.abc import Callable, Iterator

from landform.storage.engines.database import INDEX, EngineDatabase
from landform.storage.errors import CopyRefused, reason_of
from landform.storage.maintenance.tables import read_rows
from landform.storage.migrating import missing_parts, read_history
from landform.storage.models import all_tables
from landform.storage.rows import Row
from landform.storage.sql import Parameter, Prepared, renew_generation
from landform.storage.store import Store

ANY_ROW = 'SELECT 1 FROM "{}" LIMIT 1'


def copy(
    source: Store, target: Store, watch: Callable[[Iterator[Row]], Iterator[Row]] = iter
) -> int:
    """Copy all rows of a source, as of one moment, into an empty target; return their number.

    Both have the current schema. The target is written in one transaction: other writers wait,
    and after an interruption it is empty. Raises `CopyRefused`, also for a target with rows.
    `watch` is called with the rows of each table and returns them, as for showing progress.
    """
    count, tables = 0, [model for model in all_tables() if model.copied]
    with source.connection() as old, old.snapshot(), target.connection(), target.transaction():
        new = target.database
        _check_parts(old)
        if any(model.select().count(new) for model in tables):
            raise CopyRefused(f"{new.name} is not empty; choose an empty database.")
        for model in tables:
            row: Row = {}
            fields = model._meta.fields
            insert = Prepared(model.insert({name: Parameter(name) for name in fields}))
            try:
                for row in watch(read_rows(old, model)):
                    insert.run_on(new, {name: fields[name].db_value(row[name]) for name in row})
                    count += 1
            except Exception as error:
                # Damaged, or refused by the target: a NUL, a number too large, a slug twice.
                reason, last = reason_of(error), next(iter(row.values()), None)
                raise CopyRefused(
                    f"Not every row of {model._meta.table_name} can be copied, the last read is "
                    f"{last!r:.99}: {reason}."
                ) from error
        new.advance_sequences(old.last_ids())
        # Earlier rows of the target may have had the same ids and versions.
        renew_generation(new)
    return count


def _check_parts(db: EngineDatabase) -> None:
    """Raise `CopyRefused` for rows of parts that are not installed, whose tables are unknown."""
    missing = missing_parts(read_history(db))
    known = {model._meta.table_name for model in all_tables()} | {"schema_migration"}
    for name in set(db.get_tables()) - known if missing else ():
        is_engine = name.startswith(("sqlite_", INDEX.name))
        if not is_engine and db.execute_sql(ANY_ROW.format(name)).fetchone():
            raise CopyRefused(
                f"{db.name} has rows in {name}, and was used with parts that are not there: "
                f"{', '.join(missing)}. Copy it with a landform that has them, or drop the table."
            )
