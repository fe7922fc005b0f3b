"""What every engine's pool of connections offers to the rest of storage."""

import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Self, TypeVar

import peewee
from playhouse.pool import PooledDatabase

from landform.storage.engines.cursor import Cursor
from landform.storage.engines.dialect import Dialect
from landform.storage.engines.quiet import quiet, quiet_locked
from landform.storage.models import TABLES
from landform.storage.process_lock import ProcessLock, reentrant_lock
from landform.storage.query_budget import Budget

T = TypeVar("T")
D = TypeVar("D", bound="EngineDatabase")


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


class ConnectionScope(Generic[D]):
    """A connection that a thread has for a while. A class, since each request enters several."""

    __slots__ = ("_database", "_opened")

    def __init__(self, database: D) -> None:
        self._database = database
        self._opened = False

    def __enter__(self) -> D:
        self._opened = self._database.connect(reuse_if_open=True)
        return self._database

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if not self._opened:
            return
        try:
            # What the connection has cached of the database may be what is wrong.
            if isinstance(error, peewee.DatabaseError):
                self._database.manual_close()
        finally:
            self._database.close()


class Savepoint:
    """A part of a transaction that is undone by itself.

    All have the same name, so that a statement is parsed once. The innermost is meant.
    """

    __slots__ = ("_database",)

    def __init__(self, database: "EngineDatabase") -> None:
        self._database = database

    def __enter__(self) -> Self:
        self._database.execute_sql("SAVEPOINT part")
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if kind is None:
            try:
                self._database.execute_sql("RELEASE SAVEPOINT part")
            except Exception:
                self._undo()
                raise
        else:
            self._undo()

    def _undo(self) -> None:
        self._database.execute_sql("ROLLBACK TO SAVEPOINT part")
        self._database.execute_sql("RELEASE SAVEPOINT part")


class _NobodyWaits:
    """In the place of a condition for which no thread waits."""

    def notify(self) -> None:
        pass

    notify_all = notify


class EngineDatabase(PooledDatabase, ABC):  # type: ignore[misc]
    """A pooled Peewee database, with observers and without Peewee's log of statements.

    What an engine does not need does nothing here.
    """

    dialect: Dialect
    # The store that connections have to lead to; None while that is not known.
    identity: str | None = None
    # Whether the database is on a server, and not in a file whose commits can be watched.
    on_server: bool
    # Whether the SQL of a table, as `schema` has it, creates the table.
    remakes_tables: bool
    # Peewee's own.
    _connections: list[Any]
    _in_use: dict[int, Any]
    _state: Any

    _connect = quiet_locked(PooledDatabase._connect)
    _close = quiet_locked(PooledDatabase._close)
    _close_raw = quiet(PooledDatabase._close_raw)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._lock, self._pool_lock = ProcessLock(), reentrant_lock()
        # The number of connections has no bound, for which a thread would wait.
        self._pool_available = _NobodyWaits()
        self._process, self._renewing = os.getpid(), ProcessLock()
        self._inherited: list[object] = []
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

    def connect(self, reuse_if_open: bool = False) -> bool:
        """Connect this thread; return whether it was not connected yet."""
        self._begin_after_fork()
        return bool(super().connect(reuse_if_open))

    def close(self) -> bool:
        """Give the connection of this thread back to the pool."""
        self._begin_after_fork()
        return bool(super().close())

    def close_idle(self) -> None:
        """Close the connections that nobody uses."""
        self._begin_after_fork()
        super().close_idle()

    def connection(self) -> Any:
        """Return the connection of this thread; `RuntimeError` for one from before a fork."""
        if self._process != os.getpid():
            raise RuntimeError(FORKED)
        return self._state.conn or super().connection()

    def _begin_after_fork(self) -> None:
        """Begin without connections in a new process: those that it inherited are its parent's.

        They are left alone. To close one here could end, or harm, the other's.
        """
        if self._process == os.getpid():
            return
        with self._renewing:
            if self._process != os.getpid():
                self._inherit([one.connection for one in self._in_use.values()])
                self._inherited.append((self._connections, self._in_use, self._state))
                self._connections, self._in_use = [], {}
                self._state = type(self._state)()
                self._process = os.getpid()

    def _inherit(self, in_use: list[Any]) -> None:
        """Learn which connections were in use when this process was forked."""

    def connection_scope(self) -> "ConnectionScope[Self]":
        """Open a connection for this thread, and close it in any case; nested calls share one."""
        return ConnectionScope(self)

    def execute_sql(self, sql: str, params: Sequence[object] | None = None) -> Cursor:
        """Execute a statement and return its cursor."""
        with self._observed(sql):
            return self._execute(sql, params or ())

    def _execute(self, sql: str, params: Sequence[object] = ()) -> Cursor:
        """Execute a statement with the driver alone, which takes half the time of Peewee's way."""
        connection = self.connection()
        try:
            return connection.execute(sql, params)  # type: ignore[no-any-return]
        except Exception:
            # As Peewee raises the driver's errors.
            with peewee.__exception_wrapper__:  # type: ignore[attr-defined]
                raise

    if TYPE_CHECKING:

        def atomic(self, *lock: object, **options: object) -> AbstractContextManager[object]:
            """Return Peewee's transaction, or a savepoint inside another one."""

    def savepoint(self) -> Savepoint:
        """Return a part of the transaction that is open."""
        return Savepoint(self)

    @abstractmethod
    def begin(self, lock_type: str | None = None, wait: float | None = None) -> None:
        """Begin a write, one writer at a time, or the transaction that `lock_type` names.

        A write waits for the others so many seconds, or for the busy timeout.
        """

    def commit(self) -> None:
        """Commit, which waits for the disk; `CommitUnknown` where the outcome is not known."""
        self.execute_sql("COMMIT")

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
    def within(self, budget: Budget, read: Callable[[], T]) -> T:
        """Return what a function reads, whose statements end when the budget is spent.

        Then it raises the budget's refusal.
        """

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

    def stamp(self) -> None:
        """Give a file that has none the stamp that distinguishes it from its copies."""

    def get_context_options(self) -> dict[str, Any]:
        """Return what SQL is made with, the dialect too."""
        return {**super().get_context_options(), "dialect": self.dialect}

    def _observed(self, sql: str) -> AbstractContextManager[None]:
        return self._told(sql) if self.observers else UNOBSERVED

    @contextmanager
    def _told(self, sql: str) -> Iterator[None]:
        began = time.perf_counter()
        try:
            yield
        finally:
            for observer in self.observers:
                observer(sql, time.perf_counter() - began)

    def _log_query(self, sql: str, params: object) -> None:
        """Do without the line that Peewee logs at DEBUG: the values are passwords too."""
