"""Connections to PostgreSQL and transactions: one writer at a time, bounded waits, lost ones."""

import select
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from math import ceil
from typing import Any, TypeVar

import peewee
import psycopg
from psycopg.pq import TransactionStatus

from landform.storage.engines.database import (
    PEEWEE_ERRORS,
    EngineDatabase,
    Named,
    Options,
    Record,
    Schema,
)
from landform.storage.engines.postgres import schema as postgres_schema
from landform.storage.engines.postgres.dialect import PostgresDialect
from landform.storage.errors import CommitUnknown, TooExpensive, Unavailable
from landform.storage.models import NUMBERED
from landform.storage.query_budget import Deadline

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
# How long a process that writes may be idle while the others wait for it; a command may compute
# for longer between two statements.
IDLE_SECONDS, COMMAND_IDLE_SECONDS = 10, 300
IDENTITY = "SELECT identity FROM store"
REPLACED = "Another store is in the place of the one that was served; restart to serve this one."
CANCELLED = "57014"
CANCEL_SECONDS = 2
T = TypeVar("T")


class Connection(psycopg.Connection[Any]):
    """A connection with a timeout for statements, which remembers the warnings of a commit."""

    statement_timeout: float | None = None
    warned = False
    # Until when the statements of the transaction that is open may run, if that is bounded.
    deadline: Deadline | None = None

    def wait(self, gen: Any, *args: Any, **kwargs: Any) -> Any:
        """Wait for a response; without one in time, statement and connection end."""
        kwargs.setdefault("timeout", self.statement_timeout)
        try:
            return super().wait(gen, *args, **kwargs)
        except psycopg.OperationalError:
            if self.pgconn.transaction_status == TransactionStatus.ACTIVE:
                # Otherwise a server that is merely slow would go on with it for nobody. A libpq
                # before 17 could only wait for the cancellation, maybe for ever.
                if psycopg.capabilities.has_cancel_safe():
                    self.cancel_safe(timeout=CANCEL_SECONDS)
                self.close()
            raise

    @property
    def lost(self) -> bool:
        """Whether there is no server at the other end any more."""
        return self.closed or self.pgconn.transaction_status == TransactionStatus.UNKNOWN

    def remember_warning(self, notice: psycopg.errors.Diagnostic) -> None:
        """Remember a warning."""
        self.warned = self.warned or notice.severity_nonlocalized == "WARNING"


class Database(EngineDatabase, peewee.PostgresqlDatabase):
    """The connections and transactions of a process on PostgreSQL."""

    on_server = True
    reading = SNAPSHOT

    def __init__(self, parameters: Mapping[str, Any], options: Options) -> None:
        super().__init__("postgresql", PostgresDialect(), prefer_psycopg3=True)
        self.statement_timeout = options.answer_timeout
        # How many connections ended: whatever was known through them may be so no longer.
        self.losses = 0
        self._parameters, self._busy_timeout = parameters, options.busy_timeout

    def open_connection(self) -> Connection:
        """Connect to the first host that will do; `Unavailable` where another store is there."""
        connection = Connection.connect(**self._parameters, autocommit=True)
        connection.statement_timeout = self.statement_timeout
        connection.add_notice_handler(connection.remember_warning)
        if self.identity and connection.execute(IDENTITY).fetchone() != (self.identity,):
            connection.close()
            raise Unavailable(REPLACED)
        return connection

    def is_usable(self, connection: Connection) -> bool:
        """Return whether an idle connection is not lost, without asking the server."""
        if connection.lost:
            return False
        looked = select.poll()
        looked.register(connection.pgconn.socket, select.POLLIN)
        # Nothing was asked: what comes can only be the end, or the news of it.
        return not looked.poll(0)

    def is_clean(self, connection: Connection) -> bool:
        return bool(connection.pgconn.transaction_status == TransactionStatus.IDLE)

    def retire(self, connection: Connection) -> None:
        """Close a connection that cannot be used again, and count it."""
        self.losses += 1
        connection.close()

    def execute_sql(self, sql: str, params: Sequence[object] | None = None) -> Any:
        """Execute a statement, within the deadline that there is."""
        if deadline := self.connection().deadline:
            # 0 would mean none.
            self._command(f"SET LOCAL statement_timeout = {max(1, ceil(deadline.left() * 1000))}")
        return super().execute_sql(sql, params)

    def begin(self, lock_type: str | None = None, wait: float | None = None) -> None:
        if lock_type is None:
            idle = IDLE_SECONDS if self.connection().statement_timeout else COMMAND_IDLE_SECONDS
            wait = self._busy_timeout if wait is None else wait
            lock_type = WRITE.format(wait=int(wait * 1000) or 1, idle=idle * 1000)
        try:
            self._command(lock_type, "BEGIN")
        except peewee.DatabaseError:
            self.rollback()
            raise

    def commit(self) -> None:
        connection = self.connection()
        connection.warned = False
        try:
            done = self._command("COMMIT", "COMMIT")
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
                self._command("ROLLBACK")

    def holds_transaction(self) -> bool:
        return not self.connection().lost

    def within(self, deadline: Deadline, read: Callable[[], T]) -> T:
        deadline.extend()
        try:
            with self.snapshot():
                self.connection().deadline = deadline
                try:
                    return read()
                finally:
                    self.connection().deadline = None
        except peewee.DatabaseError as error:
            if getattr(getattr(error, "orig", None), "sqlstate", None) == CANCELLED:
                raise TooExpensive from error
            raise

    def without_timeout(self) -> None:
        self.connection().statement_timeout = None

    def without_durability(self) -> None:
        # Whatever is committed later is durable only together with it.
        self.execute_sql("SET LOCAL synchronous_commit = off")

    def last_ids(self) -> dict[str, int]:
        last = "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {}_id_seq"
        return {table: self.execute_sql(last.format(table)).fetchone()[0] for table in NUMBERED}

    def advance_sequences(self, ids: Mapping[str, int]) -> None:
        before, highest = self.last_ids(), "SELECT max(id) FROM {}"
        for table, given in ids.items():
            found = self.execute_sql(highest.format(table)).fetchone()[0]
            most = max(given, found or 0)
            if most > before[table]:
                self.execute_sql(f"SELECT setval('{table}_id_seq', %s)", (most,))

    def schema(self) -> Schema:
        return postgres_schema.read(self)

    def reference_schema(self, make: Callable[[EngineDatabase], object]) -> Schema:
        return postgres_schema.reference(self, make)

    def drop(self, part: Named) -> None:
        # Functions are replaced.
        if part.kind == "trigger" and (found := self.schema().get(part)):
            table = found.partition(" ON ")[2].split()[0]
            self.execute_sql(f"DROP TRIGGER {part.name} ON {table}")
        elif part.kind == "index":
            self.execute_sql(f"DROP INDEX IF EXISTS {part.name}")

    def _command(self, sql: str, told: str = "") -> psycopg.Cursor[Record]:
        """Execute a command, of which the observers are told by a name."""
        began = time.perf_counter()
        try:
            # Several statements in one are never prepared.
            with PEEWEE_ERRORS:
                connection: Connection = self.connection()
                return connection.execute(sql, prepare=False)
        finally:
            if told:
                self.tell(told, began)
