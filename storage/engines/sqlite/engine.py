"""SQLite: one file, one writer at a time, and no server."""

import os
import re
import secrets
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import peewee

from landform.storage.atomic_file import LOGS
from landform.storage.engines.database import (
    URL_FORMS,
    EngineDatabase,
    Named,
    Options,
    Schema,
    WatchedVersions,
)
from landform.storage.engines.sqlite import backup as sqlite_backup
from landform.storage.engines.sqlite import files
from landform.storage.engines.sqlite.files import FileId
from landform.storage.engines.sqlite.transactions import Transactions
from landform.storage.errors import Busy, DatabaseUnusable, DiskFull, StorageError, Unavailable

ROLLED_BACK = re.compile("no transaction is active|no such savepoint")
# What the driver says of a file that is out of reach or damaged.
BROKEN = (
    "readonly", "unable to open", "disk i/o", "malformed", "not a database", "no such table",
    "could not decode", "vtable constructor", "invalid fts5 file format",
)  # fmt: skip


class SQLite(Transactions):
    """The engine of a SQLite file."""

    remedy = (
        "It is left as it is: let this user write to the file and to its folder, or put a backup "
        "in its place with `landform restore`."
    )

    def __init__(self, path: str, options: Options) -> None:
        super().__init__(path, options)
        self.description = f"SQLite, {Path(path).absolute()}"
        self._group_access = options.group_access

    def create(self) -> None:
        files.create(self.path)

    def check(self) -> None:
        if not Path(self.path).is_file():
            raise DatabaseUnusable(f"There is no database {self.path}.")

    def before_migration(self, migration: str) -> None:
        """Copy the file to one beside it, named after the migration."""
        target = Path(f"{self.path}.before-{migration}")
        sqlite_backup.backup(self.path, target, force=True)

    def after_migration(self) -> None:
        """Give a file that was not served here another generation, and let only its owner read."""
        connection = self.connection()
        if connection.is_writable:
            self.adopt(connection)
        files.protect(self.path, group=self._group_access)

    def translate_error(self, error: BaseException) -> StorageError | None:
        if isinstance(error, UnicodeDecodeError):
            # What SQLite says of a damaged schema repeats that.
            return Unavailable()
        if not isinstance(error, (peewee.DatabaseError, sqlite3.Error)):
            return None
        # A full disk makes SQLite roll back by itself; what is raised then is that Peewee cannot.
        while ROLLED_BACK.search(str(error)) and error.__context__:
            error = error.__context__
        if files.is_busy(error):
            return Busy("Another writer holds the database.")
        text = str(error).lower()
        if "full" in text:
            return DiskFull("There is no room left to write.")
        if any(sign in text for sign in BROKEN):
            return Unavailable()
        return None

    def integrity_problems(self) -> Iterator[str]:
        for (found,) in self.execute_sql("PRAGMA integrity_check").fetchall():
            if found != "ok":
                yield f"SQLite says: {found}. {self.remedy}"
        for table, row, *_ in self.execute_sql("PRAGMA foreign_key_check").fetchall():
            yield (
                f"The row {row} of {table} refers to a row that is not there. "
                "`landform vacuum` repairs that."
            )
        check = "INSERT INTO page_index (page_index, rank) VALUES ('integrity-check', 1)"
        try:
            self.execute_sql(check)
        except peewee.DatabaseError as error:
            if files.is_busy(error):
                raise
            yield "The full-text index is not that of the texts. `landform vacuum` rebuilds it."

    def compact(self) -> None:
        self.execute_sql("INSERT INTO page_index (page_index) VALUES ('optimize')")
        self.execute_sql("VACUUM")
        self.execute_sql("PRAGMA optimize")
        self.execute_sql("PRAGMA wal_checkpoint(TRUNCATE)")

    @property
    def files(self) -> tuple[Path, ...]:
        real = os.path.realpath(self.path)
        return tuple(Path(f"{real}{suffix}") for suffix in ("", *LOGS))

    def backup(self, target: Path, *, force: bool) -> None:
        sqlite_backup.backup(self.path, target, force=force)

    def restore(
        self, source: Path, check: Callable[[str], None], *, force: bool = False
    ) -> Path | None:
        group = self._group_access
        return sqlite_backup.restore(source, self.path, check, group=group, force=force)

    def schema(self) -> Schema:
        rows = self.execute_sql("SELECT type, name, sql FROM sqlite_master WHERE sql <> ''")
        return {
            Named(kind, name): " ".join(sql.split())
            for kind, name, sql in rows.fetchall()
            if not name.startswith("sqlite_")
        }

    def reference_schema(self, make: Callable[[EngineDatabase], object]) -> Schema:
        # In memory nobody else sees it.
        new = MemoryDatabase(Options())
        new.create()
        try:
            with new.connected():
                make(new)
                return new.schema()
        finally:
            new.release()


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
        self._commits = 0

    def create(self) -> None:
        self._anchor = self._anchor or sqlite3.connect(
            self.uri, uri=True, isolation_level=None, check_same_thread=False
        )

    def check(self) -> None:
        if not self._anchor:
            raise DatabaseUnusable(f"There is no database {MEMORY}.")

    def file(self) -> FileId | None:
        return FileId(0, id(self._anchor)) if self._anchor else None

    def is_writable(self) -> bool:
        return True

    def commit(self) -> None:
        super().commit()
        self._commits += 1

    def versions(self) -> WatchedVersions:
        """Return the number of commits, all of which are made in this process."""
        return WatchedVersions(self._commits, {})

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
