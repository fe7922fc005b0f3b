"""How long a webhook has failed follows from the number of its failures."""

from landform.storage.engines.database import EngineDatabase


def up(migrator: object, db: EngineDatabase) -> None:
    """Drop the column that had it too."""
    db.execute_sql("ALTER TABLE webhook DROP COLUMN failing_since")
