"""The notes that people write on entries."""

from landform.storage.engines.database import EngineDatabase

COLUMNS = """
    {identity},
    entry_id BIGINT NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
    user_name {text} NOT NULL,
    created_utc {text} NOT NULL,
    note_type {text} NOT NULL,
    value {text} NOT NULL
"""


def up(migrator: object, db: EngineDatabase) -> None:
    """Create the table and its index."""
    db.execute_sql(f"CREATE TABLE entry_note ({COLUMNS.format(**db.dialect.types)})")
    db.execute_sql("CREATE INDEX entry_note_by_entry ON entry_note (entry_id, id)")
