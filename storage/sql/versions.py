"""Versions: a counter on every row, and one for each table, which triggers increment.

A list depends on the table's: any write to it may change it. After a restore, an import or a copy
the same numbers may come again: then the store's generation is another one.
"""

from collections.abc import Collection
from typing import NamedTuple

from landform.storage.errors import VersionConflict
from landform.storage.models import ResourceVersion, StoreInfo
from landform.storage.sql import identity
from landform.storage.sql.prepared import Parameter, Prepared
from landform.storage.store import Store


class Expected(NamedTuple):
    """What a write expects to find: one of these versions, in the generation they were read in."""

    generation: str
    versions: Collection[int]


Versions = Expected | None

CURRENT = Prepared(
    ResourceVersion.select(ResourceVersion.version, StoreInfo.select(StoreInfo.generation)).where(
        ResourceVersion.name == Parameter("name")
    )
)


def current_version(store: Store, name: str) -> tuple[int, str]:
    """Return the counter of a table, `page` or `feed`, and the generation that it is of."""
    version, generation = CURRENT.row(store, {"name": name})
    return int(version), str(generation)


def check_version(store: Store, version: int, expected: Versions) -> None:
    """Raise `VersionConflict` for a version that is not expected; None expects nothing."""
    if expected is None:
        return
    if version not in expected.versions or identity.generation(store) != expected.generation:
        raise VersionConflict
