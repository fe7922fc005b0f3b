"""The base class of the engines; a third engine is a folder with a subclass of it."""

import logging
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from landform.storage.models import all_tables, numbered_tables
from landform.storage.query_budget import Deadline

log = logging.getLogger("landform")
# A full disk is logged once in this many seconds.
REPORT_SECONDS = 60
T = TypeVar("T")
# A row as the driver returns it.
Record = tuple[Any, ...]
URL_FORMS = "The database URL must look like sqlite:///landform.db or postgresql://user@host/name."
NO_FILE = (
    "A database on a server is backed up and restored by the tools of that, such as pg_dump and "
    "pg_restore, or copied with `landform copy`."
)
# A context manager that turns the errors of a driver into Peewee's.
PEEWEE_ERRORS = peewee.__exception_wrapper__  # type: ignore[attr-defined]
HIGHEST = "SELECT max(id) FROM {}"
IDENTITY = "SELECT identity FROM store"
HISTORY = "SELECT name FROM schema_migration ORDER BY name"
OTHER_SCHEMA = (
    "The database has the schema of another version of landform: nothing is written to it. Restart "
    "the service with that version."
)
FORKED = "A connection that was opened before a fork belongs to the process that opened it."


class EngineOptions(NamedTuple):
    """Options of all engines beside the URL.

    In seconds: `busy_timeout` is how long a write waits until it may begin, `answer_timeout` how
    long a statement waits for the server (None: no limit). `group_access`: whether the group of a
    file may read and write it. `synchronous`: the pragma of SQLite.
    """

    synchronous: str = "FULL"
    busy_timeout: float = 10.0
    answer_timeout: float | None = None
    group_access: bool = False


class Named(NamedTuple):
    """A part of a schema: a `table`, `index`, `trigger`, `view` or `function`, and its name."""

    kind: str
    name: str


# The full-text index of SQLite, whose own tables have names that begin with this one.
INDEX = Named("table", "page_index")
# The parts of a schema, and the SQL of each.
Schema = Mapping[Named, str]


class EngineDatabase(peewee.Database, ABC):
    """A Peewee database with idle connections for reuse, and with observers of statements.

    It has as many connections as threads that use one at once. Methods that an engine may do
    without do nothing here.
    """

    dialect: Dialect
    # The name in messages; kind and place, without secrets; advice if it cannot be opened.
    name: str
    description: str
    remedy = ""
    # The identity of the store that every connection must lead to; None while it is not known.
    identity: str | None = None
    # The migrations of the schema that this process knows; writes to another schema are refused.
    history: Sequence[str] = ()
    # Whether the database is on a server, and not in a file whose commits can be watched.
    on_server = False
    # The `lock_type` of transactions that only read.
    read_only: str

    def __init__(self, database: str, dialect: Dialect, **options: Any) -> None:
        super().__init__(database, **options)
        self.dialect = dialect
        self._idle: list[Any] = []
        self._process = os.getpid()
        # The number of closed connections; with each, all versions that were read are obsolete.
        self.losses = 0
        # Called with each statement and its seconds; `BEGIN` is the wait for the lock.
        self.observers: list[Callable[[str, float], None]] = []
        # Whether the last write had no room, and the time (monotonic) of the next line in the log.
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
        """Open a connection for this thread, and close it at the end; nested calls share one.

        Errors of the driver are raised as errors of storage.
        """
        try:
            opened = bool(self.connect(reuse_if_open=True))
            try:
                yield self
            except peewee.DatabaseError as error:
                # The cache of the connection may be damaged. But on a full disk there may be no
                # room to open another one.
                if opened and not isinstance(self.translate_error(error), (Busy, DiskFull)):
                    self.close_connection(self.connection())
                raise
            finally:
                if opened:
                    self.close()
        except Exception as error:
            cut_values(error)
            translated = self.translate_error(error)
            if translated is None and self._has_other_schema(error):
                translated = Unavailable(OTHER_SCHEMA)
            if translated is None:
                raise
            if isinstance(translated, DiskFull):
                self.report_full_disk()
            raise translated from error

    @abstractmethod
    def open_connection(self) -> Any:
        """Open a connection of the driver."""

    @abstractmethod
    def is_usable(self, connection: Any) -> bool:
        """Return whether an idle connection can be used again."""

    @abstractmethod
    def is_clean(self, connection: Any) -> bool:
        """Return whether a connection can be reused after this use."""

    def _connect(self) -> Any:
        """Return an idle connection, or a new one."""
        with suppress(IndexError):
            while not self.is_usable(connection := self._idle.pop()):
                self.close_connection(connection)
            return connection
        return self.open_connection()

    def _close(self, connection: Any) -> None:
        # To close a connection of the parent here could end or damage it there.
        if not self.is_own() or self.is_clean(connection):
            self._idle.append(connection)
        else:
            self.close_connection(connection)

    def close_connection(self, connection: Any) -> None:
        """Close a connection that cannot be used again."""
        self.losses += 1
        connection.close()

    def close_idle(self) -> None:
        """Close all connections that are not in use, unless a parent process opened them."""
        while self._idle and self.is_own():
            with suppress(IndexError):
                self.close_connection(self._idle.pop())

    def close_all(self) -> None:
        """Close the database for good; one in memory is deleted."""
        self.close_idle()

    def connection(self) -> Any:
        """Return the connection of this thread; `RuntimeError` for one from before a fork."""
        if not self.is_own():
            raise RuntimeError(FORKED)
        return super().connection()  # type: ignore[no-untyped-call]

    def execute_sql(self, sql: str, params: Sequence[object] | None = None) -> Any:
        """Execute a statement with the driver, in half the time that Peewee takes."""
        began = time.perf_counter()
        try:
            return self.connection().execute(sql, params or ())
        except Exception:
            with PEEWEE_ERRORS:
                raise
        finally:
            if self.observers:
                self.notify_observers(sql, began)

    def notify_observers(self, sql: str, began: float) -> None:
        """Call the observers with a statement that began at a time (`time.perf_counter`)."""
        for observer in self.observers:
            observer(sql, time.perf_counter() - began)

    @abstractmethod
    def begin(self, lock_type: str | None = None, wait: float | None = None) -> None:
        """Begin a write, one at a time, or a transaction of another `lock_type`.

        A write waits for others for `wait` seconds, or for the busy timeout; then it is `Busy`.
        """

    def check_schema(self, history: Sequence[Record]) -> None:
        """Raise `Unavailable`, and roll back, in a schema of another version."""
        if [name for (name,) in history] != self.history:
            self.rollback()
            raise Unavailable(OTHER_SCHEMA)

    def _has_other_schema(self, error: Exception) -> bool:
        """Return whether a statement failed because the schema is that of another version."""
        if self.history and isinstance(error, peewee.DatabaseError):
            with suppress(Exception), closing(self.open_connection()) as connection:
                history = connection.execute(HISTORY).fetchall()
                return [name for (name,) in history] != self.history
        return False

    def snapshot(self) -> AbstractContextManager[object]:
        """Return a transaction that reads the database as of one moment."""
        return self.atomic(self.read_only)

    @abstractmethod
    def read_before(self, deadline: Deadline, read: Callable[[], T]) -> T:
        """Return the result of a function that reads; `TooExpensive` after the deadline.

        PostgreSQL allows each statement the time that was left when the first one began.
        """

    def without_timeout(self) -> None:
        """Remove the time limit for statements of this connection."""

    def get_context_options(self) -> dict[str, Any]:
        """Return Peewee's options for making SQL, with the dialect."""
        return {**super().get_context_options(), "dialect": self.dialect}

    @abstractmethod
    def create(self) -> None:
        """Make the place for a new database; `DatabaseUnusable` if that is not possible."""

    def check(self) -> None:
        """Raise `DatabaseUnusable` for a missing database, before a connection is opened."""

    def before_migration(self, migration: str) -> None:
        """Back up a database with rows before its schema changes."""

    def after_migration(self) -> None:
        """Register a database whose schema is up to date as the one that is served here."""

    @abstractmethod
    def translate_error(self, error: BaseException) -> StorageError | None:
        """Return the error of storage for one of the driver; None for a bug of landform."""

    def unusable(self, problem: str) -> DatabaseUnusable:
        """Return a `DatabaseUnusable` with a problem of this database, and with advice."""
        return DatabaseUnusable(f"{self.name} {problem} {self.remedy}".strip())

    def report_full_disk(self) -> None:
        """Remember that a write had no room, and log it once a minute."""
        self.is_out_of_room = True
        if time.monotonic() >= self._report_again:
            self._report_again = time.monotonic() + REPORT_SECONDS
            log.error("Writes are refused: the disk is full (%s).", self.name)

    def is_disk_full(self) -> bool:
        """Return whether the disk is known to be full, without a write."""
        return False

    @abstractmethod
    def is_writable(self) -> bool:
        """Return whether this process may write to the database."""

    def integrity_problems(self) -> Iterator[str]:
        """Yield the damages of the database itself, each as a sentence."""
        return iter(())

    @abstractmethod
    def compact(self) -> None:
        """Free the space that the database does not need."""

    def size(self) -> int:
        """Return the size of the database in bytes."""
        with self.connected():
            return int(self.execute_sql(self.dialect.size).fetchone()[0])

    @property
    def files(self) -> tuple[Path, ...]:
        """The paths of the files of the database; some may not exist."""
        return ()

    def backup(self, target: Path, *, force: bool) -> None:
        """Copy the database to a file; `CopyRefused`."""
        raise CopyRefused(NO_FILE)

    def restore(
        self, source: Path, check: Callable[[str], None], *, force: bool = False
    ) -> Path | None:
        """Replace the database by a backup; `CopyRefused`.

        `check` is called with the path of the unpacked copy. Returns the new path of the database
        that was replaced.
        """
        raise CopyRefused(NO_FILE)

    def last_ids(self) -> dict[str, int]:
        """Return the highest id that was ever assigned in each table."""
        ids = dict(self.execute_sql(self.dialect.last_ids).fetchall())
        return {table: ids.get(table) or 0 for table in numbered_tables()}

    def advance_sequences(self, ids: Mapping[str, int]) -> None:
        """Let the next ids of tables be higher than these, and than those of all rows."""
        before = self.last_ids()
        for table, minimum in ids.items():
            highest = self.execute_sql(HIGHEST.format(table)).fetchone()[0] or 0
            if (last := max(minimum, highest)) > before[table]:
                for statement in self.dialect.set_last_id:
                    self.execute_sql(statement.format(table, last))

    @abstractmethod
    def schema(self) -> Schema:
        """Return the parts of the schema."""

    @abstractmethod
    def reference_schema(self, make: Callable[["EngineDatabase"], object]) -> Schema:
        """Return the schema that a function creates in an empty database."""
