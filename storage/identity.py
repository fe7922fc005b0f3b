"""What tells a store from every other one, and from what it was before it was put back.

The identity is given once and kept for good, by backups too. The generation is another one after
a restore, an import or a copy, when versions that were given out before may come again.
"""

import secrets

from landform.storage.engines.database import EngineDatabase
from landform.storage.models import StoreInfo
from landform.storage.sql.prepared import Prepared
from landform.storage.store import Store

GENERATION = Prepared(StoreInfo.select(StoreInfo.generation))


def generation(store: Store) -> str:
    """Return the generation: a few letters and digits."""
    return str(GENERATION.row(store)[0])


def renew_generation(db: EngineDatabase) -> None:
    """Give the store a generation that it never had."""
    StoreInfo.update(generation=secrets.token_hex(5)).execute(db)
