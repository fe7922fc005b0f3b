"""What every engine's connections offer to the rest of storage."""

import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import peewee

from landform.storage.engines.cursor import Cursor
from landform.storage.engines.dialect import Dialect
from landform.storage.models import TABLES
from landform.storage.query_budget import Deadline

T = TypeVar("T")


class Named(NamedTuple):
    """A part of a schema: a `table`, `index`, `trigger` or `function`, and its name."""

    kind: str
    name: str


# What SQLite searches in; the tables that it makes for it have longer names.
INDEX = Named("table", "page_index")
# For statements that nobody observes; it may be entered again and again.
UNOBSERVED = nullcontext()
FORKED = "A connection that was opened before a fork belongs to the process that opened it."
# The parts of a schema, and the SQL of each.
Schema = Mapping[Named, str]


class EngineDatabase(peewee.Database, ABC):
    """A Peewee database that keeps its connections, with observers and without a log of statements.

    There are as many connections as threads that use one at once. What an engine does not need does
    nothing here.
    """

    dialect: Dialect
    # The store that connections have to lead to; None while that is not known.
    identity: str | None = None
    # Whether the database is on a server, and not in a file whose commits can be watched.
    on_server: bool

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._idle: list[Any] = []
        self._process = os.getpid()
        # Called with each statement and its seconds; `BEGIN` is the wait for the lock.
        self.observers: list[Callable[[str, float], None]] = []

    @property
    def versioned(self) -> set[str]:
        """The tables that have a counter in `resource_version`."""
        return {
            model._meta.table_name
            for model in TABLES
            if model.traits.versioned or (model.traits.versioned_on_server and self.on_server)
        }

    def is_own(self) -> bool:
        """Return whether this process opened the connections, and not its parent."""
        return self._process == os.getpid()

    @abstractmethod
    def open_connection(self) -> Any:
        """Open a connection of the driver."""

    @abstractmethod
    def is_usable(self, connection: Any) -> bool:
        """Return whether an idle connection can be used again."""

    @abstractmethod
    def is_clean(self, connection: Any) -> bool:
        """Return whether a connection that was used can be kept."""

    def connect(self, reuse_if_open: bool = False) -> bool:
        """Connect this thread; return whether it was not connected yet."""
        if self.is_closed():
            # Peewee holds a lock while it connects, so that others would wait for a slow server.
            self._idle.append(self._take())
        return bool(super().connect(reuse_if_open))

    def _connect(self) -> Any:
        try:
            return self._idle.pop()
        except IndexError:
            return self._take()

    def _take(self) -> Any:
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

    def connection(self) -> Any:
        """Return the connection of this thread; `RuntimeError` for one from before a fork."""
        if not self.is_own():
            raise RuntimeError(FORKED)
        return super().connection()  # type: ignore[no-untyped-call]

    def execute_sql(self, sql: str, params: Sequence[object] | None = None) -> Cursor:
        """Execute a statement and return its cursor."""
        with self.observed(sql):
            return self.run(sql, params or ())

    def run(self, sql: str, params: Sequence[object] = ()) -> Cursor:
        """Execute a statement with the driver alone, which takes half the time of Peewee's way."""
        connection = self.connection()
        try:
            return connection.execute(sql, params)  # type: ignore[no-any-return]
        except Exception:
            # As Peewee raises the driver's errors.
            with peewee.__exception_wrapper__:  # type: ignore[attr-defined]
                raise

    if TYPE_CHECKING:

        def atomic(  # type: ignore[override]
            self, *lock: object, **options: object
        ) -> AbstractContextManager[object]:
            """Return Peewee's transaction, or a savepoint inside another one."""

    @abstractmethod
    def begin(self, lock_type: str | None = None, wait: float | None = None) -> None:
        """Begin a write, one writer at a time, or the transaction that `lock_type` names.

        A write waits for the others so many seconds, or for the busy timeout.
        """

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[object]:
        """Return a transaction that reads what was committed at one moment."""

    @abstractmethod
    def holds_transaction(self) -> bool:
        """Return whether the database itself is still in the transaction that was begun."""

    def recover(self, error: BaseException) -> bool:
        """Return whether what failed was certainly not applied, and may be done again.

        Then it has put a new connection in the place of the broken one.
        """
        return False

    @abstractmethod
    def within(self, deadline: Deadline, read: Callable[[], T]) -> T:
        """Return what a function reads, whose statements end at a deadline: then `TooExpensive`."""

    def without_timeout(self) -> None:
        """Let the statements of this connection take as long as they like."""

    def without_durability(self) -> None:
        """Let the commit of this transaction wait neither for the disk nor for a standby.

        For what can be done again by anybody.
        """

    @abstractmethod
    def last_ids(self) -> dict[str, int]:
        """Return the highest id that was ever assigned in each table."""

    @abstractmethod
    def advance_sequences(self, ids: Mapping[str, int]) -> None:
        """Never assign the ids up to these again, nor any of a row that is there."""

    @abstractmethod
    def schema(self) -> Schema:
        """Return the parts of the schema."""

    @abstractmethod
    def reference_schema(self, make: Callable[["EngineDatabase"], object]) -> Schema:
        """Return the schema of a new database that a function has just made."""

    @abstractmethod
    def drop(self, part: Named) -> None:
        """Drop a part of the schema, where it is there."""

    def lenient(self) -> AbstractContextManager[None]:
        """Read texts that are not UTF-8 too, with surrogates in them."""
        return nullcontext()

    def get_context_options(self) -> dict[str, Any]:
        """Return what SQL is made with, the dialect too."""
        return {**super().get_context_options(), "dialect": self.dialect}

    def observed(self, sql: str) -> AbstractContextManager[None]:
        """Tell the observers of a statement, and how long it takes."""
        return self._told(sql) if self.observers else UNOBSERVED

    @contextmanager
    def _told(self, sql: str) -> Iterator[None]:
        began = time.perf_counter()
        try:
            yield
        finally:
            for observer in self.observers:
                observer(sql, time.perf_counter() - began)
