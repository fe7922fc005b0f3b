"""Versions: a counter on every row, and one for each table that triggers turn on.

A list hangs on the table's: any write to it may change it.
"""

from collections.abc import Collection
from typing import Any

from landform.storage.database import Store
from landform.storage.errors import VersionConflict
from landform.storage.models import ResourceVersion
from landform.storage.prepared import Prepared, Slot

Versions = Collection[int] | None


CURRENT = Prepared(
    ResourceVersion.select(ResourceVersion.version).where(ResourceVersion.name == Slot("name"))
)


def current(store: Store, name: str) -> int:
    """Return the counter of a table: `page` or `feed`."""
    return int(CURRENT.row(store, {"name": name})[0])


def expect(row: dict[str, Any], versions: Versions) -> None:
    """Raise `VersionConflict` where a row is at none of the versions; None expects nothing."""
    if versions is not None and row["version"] not in versions:
        raise VersionConflict
