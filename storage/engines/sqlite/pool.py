"""The connections of a process to a SQLite file: one writer at a time, and only the right file."""

import os
import sqlite3
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from itertools import count
from threading import RLock
from typing import TypeVar

import peewee

from landform.storage.engines.base import WatchedVersions
from landform.storage.engines.database import EngineDatabase, Named, Schema
from landform.storage.engines.dialect import Dialect
from landform.storage.engines.sqlite import schema as sqlite_schema
from landform.storage.engines.sqlite.files import FileId, Place, is_busy
from landform.storage.errors import DatabaseUnusable, TooExpensive, Unavailable
from landform.storage.models import NUMBERED
from landform.storage.query_budget import Deadline

SYNCHRONOUS = ("FULL", "NORMAL", "EXTRA")
REPLACED = (
    "Another file lies in the place of the database. Put the right one back, or restart the "
    "service to serve this one."
)
RENEW = "UPDATE store SET generation = lower(hex(randomblob(5)))"
COUNTERS = (
    "SELECT name, version, generation, schema_version "
    "FROM resource_version, store, pragma_schema_version"
)
RETRY_SECONDS = 0.0001
# A deadline is checked after so many of SQLite's own steps: mostly a tenth of a millisecond. Each
# check takes the interpreter's lock.
STEPS = 200
# A log larger than this many bytes has to start again; its size is looked at so many seconds apart,
# and its readers are waited for so long.
LOG_BYTES = 64 * 1024 * 1024
LOOK_SECONDS, RESTART_MILLISECONDS = 0.5, 100
T = TypeVar("T")


class Connection(sqlite3.Connection):
    """A connection, and which file it leads to."""

    file: FileId | None = None
    # What was opened read-only stays so, even when the file may be written to again.
    is_writable = True
    # Counted by its database.
    number = 0


class Database(EngineDatabase, peewee.SqliteDatabase):
    """The connections to a file; nothing is written to one that is not in its place.

    Each request begins with a look at which file is there. Another one of the same store is opened
    in its place, as another generation of it.
    """

    on_server = False

    def __init__(
        self, place: Place, synchronous: str, busy_timeout: float, dialect: Dialect
    ) -> None:
        if not place.path:
            raise DatabaseUnusable("SQLite needs a file, or :memory: in its place.")
        super().__init__(place.path)
        self.dialect = dialect
        self.busy_timeout = busy_timeout
        self._place, self._synchronous = place, synchronous
        self._numbers = count(1)
        # Connections up to this number are closed: SQLite keeps what it shares among those of a
        # process read-only as long as one of them was opened so.
        self._outdated = 0
        self._file: FileId | None = None
        self._watching = RLock()
        self._watcher: Connection | None = None
        self._seen: WatchedVersions | None = None
        # When to look at the size of the log again (time.monotonic).
        self._look_again = 0.0

    def open_connection(self) -> Connection:
        """Open a connection; `Unavailable` where there is no file, or not the one of this store."""
        file = self._place.file()
        if file is None:
            raise Unavailable from FileNotFoundError(f"{self._place.path} is gone, or empty")
        if problem := self._place.log_problem():
            raise Unavailable(problem)
        connection: Connection = sqlite3.connect(
            self._place.uri, timeout=self.busy_timeout, isolation_level=None, uri=True,
            check_same_thread=False, factory=Connection,
        )  # fmt: skip
        try:
            connection.number, connection.file = next(self._numbers), file
            connection.is_writable = self._place.is_writable()
            self._prepare(connection)
        except UnicodeDecodeError as error:
            connection.close()
            # SQLite repeats what the schema of a damaged file holds, which may be no UTF-8.
            raise peewee.DatabaseError(error.object.decode(errors="replace")) from error
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: Connection) -> None:
        for pragma in (
            f"synchronous = {self._synchronous}",
            "foreign_keys = 1",
            "cache_size = -4096",  # KiB; what is read often the system keeps too
            f"journal_size_limit = {LOG_BYTES}",
        ):
            connection.execute(f"PRAGMA {pragma}")
        if self.identity is not None:
            self._check_identity(connection)
        # The mode stays with the file, and the file may be another program's.
        mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
        if mode != "wal" and not sqlite_schema.is_foreign(connection):
            connection.execute("PRAGMA journal_mode = wal")
        if self._file not in (None, connection.file):
            self.adopt(connection)
        self._place.mark_log()

    def _check_identity(self, connection: Connection) -> None:
        try:
            row = connection.execute("SELECT identity FROM store").fetchone()
        except sqlite3.OperationalError as error:
            if "no such table" not in str(error):
                raise
            row = None
        if row != (self.identity,):
            raise Unavailable(REPLACED)

    def adopt(self, connection: Connection) -> None:
        """Give a file that was not served here before another generation: it may be a backup."""
        is_new = self._place.adopt()
        if is_new or self._file not in (None, connection.file):
            try:
                connection.execute(RENEW)
            except BaseException:
                if is_new:
                    self._place.disown()
                raise
        self._place.mark_log()
        self._file = connection.file

    def is_usable(self, connection: Connection) -> bool:
        """Return whether an idle connection leads to the file that is there now, or was last."""
        found = self._place.file()
        return connection.number > self._outdated and (
            found is None
            or (found == connection.file and connection.is_writable >= self._place.is_writable())
        )

    def is_clean(self, connection: Connection) -> bool:
        try:
            if connection.in_transaction:
                connection.rollback()
        except sqlite3.Error:
            return False
        return True

    def retire(self, connection: Connection) -> None:
        """Close a connection; where another file is in the place of its own, that gets its log."""
        if self._place.file() not in (None, connection.file):
            with suppress(sqlite3.Error):
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()

    def close_idle(self) -> None:
        super().close_idle()
        if self.is_own():
            self._unwatch()

    def versions(self) -> WatchedVersions | None:
        """Return what changes with every commit, and with every write to a table, by any process.

        It is read from a connection that never writes. None where the file cannot be read.
        """
        with self._watching:
            try:
                watcher = self._open_watcher()
                # SQLite's number means something to one connection only.
                data_version = watcher.execute("PRAGMA data_version").fetchone()[0]
                commits = (watcher.number, data_version)
                # Read after the other one: whoever commits in between makes it be read again.
                if self._seen is None or self._seen.commits != commits:
                    # The same number means the same only in one generation and one schema.
                    rows = watcher.execute(COUNTERS).fetchall()
                    tables = {name: (watcher.number, *rest) for name, *rest in rows}
                    self._seen = WatchedVersions(commits, tables)
            except (sqlite3.Error, peewee.DatabaseError, Unavailable):
                self._unwatch()
                return None
            if not watcher.is_writable:
                # As long as one is open read-only, SQLite lets no other of this process write.
                self._unwatch()
                return None
            return self._seen

    def _open_watcher(self) -> Connection:
        if self._watcher is not None and not self.is_usable(self._watcher):
            self.retire(self._watcher)
            self._watcher = None
        if self._watcher is None:
            # Where one of them was opened read-only, this one would be so too.
            super().close_idle()
            self._watcher = self.open_connection()
        return self._watcher

    def _unwatch(self) -> None:
        with self._watching:
            if self._watcher is not None:
                self._watcher.close()
                self._watcher = None

    def holds_transaction(self) -> bool:
        return bool(self.connection().in_transaction)

    def snapshot(self) -> AbstractContextManager[object]:
        return self.atomic("DEFERRED")

    def within(self, deadline: Deadline, read: Callable[[], T]) -> T:
        """Return what a function reads; SQLite interrupts its statements at the deadline.

        No other connection is, and this one is as it was afterwards.
        """
        connection = self.connection()
        connection.set_progress_handler(deadline.is_over, STEPS)
        try:
            found = read()
        except (peewee.DatabaseError, sqlite3.Error) as error:
            if not deadline.is_refused:
                raise
            # The traceback's cycles would keep the statement until another thread collects them,
            # which would then wait until this connection has nothing to do.
            traceback.clear_frames(error.__traceback__)
            raise TooExpensive from None
        finally:
            connection.set_progress_handler(None, 0)
        # An index that swallows the interruption may have found less than there is.
        if deadline.is_refused:
            raise TooExpensive
        return found

    def last_ids(self) -> dict[str, int]:
        found: dict[str, object] = dict(self.execute_sql("SELECT name, seq FROM sqlite_sequence"))
        # What is no number counts as 0 for SQLite too.
        return {
            table: number if isinstance(number := found.get(table), int) else 0
            for table in NUMBERED
        }

    def advance_sequences(self, ids: Mapping[str, int]) -> None:
        before = self.last_ids()
        for table, given in ids.items():
            if given > before[table]:
                self.execute_sql("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
                values = "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)"
                self.execute_sql(values, (table, given))

    def schema(self) -> Schema:
        return sqlite_schema.read(self)

    def reference_schema(self, make: Callable[[EngineDatabase], object]) -> Schema:
        return sqlite_schema.reference(self, make)

    def drop(self, part: Named) -> None:
        sqlite_schema.drop(self, part)

    @contextmanager
    def lenient(self) -> Iterator[None]:
        connection = self.connection()
        connection.text_factory = lambda raw: raw.decode(errors="surrogateescape")
        try:
            yield
        finally:
            connection.text_factory = str

    def begin(self, lock_type: str | None = None, wait: float | None = None) -> None:
        """Begin as soon as no other connection writes; `OperationalError` after the wait.

        The wait is the busy timeout unless another one is given, in seconds. What is written to a
        file that was moved or deleted would be lost: `Unavailable`. A `DEFERRED` one only reads,
        whatever the file is like.
        """
        if lock_type == "DEFERRED":
            self.run("BEGIN DEFERRED")
            return
        connection = self.connection()
        if connection.file != self._place.file() or not connection.is_writable:
            raise Unavailable from OSError("the file is read-only or not in its place")
        give_up = time.monotonic() + (self.busy_timeout if wait is None else wait)
        with self.observed("BEGIN"):
            self._wait_for_locks(0)
            try:
                self._begin(connection, give_up)
            finally:
                self._wait_for_locks(int(self.busy_timeout * 1000))

    def _begin(self, connection: Connection, give_up: float) -> None:
        """Ask again and again: SQLite's own waiting sleeps for longer than a write takes."""
        while True:
            try:
                # A transaction that reads before it writes fails at once when it has to wait for
                # the lock half-way; one that takes the lock first waits in line.
                self.run("BEGIN IMMEDIATE")
            except peewee.OperationalError as error:
                if "readonly" in str(error):
                    self._outdated = max(self._outdated, connection.number)
                    self._unwatch()
                if not is_busy(error) or time.monotonic() >= give_up:
                    raise
                time.sleep(RETRY_SECONDS)
            else:
                return

    def commit(self) -> None:
        self.execute_sql("COMMIT")
        self._restart_log()

    def rollback(self) -> None:
        self.run("ROLLBACK")

    def _restart_log(self) -> None:
        """Let a log that has grown too large start again, for which its readers have to end.

        SQLite does so by itself at a moment when nobody reads, which many readers may leave none
        of. This waits for those that are there, while new ones read the file alone.
        """
        if time.monotonic() < self._look_again:
            return
        self._look_again = time.monotonic() + LOOK_SECONDS
        with suppress(OSError, peewee.DatabaseError):
            if os.path.getsize(f"{self._place.real}-wal") > LOG_BYTES:
                self._wait_for_locks(RESTART_MILLISECONDS)
                try:
                    self.execute_sql("PRAGMA wal_checkpoint(RESTART)").fetchone()
                finally:
                    self._wait_for_locks(int(self.busy_timeout * 1000))

    def _wait_for_locks(self, milliseconds: int) -> None:
        """Let SQLite itself wait so long for locks from now on."""
        self.run(f"PRAGMA busy_timeout = {milliseconds}")
