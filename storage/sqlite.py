"""All SQL that only SQLite speaks: identities, triggers, searching, and reading its complaints."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import peewee

from landform.storage.errors import Busy, Full, StorageError, Unavailable
from landform.storage.files import UNUSABLE, is_busy

# AUTOINCREMENT: an id is never given out twice, not even the highest one after its deletion.
IDENTITY = "id INTEGER PRIMARY KEY AUTOINCREMENT"
BOOLEAN = "INTEGER"
# The trigram index finds words of three characters or more; shorter ones are looked for by scan.
SHORTEST_INDEXED = 3
TURN = "UPDATE resource_version SET version = version + 1 WHERE name = '{}'"
ROLLED_BACK = re.compile("no transaction is active|no such savepoint")
# What the driver says of a file that is out of reach or spoilt.
BROKEN = ("readonly", "unable to open", "disk i/o", "malformed", "not a database")


def create_search_index(db: Any) -> None:
    """Create the trigram index over `page_text`, and the triggers that keep it true."""
    db.execute_sql(
        "CREATE VIRTUAL TABLE page_index USING fts5 (title, content, content='page_text', "
        "content_rowid='id', tokenize='trigram case_sensitive 1')"
    )
    add = "INSERT INTO page_index (rowid, title, content) VALUES (new.id, new.title, new.content)"
    drop = (
        "INSERT INTO page_index (page_index, rowid, title, content) "
        "VALUES ('delete', old.id, old.title, old.content)"
    )
    for event, body in (("INSERT", add), ("DELETE", drop), ("UPDATE", f"{drop}; {add}")):
        _create_trigger(db, "page_text", f"{event} ON page_text", body)


def create_counters(db: Any, counted: Mapping[str, str]) -> None:
    """Create the triggers that count pages in `page_count` and turn the resources' versions.

    `counted` maps what is counted to the SQL of its value in a row named by `{row}`.
    """
    plus = (
        "INSERT INTO page_count (counted, status, value, pages) VALUES ('{0}', new.status, {1}, 1) "
        "ON CONFLICT (counted, status, value) DO UPDATE SET pages = pages + 1"
    )
    minus = (
        "UPDATE page_count SET pages = pages - 1 "
        "WHERE counted = '{0}' AND status = old.status AND value = {1}"
    )
    for name, value in counted.items():
        new, old = value.format(row="new."), value.format(row="old.")
        add, drop = plus.format(name, new), minus.format(name, old)
        changed = f"(old.status, {old}) IS NOT (new.status, {new})"
        for event, when, body in (
            ("INSERT", "", add),
            ("DELETE", "", drop),
            ("UPDATE", f"WHEN {changed}", f"{drop}; {add}"),
        ):
            _create_trigger(db, f"page_count_{name}", f"{event} ON page {when}", body)
    for table in ("page", "feed"):
        turn = TURN.format(table)
        for event in ("INSERT", "DELETE", "UPDATE"):
            _create_trigger(db, f"{table}_version", f"{event} ON {table}", turn)


def _create_trigger(db: Any, name: str, event: str, body: str) -> None:
    """Create a trigger for an event such as `INSERT ON page`, and name it after that too."""
    verb = event.partition(" ")[0].lower()
    db.execute_sql(f"CREATE TRIGGER {name}_{verb} AFTER {event} BEGIN {body}; END")


def contains(column: Any, text: Any) -> Any:
    """Return the condition that a column holds a text somewhere."""
    return peewee.fn.INSTR(column, text) > 0


def listed(column: Any, values: Any) -> Any:
    """Return the condition that a column is in a list, given as the text of a JSON array."""
    found = peewee.Select([peewee.fn.json_each(values)], [peewee.SQL("value")])
    return column.in_(found)


def unindexed(column: Any) -> Any:
    """Return a column as one that no index is used for, where another index serves better."""
    return peewee.NodeList((peewee.SQL("+"), column), glue="")


def indexed_words(words: Iterable[str], without: Iterable[str], columns: Iterable[str]) -> str:
    """Return what `indexed` takes to find all of the words, and none of those `without`.

    Without words to find it finds any of those `without`.
    """
    found, left_out = (['"{}"'.format(w.replace('"', '""')) for w in ws] for ws in (words, without))
    wanted = " AND ".join(found)
    if left_out:
        wanted = f"({wanted}) NOT ({' OR '.join(left_out)})" if found else " OR ".join(left_out)
    return f"{{{' '.join(columns)}}} : ({wanted})"


def indexed(words: Any) -> Any:
    """Return the query of the ids of pages that the trigram index finds `indexed_words` in."""
    match = peewee.NodeList((peewee.SQL("page_index MATCH"), words))
    return peewee.Select([peewee.SQL("page_index")], [peewee.SQL("rowid")]).where(match)


def complaint(error: BaseException) -> StorageError | None:
    """Return what an error of the driver means to a caller; None where it is a bug of ours."""
    # A full disk makes SQLite roll back by itself; what is raised then is that Peewee cannot.
    while ROLLED_BACK.search(str(error)) and error.__context__:
        error = error.__context__
    if is_busy(error):
        return Busy("Another writer holds the database.")
    text = str(error).lower()
    if "full" in text:
        return Full("There is no room left to write.")
    if any(sign in text for sign in BROKEN):
        return Unavailable(UNUSABLE)
    return None


def damage(db: Any) -> Iterator[str]:
    """Yield in words what is wrong with the file, its references and the index of words."""
    for (found,) in db.execute_sql("PRAGMA integrity_check").fetchall():
        if found != "ok":
            yield f"SQLite says: {found}."
    for table, row, *_ in db.execute_sql("PRAGMA foreign_key_check").fetchall():
        yield f"The row {row} of {table} refers to a row that is not there."
    try:
        db.execute_sql("INSERT INTO page_index (page_index, rank) VALUES ('integrity-check', 1)")
    except peewee.DatabaseError as error:
        if is_busy(error):
            raise
        yield "The index of words is not that of the texts; `landform vacuum` makes it anew."


def compact(db: Any) -> None:
    """Make the index of words anew from the texts, and the file as small as it can be."""
    db.execute_sql("INSERT INTO page_index (page_index) VALUES ('rebuild')")
    db.execute_sql("INSERT INTO page_index (page_index) VALUES ('optimize')")
    db.execute_sql("VACUUM")
    db.execute_sql("PRAGMA optimize")
    db.execute_sql("PRAGMA wal_checkpoint(TRUNCATE)")
