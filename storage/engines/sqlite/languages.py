"""The languages of pages in a table of their own, which triggers of SQLite keep up to date."""

from landform.storage.engines.cursor import Executor

TABLE = (
    "CREATE TABLE page_language (language TEXT NOT NULL, status TEXT NOT NULL, "
    "date TEXT NOT NULL, page_id INTEGER NOT NULL, "
    "PRIMARY KEY (language, status, date, page_id)) WITHOUT ROWID"
)
INDEX = "CREATE INDEX page_language_by_page ON page_language (page_id, language)"
# What is no JSON, as an empty text, has no items; what is damaged must not stop a write.
ADD = (
    "INSERT OR IGNORE INTO page_language (language, status, date, page_id) "
    "SELECT value, new.status, new.date, new.id "
    "FROM json_each(CASE WHEN json_valid(new.languages) THEN new.languages END)"
)
DROP = "DELETE FROM page_language WHERE page_id = old.id"
MOVED = (
    "old.languages || new.languages <> '' AND "
    "(old.status, old.date, old.languages) IS NOT (new.status, new.date, new.languages)"
)
# The body of each, by the event; a page without languages causes none of them.
TRIGGERS = {
    "INSERT ON page WHEN new.languages <> ''": ADD,
    "DELETE ON page WHEN old.languages <> ''": DROP,
    f"UPDATE OF status, date, languages ON page WHEN {MOVED}": f"{DROP}; {ADD}",
}
EMPTY = "DELETE FROM page_language"
FILL = (
    "INSERT OR IGNORE INTO page_language (language, status, date, page_id) "
    "SELECT value, status, date, page.id "
    "FROM page, json_each(CASE WHEN json_valid(page.languages) THEN page.languages END)"
)


def create(db: Executor) -> None:
    """Create the table and its index."""
    db.execute_sql(TABLE)
    db.execute_sql(INDEX)


def fill(db: Executor) -> None:
    """Make all rows again, from the column of the pages."""
    db.execute_sql(EMPTY)
    db.execute_sql(FILL)
