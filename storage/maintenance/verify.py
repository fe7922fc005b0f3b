"""Checks of a store: the database itself, its schema, every row, and all derived data."""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from peewee import BooleanField, DoubleField, Field, TextField

from landform.storage.engines.database import EngineDatabase
from landform.storage.errors import Unavailable, reason_of
from landform.storage.maintenance import derived
from landform.storage.maintenance.derived import RESTORE, VACUUM
from landform.storage.maintenance.tables import read_rows
from landform.storage.migrating import is_earlier
from landform.storage.models import Table, all_tables
from landform.storage.rows import Row
from landform.storage.store import Store

# A function that raises `ValueError` for a wrong row.
Check = Callable[[Row], object]
MOST_LISTED = 5
CORRECT = "Correct the value, or restore a backup."


def find_problems(store: Store, check_row: Check = dict) -> Iterator[str]:
    """Yield each problem of a store as a sentence, with advice. Changes nothing.

    `check_row` is called with each row for an export, with its `resource`, and with its meta as
    JSON text; it raises `ValueError`, whose text describes the problem.
    """
    try:
        with store.connection() as db:
            if is_earlier(db):
                yield f"{db.name} has the schema of an earlier version: run `landform migrate`."
                return
            yield from _checked("The database", db.integrity_problems())
            yield from _checked("The schema", derived.schema_problems(db))
            for model in all_tables():
                if model.derived:
                    continue
                problems = _wrong_rows(db, model, check_row)
                yield from _checked(f"The rows of {model._meta.table_name}", problems)
            yield from _checked("The derived data", _derived(db))
    except Unavailable as error:
        reason = reason_of(error.__cause__ or error)
        yield f"{store.database.name} cannot be read: {reason}. {RESTORE}"


def schema_problems(store: Store) -> list[str]:
    """Return the problems of the schema alone, as `find_problems`."""
    with store.connection() as db:
        return list(_checked("The schema", derived.schema_problems(db)))


def _checked(subject: str, problems: Iterator[str]) -> Iterator[str]:
    """Yield the problems that a check finds, or that it is not possible."""
    try:
        yield from problems
    except Exception as error:
        yield f"{subject} cannot be checked: {reason_of(error)}. {RESTORE}"


def _wrong_rows(db: EngineDatabase, model: type[Table], check_row: Check) -> Iterator[str]:
    """Yield the problems of the rows of a table, as of one moment."""
    wrong: dict[str, list[object]] = {}
    name = model._meta.table_name
    with db.snapshot():
        for row in read_rows(db, model):
            if reason := _reason(model, row, check_row):
                key, value = next(iter(row.items()))
                # Damaged values are not shown, nor is a damaged key.
                wrong.setdefault(reason, []).append("?" if reason.startswith(f"{key} ") else value)
    for reason, keys in wrong.items():
        yield f"There are {len(keys)} rows of {name} whose {reason}: {_listed(keys)}. {CORRECT}"


def _reason(model: type[Table], row: Row, check_row: Check) -> str:
    """Return the problem of a row, which begins with a column; empty for none."""
    fields, computed = model._meta.fields, model.computed
    for name, value in row.items():
        if not _has_type(fields[name], value):
            return f"{name} is not of its type"
    for name in model.damaged_json(row):
        return f"{name} is not the JSON that it has to be"
    for name in () if model.exported_by else row:
        if name.endswith("_utc") and row[name] and not _is_time(row[name]):
            return f"{name} is no date and time"
    if model.exported_by:
        columns = {key: fields[key].python_value(row[key]) for key in row if key not in computed}
        try:
            check_row({"resource": model._meta.table_name, **columns})
        except ValueError as wrong:
            return str(wrong).rstrip(".")
    return ""


def _has_type(field: Field, value: object) -> bool:
    """Return whether a value has the type of its column, which SQLite does not check."""
    if value is None:
        return bool(field.null)
    kind: Any = {TextField: str, DoubleField: (int, float)}.get(type(field), int)
    return isinstance(value, kind) and (value in (0, 1) or not isinstance(field, BooleanField))


def _is_time(text: str) -> bool:
    try:
        return len(text) == len("2026-01-31T12:00:00") and bool(datetime.fromisoformat(text))
    except ValueError:
        return False


def _derived(db: EngineDatabase) -> Iterator[str]:
    with db.snapshot():
        for problem, ids in derived.problems(db):
            yield f"{problem}{': ' if ids else ''}{_listed(ids)}. {VACUUM}"


def _listed(keys: list[object]) -> str:
    dots = ["..."] if len(keys) > MOST_LISTED else []
    return ", ".join([*(f"{key!r:.40}" for key in keys[:MOST_LISTED]), *dots])
