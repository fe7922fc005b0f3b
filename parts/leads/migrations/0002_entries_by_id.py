"""The indexes of lists of entries, which have the newest ids first."""

from landform.storage.engines.database import EngineDatabase


def up(migrator: object, db: EngineDatabase) -> None:
    """Create the indexes."""
    db.execute_sql("CREATE INDEX entry_ids_by_status ON entry (status, id)")
    db.execute_sql("CREATE INDEX entry_ids_by_form ON entry (form_id, status, id)")
