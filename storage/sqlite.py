"""All that only SQLite speaks: how to open it, lock it, search it, and read its complaints."""

import os
import sqlite3
from collections.abc import Iterable
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Any
from urllib.parse import quote

import peewee
from playhouse.pool import PooledSqliteDatabase

from landform.storage.errors import Busy, DatabaseUnusable, Full, StorageError, Unavailable
from landform.storage.models import Page, PageText

# AUTOINCREMENT: an id is never given out twice, not even the highest one after its deletion.
IDENTITY = "id INTEGER PRIMARY KEY AUTOINCREMENT"
BOOLEAN = "INTEGER"
SYNCHRONOUS = ("FULL", "NORMAL", "EXTRA")
# The trigram index finds words of three characters or more; shorter ones are looked for by scan.
SHORTEST_INDEXED = 3
UNUSABLE = "The database cannot be used now."
# What the driver says of a file that is out of reach or spoilt.
BROKEN = ("readonly", "unable to open", "disk i/o", "malformed", "not a database")


class Connection(sqlite3.Connection):
    """A connection that knows which file it may write to; None where it may write to none."""

    def __init__(self, path: str, **options: Any) -> None:
        # Whoever finds the file gone must not begin an empty one in its place.
        super().__init__(f"file:{quote(path)}?mode=rw", **options, uri=True)
        # What was opened read-only stays so, even when the file may be written to again.
        self.file = _identity(path) if os.access(path, os.W_OK) else None


class Database(PooledSqliteDatabase):  # type: ignore[misc]
    """A database that logs no statements, and writes to no file that is not in its place."""

    def _log_query(self, sql: str, params: Any) -> None:
        """Do without the line that Peewee logs at DEBUG: the values are passwords too."""

    def _is_closed(self, connection: Connection) -> bool:
        """Say whether an idle connection is of no use, since there is another file now."""
        if super()._is_closed(connection):
            return True
        if _identity(self.database) in (None, connection.file):
            return False
        self._close_raw(connection)
        return True

    def begin(self, lock_type: str | None = None) -> None:
        """Begin to write; what is written to a file that was moved or deleted would be lost."""
        if self.connection().file != _identity(self.database) or not self.connection().file:
            raise Unavailable(UNUSABLE) from OSError("the file is read-only or not in its place")
        super().begin(lock_type)


def _identity(path: str) -> tuple[int, int] | None:
    """Return what tells a file from every other, None where there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def database(path: str, synchronous: str, busy_timeout: float) -> Any:
    """Return the pooled Peewee database of a file; nothing is opened yet."""
    if path in ("", ":memory:"):
        raise DatabaseUnusable("SQLite needs a file: each connection would see its own memory.")
    pool = Database(
        path,
        # A transaction that reads before it writes fails at once when it has to wait for the
        # lock half-way; one that takes the lock first waits in line.
        lock_type="IMMEDIATE",
        pragmas={
            "journal_mode": "wal",
            "synchronous": synchronous,
            "foreign_keys": 1,
            "cache_size": -16 * 1024,  # KiB
            "journal_size_limit": 64 * 1024 * 1024,
        },
        max_connections=0,
        factory=Connection,
        # The pool hands a connection to one thread at a time.
        check_same_thread=False,
    )
    # The pool keeps the argument of this name for itself.
    pool.timeout = busy_timeout
    return pool


def create_file(path: str) -> None:
    """Create the file where there is none; refuse a place where no database can be."""
    file = Path(path)
    if file.is_dir():
        raise DatabaseUnusable(f"{path} is a folder, not a database file.")
    if not file.parent.is_dir():
        raise DatabaseUnusable(f"The folder of the database {path} does not exist.")
    if not file.exists():
        try:
            file.touch()
        except OSError as error:
            raise DatabaseUnusable(f"{path} cannot be created: {error.strerror}.") from error


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
    for event, statements in (("INSERT", [add]), ("DELETE", [drop]), ("UPDATE", [drop, add])):
        body = "; ".join(statements)
        db.execute_sql(
            f"CREATE TRIGGER page_text_{event.lower()} AFTER {event} ON page_text BEGIN {body}; END"
        )


def contains(column: Any, text: str) -> Any:
    """Return the condition that a column holds a text somewhere."""
    return peewee.fn.INSTR(column, text) > 0


def with_words(words: Iterable[str], columns: Iterable[str]) -> list[Any]:
    """Return the conditions that each word is in one of the columns of a page's text."""
    columns = list(columns)
    indexed = [word for word in words if len(word) >= SHORTEST_INDEXED]
    conditions = [_scan(word, columns) for word in words if len(word) < SHORTEST_INDEXED]
    if indexed:
        quoted = " AND ".join('"{}"'.format(word.replace('"', '""')) for word in indexed)
        match = f"{{{' '.join(columns)}}} : ({quoted})"
        found = "(SELECT rowid FROM page_index WHERE page_index MATCH ?)"
        conditions.append(Page.id.in_(peewee.SQL(found, (match,))))
    return conditions


def _scan(word: str, columns: list[str]) -> Any:
    found = reduce(or_, (contains(getattr(PageText, name), word) for name in columns))
    return Page.id.in_(PageText.select(PageText.id).where(found))


def complaint(error: BaseException) -> StorageError | None:
    """Return what an error of the driver means to a caller; None where it is a bug of ours."""
    # A full disk makes SQLite roll back by itself; what is raised then is that Peewee cannot.
    while "no transaction is active" in str(error) and error.__context__:
        error = error.__context__
    text = str(error).lower()
    if "locked" in text or "busy" in text:
        return Busy("Another writer holds the database.")
    if "full" in text:
        return Full("There is no room left to write.")
    if any(sign in text for sign in BROKEN):
        return Unavailable(UNUSABLE)
    return None
