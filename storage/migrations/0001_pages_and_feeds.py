"""The first schema: pages with the text to search, and feeds."""

from landform.storage.engines.database import EngineDatabase
from landform.storage.models import Feed, Page

# The columns that both began with: later migrations add the others.
PAGE = (
    "id status date date_utc date_floats modified author slug slug_before_trash password meta "
    "title_key title_raw title_rendered block_version content_rendered content_raw"
).split()
FEED = ("id", "form_id", "is_active", "feed_order", "addon_slug", "event_type", "meta")
PAGE_TEXT = """
    id {integer} PRIMARY KEY REFERENCES page (id) ON DELETE CASCADE,
    title {text} NOT NULL,
    content {text} NOT NULL
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
    columns = PAGE_TEXT.format(integer=speaks.integer, text=speaks.text)
    speaks.create_table(db, Page, PAGE)
    db.execute_sql(f"CREATE TABLE page_text ({columns})")
    speaks.create_table(db, Feed, FEED)
    # A draft may have no slug yet; every other slug belongs to one page only.
    db.execute_sql("CREATE UNIQUE INDEX page_slug ON page (slug) WHERE slug <> ''")
    for name, columns in INDEXES.items():
        indexed = columns.format(addon_slug=speaks.key.format("addon_slug"))
        db.execute_sql(f"CREATE INDEX {name} ON {indexed}")
    speaks.create_search_index(db)
