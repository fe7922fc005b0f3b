"""How a process learns of commits by any process, without a query."""

import os
import sqlite3
from collections.abc import Callable, Hashable

from landform.storage.engines.base import WatchedVersions
from landform.storage.engines.sqlite.connection import Connection
from landform.storage.engines.sqlite.place import Place
from landform.storage.errors import Unavailable
from landform.storage.process_lock import ProcessLock

COUNTERS = (
    "SELECT name, version, generation, schema_version "
    "FROM resource_version, store, pragma_schema_version"
)


class ChangeWatcher:
    """A connection that never writes, which shows the commits of all others."""

    def __init__(self, place: Place, close_idle: Callable[[], None]) -> None:
        self._place = place
        self._close_idle = close_idle
        self._lock = ProcessLock()
        self._connection: Connection | None = None
        self._process = 0
        self._opened = 0
        self._seen: WatchedVersions | None = None

    def version(self) -> tuple[int, int] | None:
        """Return what changes with every commit; None where the file cannot be read."""
        with self._lock:
            return self._version()

    def versions(self) -> WatchedVersions | None:
        """Return that, and what changes with every write to a table."""
        with self._lock:
            commits = self._version()
            if commits is None:
                return None
            # Read after the other one: whoever commits in between makes it be read again.
            if self._seen is None or self._seen.commits != commits:
                self._seen = WatchedVersions(commits, self._counters())
            return self._seen

    def _counters(self) -> dict[str, Hashable]:
        """Return the state of each table that has a counter, which triggers increment.

        The same number means the same only in one file, one generation of the store and one schema.
        """
        try:
            rows = self._connection.execute(COUNTERS).fetchall() if self._connection else []
        except sqlite3.Error:
            return {}
        return {name: (self._opened, version, *rest) for name, version, *rest in rows}

    def _version(self) -> tuple[int, int] | None:
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
        return self._opened, int(row[0])

    def close(self) -> None:
        """Close the connection; the next call of `version` opens another one."""
        with self._lock:
            self._close()

    def close_replaced(self) -> None:
        """Close the connection if another file is at its path now."""
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
            self._close_idle()
        # A connection that came over a fork is left alone: to close it here could harm the other's.
        self._inherited = self._connection
        self._connection = None
        self._connection = Connection(
            self._place.path, place=self._place, isolation_level=None, check_same_thread=False
        )
        self._process = os.getpid()
        self._opened += 1
        return self._connection
