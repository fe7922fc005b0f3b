"""Versions: a counter on every row, and one for each table, which triggers increment.

A list depends on the table's: any write to it may change it. After a restore, an import or a copy
the same numbers may come again: then the store's generation is another one. Its identity never
changes, and backups have it too.
"""

import secrets
from collections.abc import Collection
from typing import NamedTuple

from landform.storage.engines.database import EngineDatabase
from landform.storage.errors import VersionConflict
from landform.storage.models import ResourceVersion, StoreInfo
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


GENERATION = Prepared(StoreInfo.select(StoreInfo.generation))
IDENTITY = Prepared(StoreInfo.select(StoreInfo.identity))


def generation(store: Store) -> str:
    """Return the generation: a few letters and digits."""
    return str(GENERATION.row(store)[0])


def identity(store: Store) -> str:
    """Return the identity, of a store that was only checked, and not opened, too."""
    return store.identity or str(IDENTITY.row(store)[0])


def renew_generation(db: EngineDatabase) -> None:
    """Give the store a generation that it never had."""
    StoreInfo.update(generation=secrets.token_hex(5)).execute(db)


def current_version(store: Store, name: str) -> tuple[int, str]:
    """Return the counter of a table, `page` or `feed`, and the generation that it is of."""
    version, of_store = CURRENT.row(store, {"name": name})
    return int(version), str(of_store)


def check_version(store: Store, version: int, expected: Versions) -> None:
    """Raise `VersionConflict` for a version that is not expected; None expects nothing."""
    if expected is None:
        return
    if version not in expected.versions or generation(store) != expected.generation:
        raise VersionConflict
