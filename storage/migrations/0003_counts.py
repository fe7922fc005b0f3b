"""Totals that need no counting, versions that turn by themselves, and indexes for big lists."""

from landform.storage.engines.database import EngineDatabase

PAGE_COUNT = """
    counted {text} NOT NULL,
    status {text} NOT NULL,
    value {text} NOT NULL,
    pages BIGINT NOT NULL,
    PRIMARY KEY (counted, status, value)
"""
# What is counted in each status: all pages, those of an author, those of a day. `{row}` is the
# name of a row in a trigger.
COUNTED = {
    "status": "''",
    "author": "CAST({row}author AS TEXT)",
    "date": "substr({row}date, 1, 10)",
    "modified": "substr({row}modified, 1, 10)",
}
FILL = """
    INSERT INTO page_count (counted, status, value, pages)
    SELECT '{0}', status, {1}, COUNT(*) FROM page GROUP BY 2, 3
"""
INDEXES = {
    # With what filters look at, so that a page need not be read to be left out.
    "page_by_date": "page (status, date, id, modified, author)",
    # Strangers' searches leave out what has a password: seen here without a look at the page.
    "page_by_id": "page (status, id, {password})",
    # The pages of an author in the default order; page_by_author is the order by author.
    "page_of_author": "page (status, author, date, id)",
    # With the status in it, so that SQLite prefers it to the others that begin with one.
    "page_due": "page (status, date_utc) WHERE status = 'future'",
}


def up(migrator: object, db: EngineDatabase) -> None:
    """Count what is there, and see to it that every later write counts too."""
    db.execute_sql(f"CREATE TABLE page_count ({PAGE_COUNT.format(text=db.dialect.text)})")
    for counted, expression in COUNTED.items():
        db.execute_sql(FILL.format(counted, expression.format(row="")))
    for name in ("page_by_id", "page_by_date", "page_due"):
        db.execute_sql(f"DROP INDEX {name}")
    password = db.dialect.key("password")
    for name, columns in INDEXES.items():
        db.execute_sql(f"CREATE INDEX {name} ON {columns.format(password=password)}")
    db.dialect.create_counters(db, COUNTED)
