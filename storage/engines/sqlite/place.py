"""The path of a database file: which file is there, and whether it may be opened.

SQLite takes an empty file for a new database, and a log beside a file for its own. So a file is
checked before the first connection to it is opened.
"""

import os
import secrets
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Protocol
from urllib.parse import quote
from weakref import WeakSet

from landform.storage.engines.sqlite.log import FileId, file_id, log_beside, log_problem
from landform.storage.engines.sqlite.modes import create_private
from landform.storage.errors import Busy, DatabaseUnusable, Unavailable
from landform.storage.process_lock import ProcessLock

# As little room as a write may find: a page of the largest size, and its place in the log.
ROOM_BYTES = 16 * 1024 * 1024
REPLACED = (
    "Another file lies in the place of the database. Put the right one back, or restart the "
    "service to serve this one."
)


class Opened(Protocol):
    """A connection, and the file that it has open; None where it may not write to it."""

    file: FileId | None
    # By time.monotonic.
    opened: float


class Place:
    """The path of a database, and the file that this process has opened there."""

    def __init__(self, path: str) -> None:
        self.path = path
        # Where the file is gone, SQLite must not create an empty one.
        self.uri = f"file:{quote(path)}?mode=rw"
        # What the store in the file has to be; None until that is known.
        self.identity: str | None = None
        # Connections opened before this moment (time.monotonic) are to be closed: SQLite keeps what
        # it shares among those of a process read-only as long as one of them was opened so.
        self.outdated = 0.0
        self._lock = ProcessLock()
        self._file: FileId | None = None
        self._process = 0
        self._opened: WeakSet[Opened] = WeakSet()

    def create(self) -> None:
        """Create the file where there is none; `DatabaseUnusable` where none can be."""
        create_file(self.path)

    def file(self) -> FileId | None:
        """Return which file is there now; None where there is none, or an empty one."""
        return file_id(self.path)

    def is_there(self) -> bool:
        """Return whether there is a file, be it empty."""
        return Path(self.path).is_file()

    def is_writable(self) -> bool:
        """Return whether this process may write to the file."""
        return os.access(self.path, os.W_OK)

    def size(self) -> int:
        """Return how many bytes the file has."""
        return Path(self.path).stat().st_size

    def readiness_error(self) -> str | None:
        """Return why writes would fail, without any path in it; None where they would not."""
        folder = Path(self.path).absolute().parent
        if not (self.is_writable() and os.access(folder, os.W_OK)):
            return "The database cannot be written to."
        room = os.statvfs(folder)
        if room.f_bavail * room.f_frsize < ROOM_BYTES:
            return "There is no room left on the disk."
        return None

    def remember(self) -> None:
        """Note that the schema has just been brought up to date: nothing follows from it here."""

    def close(self) -> None:
        """Give up what is not in a file: nothing here."""

    def admit(self, connection: Opened) -> FileId:
        """Return the file that a connection may open; `Unavailable` where it may open none.

        Another file than before is opened once no connection of this process has the old one, and
        no log of that could be replayed into it.
        """
        with self._lock:
            self._forget_parent()
            file = self.file()
            if file is None:
                raise Unavailable from FileNotFoundError(f"{self.path} is gone, or empty")
            if file != self._file:
                if any(other.file not in (None, file) for other in self._opened):
                    raise Unavailable(REPLACED)
                if problem := log_problem(self.path, file, replaced=self._file is not None):
                    raise Unavailable(problem)
                self._file = file
            self._opened.add(connection)
            return file

    def is_current(self, connection: Opened) -> bool:
        """Return whether a connection leads to the file that is there now, or was last."""
        found = self.file()
        return found is None or (found == connection.file and connection.opened >= self.outdated)

    def leave(self, connection: Opened) -> None:
        """Forget a connection that is closed."""
        with self._lock:
            self._opened.discard(connection)

    def _forget_parent(self) -> None:
        """Forget the connections that were inherited by a fork: they are the parent's."""
        if self._process != os.getpid():
            self._opened, self._process = WeakSet(), os.getpid()


def create_file(path: str) -> None:
    """Create the file where there is none; refuse a path where no database can be.

    A log without its database shows that the file was moved or emptied: then no new one is created,
    since SQLite would delete the log.
    """
    file = Path(path)
    if file.is_dir():
        raise DatabaseUnusable(f"{path} is a folder, not a database file.")
    if not file.parent.is_dir():
        raise DatabaseUnusable(f"The folder of the database {path} does not exist.")
    # In this order: another process may be creating it.
    log = log_beside(path, "-wal")
    if log and file_id(path) is None:
        raise DatabaseUnusable(
            f"{path} is gone or empty, and its log {log} is there: the file was moved, or cut. Put "
            "it back, or `landform restore` a backup; to begin a new database move the log away."
        )
    if file_id(path) is None:
        try:
            _begin_file(path)
        except sqlite3.Error as error:
            if is_busy(error):
                raise Busy("Another process creates the database.") from error
            raise DatabaseUnusable(f"{path} cannot be created: {error}.") from error


def _begin_file(path: str) -> None:
    """Write the first page of a file, unless another process has done so."""
    create_private(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        if database.execute("PRAGMA page_count").fetchone()[0]:
            return
        database.execute("PRAGMA journal_mode = MEMORY")
        database.execute("BEGIN IMMEDIATE")
        if not database.execute("PRAGMA page_count").fetchone()[0]:
            database.execute(f"PRAGMA user_version = {new_stamp()}")
        database.execute("COMMIT")


def new_stamp() -> int:
    """Return a stamp that distinguishes one copy of a file, for its first page."""
    return secrets.randbelow(2**31 - 1) + 1


def is_busy(error: BaseException) -> bool:
    """Return whether an error means that another connection holds the lock."""
    return "locked" in str(error).lower() or "busy" in str(error).lower()
