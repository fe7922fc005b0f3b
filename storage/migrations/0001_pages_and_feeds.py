"""The first schema: pages with the text to search, and feeds."""

from typing import Any

from landform.storage import sqlite

PAGE = """
    status TEXT NOT NULL,
    date TEXT NOT NULL,
    date_utc TEXT NOT NULL,
    date_floats {boolean} NOT NULL,
    modified TEXT NOT NULL,
    author BIGINT NOT NULL,
    slug TEXT NOT NULL,
    slug_before_trash TEXT NOT NULL,
    password TEXT NOT NULL,
    meta TEXT NOT NULL,
    title_key TEXT NOT NULL,
    title_raw TEXT NOT NULL,
    title_rendered TEXT NOT NULL,
    block_version SMALLINT NOT NULL,
    content_rendered TEXT NOT NULL,
    content_raw TEXT NOT NULL
"""
PAGE_TEXT = """
    id INTEGER PRIMARY KEY REFERENCES page (id) ON DELETE CASCADE,
    title TEXT NOT NULL,
    content TEXT NOT NULL
"""
FEED = """
    form_id BIGINT NOT NULL,
    is_active {boolean} NOT NULL,
    feed_order BIGINT NOT NULL,
    addon_slug TEXT NOT NULL,
    event_type TEXT,
    meta TEXT NOT NULL
"""
INDEXES = {
    # The filters and orders of the list of pages; the id at the end settles ties.
    "page_by_id": "page (status, id)",
    "page_by_date": "page (status, date, id)",
    "page_by_modified": "page (status, modified, id)",
    "page_by_author": "page (status, author, id)",
    "page_by_slug": "page (status, slug, id)",
    "page_by_title": "page (status, title_key, id)",
    "page_due": "page (date_utc) WHERE status = 'future'",
    "feed_by_form": "feed (form_id, feed_order, id)",
    "feed_by_order": "feed (feed_order, id)",
    "feed_by_addon": "feed (addon_slug, feed_order, id)",
}


def up(migrator: Any, db: Any) -> None:
    """Create the tables, their indexes and the search index."""
    identity, boolean = sqlite.IDENTITY, sqlite.BOOLEAN
    db.execute_sql(f"CREATE TABLE page ({identity}, {PAGE.format(boolean=boolean)})")
    db.execute_sql(f"CREATE TABLE page_text ({PAGE_TEXT})")
    db.execute_sql(f"CREATE TABLE feed ({identity}, {FEED.format(boolean=boolean)})")
    # A draft may have no slug yet; every other slug belongs to one page only.
    db.execute_sql("CREATE UNIQUE INDEX page_slug ON page (slug) WHERE slug <> ''")
    for name, columns in INDEXES.items():
        db.execute_sql(f"CREATE INDEX {name} ON {columns}")
    sqlite.create_search_index(db)
