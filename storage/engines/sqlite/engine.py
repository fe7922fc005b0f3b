"""SQLite: one file, one writer at a time, and no server."""

import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import peewee

from landform.storage.atomic_file import LOGS
from landform.storage.engines.base import URL_FORMS, Engine, Options, Progress, WatchedVersions
from landform.storage.engines.database import EngineDatabase
from landform.storage.engines.sqlite import backup as sqlite_backup
from landform.storage.engines.sqlite import memory
from landform.storage.engines.sqlite import schema as sqlite_schema
from landform.storage.engines.sqlite.dialect import SQLiteDialect
from landform.storage.engines.sqlite.files import Place, is_busy
from landform.storage.engines.sqlite.pool import Database
from landform.storage.errors import Busy, DatabaseUnusable, DiskFull, StorageError, Unavailable

ROLLED_BACK = re.compile("no transaction is active|no such savepoint")
# What the driver says of a file that is out of reach or damaged.
BROKEN = (
    "readonly", "unable to open", "disk i/o", "malformed", "not a database", "no such table",
    "could not decode", "vtable constructor", "invalid fts5 file format",
)  # fmt: skip
NOT_WRITABLE = ("readonly database", "unable to open database file")


class SQLite(Engine):
    """The engine of a SQLite file."""

    database: Database
    remedy = "It is left as it is; `landform restore` puts a backup in its place."
    # The file may be whole.
    remedy_of_place = "Let this user write to the file and to its folder, where the log of it is."

    def __init__(self, url: str, options: Options) -> None:
        _, separator, path = url.partition(":///")
        if not separator:
            raise DatabaseUnusable(URL_FORMS)
        self.name = self.path = path
        self._group_access, self._is_in_memory = options.group_access, path == memory.NAME
        settings = (options.synchronous, options.busy_timeout, SQLiteDialect())
        if path == memory.NAME:
            self.place: Place = memory.MemoryPlace()
            self.database = memory.MemoryDatabase(self.place, *settings)
        else:
            self.place = Place(path)
            self.database = Database(self.place, *settings)

    def unusable(self, problem: str) -> DatabaseUnusable:
        if any(text in problem for text in NOT_WRITABLE):
            return DatabaseUnusable(f"{self.name} {problem} {self.remedy_of_place}")
        return super().unusable(problem)

    @property
    def description(self) -> str:
        return (
            "SQLite, in memory" if self._is_in_memory else f"SQLite, {Path(self.path).absolute()}"
        )

    def create(self) -> None:
        self.place.create()

    def check(self) -> None:
        if not self.place.is_there():
            raise DatabaseUnusable(f"There is no database {self.path}.")

    def protect(self) -> None:
        self.place.protect(group=self._group_access)

    def is_foreign(self) -> bool:
        return sqlite_schema.is_foreign(self.database.connection())

    def before_migration(self, migration: str) -> None:
        """Copy the file to one beside it, named after the migration."""
        sqlite_backup.backup(self.path, Path(f"{self.path}.before-{migration}"), force=True)

    def after_migration(self) -> None:
        self.place.remember()

    def adopt(self) -> None:
        connection = self.database.connection()
        if connection.is_writable:
            self.database.adopt(connection)

    def translate_error(self, error: BaseException) -> StorageError | None:
        if not isinstance(error, (peewee.DatabaseError, sqlite3.Error)):
            return None
        # A full disk makes SQLite roll back by itself; what is raised then is that Peewee cannot.
        while ROLLED_BACK.search(str(error)) and error.__context__:
            error = error.__context__
        if is_busy(error):
            return Busy("Another writer holds the database.")
        text = str(error).lower()
        if "full" in text:
            return DiskFull("There is no room left to write.")
        if any(sign in text for sign in BROKEN):
            return Unavailable()
        return None

    def versions(self) -> WatchedVersions | None:
        return self.database.versions()

    def readiness_error(self) -> str | None:
        return self.place.readiness_error()

    def integrity_problems(self, db: EngineDatabase) -> Iterator[str]:
        """Yield what is wrong with the file, its references and the full-text index."""
        for (found,) in db.execute_sql("PRAGMA integrity_check").fetchall():
            if found != "ok":
                yield f"SQLite says: {found}. {self.remedy}"
        for table, row, *_ in db.execute_sql("PRAGMA foreign_key_check").fetchall():
            yield (
                f"The row {row} of {table} refers to a row that is not there. "
                "`landform vacuum` repairs that."
            )
        check = "INSERT INTO page_index (page_index, rank) VALUES ('integrity-check', 1)"
        try:
            db.execute_sql(check)
        except peewee.DatabaseError as error:
            if is_busy(error):
                raise
            yield "The full-text index is not that of the texts. `landform vacuum` rebuilds it."

    def rebuild_search_index(self, db: EngineDatabase) -> None:
        db.dialect.rebuild_search_index(db)

    def compact(self, db: EngineDatabase) -> None:
        db.execute_sql("INSERT INTO page_index (page_index) VALUES ('optimize')")
        db.execute_sql("VACUUM")
        db.execute_sql("PRAGMA optimize")
        db.execute_sql("PRAGMA wal_checkpoint(TRUNCATE)")

    def size(self) -> int:
        return self.place.size()

    @property
    def files(self) -> tuple[Path, ...]:
        real = os.path.realpath(self.path)
        return tuple(Path(f"{real}{suffix}") for suffix in ("", *LOGS))

    def backup(self, target: Path, *, force: bool, progress: Progress) -> None:
        sqlite_backup.backup(self.path, target, force=force, progress=progress)

    def restore(self, source: Path, check: Callable[[str], None]) -> Path | None:
        return sqlite_backup.restore(source, self.path, check, group=self._group_access)

    def release(self) -> None:
        """Close the same, and give up a database in memory."""
        super().release()
        if self.database.is_own():
            self.place.close()


from_url = SQLite
