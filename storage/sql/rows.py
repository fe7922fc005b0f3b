"""Rows as storage gives them: mappings of columns to values, `meta` as the JSON text it is."""

import json
from collections.abc import Callable
from typing import Any

from landform.storage.errors import DatabaseUnusable

Row = dict[str, Any]
# What is called with something that is about to be written or returned, and may refuse it.
Check = Callable[[dict[str, Any]], None]


def no_check(value: dict[str, Any]) -> None:
    """Refuse nothing."""


def next_id(table: str, last: int, number: int) -> int:
    """Return the id that a batch of rows ends with, so that the next one begins after it.

    `DatabaseUnusable` where it is not beyond the one before, as in a file that is damaged: reading
    on would never end.
    """
    if number <= last:
        raise DatabaseUnusable(f"The rows of {table} are not in the order of their ids.")
    return number


def to_columns(values: Row) -> Row:
    """Return columns to write, with `meta`, where it is among them, as JSON text."""
    if "meta" not in values:
        return values
    return {**values, "meta": json.dumps(values["meta"], ensure_ascii=False, separators=(",", ":"))}
