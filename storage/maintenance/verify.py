"""Checks of a store: the database itself, its schema, and the JSON in its rows."""

from collections.abc import Iterator

from landform.storage.engines.database import EngineDatabase
from landform.storage.errors import Unavailable, reason_of
from landform.storage.maintenance.schema import RESTORE, schema_problems
from landform.storage.maintenance.tables import read_rows
from landform.storage.migrating import is_earlier
from landform.storage.models import Table, all_tables
from landform.storage.store import Store

MOST_LISTED = 5
CORRECT = "Correct the value, or restore a backup."


def find_problems(store: Store, *, rows: bool = True) -> Iterator[str]:
    """Yield each problem of a store as a sentence, with advice. Changes nothing.

    With `rows=False` only those of the schema.
    """
    try:
        with store.connection() as db:
            if is_earlier(db):
                yield f"{db.name} has the schema of an earlier version: run `landform migrate`."
                return
            if rows:
                yield from _checked("The database", db.integrity_problems())
            yield from _checked("The schema", schema_problems(db))
            for model in all_tables() if rows else ():
                if model.json_columns:
                    subject = f"The rows of {model._meta.table_name}"
                    yield from _checked(subject, _damaged_json(db, model))
    except Unavailable as error:
        reason = reason_of(error.__cause__ or error)
        yield f"{store.database.name} cannot be read: {reason}. {RESTORE}"


def _checked(subject: str, problems: Iterator[str]) -> Iterator[str]:
    """Yield the problems that a check finds, or that it is not possible."""
    try:
        yield from problems
    except Exception as error:
        yield f"{subject} cannot be checked: {reason_of(error)}. {RESTORE}"


def _damaged_json(db: EngineDatabase, model: type[Table]) -> Iterator[str]:
    """Yield the columns of a table that hold no JSON, or that of another type."""
    damaged: dict[str, list[object]] = {}
    with db.snapshot():
        for row in read_rows(db, model):
            for name in model.damaged_json(row):
                damaged.setdefault(name, []).append(next(iter(row.values())))
    for name, keys in damaged.items():
        listed = ", ".join(f"{key!r:.40}" for key in keys[:MOST_LISTED])
        yield (
            f"There are {len(keys)} rows of {model._meta.table_name} whose {name} is not the JSON "
            f"that it has to be: {listed}{', ...' * (len(keys) > MOST_LISTED)}. {CORRECT}"
        )
