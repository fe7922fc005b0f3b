"""The languages of pages in a table of their own, which triggers of PostgreSQL keep up to date."""

from landform.storage.engines.cursor import Executor

TABLE = (
    'CREATE TABLE page_language (language TEXT COLLATE "C" NOT NULL, '
    'status TEXT COLLATE "C" NOT NULL, date TEXT COLLATE "C" NOT NULL, page_id BIGINT NOT NULL, '
    "PRIMARY KEY (language, status, date, page_id))"
)
INDEX = "CREATE INDEX page_language_by_page ON page_language (page_id, language)"
FUNCTION = """
    CREATE FUNCTION page_languages_listed() RETURNS trigger LANGUAGE plpgsql
    SET search_path FROM CURRENT AS $$
    BEGIN
        IF TG_OP <> 'INSERT' THEN
            DELETE FROM page_language WHERE page_id = old.id;
        END IF;
        IF TG_OP <> 'DELETE' THEN
            INSERT INTO page_language (language, status, date, page_id)
            SELECT value, new.status, new.date, new.id
            FROM jsonb_array_elements_text(NULLIF(new.languages, '')::jsonb);
        END IF;
        RETURN NULL;
    END $$
"""
TRIGGER = (
    "CREATE TRIGGER page_language_{0} AFTER {1} ON page FOR EACH ROW WHEN ({2}) "
    "EXECUTE FUNCTION page_languages_listed()"
)
MOVED = (
    "old.languages || new.languages <> '' AND "
    "(old.status, old.date, old.languages) IS DISTINCT FROM (new.status, new.date, new.languages)"
)
# A page without languages causes none of them.
TRIGGERS = {
    "insert": ("INSERT", "new.languages <> ''"),
    "delete": ("DELETE", "old.languages <> ''"),
    "update": ("UPDATE OF status, date, languages", MOVED),
}
EMPTY = "DELETE FROM page_language"
FILL = (
    "INSERT INTO page_language (language, status, date, page_id) "
    "SELECT DISTINCT value, status, date, id "
    "FROM page, jsonb_array_elements_text(NULLIF(languages, '')::jsonb) AS value"
)


def create(db: Executor) -> None:
    """Create the table, its index, and the triggers."""
    db.execute_sql(TABLE)
    db.execute_sql(INDEX)
    db.execute_sql(FUNCTION)
    for name, (event, condition) in TRIGGERS.items():
        db.execute_sql(TRIGGER.format(name, event, condition))


def fill(db: Executor) -> None:
    """Make all rows again, from the column of the pages."""
    db.execute_sql(EMPTY)
    db.execute_sql(FILL)
