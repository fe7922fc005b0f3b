"""The connections to a SQLite file: pooled, locked, watched, and closed when the file is gone."""

import os
import sqlite3
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any, TypeVar
from urllib.parse import quote

import peewee
from playhouse.pool import PooledSqliteDatabase

from landform.storage.engines.base import INDEX, Dialect, Named, Pool, Schema
from landform.storage.engines.sqlite.log import FileId, file_id
from landform.storage.engines.sqlite.place import REPLACED, Place, create_file, new_stamp
from landform.storage.errors import DatabaseUnusable, Unavailable
from landform.storage.models import NUMBERED
from landform.storage.query_budget import Budget

SYNCHRONOUS = ("FULL", "NORMAL", "EXTRA")
RETRY_SECONDS = 0.0001
# After so many steps of SQLite's own a budget is looked at: mostly a tenth of a millisecond.
# Each look takes the interpreter's lock.
STEPS = 200
T = TypeVar("T")


class Connection(sqlite3.Connection):
    """A connection that knows which file it may write to; None where it may write to none.

    `Unavailable` where the file in the place is not the store's.
    """

    def __init__(self, path: str, *, place: Place, **options: Any) -> None:
        self.file: FileId | None = None
        self.opened = 0.0
        self._place = place
        found = place.admit(self)
        try:
            # Whoever finds the file gone must not begin an empty one in its place.
            super().__init__(f"file:{quote(path)}?mode=rw", **options, uri=True)
            # What was opened read-only stays so, even when the file may be written to again.
            self.file = found if os.access(path, os.W_OK) else None
            self.opened = time.monotonic()
            self._check_identity()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close it."""
        with suppress(sqlite3.ProgrammingError):  # of one that was never opened
            super().close()
        self._place.leave(self)

    def retire(self) -> None:
        """Close it, since another file lies in the place of its own.

        What the log holds goes into that file first, wherever it is now: so it is whole without
        the log, and nothing is left that could be replayed into the other one.
        """
        with suppress(sqlite3.Error):
            self.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.close()

    def _check_identity(self) -> None:
        if self._place.identity is None:
            return
        try:
            row = self.execute("SELECT identity FROM store").fetchone()
        except sqlite3.OperationalError as error:
            if "no such table" not in str(error):
                raise
            row = None
        if row != (self._place.identity,):
            raise Unavailable(REPLACED)


class Database(Pool, PooledSqliteDatabase):  # type: ignore[misc]
    """The pool of connections to a file; it writes to no file that is not in its place."""

    on_server = False

    def __init__(self, place: Place, **options: Any) -> None:
        super().__init__(place.path, place=place, factory=Connection, **options)
        self._place = place
        self.watch = ChangeWatcher(place, self)

    @property
    def identity(self) -> str | None:
        """The store that the file has to hold; None while that is not known."""
        return self._place.identity

    @identity.setter
    def identity(self, identity: str | None) -> None:
        self._place.identity = identity

    def _connect(self) -> Any:
        """Open a connection; the idle ones to another file were closed before."""
        self.watch.close_replaced()
        try:
            return super()._connect()
        except UnicodeDecodeError as error:
            # Of the schema of a damaged file SQLite tells in the words that it finds there.
            raise peewee.DatabaseError(error.object.decode(errors="replace")) from error

    def _is_closed(self, connection: Connection) -> bool:
        """Say whether an idle connection is of no use, since there is another file now."""
        if super()._is_closed(connection):
            return True
        if self._place.is_current(connection):
            return False
        connection.retire()
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

    def within(self, budget: Budget, read: Callable[[], T]) -> T:
        """Return what a function reads; SQLite interrupts its statements when the budget is spent.

        No other connection is, and this one is as it was afterwards.
        """
        connection = self.connection()
        connection.set_progress_handler(budget.is_spent, STEPS)
        try:
            found = read()
        except (peewee.DatabaseError, sqlite3.Error) as error:
            if budget.refusal is None:
                raise
            # The traceback's cycles would keep the statement until another thread collects them,
            # which would then wait until this connection has nothing to do.
            traceback.clear_frames(error.__traceback__)
            raise budget.refusal from None
        finally:
            connection.set_progress_handler(None, 0)
        # An index that swallows the interruption may have found less than there is.
        if budget.refusal is not None:
            raise budget.refusal
        return found

    def without_timeout(self) -> None:
        """Do nothing: statements take as long as they like."""

    def defer_counters(self) -> None:
        """Do nothing: SQLite changes a counter where it is."""

    def recount(self) -> None:
        """Do nothing: all has been counted."""

    def last_ids(self) -> dict[str, int]:
        """Return the highest id that each table has given out."""
        found = dict(self.execute_sql("SELECT name, seq FROM sqlite_sequence").fetchall())
        # What is no number counts as 0 for SQLite too.
        return {
            table: number if isinstance(number := found.get(table), int) else 0
            for table in NUMBERED
        }

    def advance_sequences(self, ids: Mapping[str, int]) -> None:
        """Give out none of these ids again; those of rows that are there are known."""
        before = self.last_ids()
        for table, given in ids.items():
            if given > before[table]:
                self.execute_sql("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
                values = "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)"
                self.execute_sql(values, (table, given))

    def schema(self) -> Schema:
        """Return the parts of the schema."""
        rows = self.execute_sql("SELECT type, name, sql FROM sqlite_master WHERE sql <> ''")
        return {
            Named(kind, name): " ".join(sql.split())
            for kind, name, sql in rows.fetchall()
            if not name.startswith("sqlite_")
        }

    def reference_schema(self, make: Callable[[Any], object]) -> Schema:
        """Return the schema of a new database that a function has made."""
        with TemporaryDirectory() as folder:
            path = f"{folder}/reference.db"
            create_file(path)
            new = database(Place(path), "NORMAL", self.timeout, self.dialect)
            try:
                with new.connection_scope():
                    make(new)
                    found: Schema = new.schema()
                    return found
            finally:
                new.close_idle()

    remakes_tables = True

    def drop(self, part: Named) -> None:
        """Drop a part of the schema, where it is there."""
        if part == INDEX:
            # SQLite opens a full-text index before it drops it, and cannot where a part is missing.
            self.execute_sql("PRAGMA writable_schema = ON")
            self.execute_sql("DELETE FROM sqlite_master WHERE name = ?", (part.name,))
            self.execute_sql("PRAGMA writable_schema = RESET")
            for kind, name in self.schema():
                if kind == "table" and name.startswith(f"{part.name}_"):
                    self.execute_sql(f'DROP TABLE "{name}"')
            return
        if part.kind == "trigger":
            # SQLite drops it by the name in its SQL, which damage may have made another one.
            self.execute_sql("PRAGMA writable_schema = ON")
            self.execute_sql("DELETE FROM sqlite_master WHERE (type, name) = (?, ?)", part)
            self.execute_sql("PRAGMA writable_schema = RESET")
            return
        self.execute_sql(f'DROP {part.kind} IF EXISTS "{part.name}"')

    @contextmanager
    def lenient(self) -> Iterator[None]:
        """Read texts that are not UTF-8 too, with surrogates in them."""
        connection = self.connection()
        connection.text_factory = lambda raw: raw.decode(errors="surrogateescape")
        try:
            yield
        finally:
            connection.text_factory = str

    def stamp(self) -> None:
        """Mark a file that has no stamp yet as one that is told from its copies."""
        if not self.execute_sql("PRAGMA user_version").fetchone()[0]:
            self.execute_sql(f"PRAGMA user_version = {new_stamp()}")

    def begin(self, lock_type: str | None = None, wait: float | None = None) -> None:
        """Begin as soon as whoever writes has finished; `OperationalError` after the wait.

        The wait is the timeout of the database unless another one is given, in seconds.

        SQLite's own waiting looks again after 1, 2, 5, 10, 15, 20 and 25 milliseconds, and a
        write takes less than one. What is written to a file that was moved or deleted would be
        lost: `Unavailable`. A `DEFERRED` one only reads, whatever the file is like.
        """
        if lock_type == "DEFERRED":
            super().begin(lock_type)
            return
        if self.connection().file != file_id(self.database) or not self.connection().file:
            raise Unavailable from OSError("the file is read-only or not in its place")
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
                if "readonly" in str(error):
                    self._place.outdated = time.monotonic()
                if not is_busy(error) or time.monotonic() >= give_up:
                    raise
                time.sleep(RETRY_SECONDS)
            else:
                return


def database(place: Place, synchronous: str, busy_timeout: float, dialect: Dialect) -> Any:
    """Return the pooled Peewee database of a file; nothing is opened yet."""
    if place.path in ("", ":memory:"):
        raise DatabaseUnusable("SQLite needs a file: each connection would see its own memory.")
    pool = Database(
        place,
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
        # The pool hands a connection to one thread at a time.
        check_same_thread=False,
    )
    # The pool keeps the argument of this name for itself.
    pool.timeout = busy_timeout
    pool.dialect = dialect
    return pool


class ChangeWatcher:
    """A connection that never writes, by which a process learns of everybody's commits."""

    def __init__(self, place: Place, pool: Database) -> None:
        self._place = place
        self._pool = pool
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
                self._close()
                return None
            row = connection.execute("PRAGMA data_version").fetchone()
        except (sqlite3.Error, Unavailable):
            self._close()
            return None
        # SQLite's number means something to one connection only.
        return self._opened << 40 | int(row[0])

    def close(self) -> None:
        """Close the connection, until somebody asks again."""
        with self._lock:
            self._close()

    def close_replaced(self) -> None:
        """Close the connection where another file lies in its place now."""
        with self._lock:
            self._retire_replaced()

    def _retire_replaced(self) -> None:
        connection = self._connection
        if connection and self._process == os.getpid() and not self._place.is_current(connection):
            connection.retire()
            self._connection = None

    def _close(self) -> None:
        if self._connection is not None and self._process == os.getpid():
            self._connection.close()
            self._connection = None

    def _opened_now(self) -> Connection:
        """Return the connection, opened again where the file is another one now."""
        if self._connection is not None and self._process == os.getpid():
            self._retire_replaced()
            if self._connection is not None:
                return self._connection
        if self._process == os.getpid():
            # Where one of them is read-only, this one would be so too.
            self._pool.close_idle()
        # A connection that came over a fork is left alone: to close it here could harm the other's.
        self._inherited = self._connection
        self._connection = None
        self._connection = Connection(
            self._place.path, place=self._place, isolation_level=None, check_same_thread=False
        )
        self._process = os.getpid()
        self._opened += 1
        return self._connection


def is_busy(error: BaseException) -> bool:
    """Say whether an error means that somebody else holds the lock."""
    return "locked" in str(error).lower() or "busy" in str(error).lower()
