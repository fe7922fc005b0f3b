"""What storage asks of an engine beside queries: a third one is a folder that has these."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import peewee

from landform.storage.engines.database import EngineDatabase
from landform.storage.errors import DatabaseUnusable, StorageError

# Called with how much is done, and how much there is.
Progress = Callable[[int, int], None]
URL_FORMS = "The database URL must look like sqlite:///landform.db or postgresql://user@host/name."


class Options(NamedTuple):
    """What engines are opened with, beside a URL; `Store` says what it means."""

    synchronous: str
    busy_timeout: float
    answer_timeout: float | None
    group_access: bool = False


class WatchedVersions(NamedTuple):
    """What a database is at: values that are others after a commit.

    `commits` is another one after any commit of any process on any machine; `tables` has, for each
    table of which the engine can tell, one that is another after a write to that table.
    """

    commits: Hashable
    tables: Mapping[str, Hashable]

    def of(self, table: str) -> Hashable:
        """Return a value that is another one after every write to a table."""
        return self.tables.get(table, self.commits)


class Engine(ABC):
    """One database: its pool, and what an operator or a server asks beside queries.

    What an engine does not need does nothing here.
    """

    database: EngineDatabase
    # How messages call it, without secrets, and what they say beside where it cannot be opened.
    name: str
    remedy: str = ""
    # Whether `versions` waits for a server.
    versions_wait = False

    @property
    def description(self) -> str:
        """What kind of database it is and where, without secrets."""
        return self.name

    @abstractmethod
    def create(self) -> None:
        """Prepare the place of a new database; `DatabaseUnusable` where none can be."""

    def check(self) -> None:
        """Raise `DatabaseUnusable` where there is no database at all, before anybody connects."""

    def protect(self) -> None:
        """Let nobody read the files of the database who is not meant to."""

    def before_migration(self, migration: str) -> None:
        """Back up what is there, before the schema of a database that holds something changes."""

    def after_migration(self) -> None:
        """Note that the schema has just been brought up to date."""

    def adopt(self) -> None:
        """Give a file that is served for the first time another generation: it may be a backup."""

    @contextmanager
    def connection(self) -> Iterator[EngineDatabase]:
        """Open a connection for this thread, and close it in any case; nested calls share one.

        The driver's errors are raised as those of storage.
        """
        try:
            opened = self.database.connect(reuse_if_open=True)
            try:
                yield self.database
            except peewee.DatabaseError:
                # What the connection has cached of the database may be what is wrong.
                if opened:
                    self.database.discard()
                raise
            finally:
                if opened:
                    self.database.close()
        except Exception as error:
            # What it reads may make the driver raise an error of its own.
            translated = self.translate_error(error)
            if translated is None:
                raise
            raise translated from error

    @abstractmethod
    def translate_error(self, error: BaseException) -> StorageError | None:
        """Return what an error of the driver means to a caller; None where it is a bug of ours."""

    @abstractmethod
    def versions(self) -> WatchedVersions | None:
        """Return what the database is at; None where that is not known."""

    @abstractmethod
    def readiness_error(self) -> str | None:
        """Return why writes would fail, without any path in it; None where they would not.

        Asked after `Store.check`.
        """

    @abstractmethod
    def integrity_problems(self, db: EngineDatabase) -> Iterator[str]:
        """Yield what is wrong with the database itself, a sentence each."""

    @abstractmethod
    def rebuild_search_index(self, db: EngineDatabase) -> None:
        """Rebuild the full-text index."""

    @abstractmethod
    def compact(self, db: EngineDatabase) -> None:
        """Make the database as small as it can be."""

    @abstractmethod
    def size(self) -> int:
        """Return how many bytes it takes."""

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that the database consists of, whether they are there or not."""
        return ()

    @abstractmethod
    def backup(self, target: Path, *, force: bool, progress: Progress) -> None:
        """Copy it to a file; `BackupRefused`."""

    @abstractmethod
    def restore(self, source: Path, check: Callable[[str], None]) -> Path | None:
        """Put a backup in its place, checked by what takes a path; `BackupRefused`."""

    def is_foreign(self) -> bool:
        """Return whether the database is certainly another program's; inside `connection()`."""
        return False

    def unusable(self, problem: str) -> DatabaseUnusable:
        """Return the error that says what is wrong with the database, and what to do."""
        return DatabaseUnusable(f"{self.name} {problem} {self.remedy}".strip())

    def close(self) -> None:
        """Close every connection that is not in use."""
        self.database.close_idle()

    def release(self) -> None:
        """Close the same for good, and give up what only this process has of the database."""
        self.close()
