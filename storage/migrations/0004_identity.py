"""The identity of a store, and its generation."""

import secrets

from landform.storage.engines.database import EngineDatabase
from landform.storage.models import StoreInfo


def up(migrator: object, db: EngineDatabase) -> None:
    """Create the table with its one row."""
    db.dialect.create_table(db, StoreInfo)
    values = {"identity": secrets.token_hex(16), "generation": secrets.token_hex(5)}
    StoreInfo.insert(values).execute(db)
