"""Transactions on a SQLite file: one writer at a time, none in a file that is not in its place."""

import os
import sqlite3
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

import peewee

from landform.storage.engines.database import PEEWEE_ERRORS
from landform.storage.engines.sqlite.connections import (
    LOG_BYTES,
    LOG_REPLACED,
    Connection,
    Connections,
)
from landform.storage.engines.sqlite.files import is_busy
from landform.storage.errors import TooExpensive, Unavailable
from landform.storage.query_budget import Deadline

RETRY_SECONDS = 0.0001
# A deadline is checked after so many of SQLite's own steps: mostly a tenth of a millisecond. Each
# check takes the interpreter's lock.
STEPS = 200
# How long the readers of a log that is too large are waited for.
RESTART_SECONDS = 0.1
T = TypeVar("T")


class Transactions(Connections):
    """The transactions of a process on a file."""

    reading = "DEFERRED"

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

    def begin(self, lock_type: str | None = None, wait: float | None = None) -> None:
        """Begin; `Unavailable` where a write to a file that was moved or deleted would be lost.

        A `DEFERRED` one only reads, whatever the file is like.
        """
        connection = self.connection()
        if lock_type == self.reading:
            connection.execute("BEGIN DEFERRED")
            return
        if connection.file != self.file() or not connection.is_writable:
            raise Unavailable from OSError("the file is read-only or not in its place")
        if not connection.has_its_log():
            raise Unavailable(LOG_REPLACED)
        began = time.perf_counter()
        give_up = began + (self.busy_timeout if wait is None else wait)
        try:
            # SQLite's own waiting sleeps for longer than a write takes, and is not fair.
            with PEEWEE_ERRORS, self._waiting_for_locks(0):
                while not self._begins(connection, give_up):
                    time.sleep(RETRY_SECONDS)
        finally:
            self.tell("BEGIN", began)

    def _begins(self, connection: Connection, give_up: float) -> bool:
        try:
            # A transaction that reads before it writes fails at once when it has to wait for the
            # lock half-way; one that takes the lock first waits in line.
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if "readonly" in str(error):
                self.note_read_only(connection.file)
            if not is_busy(error) or time.perf_counter() >= give_up:
                raise
            return False
        return True

    def commit(self) -> None:
        """Commit, and let a log that has grown too large start again.

        SQLite does so by itself at a moment when nobody reads, which many readers may leave none
        of. This waits for those that are there, while new ones read the file alone.
        """
        self.execute_sql("COMMIT")
        with suppress(OSError, peewee.DatabaseError):
            if os.path.getsize(self.connection().log[0]) > LOG_BYTES:
                with self._waiting_for_locks(RESTART_SECONDS):
                    self.execute_sql("PRAGMA wal_checkpoint(RESTART)").fetchone()

    def rollback(self) -> None:
        with PEEWEE_ERRORS:
            self.connection().execute("ROLLBACK")

    @contextmanager
    def _waiting_for_locks(self, seconds: float) -> Iterator[None]:
        """Let SQLite wait so long for locks."""
        connection = self.connection()
        connection.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")
        try:
            yield
        finally:
            connection.execute(f"PRAGMA busy_timeout = {int(self.busy_timeout * 1000)}")
