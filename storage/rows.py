"""Rows as storage gives them: mappings of columns to values, `meta` as the JSON text it is."""

import json
from typing import Any

Row = dict[str, Any]


def written(values: Row) -> Row:
    """Return columns to write, with `meta`, where it is among them, as JSON text."""
    if "meta" not in values:
        return values
    return {**values, "meta": json.dumps(values["meta"], ensure_ascii=False, separators=(",", ":"))}
