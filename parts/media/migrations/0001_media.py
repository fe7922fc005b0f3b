"""The tables of pictures and of their files."""

from landform.storage.engines.database import EngineDatabase
from landform.storage.models import ResourceVersion

TABLES = {
    "media": """
        {identity},
        version BIGINT NOT NULL,
        date {text} NOT NULL,
        date_utc {text} NOT NULL,
        modified {text} NOT NULL,
        modified_utc {text} NOT NULL,
        slug {text} NOT NULL,
        author BIGINT NOT NULL,
        page BIGINT NOT NULL,
        title_raw {text} NOT NULL,
        title_rendered {text} NOT NULL,
        title_key {text} NOT NULL,
        caption_raw {text} NOT NULL,
        caption_rendered {text} NOT NULL,
        description_raw {text} NOT NULL,
        description_rendered {text} NOT NULL,
        alt_text {text} NOT NULL,
        searched {text} NOT NULL,
        mime_type {text} NOT NULL,
        folder {text} NOT NULL,
        file {text} NOT NULL,
        width BIGINT NOT NULL,
        height BIGINT NOT NULL,
        filesize BIGINT NOT NULL,
        sizes {text} NOT NULL,
        digest {text} NOT NULL
    """,
    "media_file": """
        path {text} PRIMARY KEY,
        content {bytes} NOT NULL,
        created_utc {text} NOT NULL
    """,
}
INDEXES = {
    "media_by_date": "media (date, id)",
    "media_by_page": "media (page, date, id)",
    "media_by_slug": "media (slug)",
    "media_by_folder": "media (folder)",
    "media_by_digest": "media (digest, id)",
}


def up(migrator: object, db: EngineDatabase) -> None:
    """Create the tables and their indexes."""
    for name, columns in TABLES.items():
        db.execute_sql(f"CREATE TABLE {name} ({columns.format(**db.dialect.types)})")
    for name, columns in INDEXES.items():
        db.execute_sql(f"CREATE INDEX {name} ON {columns}")
    # Pages with pictures are cached until a picture changes.
    db.dialect.create_version(db, "media")
    ResourceVersion.insert(name="media", version=1).execute(db)
