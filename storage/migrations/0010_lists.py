"""Lists by SQL alone: an index in each order, one count for each status, texts indexed at once."""

from landform.storage.engines.database import EngineDatabase

# What other schemas had.
TRIGGERS = (
    "SELECT name FROM sqlite_master WHERE type = 'trigger' AND (name GLOB 'page_count_*' "
    "OR name GLOB 'page_language_*' OR name GLOB 'page_text_*' OR name GLOB 'page_unindexed_*')"
)
FUNCTIONS = ("page_counted", "page_recounted", "page_languages_listed", "resource_turned")
TABLES = ("page_count", "page_language", "page_unindexed")
OLD_INDEXES = (
    "page_by_id", "page_by_date", "page_by_modified", "page_by_author", "page_by_slug",
    "page_by_title", "page_of_author", "page_of_form",
)  # fmt: skip
PAGE_COUNT = "status {text} NOT NULL PRIMARY KEY, pages BIGINT NOT NULL"
FILL = "INSERT INTO page_count (status, pages) SELECT status, count(*) FROM page GROUP BY status"
# Every index of an order has the columns of all filters, so that no page has to be read for them.
FILTERED = "status, author, slug, form, date_utc, opens_local, opens_utc, closes_local, closes_utc"
# Texts of any length, for which an index of PostgreSQL has no room.
LONG = ", password, languages"
INDEXES = {
    "page_by_title": "{title_key}, id, date, modified",
    "page_by_modified": "modified, id, date",
    # SQLite counts in the last one of those that serve as well.
    "page_by_date": "date, id, modified",
}


def up(migrator: object, db: EngineDatabase) -> None:
    """Drop what planned lists, and create what takes its place from the pages that there are."""
    if db.on_server:
        for name in FUNCTIONS:
            db.execute_sql(f"DROP FUNCTION IF EXISTS {name}() CASCADE")
    else:
        for (name,) in db.execute_sql(TRIGGERS).fetchall():
            db.execute_sql(f"DROP TRIGGER {name}")
        db.execute_sql("DROP TABLE page_index")
        db.execute_sql("DROP VIEW IF EXISTS page_indexed")
    for name in TABLES:
        db.execute_sql(f"DROP TABLE IF EXISTS {name}")
    for name in OLD_INDEXES:
        db.execute_sql(f"DROP INDEX IF EXISTS {name}")
    db.execute_sql(f"CREATE TABLE page_count ({PAGE_COUNT.format(text=db.dialect.text)})")
    db.execute_sql(FILL)
    db.dialect.create_counter(db)
    columns = FILTERED if db.on_server else FILTERED + LONG
    for name, order in INDEXES.items():
        ordered = order.format(title_key=db.dialect.key.format("title_key"))
        db.execute_sql(f"CREATE INDEX {name} ON page ({ordered}, {columns})")
    if db.on_server:
        for name in ("page", "feed", "api_key"):
            db.dialect.create_version(db, name)
    else:
        db.dialect.create_search_index(db)
        db.dialect.rebuild_search_index(db)
