"""The pool of connections to a SQLite file: one writer at a time, no waiting in vain."""

import os
import sqlite3
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TypeVar

import peewee
from playhouse.pool import PooledSqliteDatabase

from landform.storage.engines.database import EngineDatabase, Named, Schema
from landform.storage.engines.dialect import Dialect
from landform.storage.engines.sqlite import schema as sqlite_schema
from landform.storage.engines.sqlite.connection import Connection
from landform.storage.engines.sqlite.place import Place, is_busy, new_stamp
from landform.storage.engines.sqlite.watcher import ChangeWatcher
from landform.storage.errors import DatabaseUnusable, Unavailable
from landform.storage.models import NUMBERED
from landform.storage.query_budget import Budget

SYNCHRONOUS = ("FULL", "NORMAL", "EXTRA")
RETRY_SECONDS = 0.0001
# A budget is checked after so many of SQLite's own steps: mostly a tenth of a millisecond. Each
# check takes the interpreter's lock.
STEPS = 200
# A log larger than this many bytes has to start again; its size is looked at so many seconds apart,
# and its readers are waited for so long.
LOG_BYTES = 64 * 1024 * 1024
LOOK_SECONDS, RESTART_MILLISECONDS = 0.5, 100
T = TypeVar("T")
# SQLite knows of locks within a process: that one stays held in what it copied.
FORKED_IN_A_WRITE = (
    "This process was forked while a thread of its parent wrote to the database: it can read, but "
    "not write. Fork before the first write, or start a new process instead."
)


class Database(EngineDatabase, PooledSqliteDatabase):  # type: ignore[misc]
    """The pool of connections to a file; it writes to no file that is not in its place."""

    on_server = False
    remakes_tables = True

    def __init__(
        self, place: Place, synchronous: str, busy_timeout: float, dialect: Dialect
    ) -> None:
        if not place.path:
            raise DatabaseUnusable("SQLite needs a file, or :memory: in its place.")
        super().__init__(
            place.path,
            pragmas={
                "synchronous": synchronous,
                "foreign_keys": 1,
                "cache_size": -4 * 1024,  # KiB; what is read often the system keeps too
                "journal_size_limit": LOG_BYTES,
            },
            max_connections=0,
            # The pool hands a connection to one thread at a time.
            check_same_thread=False,
            factory=Connection,
            place=place,
        )
        # The pool keeps the argument of this name for itself.
        self.timeout, self._milliseconds = busy_timeout, int(busy_timeout * 1000)
        self.dialect = dialect
        self._place = place
        self.watch = ChangeWatcher(place, self.close_idle)
        # Whether another thread wrote when this process was forked.
        self._forked_in_a_write = False
        # When to look at the size of the log again (time.monotonic).
        self._look_again = 0.0

    @property
    def identity(self) -> str | None:
        return self._place.identity

    @identity.setter
    def identity(self, identity: str | None) -> None:
        self._place.identity = identity

    def _connect(self) -> Connection:
        """Open a connection; the idle ones to another file were closed before."""
        self.watch.close_replaced()
        try:
            return super()._connect()  # type: ignore[no-any-return]
        except UnicodeDecodeError as error:
            # SQLite repeats what the schema of a damaged file holds, which may be no UTF-8.
            raise peewee.DatabaseError(error.object.decode(errors="replace")) from error

    def _set_pragmas(self, connection: Connection) -> None:
        # The mode stays with the file, and the file may be another program's.
        mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
        if mode != "wal" and not sqlite_schema.is_foreign(connection):
            connection.execute("PRAGMA journal_mode = wal")
        super()._set_pragmas(connection)

    def _is_closed(self, connection: Connection) -> bool:
        """Return whether an idle connection is of no use, since there is another file now."""
        if super()._is_closed(connection):
            return True
        if self._place.is_current(connection):
            return False
        connection.retire()
        self._close_raw(connection)
        return True

    def holds_transaction(self) -> bool:
        return bool(self.connection().in_transaction)

    def snapshot(self) -> AbstractContextManager[object]:
        return self.atomic("DEFERRED")

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

    def stamp(self) -> None:
        if not self.execute_sql("PRAGMA user_version").fetchone()[0]:
            self.execute_sql(f"PRAGMA user_version = {new_stamp()}")

    def begin(self, lock_type: str | None = None, wait: float | None = None) -> None:
        """Begin as soon as no other connection writes; `OperationalError` after the wait.

        The wait is the timeout of the database unless another one is given, in seconds.

        SQLite's own waiting looks again after 1, 2, 5, 10, 15, 20 and 25 milliseconds, and a
        write takes less than one. What is written to a file that was moved or deleted would be
        lost: `Unavailable`. A `DEFERRED` one only reads, whatever the file is like.
        """
        if lock_type == "DEFERRED":
            self._execute("BEGIN DEFERRED")
            return
        if self._forked_in_a_write:
            raise Unavailable(FORKED_IN_A_WRITE)
        connection = self.connection()
        if connection.file != self._place.file() or not connection.file:
            raise Unavailable from OSError("the file is read-only or not in its place")
        give_up = time.monotonic() + (self.timeout if wait is None else wait)
        connection.writes = True
        # Until the end of the transaction: once it has begun, nothing has to wait.
        self._wait_for_locks(0)
        try:
            with self._observed("BEGIN"):
                self._begin(give_up)
        except BaseException:
            self._end_write(connection)
            raise

    def commit(self) -> None:
        super().commit()
        connection = self.connection()
        if connection.writes:
            self._end_write(connection)
            self._restart_log()

    def rollback(self) -> None:
        connection = self.connection()
        try:
            self._execute("ROLLBACK")
        finally:
            if connection.writes:
                self._end_write(connection)

    def _end_write(self, connection: Connection) -> None:
        connection.writes = False
        self._wait_for_locks(self._milliseconds)

    def _inherit(self, in_use: list[Connection]) -> None:
        self._forked_in_a_write |= any(one.writes for one in in_use)

    def _restart_log(self) -> None:
        """Let a log that has grown too large start again, for which its readers have to end.

        SQLite does so by itself at a moment when nobody reads, which many readers may leave none
        of. This waits for those that are there, while new ones read the file alone.
        """
        if time.monotonic() < self._look_again:
            return
        self._look_again = time.monotonic() + LOOK_SECONDS
        with suppress(OSError, peewee.DatabaseError):
            if os.path.getsize(f"{os.path.realpath(self.database)}-wal") > LOG_BYTES:
                self._wait_for_locks(RESTART_MILLISECONDS)
                try:
                    self.execute_sql("PRAGMA wal_checkpoint(RESTART)").fetchone()
                finally:
                    self._wait_for_locks(self._milliseconds)

    def _wait_for_locks(self, milliseconds: int) -> None:
        """Let SQLite itself wait so long for locks from now on."""
        self._execute(f"PRAGMA busy_timeout = {milliseconds}")

    def _begin(self, give_up: float) -> None:
        while True:
            try:
                # A transaction that reads before it writes fails at once when it has to wait for
                # the lock half-way; one that takes the lock first waits in line.
                self._execute("BEGIN IMMEDIATE")
            except peewee.OperationalError as error:
                if "readonly" in str(error):
                    self._place.outdated = time.monotonic()
                if not is_busy(error) or time.monotonic() >= give_up:
                    raise
                time.sleep(RETRY_SECONDS)
            else:
                return
