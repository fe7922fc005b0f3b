"""What storage asks of an engine beside queries: a third one is a folder that has these."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator
from pathlib import Path
from typing import NamedTuple

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


class Engine(ABC):
    """One database: its pool, and what an operator or a server asks beside queries.

    What an engine does not need does nothing here.
    """

    database: EngineDatabase
    # How messages call it, without secrets, and what they say beside where it cannot be opened.
    name: str
    remedy: str = ""

    @abstractmethod
    def create(self) -> None:
        """Prepare the place of a new database; `DatabaseUnusable` where none can be."""

    def check(self) -> None:
        """Raise `DatabaseUnusable` where there is no database at all, before anybody connects."""

    def before_migration(self, migration: str) -> None:
        """Back up what is there, before the schema of a database that holds something changes."""

    @abstractmethod
    def translate_error(self, error: BaseException) -> StorageError | None:
        """Return what an error of the driver means to a caller; None where it is a bug of ours."""

    def hold(self) -> None:
        """Let other processes see that the database is in use."""

    @abstractmethod
    def version(self) -> Hashable | None:
        """Return a value that changes with every commit, of any process on any machine.

        None where that is not known.
        """

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

    def owns_file(self, file: Path) -> bool:
        """Return whether the database is in this file, or a log of it."""
        return False

    @abstractmethod
    def backup(self, target: Path, *, force: bool, progress: Progress) -> None:
        """Copy it to a file; `BackupRefused`."""

    @abstractmethod
    def restore(self, source: Path, check: Callable[[str], None]) -> Path | None:
        """Put a backup in its place, checked by what takes a path; `BackupRefused`."""

    def unusable(self, problem: str) -> DatabaseUnusable:
        """Return the error that says what is wrong with the database, and what to do."""
        return DatabaseUnusable(f"{self.name} {problem} {self.remedy}".strip())

    def close(self) -> None:
        """Close every connection that is not in use."""
        self.database.close_idle()
