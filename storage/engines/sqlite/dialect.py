"""The SQL of SQLite alone: FTS5 for words, JSON functions for lists, and triggers."""

from collections.abc import Iterable

import peewee

from landform.storage.engines.dialect import Dialect
from landform.storage.search import SHORTEST_INDEXED

SEARCH_INDEX = (
    "CREATE VIRTUAL TABLE page_index USING fts5 (title, content, content='page_text', "
    "content_rowid='id', tokenize='trigram case_sensitive 1')"
)
# `DROP TABLE page_index` would fail where a part of the index is damaged.
DROP_INDEX = (
    "PRAGMA writable_schema = ON",
    "DELETE FROM sqlite_master WHERE name = 'page_index'",
    "PRAGMA writable_schema = RESET",
    *(f"DROP TABLE IF EXISTS page_index_{part}" for part in ("data", "idx", "docsize", "config")),
)
ADD_TEXT = "INSERT INTO page_index (rowid, title, content) VALUES (new.id, new.title, new.content)"
DROP_TEXT = (
    "INSERT INTO page_index (page_index, rowid, title, content) "
    "VALUES ('delete', old.id, old.title, old.content)"
)
COUNT_ONE_MORE = (
    "INSERT INTO page_count (status, pages) VALUES (new.status, 1) "
    "ON CONFLICT (status) DO UPDATE SET pages = pages + 1"
)
COUNT_ONE_LESS = "UPDATE page_count SET pages = pages - 1 WHERE status = old.status"
INCREMENT = "UPDATE resource_version SET version = version + 1 WHERE name = '{}'"


class SQLiteDialect(Dialect):
    """The SQL of SQLite."""

    types = {
        # With AUTOINCREMENT even the highest id is not assigned again after its row is deleted.
        "identity": "id INTEGER PRIMARY KEY AUTOINCREMENT",
        "integer": "INTEGER",
        "boolean": "INTEGER",
        "text": "TEXT",
        "bytes": "BLOB",
    }
    # A text that is not a number counts as 0, as it does for SQLite.
    last_ids = "SELECT name, CAST(seq AS INTEGER) FROM sqlite_sequence"
    set_last_id = (
        "DELETE FROM sqlite_sequence WHERE name = '{0}'",
        "INSERT INTO sqlite_sequence (name, seq) VALUES ('{0}', {1})",
    )
    key = "{}"
    drops = {"index": "DROP INDEX IF EXISTS {0}", "trigger": "DROP TRIGGER IF EXISTS {0}"}
    # There are few API keys; so they have no counter.
    versions = (
        "SELECT name, version, generation, (SELECT max(id) FROM schema_migration) "
        "FROM resource_version, store UNION ALL "
        "SELECT 'api_key', group_concat(id || coalesce(expires, '')), '', '' FROM api_key"
    )
    size = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    # The trigram index has words of three characters or more; shorter ones are found by a scan.
    shortest_indexed = SHORTEST_INDEXED
    expressions = {
        "same": "{0} = {1}",
        "sorted_text": "{0} {1}",
        "contains": "INSTR({0}, {1}) > 0",
        "shares": "EXISTS (SELECT 1 FROM json_each(CASE WHEN json_valid({0}) THEN {0} ELSE '[]' "
        "END) WHERE value IN ({1}))",
        "property_text": "json_extract({0}, '$.' || {1})",
        # As a number PostgreSQL takes only digits, with a minus and decimals.
        "property_number": "(SELECT CASE WHEN length(text) <= 200 AND text GLOB '*[0-9]' "
        "AND ltrim(text, '-') GLOB '[0-9]*' AND text NOT GLOB '*[^0-9.-]*' "
        "AND text NOT GLOB '?*-*' AND text NOT GLOB '*.*.*' THEN CAST(text AS REAL) END "
        "FROM (SELECT json_extract({0}, '$.' || {1}) AS text))",
        "indexed": "(SELECT rowid FROM page_index WHERE page_index MATCH {0})",
        "utc_now": "strftime('%Y-%m-%dT%H:%M:%S', 'now')",
    }

    def indexed_words(self, words: Iterable[str], columns: Iterable[str], joint: str) -> str:
        phrases = f" {joint} ".join('"{}"'.format(word.replace('"', '""')) for word in words)
        return f"{{{' '.join(columns)}}} : ({phrases})"

    def create_search_index(self, db: peewee.Database) -> None:
        """Create the trigram index over `page_text`, and the triggers that update it."""
        db.execute_sql(SEARCH_INDEX)
        _create_trigger(db, "page_text_insert", "INSERT ON page_text", ADD_TEXT)
        _create_trigger(db, "page_text_delete", "DELETE ON page_text", DROP_TEXT)
        changed = "(old.title, old.content) IS NOT (new.title, new.content)"
        update = f"UPDATE ON page_text WHEN {changed}"
        _create_trigger(db, "page_text_update", update, f"{DROP_TEXT}; {ADD_TEXT}")

    def rebuild_search_index(self, db: peewee.Database) -> None:
        rebuild = "INSERT INTO page_index (page_index) VALUES ('rebuild')"
        for statement in (*DROP_INDEX, SEARCH_INDEX, rebuild):
            db.execute_sql(statement)

    def create_counter(self, db: peewee.Database) -> None:
        _create_trigger(db, "page_count_insert", "INSERT ON page", COUNT_ONE_MORE)
        _create_trigger(db, "page_count_delete", "DELETE ON page", COUNT_ONE_LESS)
        moved = "UPDATE OF status ON page WHEN old.status IS NOT new.status"
        _create_trigger(db, "page_count_update", moved, f"{COUNT_ONE_LESS}; {COUNT_ONE_MORE}")

    def create_version(self, db: peewee.Database, table: str) -> None:
        for event in ("INSERT", "DELETE", "UPDATE"):
            name = f"{table}_version_{event.lower()}"
            _create_trigger(db, name, f"{event} ON {table}", INCREMENT.format(table))


def _create_trigger(db: peewee.Database, name: str, event: str, body: str) -> None:
    """Create a trigger for an event such as `INSERT ON page`."""
    db.execute_sql(f"CREATE TRIGGER {name} AFTER {event} BEGIN {body}; END")
