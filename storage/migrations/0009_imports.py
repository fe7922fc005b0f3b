"""What was imported from another site: which row came from where, and how far an import is."""

from landform.storage.engines.database import EngineDatabase
from landform.storage.models import ImportOrigin, ImportRun


def up(migrator: object, db: EngineDatabase) -> None:
    """Create both tables."""
    for model in (ImportOrigin, ImportRun):
        db.dialect.create_table(db, model)
