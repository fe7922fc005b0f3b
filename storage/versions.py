"""Versions: a counter on every row, and one for each table that every write to it turns on."""

from collections.abc import Collection
from typing import Any

from landform.storage.database import Store
from landform.storage.errors import VersionConflict
from landform.storage.models import ResourceVersion

Versions = Collection[int] | None


def current(store: Store, name: str) -> int:
    """Return the counter of a table: `page` or `feed`."""
    rows = ResourceVersion.select(ResourceVersion.version).where(ResourceVersion.name == name)
    return int(next(iter(rows.tuples().execute(store.database)))[0])


def turn(store: Store, name: str) -> None:
    """Turn the counter of a table on, in the transaction that writes to it."""
    new = {"version": ResourceVersion.version + 1}
    ResourceVersion.update(new).where(ResourceVersion.name == name).execute(store.database)


def expect(row: dict[str, Any], versions: Versions) -> None:
    """Raise `VersionConflict` where a row is at none of the versions; None expects nothing."""
    if versions is not None and row["version"] not in versions:
        raise VersionConflict
