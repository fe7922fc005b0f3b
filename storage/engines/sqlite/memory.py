"""A SQLite database in memory: for tests, in one process, gone with its store.

Its connections share it as they share a file, by SQLite's `memdb`. That knows no log beside it:
whoever reads waits while a transaction of another thread writes, and the other way round.
"""

import os
import secrets
import sqlite3
from contextlib import closing
from typing import Any, ClassVar

from landform.storage.engines.base import WatchedVersions
from landform.storage.engines.sqlite.log import FileId
from landform.storage.engines.sqlite.place import Opened, Place
from landform.storage.engines.sqlite.pool import Database
from landform.storage.errors import Unavailable
from landform.storage.process_lock import ProcessLock

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
        self._owner = os.getpid()
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
        is_there = self._anchor is not None and self._owner == os.getpid()
        return FileId(0, 0) if is_there else None

    def is_there(self) -> bool:
        """Return whether the database has begun, and has not ended."""
        return self.file() is not None

    def is_writable(self) -> bool:
        """Return that it is: memory is."""
        return True

    def size(self) -> int:
        """Return how many bytes it takes."""
        return len(self._anchor.serialize()) if self._anchor else 0

    def readiness_error(self) -> str | None:
        """Return why writes would fail; None where they would not."""
        return None if self.file() else GONE

    def admit(self, connection: Opened) -> FileId:
        """Let each connection of this process in; `Unavailable` for those of others."""
        file = self.file()
        if file is None:
            raise Unavailable(GONE)
        return file

    def is_current(self, connection: Opened) -> bool:
        """Return whether a connection leads to the database: not in another process."""
        return self.file() is not None

    def close(self) -> None:
        """Forget the database, once its other connections are closed."""
        if self._anchor is not None and self._owner == os.getpid():
            self._anchor.close()
        self._anchor = None


class CommitCounter:
    """Knows of every commit, since all are made in this process: a watcher without a connection."""

    def __init__(self) -> None:
        self._lock = ProcessLock()
        self._commits = 0

    def add(self) -> None:
        """Count one more commit."""
        with self._lock:
            self._commits += 1

    def version(self) -> int:
        """Return what changes with every commit."""
        return self._commits

    def versions(self) -> WatchedVersions:
        """Return the same for each table."""
        return WatchedVersions(self._commits, {})

    def close_replaced(self) -> None:
        """Do nothing: there is no file that could be replaced."""

    def close(self) -> None:
        """Do nothing: there is no connection."""


class MemoryDatabase(Database):
    """The pool of connections to a database in memory."""

    watch: CommitCounter  # type: ignore[assignment]

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.watch = CommitCounter()

    def commit(self) -> None:
        """Commit, as soon as no other thread reads."""
        super().commit()
        self.watch.add()

    def _wait_for_locks(self, milliseconds: int) -> None:
        """Do nothing: a commit waits for readers here, so a write never stops waiting."""

    def _restart_log(self) -> None:
        """Do nothing: there is no log."""
