"""The table of redirects."""

from landform.storage.engines.database import EngineDatabase

REDIRECT = """
    {identity},
    path {text} NOT NULL UNIQUE,
    target {text} NOT NULL,
    created_utc {text} NOT NULL
"""


def up(migrator: object, db: EngineDatabase) -> None:
    """Create the table."""
    db.execute_sql(f"CREATE TABLE redirect ({REDIRECT.format(**db.dialect.types)})")
