"""The first schema: pages with the text to search, and feeds."""

from landform.storage.engines.database import EngineDatabase

PAGE = """
    status {text} NOT NULL,
    date {text} NOT NULL,
    date_utc {text} NOT NULL,
    date_floats {boolean} NOT NULL,
    modified {text} NOT NULL,
    author BIGINT NOT NULL,
    slug {text} NOT NULL,
    slug_before_trash {text} NOT NULL,
    password {text} NOT NULL,
    meta {text} NOT NULL,
    title_key {text} NOT NULL,
    title_raw {text} NOT NULL,
    title_rendered {text} NOT NULL,
    block_version SMALLINT NOT NULL,
    content_rendered {text} NOT NULL,
    content_raw {text} NOT NULL
"""
PAGE_TEXT = """
    id {integer} PRIMARY KEY REFERENCES page (id) ON DELETE CASCADE,
    title {text} NOT NULL,
    content {text} NOT NULL
"""
FEED = """
    form_id BIGINT NOT NULL,
    is_active {boolean} NOT NULL,
    feed_order BIGINT NOT NULL,
    addon_slug {text} NOT NULL,
    event_type {text},
    meta {text} NOT NULL
"""
INDEXES = {
    "page_due": "page (date_utc) WHERE status = 'future'",
    # In the order of lists; the id at the end settles ties.
    "feed_by_form": "feed (form_id, feed_order, id)",
    "feed_by_order": "feed (feed_order, id)",
    "feed_by_addon": "feed ({addon_slug}, feed_order, id)",
}


def up(migrator: object, db: EngineDatabase) -> None:
    """Create the tables, their indexes and the search index; those of lists see 0010."""
    speaks = db.dialect
    types = {"boolean": speaks.boolean, "integer": speaks.integer, "text": speaks.text}
    db.execute_sql(f"CREATE TABLE page ({speaks.identity}, {PAGE.format(**types)})")
    db.execute_sql(f"CREATE TABLE page_text ({PAGE_TEXT.format(**types)})")
    db.execute_sql(f"CREATE TABLE feed ({speaks.identity}, {FEED.format(**types)})")
    # A draft may have no slug yet; every other slug belongs to one page only.
    db.execute_sql("CREATE UNIQUE INDEX page_slug ON page (slug) WHERE slug <> ''")
    for name, columns in INDEXES.items():
        indexed = columns.format(addon_slug=speaks.key.format("addon_slug"))
        db.execute_sql(f"CREATE INDEX {name} ON {indexed}")
    speaks.create_search_index(db)
