"""What every engine offers to the rest of storage: a third one is a folder that has these."""

import logging
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import peewee

from landform.storage.engines.dialect import Dialect
from landform.storage.errors import (
    Busy,
    CopyRefused,
    DatabaseUnusable,
    DiskFull,
    StorageError,
    Unavailable,
    cut_values,
)
from landform.storage.part import all_tables, numbered_tables
from landform.storage.query_budget import Deadline

log = logging.getLogger("landform")
# A full disk is logged once in so many seconds.
REPORT_SECONDS = 60
T = TypeVar("T")
# A row as the driver returns it.
Record = tuple[Any, ...]
# For each table that responses are made of, a value that is another one after every write to it.
WatchedVersions = Mapping[str, Hashable]
URL_FORMS = "The database URL must look like sqlite:///landform.db or postgresql://user@host/name."
NO_FILE = (
    "A database on a server is backed up and restored by the tools of that, such as pg_dump and "
    "pg_restore, or copied with `landform copy`."
)
# Inside of it the driver's errors become Peewee's.
PEEWEE_ERRORS = peewee.__exception_wrapper__  # type: ignore[attr-defined]
HIGHEST = "SELECT max(id) FROM {}"
HISTORY = "SELECT name FROM schema_migration ORDER BY name"
OTHER_SCHEMA = (
    "The database has the schema of another version of landform: nothing is written to it. Restart "
    "the service with that version."
)
FORKED = "A connection that was opened before a fork belongs to the process that opened it."


class Options(NamedTuple):
    """Options of all engines beside the URL.

    In seconds: `busy_timeout` is how long a write waits until it may begin, `answer_timeout` how
    long a statement waits for the server (None: as long as it takes). `group_access`: whether the
    group of a file may read and write it.
    """

    synchronous: str = "FULL"
    busy_timeout: float = 10.0
    answer_timeout: float | None = None
    group_access: bool = False


class Named(NamedTuple):
    """A part of a schema: a `table`, `index`, `trigger`, `view` or `function`, and its name."""

    kind: str
    name: str


# What SQLite searches in; the tables that it makes for it have longer names.
INDEX = Named("table", "page_index")
# The parts of a schema, and the SQL of each.
Schema = Mapping[Named, str]


class EngineDatabase(peewee.Database, ABC):
    """A Peewee database that keeps its connections, with observers and without a log of statements.

    There are as many connections as threads that use one at once. What an engine does not need does
    nothing here.
    """

    dialect: Dialect
    # The name in messages and the kind and place, without secrets; advice if it cannot be opened.
    name: str
    description: str
    remedy = ""
    # The store that connections have to lead to; None while that is not known.
    identity: str | None = None
    # The names of the migrations that made the schema which this process knows; a write to a schema
    # with others is refused.
    history: Sequence[str] = ()
    # Whether the database is on a server, and not in a file whose commits can be watched.
    on_server = False
    # The `lock_type` of transactions that only read.
    reading: str

    def __init__(self, database: str, dialect: Dialect, **options: Any) -> None:
        super().__init__(database, **options)
        self.dialect = dialect
        self._idle: list[Any] = []
        self._process = os.getpid()
        # How many connections ended: whatever was known through them may be so no longer.
        self._losses = 0
        # Called with each statement and its seconds; `BEGIN` is the wait for the lock.
        self.observers: list[Callable[[str, float], None]] = []
        # Whether the last write had no room, and when (time.monotonic) the log may say so again.
        self.is_out_of_room = False
        self._report_again = 0.0

    @property
    def versioned(self) -> set[str]:
        """The tables that have a counter in `resource_version`."""
        return {
            model._meta.table_name
            for model in all_tables()
            if model.versioned or (model.versioned_on_server and self.on_server)
        }

    def is_own(self) -> bool:
        """Return whether this process opened the connections, and not its parent."""
        return self._process == os.getpid()

    @contextmanager
    def connected(self) -> Iterator["EngineDatabase"]:
        """Open a connection for this thread, and close it in any case; nested calls share one.

        The driver's errors are raised as those of storage.
        """
        try:
            opened = bool(self.connect(reuse_if_open=True))
            try:
                yield self
            except peewee.DatabaseError as error:
                # What the connection has cached of the database may be what is wrong. On a full
                # disk there may be no room to open another one.
                if opened and not isinstance(self.translate_error(error), (Busy, DiskFull)):
                    self.discard()
                raise
            finally:
                if opened:
                    self.close()
        except Exception as error:
            cut_values(error)
            # What it reads may make the driver raise an error of its own.
            translated = self.translate_error(error)
            if translated is None and self._has_other_schema(error):
                translated = Unavailable(OTHER_SCHEMA)
            if translated is None:
                raise
            if isinstance(translated, DiskFull):
                self.report_full_disk()
            raise translated from self.original_error(error)

    @abstractmethod
    def open_connection(self) -> Any:
        """Open a connection of the driver."""

    @abstractmethod
    def is_usable(self, connection: Any) -> bool:
        """Return whether an idle connection can be used again."""

    @abstractmethod
    def is_clean(self, connection: Any) -> bool:
        """Return whether a connection that was used can be kept."""

    def _connect(self) -> Any:
        """Return an idle connection, or a new one."""
        with suppress(IndexError):
            while not self.is_usable(connection := self._idle.pop()):
                self.retire(connection)
            return connection
        return self.open_connection()

    def _close(self, connection: Any) -> None:
        # One of the parent's is left alone: to close it here could end, or harm, the other's.
        if not self.is_own() or self.is_clean(connection):
            self._idle.append(connection)
        else:
            self.retire(connection)

    def retire(self, connection: Any) -> None:
        """Close a connection that cannot be used again."""
        self._losses += 1
        connection.close()

    def discard(self) -> None:
        """Close the connection of this thread for good."""
        if not self.is_closed():
            self.retire(self.connection())
            self.close()

    def close_idle(self) -> None:
        """Close the connections that nobody uses; those of a parent process are left alone."""
        while self._idle and self.is_own():
            with suppress(IndexError):
                self.retire(self._idle.pop())

    def release(self) -> None:
        """Close them for good, and give up what only this process has of the database."""
        self.close_idle()

    def connection(self) -> Any:
        """Return the connection of this thread; `RuntimeError` for one from before a fork."""
        if self._process != os.getpid():
            raise RuntimeError(FORKED)
        return super().connection()  # type: ignore[no-untyped-call]

    def execute_sql(self, sql: str, params: Sequence[object] | None = None) -> Any:
        """Execute a statement with the driver alone, in half the time of Peewee's way."""
        began = time.perf_counter()
        try:
            return self.connection().execute(sql, params or ())
        except Exception:
            with PEEWEE_ERRORS:
                raise
        finally:
            if self.observers:
                self.tell(sql, began)

    def tell(self, sql: str, began: float) -> None:
        """Tell the observers of a statement that began at a time (`time.perf_counter`)."""
        for observer in self.observers:
            observer(sql, time.perf_counter() - began)

    @abstractmethod
    def begin(self, lock_type: str | None = None, wait: float | None = None) -> None:
        """Begin a write, one writer at a time, or the transaction that `lock_type` names.

        A write waits for the others so many seconds, or for the busy timeout.
        """

    def check_schema(self, history: Sequence[Record]) -> None:
        """End the write that has begun, and raise `Unavailable`, in a schema of another version."""
        if [name for (name,) in history] != self.history:
            self.rollback()
            raise Unavailable(OTHER_SCHEMA)

    def _has_other_schema(self, error: Exception) -> bool:
        """Return whether a statement failed that may do so in the schema of another version."""
        if self.history and isinstance(error, peewee.DatabaseError):
            with suppress(Exception), closing(self.open_connection()) as connection:
                history = connection.execute(HISTORY).fetchall()
                return [name for (name,) in history] != self.history
        return False

    def snapshot(self) -> AbstractContextManager[object]:
        """Return a transaction that reads what was committed at one moment."""
        return self.atomic(self.reading)

    @abstractmethod
    def within(self, deadline: Deadline, read: Callable[[], T]) -> T:
        """Return what a function reads, whose statements end at a deadline: then `TooExpensive`.

        PostgreSQL bounds each of them by the time that was left when the first began.
        """

    def without_timeout(self) -> None:
        """Let the statements of this connection take as long as they like."""

    def get_context_options(self) -> dict[str, Any]:
        """Return the options for making SQL, the dialect too."""
        return {**super().get_context_options(), "dialect": self.dialect}

    @abstractmethod
    def create(self) -> None:
        """Prepare the place of a new database; `DatabaseUnusable` if that is not possible."""

    def check(self) -> None:
        """Raise `DatabaseUnusable` where there is no database at all, before anybody connects."""

    def before_migration(self, migration: str) -> None:
        """Back up what is there, before the schema of a database that holds something changes."""

    def after_migration(self) -> None:
        """Take a database whose schema is up to date as the one that is served here."""

    def original_error(self, error: BaseException) -> BaseException:
        """Return what went wrong first, where an error only says that nothing can be undone."""
        return error

    @abstractmethod
    def translate_error(self, error: BaseException) -> StorageError | None:
        """Return what an error of the driver means to a caller; None where it is a bug of ours."""

    def unusable(self, problem: str) -> DatabaseUnusable:
        """Return the error that says what is wrong with the database, and what to do."""
        return DatabaseUnusable(f"{self.name} {problem} {self.remedy}".strip())

    def versions(self) -> WatchedVersions | None:
        """Return the versions of tables after all commits, of any process; None if not known."""
        try:
            with self.connected():
                found = self.execute_sql(self.dialect.versions).fetchall()
        except (peewee.DatabaseError, StorageError):
            return None
        return {name: (self._losses, *rest) for name, *rest in found}

    def report_full_disk(self) -> None:
        """Remember that there was no room, and log it, once a minute."""
        self.is_out_of_room = True
        if time.monotonic() >= self._report_again:
            self._report_again = time.monotonic() + REPORT_SECONDS
            log.error("Writes are refused: the disk is full (%s).", self.name)

    def is_disk_full(self) -> bool:
        """Return whether the disk is known to be full, without a write."""
        return False

    @abstractmethod
    def is_writable(self) -> bool:
        """Return whether this process has the right to write to the database."""

    def integrity_problems(self) -> Iterator[str]:
        """Yield what is wrong with the database itself, a sentence each."""
        return iter(())

    @abstractmethod
    def compact(self) -> None:
        """Make the database as small as it can be."""

    def size(self) -> int:
        """Return how many bytes it takes."""
        with self.connected():
            return int(self.execute_sql(self.dialect.size).fetchone()[0])

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that the database consists of, whether they are there or not."""
        return ()

    def backup(self, target: Path, *, force: bool) -> None:
        """Copy it to a file; `CopyRefused`."""
        raise CopyRefused(NO_FILE)

    def restore(
        self, source: Path, check: Callable[[str], None], *, force: bool = False
    ) -> Path | None:
        """Put a backup in its place, checked by what takes a path; `CopyRefused`."""
        raise CopyRefused(NO_FILE)

    def last_ids(self) -> dict[str, int]:
        """Return the highest id that was ever assigned in each table."""
        found = dict(self.execute_sql(self.dialect.last_ids).fetchall())
        return {table: found.get(table) or 0 for table in numbered_tables()}

    def advance_sequences(self, ids: Mapping[str, int]) -> None:
        """Never assign the ids up to these again, nor any of a row that is there."""
        before = self.last_ids()
        for table, given in ids.items():
            highest = self.execute_sql(HIGHEST.format(table)).fetchone()[0] or 0
            if (last := max(given, highest)) > before[table]:
                for statement in self.dialect.set_last_id:
                    self.execute_sql(statement.format(table, last))

    @abstractmethod
    def schema(self) -> Schema:
        """Return the parts of the schema."""

    @abstractmethod
    def reference_schema(self, make: Callable[["EngineDatabase"], object]) -> Schema:
        """Return the schema of a new database that a function has just made."""
