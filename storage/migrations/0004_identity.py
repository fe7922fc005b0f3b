"""The identity of a store, and its generation."""

import secrets

from peewee import Table

from landform.storage.engines.database import EngineDatabase

COLUMNS = """
    identity {text} PRIMARY KEY,
    generation {text} NOT NULL
"""
STORE = Table("store", ("identity", "generation"))


def up(migrator: object, db: EngineDatabase) -> None:
    """Create the table with its one row."""
    db.execute_sql(f"CREATE TABLE store ({COLUMNS.format(text=db.dialect.text)})")
    STORE.insert(identity=secrets.token_hex(16), generation=secrets.token_hex(5)).execute(db)
