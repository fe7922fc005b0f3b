"""The revisions of pages. In databases of 1.0.0 the core has made the table, which stays."""

from landform.storage.engines.database import EngineDatabase

PAGE_REVISION = """
    {identity},
    page BIGINT NOT NULL,
    author BIGINT NOT NULL,
    modified {text} NOT NULL,
    modified_utc {text} NOT NULL,
    status {text} NOT NULL,
    slug {text} NOT NULL,
    title_raw {text} NOT NULL,
    title_rendered {text} NOT NULL,
    block_version SMALLINT NOT NULL,
    content_raw {text} NOT NULL,
    content_rendered {text} NOT NULL,
    meta {text} NOT NULL,
    changed {text} NOT NULL,
    replaced_by BIGINT NOT NULL,
    replaced_utc {text} NOT NULL
"""


def up(migrator: object, db: EngineDatabase) -> None:
    """Create the table and its index, unless they are there."""
    columns = PAGE_REVISION.format(**db.dialect.types)
    db.execute_sql(f"CREATE TABLE IF NOT EXISTS page_revision ({columns})")
    db.execute_sql("CREATE INDEX IF NOT EXISTS page_revision_page ON page_revision (page, id)")
