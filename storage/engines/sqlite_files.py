"""The file that SQLite keeps a database in: opened, locked, watched, and missed when it is gone."""

import os
import sqlite3
import time
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import quote

import peewee
from playhouse.pool import PooledSqliteDatabase

from landform.storage.engines.base import NUMBERED, UNUSABLE, Dialect, Pool
from landform.storage.errors import DatabaseUnusable, Unavailable

SYNCHRONOUS = ("FULL", "NORMAL", "EXTRA")
RETRY_SECONDS = 0.0001


class Connection(sqlite3.Connection):
    """A connection that knows which file it may write to; None where it may write to none."""

    def __init__(self, path: str, **options: Any) -> None:
        # Whoever finds the file gone must not begin an empty one in its place.
        super().__init__(f"file:{quote(path)}?mode=rw", **options, uri=True)
        # What was opened read-only stays so, even when the file may be written to again.
        self.file = _identity(path) if os.access(path, os.W_OK) else None


class Database(Pool, PooledSqliteDatabase):  # type: ignore[misc]
    """The pool of connections to a file; it writes to no file that is not in its place."""

    def _is_closed(self, connection: Connection) -> bool:
        """Say whether an idle connection is of no use, since there is another file now."""
        if super()._is_closed(connection):
            return True
        if _identity(self.database) in (None, connection.file):
            return False
        self._close_raw(connection)
        return True

    def holds_transaction(self) -> bool:
        """Say whether SQLite itself is still in the transaction that was begun."""
        return bool(self.connection().in_transaction)

    def snapshot(self) -> Any:
        """Return a transaction that reads what was committed at one moment."""
        return self.atomic("DEFERRED")

    def recover(self, error: BaseException) -> bool:
        """Say that nothing is to be done again: what fails here would fail again."""
        return False

    def unhurried(self) -> None:
        """Do nothing: statements take as long as they like."""

    def uncounted(self) -> None:
        """Do nothing: SQLite changes a counter where it is."""

    def recount(self) -> None:
        """Do nothing: all has been counted."""

    def last_ids(self) -> dict[str, int]:
        """Return the highest id that each table has given out."""
        found = dict(self.execute_sql("SELECT name, seq FROM sqlite_sequence").fetchall())
        return {table: found.get(table, 0) for table in NUMBERED}

    def raise_ids(self, ids: Mapping[str, int]) -> None:
        """Give out none of these ids again; those of rows that are there are known."""
        before = self.last_ids()
        for table, given in ids.items():
            if given > before[table]:
                self.execute_sql("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
                values = "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)"
                self.execute_sql(values, (table, given))

    def begin(self, lock_type: str | None = None, wait: float | None = None) -> None:
        """Begin as soon as whoever writes has finished; `OperationalError` after the wait.

        The wait is the timeout of the database unless another one is given, in seconds.

        SQLite's own waiting looks again after 1, 2, 5, 10, 15, 20 and 25 milliseconds, and a
        write takes less than one. What is written to a file that was moved or deleted would be
        lost: `Unavailable`.
        """
        if self.connection().file != _identity(self.database) or not self.connection().file:
            raise Unavailable(UNUSABLE) from OSError("the file is read-only or not in its place")
        give_up = time.monotonic() + (self.timeout if wait is None else wait)
        self.execute_sql("PRAGMA busy_timeout = 0")
        try:
            with self._observed("BEGIN"):
                self._begin(lock_type, give_up)
        finally:
            self.execute_sql(f"PRAGMA busy_timeout = {int(self.timeout * 1000)}")

    def _begin(self, lock_type: str | None, give_up: float) -> None:
        while True:
            try:
                super().begin(lock_type)
            except peewee.OperationalError as error:
                if not is_busy(error) or time.monotonic() >= give_up:
                    raise
                time.sleep(RETRY_SECONDS)
            else:
                return


def database(path: str, synchronous: str, busy_timeout: float, dialect: Dialect) -> Any:
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
            "cache_size": -4 * 1024,  # KiB; what is read often the system keeps too
            "journal_size_limit": 64 * 1024 * 1024,
        },
        max_connections=0,
        factory=Connection,
        # The pool hands a connection to one thread at a time.
        check_same_thread=False,
    )
    # The pool keeps the argument of this name for itself.
    pool.timeout = busy_timeout
    pool.dialect = dialect
    return pool


class Watch:
    """A connection that never writes, by which a process learns of everybody's commits."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._lock = Lock()
        self._connection: Connection | None = None
        self._process = 0
        self._opened = 0

    def version(self) -> int | None:
        """Return a number that changes with every commit; None where the file cannot be read."""
        with self._lock:
            return self._version()

    def _version(self) -> int | None:
        try:
            connection = self._opened_now()
            if connection.file is None:
                # As long as one is open read-only, SQLite lets no other of this process write.
                self.close()
                return None
            row = connection.execute("PRAGMA data_version").fetchone()
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

    def _opened_now(self) -> Connection:
        """Return the connection, opened again where the file is another one now."""
        if self._connection is not None and self._process == os.getpid():
            if _identity(self._path) in (None, self._connection.file):
                return self._connection
            self.close()
        # A connection that came over a fork is left alone: to close it here could harm the other's.
        self._inherited = self._connection
        self._connection = Connection(self._path, isolation_level=None, check_same_thread=False)
        self._process = os.getpid()
        self._opened += 1
        return self._connection


def _identity(path: str) -> tuple[int, int] | None:
    """Return what tells a file from every other, None where there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


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


def is_busy(error: BaseException) -> bool:
    """Say whether an error means that somebody else holds the lock."""
    return "locked" in str(error).lower() or "busy" in str(error).lower()
