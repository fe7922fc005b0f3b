"""Whether a database file is sound: looked at from outside, with SQLite and nothing of ours.

But for one thing: how a text is folded for the search index.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

from landform.storage.search import fold

DOUBLE_SLUGS = "SELECT slug FROM page WHERE slug <> '' GROUP BY slug HAVING count(*) > 1"
WITHOUT_TEXT = """
    SELECT page.id FROM page LEFT JOIN page_text ON page_text.id = page.id
    WHERE page_text.id IS NULL
    UNION ALL
    SELECT page_text.id FROM page_text LEFT JOIN page ON page.id = page_text.id
    WHERE page.id IS NULL
"""
TEXTS = """
    SELECT page.id, title_raw, content_raw, page_text.title, page_text.content
    FROM page JOIN page_text ON page_text.id = page.id
"""
COMPARE = "INSERT INTO page_index (page_index, rank) VALUES ('integrity-check', 1)"


def check(file: Path) -> dict[str, int]:
    """Assert that a database is sound and return how many pages of each status it holds."""
    with closing(sqlite3.connect(file, timeout=10)) as connection:

        def rows(query: str) -> list[tuple]:
            return connection.execute(query).fetchall()

        assert rows("PRAGMA integrity_check") == [("ok",)]
        assert rows("PRAGMA foreign_key_check") == []
        assert rows(DOUBLE_SLUGS) == []
        assert rows(WITHOUT_TEXT) == []
        for number, title, content, title_text, content_text in rows(TEXTS):
            assert (fold(title), fold(content)) == (title_text, content_text), number
        # The 1 makes FTS5 compare the index with the rows too; it writes nothing.
        connection.execute(COMPARE)
        connection.rollback()
        return dict(rows("SELECT status, count(*) FROM page GROUP BY status"))
