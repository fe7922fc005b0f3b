"""What distinguishes a store from every other one, and from its own earlier states.

The identity never changes, and backups have it too. The generation changes with a restore, an
import or a copy, after which versions that were given out before may come again.
"""

import secrets

from landform.storage.engines.database import EngineDatabase
from landform.storage.models import StoreInfo
from landform.storage.sql.prepared import Prepared
from landform.storage.store import Store

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
