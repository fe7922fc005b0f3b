"""Former slugs of pages."""

from landform.storage.engines.database import EngineDatabase
from landform.storage.models import FormerSlug


def up(migrator: object, db: EngineDatabase) -> None:
    """Create the table."""
    db.dialect.create_table(db, FormerSlug)
    db.execute_sql("CREATE UNIQUE INDEX former_slug_slug ON former_slug (slug)")
    db.execute_sql("CREATE INDEX former_slug_page ON former_slug (page, id)")
