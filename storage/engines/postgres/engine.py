"""PostgreSQL: a database for many processes on many machines.

Every write first takes one lock, so that writers take turns as on SQLite, and each sees all
commits before it. Readers do not wait.
"""

import re
import select
import time
from collections.abc import Callable
from contextlib import suppress
from math import ceil
from typing import Any, TypeVar

import peewee
import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus

from landform.storage.engines.database import (
    HISTORY,
    IDENTITY,
    PEEWEE_ERRORS,
    EngineDatabase,
    EngineOptions,
    Record,
)
from landform.storage.engines.postgres.dialect import PostgresDialect
from landform.storage.engines.postgres.schema import read, reference
from landform.storage.errors import (
    Busy,
    CommitUnknown,
    DatabaseUnusable,
    DiskFull,
    StorageError,
    TooExpensive,
    Unavailable,
)
from landform.storage.models import all_tables
from landform.storage.query_budget import Deadline

# The first half of the lock of writes; the second half is the schema.
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
# The seconds that a write of a service, or of a command, may be idle while others wait for it.
IDLE_SECONDS, COMMAND_IDLE_SECONDS = 10, 300
BACKEND = "SELECT pg_backend_pid()"
REPLACED = "Another store is in the place of the one that was served; restart to serve this one."
CANCELLED = "57014"
OLDEST = 130000
GONE = ("25006", "25P03", "3F000", "42501", "42P01", "42P07")
WRITABLE = (
    "SELECT current_setting('transaction_read_only') = 'off' "
    "AND has_table_privilege('page', 'INSERT') AND has_table_privilege('feed', 'UPDATE')"
)
CANCEL_SECONDS = 2
# Parameters of a connection that a URL may override.
CONNECTION_DEFAULTS = {
    "application_name": "landform",
    "connect_timeout": "5",
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": "10000",
}
T = TypeVar("T")


class Connection(psycopg.Connection[Any]):
    """A connection with a timeout for statements, which remembers the warnings of a commit."""

    statement_timeout: float | None = None
    warned = False

    def wait(self, gen: Any, *args: Any, **kwargs: Any) -> Any:
        """Wait for a response; without one in time, statement and connection end."""
        kwargs.setdefault("timeout", self.statement_timeout)
        try:
            return super().wait(gen, *args, **kwargs)
        except psycopg.OperationalError:
            if self.pgconn.transaction_status == TransactionStatus.ACTIVE:
                # A slow server would otherwise go on with the statement. A libpq before 17 cannot
                # cancel it without waiting, maybe for ever.
                if psycopg.capabilities.has_cancel_safe():
                    self.cancel_safe(timeout=CANCEL_SECONDS)
                self.close()
            raise

    @property
    def lost(self) -> bool:
        """Whether the connection to the server is lost."""
        return self.closed or self.pgconn.transaction_status == TransactionStatus.UNKNOWN

    @property
    def in_transaction(self) -> bool:
        """Whether the server can still commit the transaction."""
        return not self.lost

    def remember_warning(self, notice: psycopg.errors.Diagnostic) -> None:
        """Remember a warning."""
        self.warned = self.warned or notice.severity_nonlocalized == "WARNING"


class PostgreSQL(EngineDatabase, peewee.PostgresqlDatabase):
    """The engine of a PostgreSQL database, or of a cluster of them."""

    on_server = True
    read_only = SNAPSHOT

    def __init__(self, url: str, options: EngineOptions) -> None:
        super().__init__("postgresql", PostgresDialect(), prefer_psycopg3=True)
        self.statement_timeout, self._busy_timeout = options.answer_timeout, options.busy_timeout
        self._parameters = parameters = read_url(url)
        port = f":{parameters['port']}" if parameters.get("port") else ""
        place = f"{parameters.get('host', 'localhost')}{port}/{parameters.get('dbname', '')}"
        self.name = self.description = f"postgresql://{place}"

    def open_connection(self) -> Connection:
        """Connect to the first host that accepts it; `Unavailable` for another store."""
        connection = Connection.connect(**self._parameters, autocommit=True)
        connection.statement_timeout = self.statement_timeout
        connection.add_notice_handler(connection.remember_warning)
        if connection.execute(BACKEND).fetchone() != (connection.info.backend_pid,):
            # A pooler may run each transaction on another connection to the server, which has no
            # prepared statements.
            connection.prepare_threshold = None
        if self.identity and connection.execute(IDENTITY).fetchone() != (self.identity,):
            connection.close()
            raise Unavailable(REPLACED)
        return connection

    def is_usable(self, connection: Connection) -> bool:
        """Return whether an idle connection is not lost, without a request to the server."""
        if connection.lost:
            return False
        poll = select.poll()
        poll.register(connection.pgconn.socket, select.POLLIN)
        # An idle server sends nothing but the end of the connection.
        return not poll.poll(0)

    def is_clean(self, connection: Connection) -> bool:
        return bool(connection.pgconn.transaction_status == TransactionStatus.IDLE)

    def begin(self, lock_type: str | None = None, wait: float | None = None) -> None:
        if lock_type is None:
            idle = IDLE_SECONDS if self.connection().statement_timeout else COMMAND_IDLE_SECONDS
            wait = self._busy_timeout if wait is None else wait
            lock_type = WRITE.format(wait=int(wait * 1000) or 1, idle=idle * 1000)
            lock_type += f"; {HISTORY}" if self.history else ""
        try:
            cursor = self._command(lock_type, "BEGIN")
        except peewee.DatabaseError:
            self.rollback()
            raise
        if lock_type.endswith(HISTORY):
            # The history is the last result.
            while cursor.nextset():
                pass
            self.check_schema(cursor.fetchall())

    def commit(self) -> None:
        connection = self.connection()
        connection.warned = False
        try:
            cursor = self._command("COMMIT", "COMMIT")
        except peewee.DatabaseError as error:
            if connection.lost:
                raise CommitUnknown from error
            raise
        if cursor.statusmessage != "COMMIT":
            raise peewee.OperationalError("the transaction was rolled back")
        if connection.warned:
            # It is on the disk of the primary, but the wait for the standby was ended.
            raise CommitUnknown

    def rollback(self) -> None:
        """Roll back, which a server does itself when the connection is lost."""
        if not self.connection().lost:
            with suppress(peewee.DatabaseError):
                self._command("ROLLBACK")

    def read_before(self, deadline: Deadline, read: Callable[[], T]) -> T:
        # 0 would mean no limit.
        milliseconds = max(1, ceil(deadline.left() * 1000))
        try:
            with self.snapshot():
                self._command(f"SET LOCAL statement_timeout = {milliseconds}")
                return read()
        except peewee.DatabaseError as error:
            if getattr(getattr(error, "orig", None), "sqlstate", None) == CANCELLED:
                raise TooExpensive from error
            raise

    def without_timeout(self) -> None:
        self.connection().statement_timeout = None

    schema = read
    reference_schema = reference

    def create(self) -> None:
        with self.connected() as db:
            encoding = db.execute_sql("SHOW server_encoding").fetchone()[0]
            product = db.execute_sql("SELECT version()").fetchone()[0]
            version = db.connection().pgconn.server_version
        if encoding != "UTF8":
            raise DatabaseUnusable(f"The encoding of {self.name} is {encoding}; it must be UTF8.")
        # Some databases with the same protocol accept the lock of writers without any effect.
        if version < OLDEST or not product.startswith("PostgreSQL"):
            raise DatabaseUnusable(f"{self.name} must be PostgreSQL {OLDEST // 10000} or newer.")

    def translate_error(self, error: BaseException) -> StorageError | None:
        original = getattr(error, "orig", None)
        state = getattr(original, "sqlstate", None) or ""
        if state in ("55P03", "40001", "40P01"):
            return Busy()
        if state == "53100":
            return DiskFull()
        # No connection; read-only, by choice or as a standby; shutting down; a right, a table or
        # the schema is missing. A text too large for an index is a bug of landform.
        broken = isinstance(original, (psycopg.OperationalError, psycopg.InterfaceError))
        if (broken and state[:2] != "54") or state in GONE or state[:2] in ("08", "53", "57", "58"):
            return Unavailable()
        return None

    def is_writable(self) -> bool:
        with self.connected() as db:
            return bool(db.execute_sql(WRITABLE).fetchone()[0])

    def compact(self) -> None:
        """Free the space that is not needed, without blocking readers and writers."""
        for model in all_tables():
            self.execute_sql(f"VACUUM (ANALYZE) {model._meta.table_name}")

    def _command(self, sql: str, name: str = "") -> psycopg.Cursor[Record]:
        """Execute a command, for observers under a name."""
        began = time.perf_counter()
        try:
            # Several statements in one cannot be prepared.
            with PEEWEE_ERRORS:
                connection: Connection = self.connection()
                return connection.execute(sql, prepare=False)
        finally:
            if name:
                self.notify_observers(name, began)


def read_url(url: str) -> dict[str, Any]:
    """Return the parameters of a URL; `DatabaseUnusable`, whose text has nothing of it.

    libpq takes a part of a password for a host or a port if its special characters are not
    encoded.
    """
    try:
        parameters = conninfo_to_dict(url)
    except psycopg.Error:
        parameters = {"host": "@"}
    hosts, ports = str(parameters.get("host", "")), str(parameters.get("port", ""))
    if not re.fullmatch(r"[\w.,:/%-]*", hosts) or not re.fullmatch(r"[0-9,]*", ports):
        raise DatabaseUnusable(
            "The PostgreSQL URL cannot be read; special characters in a password have to be "
            "percent-encoded."
        )
    several = {"target_session_attrs": "read-write"} if "," in hosts else {}
    return {**CONNECTION_DEFAULTS, **several, **parameters, "client_encoding": "UTF8"}


from_url = PostgreSQL
