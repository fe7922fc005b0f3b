"""The engine of a URL: a file, or a database in memory."""

import secrets
import sqlite3

from landform.storage.engines.database import URL_FORMS, Options
from landform.storage.engines.sqlite.database import SQLite
from landform.storage.engines.sqlite.files import FileId
from landform.storage.errors import DatabaseUnusable

# What stands for the path in a URL: `sqlite:///:memory:`.
MEMORY = ":memory:"
GONE = (
    "A database in memory is in the process that opened it, until its store is closed: it can be "
    "served neither by other processes nor later."
)


class MemoryDatabase(SQLite):
    """A SQLite database in memory: for tests, in one process, gone with its store.

    Its connections share it as they share a file, by SQLite's `memdb`. That knows no log beside it:
    whoever reads waits while a transaction of another thread writes, and the other way round.
    """

    gone = GONE

    def __init__(self, options: Options) -> None:
        super().__init__(MEMORY, options)
        self.description = "SQLite, in memory"
        self.uri = f"file:/landform-{secrets.token_hex(16)}?vfs=memdb"
        # SQLite forgets the database with its last connection.
        self._anchor: sqlite3.Connection | None = None

    def create(self) -> None:
        self._anchor = self._anchor or sqlite3.connect(
            self.uri, uri=True, isolation_level=None, check_same_thread=False
        )

    def file(self) -> FileId | None:
        return (0, id(self._anchor)) if self._anchor else None

    def is_writable(self) -> bool:
        return True

    def release(self) -> None:
        super().release()
        if self._anchor and self.is_own():
            self._anchor.close()
            self._anchor = None


def from_url(url: str, options: Options) -> SQLite:
    """Return the engine of a URL."""
    _, separator, path = url.partition(":///")
    if not separator:
        raise DatabaseUnusable(URL_FORMS)
    return MemoryDatabase(options) if path == MEMORY else SQLite(path, options)
