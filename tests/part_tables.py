"""What tests know of all parts that are there: their routes, and their lines in tables of tests."""

import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from landform.parts import all_parts
from landform.service.resources import api_routes
from landform.storage.models import TABLES, Table, all_tables

PARTS = tuple(all_parts().values())
ROUTES, WORDPRESS_ROUTES = api_routes(PARTS), api_routes(PARTS, wordpress=True)


def tables(name: str) -> Iterator[Any]:
    """Yield what `tables.py` in the tests of each part has of a name."""
    for part in all_parts():
        file = Path(__file__).parent / "parts" / part / "tables.py"
        if file.exists() and name in (defined := runpy.run_path(str(file))):
            yield defined[name]


def filled_tables() -> list[type[Table]]:
    """Return the tables in which `applications.fill` stores rows."""
    names = {name for names in tables("FILLED") for name in names}
    return [model for model in all_tables() if model in TABLES or model._meta.table_name in names]
