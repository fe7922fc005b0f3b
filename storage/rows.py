"""Rows as storage gives them: mappings of columns to values, `meta` as the JSON text it is."""

import json
from collections.abc import Callable
from typing import Any

Row = dict[str, Any]
# What is called with something that is about to be written or returned, and may refuse it.
Check = Callable[[dict[str, Any]], None]


def no_check(value: dict[str, Any]) -> None:
    """Refuse nothing."""


def written(values: Row) -> Row:
    """Return columns to write, with `meta`, where it is among them, as JSON text."""
    if "meta" not in values:
        return values
    return {**values, "meta": json.dumps(values["meta"], ensure_ascii=False, separators=(",", ":"))}
