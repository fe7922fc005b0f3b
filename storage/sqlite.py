"""All that only SQLite speaks: how to open it, lock it, search it, and read its complaints."""

import os
import re
import sqlite3
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import peewee
from playhouse.pool import PooledSqliteDatabase

from landform.storage.errors import Busy, DatabaseUnusable, Full, StorageError, Unavailable

# AUTOINCREMENT: an id is never given out twice, not even the highest one after its deletion.
IDENTITY = "id INTEGER PRIMARY KEY AUTOINCREMENT"
BOOLEAN = "INTEGER"
SYNCHRONOUS = ("FULL", "NORMAL", "EXTRA")
# The trigram index finds words of three characters or more; shorter ones are looked for by scan.
SHORTEST_INDEXED = 3
ROLLED_BACK = re.compile("no transaction is active|no such savepoint")
TURN = "UPDATE resource_version SET version = version + 1 WHERE name = '{}'"
RETRY_SECONDS = 0.0001


class Database(PooledSqliteDatabase):  # type: ignore[misc]
    """A database that logs no statements: their values are passwords too."""

    def _log_query(self, sql: str, params: Any) -> None:
        """Do without the line that Peewee logs at DEBUG."""

    def holds_transaction(self) -> bool:
        """Say whether SQLite itself is still in the transaction that was begun."""
        return bool(self.connection().in_transaction)

    def begin(self, lock_type: str | None = None) -> None:
        """Begin as soon as whoever writes has finished; `OperationalError` after the timeout.

        SQLite's own waiting looks again after 1, 2, 5, 10, 15, 20 and 25 milliseconds, and a
        write takes less than one.
        """
        give_up = time.monotonic() + self.timeout
        self.execute_sql("PRAGMA busy_timeout = 0")
        try:
            while True:
                try:
                    return super().begin(lock_type)  # type: ignore[no-any-return]
                except peewee.OperationalError as error:
                    if not _is_busy(error) or time.monotonic() >= give_up:
                        raise
                time.sleep(RETRY_SECONDS)
        finally:
            self.execute_sql(f"PRAGMA busy_timeout = {int(self.timeout * 1000)}")


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
            # Of a new file only: a write logs whole pages, and small ones take a quarter less.
            "page_size": 2048,
            "journal_mode": "wal",
            "synchronous": synchronous,
            "foreign_keys": 1,
            "cache_size": -16 * 1024,  # KiB
            "journal_size_limit": 64 * 1024 * 1024,
        },
        max_connections=0,
        # The pool hands a connection to one thread at a time.
        check_same_thread=False,
    )
    # The pool keeps the argument of this name for itself.
    pool.timeout = busy_timeout
    return pool


class Watch:
    """A connection that never writes, by which a process learns of everybody's commits."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._process = 0
        self._opened = 0

    def version(self) -> int | None:
        """Return a number that changes with every commit; None where the file cannot be read."""
        try:
            if self._connection is None or self._process != os.getpid():
                self._open()
            row = self._connection.execute("PRAGMA data_version").fetchone()  # type: ignore[union-attr]
        except sqlite3.Error:
            self._connection = None
            return None
        # SQLite's number means something to one connection only.
        return self._opened << 40 | int(row[0])

    def close(self) -> None:
        """Close the connection, until somebody asks again."""
        if self._connection is not None and self._process == os.getpid():
            self._connection.close()
        self._connection = None

    def _open(self) -> None:
        # A connection that came over a fork is left alone: to close it here could harm the other's.
        self._inherited = self._connection
        self._connection = sqlite3.connect(
            f"file:{quote(os.path.abspath(self._path))}?mode=rw", uri=True,
            isolation_level=None, check_same_thread=False,
        )  # fmt: skip
        self._process = os.getpid()
        self._opened += 1


def check_file(path: str) -> None:
    """Refuse a place where no database can be, before anything is created there."""
    file = Path(path)
    if file.is_dir():
        raise DatabaseUnusable(f"{path} is a folder, not a database file.")
    if not file.parent.is_dir():
        raise DatabaseUnusable(f"The folder of the database {path} does not exist.")


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
    if _is_busy(error):
        return Busy("Another writer holds the database.")
    text = str(error).lower()
    if "full" in text:
        return Full("There is no room left to write.")
    for sign in ("readonly", "unable to open", "disk i/o", "malformed", "not a database"):
        if sign in text:
            return Unavailable("The database cannot be used now.")
    return None


def _is_busy(error: BaseException) -> bool:
    return "locked" in str(error).lower() or "busy" in str(error).lower()
