"""What tests know of all parts that are there: their routes, and their lines in tables of tests."""

import runpy
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from landform.parts import all_parts
from landform.service.resources import api_routes
from landform.storage.models import TABLES, Table, all_tables

PARTS = tuple(all_parts().values())
ROUTES, WORDPRESS_ROUTES = api_routes(PARTS), api_routes(PARTS, wordpress=True)


@cache
def _tables() -> list[dict[str, Any]]:
    files = [Path(__file__).parent / "parts" / part / "tables.py" for part in all_parts()]
    return [runpy.run_path(str(file)) for file in files if file.exists()]


def tables(name: str) -> Iterator[Any]:
    """Yield what `tables.py` in the tests of each part has of a name."""
    yield from (defined[name] for defined in _tables() if name in defined)


def filled_tables() -> list[type[Table]]:
    """Return the tables in which `applications.fill` stores rows."""
    names = {name for names in tables("FILLED") for name in names}
    return [model for model in all_tables() if model in TABLES or model._meta.table_name in names]
