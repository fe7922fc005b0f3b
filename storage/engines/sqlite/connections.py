"""The connections of a process to a SQLite file: to the right one only."""

import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import ClassVar
from urllib.parse import quote
from weakref import WeakSet

import peewee

from landform.storage.engines.database import EngineDatabase, Options
from landform.storage.engines.sqlite import files
from landform.storage.engines.sqlite.dialect import SQLiteDialect
from landform.storage.errors import DatabaseUnusable, Unavailable

REPLACED = (
    "Another file lies in the place of the database. Put the right one back, or restart the "
    "service to serve this one."
)
LOG_REPLACED = (
    "The log of writes (-wal) of the database was removed or replaced while it was open. Restart "
    "the service."
)
IDENTITY = "SELECT identity FROM store"
# A log larger than this many bytes has to start again.
LOG_BYTES = 64 * 1024 * 1024


class Connection(sqlite3.Connection):
    """A connection, and which file it leads to."""

    # All that are open in this process, of whichever store: SQLite shares what it knows of a log
    # among those to the same file.
    opened: ClassVar[WeakSet["Connection"]] = WeakSet()
    file: files.FileId | None = None
    # What was opened read-only stays so, even when the file may be written to again.
    is_writable = True
    # The path of the log that it has open, and which file that is.
    log: tuple[str, files.FileId | None] = ("", None)

    def has_its_log(self) -> bool:
        """Return whether the log in its place is the one that this connection writes to."""
        path, opened = self.log
        return opened is None or files.file_id(path, least=0) == opened

    def close(self) -> None:
        """Close it."""
        super().close()
        self.opened.discard(self)


class Connections(EngineDatabase, peewee.SqliteDatabase):
    """The connections to a file.

    Each request begins with a look at which file is there. Another one of the same store is opened
    in its place, as another generation of it.
    """

    gone = "The database cannot be used now."

    def __init__(self, path: str, options: Options) -> None:
        if not path:
            raise DatabaseUnusable("SQLite needs a file, or :memory: in its place.")
        super().__init__(path, SQLiteDialect())
        self.name = self.path = path
        self.description = f"SQLite, {Path(path).absolute()}"
        self.options = options
        # Where the file is gone, SQLite must not create an empty one.
        self.uri = f"file:{quote(path)}?mode=rw"
        self._file: files.FileId | None = None
        # Connections whose log is no longer in its place: to close one could delete another log.
        self._stranded: list[Connection] = []

    def file(self) -> files.FileId | None:
        """Return which file is there now; None where there is none, or an empty one."""
        return files.file_id(self.path)

    def is_writable(self) -> bool:
        """Return whether this process may write to the file."""
        return os.access(self.path, os.W_OK)

    def open_connection(self) -> Connection:
        """Open a connection; `Unavailable` where there is no file, or not the one of this store."""
        file = self.file()
        if file is None:
            raise Unavailable(self.gone) from FileNotFoundError(f"{self.path} is gone, or empty")
        if any(one.file == file and not one.has_its_log() for one in list(Connection.opened)):
            raise Unavailable(LOG_REPLACED)
        connection: Connection = sqlite3.connect(
            self.uri, timeout=self.options.busy_timeout, isolation_level=None, uri=True,
            check_same_thread=False, factory=Connection,
        )  # fmt: skip
        try:
            connection.file, connection.is_writable = file, self.is_writable()
            Connection.opened.add(connection)
            # Until the first statement it has not opened the log.
            if self.file() != file:
                raise Unavailable(REPLACED)
            if problem := files.log_problem(self.path):
                raise Unavailable(problem)
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: Connection) -> None:
        for pragma in (
            f"synchronous = {self.options.synchronous}",
            "foreign_keys = 1",
            "cache_size = -4096",  # KiB; what is read often the system keeps too
            f"journal_size_limit = {LOG_BYTES}",
        ):
            connection.execute(f"PRAGMA {pragma}")
        if self.identity and connection.execute(IDENTITY).fetchone() != (self.identity,):
            raise Unavailable(REPLACED)
        # The mode stays with the file, and the file may be another program's.
        mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
        if mode != "wal" and not files.is_foreign(connection):
            connection.execute("PRAGMA journal_mode = wal")
        if self._file not in (None, connection.file):
            self.adopt(connection)
        files.mark_log(self.path)
        # SQLite's is beside the file where symbolic links lead.
        log = f"{os.path.realpath(self.path)}-wal"
        connection.log = log, files.file_id(log, least=0)

    def adopt(self, connection: Connection) -> None:
        """Give a file that was not served here before another generation: it may be a backup."""
        if files.is_new(self.path) or self._file not in (None, connection.file):
            files.renew(connection)
        files.mark(self.path)
        self._file = connection.file

    def is_usable(self, connection: Connection) -> bool:
        """Return whether an idle connection leads to the file that is there now, or was last."""
        found = self.file()
        if found == connection.file and not connection.has_its_log():
            self._stranded.append(connection)
            raise Unavailable(LOG_REPLACED)
        return connection.is_writable and found in (None, connection.file)

    def is_clean(self, connection: Connection) -> bool:
        """Return whether a connection can be kept: as long as one is read-only, nobody writes."""
        try:
            if connection.in_transaction:
                connection.rollback()
        except sqlite3.Error:
            return False
        return connection.is_writable

    def retire(self, connection: Connection) -> None:
        """Close a connection; where another file is in the place of its own, that gets its log."""
        if self.file() not in (None, connection.file):
            with suppress(sqlite3.Error):
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        super().retire(connection)
