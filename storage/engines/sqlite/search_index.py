"""The full-text index of a SQLite file, which takes changed texts in batches.

One batch costs the index a quarter of what its texts cost one by one. Until then `page_unindexed`
has the pages whose texts changed: searches read those texts themselves. Triggers do all of it,
in the transaction of each write.
"""

from peewee import DatabaseError

from landform.storage.engines.cursor import Executor
from landform.storage.engines.database import INDEX

# The batch is complete when so many pages wait, or pages whose texts have so many characters
# together: searches never read more than that.
MOST_PAGES, MOST_CHARACTERS = 64, 131_072

# The texts are those that the index has, and NULL where it has none of the page.
UNINDEXED = (
    "CREATE TABLE page_unindexed (id INTEGER PRIMARY KEY, characters INTEGER NOT NULL, "
    "title TEXT, content TEXT)"
)
# What the index has: SQLite compares the two, and rebuilds the index from this.
INDEXED = (
    "CREATE VIEW page_indexed AS "
    "SELECT id, title, content FROM page_text WHERE id NOT IN (SELECT id FROM page_unindexed) "
    "UNION ALL SELECT id, title, content FROM page_unindexed WHERE title IS NOT NULL"
)
# In the order of the ids, the old text before the new one: the index writes both in one go.
FOLD = (
    "INSERT INTO page_index (page_index, rowid, title, content) "
    "SELECT 'delete' AS command, id, title, content FROM page_unindexed WHERE title IS NOT NULL "
    "UNION ALL SELECT NULL, page_text.id, page_text.title, page_text.content "
    "FROM page_unindexed CROSS JOIN page_text ON page_text.id = page_unindexed.id "
    "ORDER BY id, command DESC"
)
EMPTY = "DELETE FROM page_unindexed"
IS_COMPLETE = "(SELECT count(*) >= {} OR sum(characters) >= {} FROM page_unindexed)"
ADD = (
    "INSERT INTO page_unindexed (id, characters, title, content) VALUES ({}) "
    "ON CONFLICT (id) DO UPDATE SET characters = characters + excluded.characters"
)
LENGTH = "length({0}.title) + length({0}.content)"
OLD, NEW = LENGTH.format("old"), LENGTH.format("new")
TRIGGERS = {
    "page_text_insert": ("INSERT ON page_text", ADD.format(f"new.id, {NEW}, NULL, NULL")),
    "page_text_delete": (
        "DELETE ON page_text", ADD.format(f"old.id, {OLD}, old.title, old.content"),
    ),
    "page_text_update": (
        "UPDATE ON page_text WHEN (old.title, old.content) IS NOT (new.title, new.content)",
        ADD.format(f"old.id, {OLD} + {NEW}, old.title, old.content"),
    ),
    **{
        f"page_unindexed_{event.lower()}": (
            f"{event} ON page_unindexed WHEN {IS_COMPLETE.format(MOST_PAGES, MOST_CHARACTERS)}",
            f"{FOLD}; {EMPTY}",
        )
        for event in ("INSERT", "UPDATE")
    },
}  # fmt: skip
# What the full-text index keeps in memory, in bytes, and how many pieces it merges into one:
# while all of it is made, and SQLite's own defaults.
REBUILDING = {"hashsize": 32 * 1024 * 1024, "automerge": 0}
USUAL = {"hashsize": 1024 * 1024, "automerge": 4}


def write_in_batches(db: Executor) -> None:
    """Let an index that has taken every text by itself so far take them in batches."""
    db.execute_sql(UNINDEXED)
    db.execute_sql(INDEXED)
    _compare_with_view(db)
    for name, (event, body) in TRIGGERS.items():
        db.execute_sql(f"DROP TRIGGER IF EXISTS {name}")
        db.execute_sql(f"CREATE TRIGGER {name} AFTER {event} BEGIN {body}; END")


def _compare_with_view(db: Executor) -> None:
    """Let the index be compared with the view, as it is: to build it again would take minutes.

    Where SQLite lets nobody write to its schema, there is no other way.
    """
    change = ("content='page_text'", "content='page_indexed'")
    select = "SELECT sql FROM sqlite_master WHERE (type, name) = (?, ?)"
    (sql,) = db.execute_sql(select, INDEX).fetchone()
    try:
        with db.atomic():
            db.execute_sql("PRAGMA writable_schema = ON")
            update = "UPDATE sqlite_master SET sql = replace(sql, ?, ?) WHERE (type, name) = (?, ?)"
            db.execute_sql(update, (*change, *INDEX))
            db.execute_sql("PRAGMA writable_schema = RESET")
    except DatabaseError:
        db.execute_sql("DROP TABLE page_index")
        db.execute_sql(sql.replace(*change))
        rebuild(db)


def fold(db: Executor) -> None:
    """Let the index take all that waits for it."""
    db.execute_sql(FOLD)
    db.execute_sql(EMPTY)


def rebuild(db: Executor) -> None:
    """Build the index again from the texts that there are.

    In larger pieces than those of single writes, and without merging them all the time.
    """
    db.execute_sql(EMPTY)
    option = "INSERT INTO page_index (page_index, rank) VALUES (?, ?)"
    for name, value in REBUILDING.items():
        db.execute_sql(option, (name, value))
    db.execute_sql("INSERT INTO page_index (page_index) VALUES ('rebuild')")
    for name, value in USUAL.items():
        db.execute_sql(option, (name, value))
