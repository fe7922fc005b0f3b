"""The connections of a process to a SQLite file: to the right one only, and one that watches it."""

import sqlite3
from contextlib import suppress
from itertools import count
from threading import RLock
from typing import ClassVar
from weakref import WeakSet

import peewee

from landform.storage.engines.base import WatchedVersions
from landform.storage.engines.database import EngineDatabase
from landform.storage.engines.dialect import Dialect
from landform.storage.engines.sqlite import schema as sqlite_schema
from landform.storage.engines.sqlite.files import FileId, Place, inode
from landform.storage.errors import DatabaseUnusable, Unavailable

REPLACED = (
    "Another file lies in the place of the database. Put the right one back, or restart the "
    "service to serve this one."
)
LOG_REPLACED = (
    "The log of writes (-wal) of the database was removed or replaced while it was open. Restart "
    "the service."
)
RENEW = "UPDATE store SET generation = lower(hex(randomblob(5)))"
COUNTERS = (
    "SELECT name, version, generation, schema_version "
    "FROM resource_version, store, pragma_schema_version"
)
# A log larger than this many bytes has to start again.
LOG_BYTES = 64 * 1024 * 1024


class Connection(sqlite3.Connection):
    """A connection, and which file it leads to."""

    # All that are open in this process, of whichever store: SQLite shares what it knows of a log
    # among those to the same file.
    opened: ClassVar[WeakSet["Connection"]] = WeakSet()
    file: FileId | None = None
    # What was opened read-only stays so, even when the file may be written to again.
    is_writable = True
    # Counted by its database.
    number = 0
    # The path and the inode of the log that it has open.
    log: tuple[str, int | None] = ("", None)

    def has_its_log(self) -> bool:
        """Return whether the log in its place is the one that this connection writes to."""
        path, opened = self.log
        return opened is None or inode(path) == opened

    def close(self) -> None:
        """Close it."""
        super().close()
        self.opened.discard(self)


class Connections(EngineDatabase, peewee.SqliteDatabase):
    """The connections to a file.

    Each request begins with a look at which file is there. Another one of the same store is opened
    in its place, as another generation of it.
    """

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
        # Connections whose log is no longer in its place: to close one could delete another log.
        self._stranded: list[Connection] = []
        self._watching = RLock()
        self._watcher: Connection | None = None
        self._seen: WatchedVersions | None = None

    def open_connection(self) -> Connection:
        """Open a connection; `Unavailable` where there is no file, or not the one of this store."""
        self._leave_replaced()
        file = self._place.file()
        if file is None:
            raise Unavailable from FileNotFoundError(f"{self._place.path} is gone, or empty")
        if any(one.file == file and not one.has_its_log() for one in list(Connection.opened)):
            raise Unavailable(LOG_REPLACED)
        connection: Connection = sqlite3.connect(
            self._place.uri, timeout=self.busy_timeout, isolation_level=None, uri=True,
            check_same_thread=False, factory=Connection,
        )  # fmt: skip
        try:
            connection.number, connection.file = next(self._numbers), file
            connection.is_writable = self._place.is_writable()
            Connection.opened.add(connection)
            # Until the first statement it has not opened the log.
            if self._place.file() != file:
                raise Unavailable(REPLACED)
            if problem := self._place.log_problem():
                raise Unavailable(problem)
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
        path = f"{self._place.real}-wal"
        connection.log = path, inode(path)

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
        if found == connection.file and not connection.has_its_log():
            self._stranded.append(connection)
            raise Unavailable(LOG_REPLACED)
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

    def _leave_replaced(self) -> None:
        """Close the connection that watches, where another file is in the place of its own."""
        with self._watching:
            if self._watcher is not None and not self.is_usable(self._watcher):
                self.retire(self._watcher)
                self._watcher = None

    def _open_watcher(self) -> Connection:
        self._leave_replaced()
        if self._watcher is None:
            # Where one of them was opened read-only, this one would be so too.
            super().close_idle()
            self._watcher = self.open_connection()
        return self._watcher

    def _unwatch(self) -> None:
        with self._watching:
            if self._watcher is not None and self._watcher not in self._stranded:
                self._watcher.close()
            self._watcher = None
