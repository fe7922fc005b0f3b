"""The server that PostgreSQL's connections lead to: pooled, locked, watched, and lost at times."""

import heapq
import os
import select
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from itertools import count
from math import ceil
from typing import Any, TypeVar

import peewee
import psycopg
from playhouse.pool import PooledPostgresqlDatabase
from psycopg.pq import TransactionStatus

from landform.storage.engines.base import Dialect, Named, Pool, Schema
from landform.storage.engines.postgres import schema as postgres_schema
from landform.storage.errors import CommitUnknown, Unavailable
from landform.storage.models import NUMBERED
from landform.storage.query_budget import Budget

# The first half of the lock that every write takes; the second is the schema.
LOCK = 1_280_263_758
SNAPSHOT = (
    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; "
    "SET LOCAL idle_in_transaction_session_timeout = 0"
)
WRITE = (
    "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = {wait}; "
    "SET LOCAL idle_in_transaction_session_timeout = {idle}; "
    f"SELECT pg_advisory_xact_lock({LOCK}, hashtext(coalesce(current_schema(), '')))"
)
# How long a process that writes may be silent while the others wait for it; a command may have
# to think between two statements.
IDLE_SECONDS, COMMAND_IDLE_SECONDS = 10, 300
CANCEL_SECONDS = 2
# For so long after a connection that failed no other is tried: a request would pay for it twice.
FAILURE_SECONDS = 0.1
IDENTITY = "SELECT identity FROM store"
REPLACED = "Another store lies in the place of the one that was served; restart to serve this one."
BOUNDED = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
CANCELLED = "57014"
T = TypeVar("T")
READS = ("SELECT", "SHOW", "(")


class Connection(psycopg.Connection[Any]):
    """A connection that waits for an answer only so long, and hears what a commit is told."""

    statement_timeout: float | None = None
    warned = given_up = False
    # What the statements of the transaction that is open may take, if that is bounded.
    budget: Budget | None = None

    def wait(self, gen: Any, *args: Any, **kwargs: Any) -> Any:
        """Wait for an answer; one that does not come in time ends statement and connection."""
        kwargs.setdefault("timeout", self.statement_timeout)
        try:
            return super().wait(gen, *args, **kwargs)
        except psycopg.OperationalError:
            if self.pgconn.transaction_status == TransactionStatus.ACTIVE:
                self.given_up = True
                # Otherwise a server that is merely slow would go on with it for nobody. A libpq
                # before 17 knows only how to wait for it, which may be for ever.
                if psycopg.capabilities.has_cancel_safe():
                    self.cancel_safe(timeout=CANCEL_SECONDS)
                self.close()
            raise

    @property
    def lost(self) -> bool:
        """Whether there is no server at the other end any more."""
        return self.closed or self.pgconn.transaction_status == TransactionStatus.UNKNOWN

    def hear(self, notice: psycopg.errors.Diagnostic) -> None:
        """Remember a warning."""
        self.warned = self.warned or notice.severity_nonlocalized == "WARNING"


class Adapter(peewee.Psycopg3Adapter):
    """How Peewee comes by a connection."""

    def connect(self, db: Any, **parameters: Any) -> Connection:
        """Connect to the first host that will do."""
        connection = Connection.connect(**parameters, autocommit=True)
        connection.statement_timeout = db.statement_timeout
        connection.add_notice_handler(connection.hear)
        if db.identity and connection.execute(IDENTITY).fetchone() != (db.identity,):
            connection.close()
            raise Unavailable(REPLACED)
        return connection


class Database(Pool, PooledPostgresqlDatabase):  # type: ignore[misc]
    """The pool of a process: as many connections as threads that use it at once."""

    psycopg3_adapter = Adapter
    on_server = True

    def __init__(
        self,
        parameters: Mapping[str, Any],
        busy_timeout: float,
        statement_timeout: float | None,
        dialect: Dialect,
    ) -> None:
        super().__init__("postgresql", max_connections=0, prefer_psycopg3=True, **parameters)
        self.dialect = dialect
        self.statement_timeout = statement_timeout
        # How many connections ended: whatever was known through them may be so no longer.
        self.losses = 0
        self._busy_timeout = busy_timeout
        self._process = os.getpid()
        self._inherited: list[Any] = []
        self._made = count()
        self._failed = -FAILURE_SECONDS

    def connect(self, reuse_if_open: bool = False) -> bool:
        """Lend this thread a connection; no other waits where a new one has to be made."""
        if self.is_closed() and not self._has_idle():
            made = time.time(), next(self._made), self._new()
            with self._pool_lock:
                heapq.heappush(self._connections, made)
        return bool(super().connect(reuse_if_open))

    def execute_sql(self, sql: str, params: Any = None) -> Any:
        """Execute a statement; a read once more on a new connection where the old one was lost."""
        if budget := self.connection().budget:
            # 0 would mean none.
            self._execute(f"SET LOCAL statement_timeout = {max(1, ceil(budget.left() * 1000))}")
        try:
            return super().execute_sql(sql, params)
        except peewee.DatabaseError as error:
            if self.in_transaction() or not sql.startswith(READS) or not self.recover(error):
                raise
            return super().execute_sql(sql, params)

    def recover(self, error: BaseException) -> bool:
        """See `Engine.database`. Whether a commit that was lost was applied nobody knows.

        What took too long once would do so again.
        """
        if not isinstance(error, peewee.DatabaseError) or self.is_closed():
            return False
        connection = self.connection()
        if not connection.lost or connection.given_up:
            return False
        self.manual_close()
        self.connect()
        return True

    def begin(self, statement: str | None = None, wait: float | None = None) -> None:
        """Begin a write, or what the statement begins.

        A write waits so many seconds for the lock, or for the busy timeout.
        """
        if statement is None:
            idle = IDLE_SECONDS if self.connection().statement_timeout else COMMAND_IDLE_SECONDS
            wait = self._busy_timeout if wait is None else wait
            statement = WRITE.format(wait=int(wait * 1000) or 1, idle=idle * 1000)
        with self._observed("BEGIN"):
            try:
                self._execute(statement)
            except peewee.DatabaseError:
                self.rollback()
                raise

    def commit(self) -> None:
        """Commit; `Uncertain` where nobody can tell whether it was."""
        connection = self.connection()
        connection.warned = False
        with self._observed("COMMIT"):
            try:
                done = self._execute("COMMIT")
            except peewee.DatabaseError as error:
                if connection.lost:
                    raise CommitUnknown from error
                raise
        if done.statusmessage != "COMMIT":
            raise peewee.OperationalError("the transaction was rolled back")
        if connection.warned:
            # It is on the primary's disk, and somebody ended the wait for the standby.
            raise CommitUnknown

    def rollback(self) -> None:
        """Roll back, which a server does by itself when the connection is lost."""
        if not self.connection().lost:
            with suppress(peewee.DatabaseError):
                self._execute("ROLLBACK")

    def holds_transaction(self) -> bool:
        """See `Engine.database`."""
        return not self.connection().lost

    def snapshot(self) -> Any:
        """See `Engine.database`."""
        return self.atomic(SNAPSHOT)

    def within(self, budget: Budget, read: Callable[[], T]) -> T:
        """See `Engine.database`.

        What the server gave up after the share of a list without the turn begins again with it.
        """
        recovered = False
        while True:
            budget.take_turn()
            try:
                return self._within(budget, read)
            except peewee.DatabaseError as error:
                if not recovered and self.recover(error):
                    recovered = True
                    continue
                state = getattr(getattr(error, "orig", None), "sqlstate", None)
                if state != CANCELLED:
                    raise
                budget.overrun()
                if budget.refusal is not None:
                    raise budget.refusal from error

    def _within(self, budget: Budget, read: Callable[[], T]) -> T:
        with self.atomic(BOUNDED):
            connection = self.connection()
            connection.budget = budget
            try:
                return read()
            finally:
                connection.budget = None

    def without_timeout(self) -> None:
        """See `Engine.database`."""
        self.connection().statement_timeout = None

    def without_durability(self) -> None:
        """See `Pool`. Whatever is committed later is durable only together with it."""
        self.execute_sql("SET LOCAL synchronous_commit = off")

    def defer_counters(self) -> None:
        """See `Engine.database`: each of many rows would leave a dead row of each counter."""
        self.execute_sql("SET LOCAL landform.counting = 'later'")

    def recount(self) -> None:
        """See `Engine.database`."""
        self.execute_sql("SELECT page_recounted()")

    def last_ids(self) -> dict[str, int]:
        """See `Engine.database`."""
        last = "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {}_id_seq"
        return {table: self.execute_sql(last.format(table)).fetchone()[0] for table in NUMBERED}

    def advance_sequences(self, ids: Mapping[str, int]) -> None:
        """See `Engine.database`."""
        before, highest = self.last_ids(), "SELECT max(id) FROM {}"
        for table, given in ids.items():
            found = self.execute_sql(highest.format(table)).fetchone()[0]
            most = max(given, found or 0)
            if most > before[table]:
                self.execute_sql(f"SELECT setval('{table}_id_seq', %s)", (most,))

    remakes_tables = False

    def schema(self) -> Schema:
        """See `Engine.database`."""
        return postgres_schema.read(self)

    def reference_schema(self, make: Callable[[Any], object]) -> Schema:
        """See `Engine.database`: it is made in a transaction that is rolled back."""
        return postgres_schema.reference(self, make)

    def drop(self, part: Named) -> None:
        """See `Engine.database`; functions are replaced."""
        if part.kind == "trigger":
            for (table,) in postgres_schema.tables_of(self, part):
                self.execute_sql(f"DROP TRIGGER {part.name} ON {table}")
        elif part.kind == "index":
            self.execute_sql(f"DROP INDEX IF EXISTS {part.name}")

    def lenient(self) -> AbstractContextManager[None]:
        """See `Engine.database`: a server holds no other texts."""
        return nullcontext()

    def stamp(self) -> None:
        """See `Engine.database`: here there is no file."""

    def _execute(self, sql: str) -> Any:
        # Several statements in one are never prepared.
        with _told():
            return self.connection().execute(sql, prepare=False)

    def close_idle(self) -> None:
        """Close the connections that nobody uses, but none that came over a fork."""
        if self._process == os.getpid():
            super().close_idle()

    def _new(self) -> Any:
        if time.monotonic() < self._failed + FAILURE_SECONDS:
            raise peewee.OperationalError(psycopg.OperationalError("no connection just now"))
        try:
            with _told():
                return peewee.PostgresqlDatabase._connect(self)  # type: ignore[attr-defined]
        except peewee.DatabaseError:
            self._failed = time.monotonic()
            raise

    def _has_idle(self) -> bool:
        with self._pool_lock:
            if self._process != os.getpid():
                # What came over a fork is another process's: to close it would end it there.
                self._inherited.append(self._connections)
                self._connections: list[Any] = []
                self._in_use: dict[int, Any] = {}
                self._process = os.getpid()
            self._connections = [one for one in self._connections if not self._is_closed(one[-1])]
            heapq.heapify(self._connections)
            return bool(self._connections)

    def _is_closed(self, connection: Connection) -> bool:
        """Say whether an idle connection is lost, without asking the server."""
        if not connection.lost:
            looked = select.poll()
            looked.register(connection.pgconn.socket, select.POLLIN)
            # Nothing was asked: what comes can only be the end, or the news of it.
            if not looked.poll(0):
                return False
        self._close_raw(connection)
        return True

    def _can_reuse(self, connection: Connection) -> bool:
        return connection.pgconn.transaction_status == TransactionStatus.IDLE

    def _close_raw(self, connection: Connection) -> None:
        self.losses += 1
        super()._close_raw(connection)


@contextmanager
def _told() -> Iterator[None]:
    """Tell of the driver's errors as Peewee does of those that it sees itself."""
    try:
        yield
    except psycopg.Error as error:
        raise peewee.OperationalError(error, *error.args) from error
