"""A SQLite database in memory: for tests, in one process, gone with its store.

Its connections share it as they share a file, by SQLite's `memdb`. That knows no log beside it:
whoever reads waits while a transaction of another thread writes, and the other way round.
"""

import secrets
import sqlite3
from contextlib import closing
from itertools import count
from typing import Any, ClassVar

from landform.storage.engines.base import WatchedVersions
from landform.storage.engines.sqlite.connections import Connection
from landform.storage.engines.sqlite.files import FileId, Place
from landform.storage.engines.sqlite.pool import Database
from landform.storage.errors import Unavailable

# What stands for the path in a URL: `sqlite:///:memory:`.
NAME = ":memory:"
GONE = (
    "A database in memory is in the process that opened it, until its store is closed: it can be "
    "served neither by other processes nor later."
)
NEW_IDENTITY = (
    "UPDATE store SET identity = lower(hex(randomblob(16))), generation = lower(hex(randomblob(5)))"
)


class MemoryPlace(Place):
    """A place in the memory of this process, which no other store can find."""

    # What a database is after its migrations, which take most of the time that a new one takes.
    _empty: ClassVar[bytes | None] = None

    def __init__(self) -> None:
        super().__init__(NAME)
        self.uri = f"file:/landform-{secrets.token_hex(16)}?vfs=memdb"
        # SQLite forgets the database with its last connection.
        self._anchor: sqlite3.Connection | None = None

    def create(self) -> None:
        """Begin the database: with its schema, where this process has made one before."""
        if self._anchor is not None:
            return
        self._anchor = sqlite3.connect(
            self.uri, uri=True, isolation_level=None, check_same_thread=False
        )
        if self._empty is not None:
            with closing(sqlite3.connect(":memory:")) as image:
                image.deserialize(self._empty)
                image.backup(self._anchor)
            self._anchor.execute(NEW_IDENTITY)

    def remember(self) -> None:
        """Keep what the database is after its migrations, for those that follow."""
        if self._anchor is not None:
            MemoryPlace._empty = self._anchor.serialize()

    def file(self) -> FileId | None:
        """Return the same as long as the database is there."""
        return FileId(0, 0) if self._anchor is not None else None

    def is_there(self) -> bool:
        """Return whether the database has begun, and has not ended."""
        return self._anchor is not None

    def is_writable(self) -> bool:
        """Return that it is: memory is."""
        return True

    def size(self) -> int:
        """Return how many bytes it takes."""
        return len(self._anchor.serialize()) if self._anchor else 0

    def readiness_error(self) -> str | None:
        """Return why writes would fail; None where they would not."""
        return None if self._anchor else GONE

    def log_problem(self) -> str | None:
        """Return None: there is no log."""

    def adopt(self) -> bool:
        """Return that it is not to be adopted: it can be no backup."""
        return False

    def mark_log(self) -> None:
        """Do nothing: there is no log."""

    def protect(self, *, group: bool) -> None:
        """Do nothing: there is no file."""

    def close(self) -> None:
        """Forget the database, once its other connections are closed."""
        if self._anchor is not None:
            self._anchor.close()
            self._anchor = None


class MemoryDatabase(Database):
    """The connections to a database in memory, all of whose commits are made in this process."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._commits = count(1)
        self._last = 0

    def open_connection(self) -> Connection:
        """Open a connection; `Unavailable` where there is no database any more."""
        if not self._place.is_there():
            raise Unavailable(GONE)
        return super().open_connection()

    def commit(self) -> None:
        """Commit, as soon as no other thread reads."""
        super().commit()
        self._last = next(self._commits)

    def versions(self) -> WatchedVersions:
        """Return what changes with every commit, whichever table it writes to."""
        return WatchedVersions(self._last, {})
