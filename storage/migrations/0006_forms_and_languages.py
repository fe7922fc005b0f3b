"""Pages are found by their form and by their languages."""

from landform.storage.engines.database import EngineDatabase


def up(migrator: object, db: EngineDatabase) -> None:
    """Add the columns; 0007 fills them from the meta of the pages."""
    for column in ("form", "languages"):
        text = f"{db.dialect.text} DEFAULT '' NOT NULL"
        db.execute_sql(f"ALTER TABLE page ADD COLUMN {column} {text}")
