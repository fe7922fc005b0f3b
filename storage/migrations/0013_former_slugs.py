"""Former slugs of pages."""

from landform.storage.engines.database import EngineDatabase


def up(migrator: object, db: EngineDatabase) -> None:
    """Create the table."""
    columns = f"slug {db.dialect.text} NOT NULL, page BIGINT NOT NULL"
    db.execute_sql(f"CREATE TABLE former_slug ({db.dialect.identity}, {columns})")
    db.execute_sql("CREATE UNIQUE INDEX former_slug_slug ON former_slug (slug)")
    db.execute_sql("CREATE INDEX former_slug_page ON former_slug (page, id)")
