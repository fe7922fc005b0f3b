"""Revisions of pages."""

from landform.storage.engines.database import EngineDatabase

REVISION = """
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
    """Create the table."""
    columns = REVISION.format(text=db.dialect.text)
    db.execute_sql(f"CREATE TABLE page_revision ({db.dialect.identity}, {columns})")
    db.execute_sql("CREATE INDEX page_revision_page ON page_revision (page, id)")
