"""Revisions of pages."""

from landform.storage.engines.database import EngineDatabase
from landform.storage.models import PageRevision


def up(migrator: object, db: EngineDatabase) -> None:
    """Create the table."""
    db.dialect.create_table(db, PageRevision)
    db.execute_sql("CREATE INDEX page_revision_page ON page_revision (page, id)")
