"""PostgreSQL: a database for many processes on many machines.

Every write takes one lock first, so that writers take turns as they do on SQLite, and each sees
all that the one before has committed; readers wait for nobody.
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
    PEEWEE_ERRORS,
    EngineDatabase,
    Options,
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
from landform.storage.part import all_tables
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
BACKEND = "SELECT pg_backend_pid()"
IDENTITY = "SELECT identity FROM store"
REPLACED = "Another store is in the place of the one that was served; restart to serve this one."
CANCELLED = "57014"
OLDEST = 130000
GONE = ("25006", "25P03", "3F000", "42501", "42P01", "42P07")
WRITABLE = (
    "SELECT current_setting('transaction_read_only') = 'off' "
    "AND has_table_privilege('page', 'INSERT') AND has_table_privilege('feed', 'UPDATE')"
)
CANCEL_SECONDS = 2
# What a URL need not say; one that does is believed.
DEFAULTS = {
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

    @property
    def in_transaction(self) -> bool:
        """Whether the server can still commit what was begun."""
        return not self.lost

    def remember_warning(self, notice: psycopg.errors.Diagnostic) -> None:
        """Remember a warning."""
        self.warned = self.warned or notice.severity_nonlocalized == "WARNING"


class PostgreSQL(EngineDatabase, peewee.PostgresqlDatabase):
    """The engine of a PostgreSQL database, or of a cluster of them."""

    on_server = True
    reading = SNAPSHOT

    def __init__(self, url: str, options: Options) -> None:
        super().__init__("postgresql", PostgresDialect(), prefer_psycopg3=True)
        self.statement_timeout, self._busy_timeout = options.answer_timeout, options.busy_timeout
        self._parameters = parameters = read_url(url)
        port = f":{parameters['port']}" if parameters.get("port") else ""
        place = f"{parameters.get('host', 'localhost')}{port}/{parameters.get('dbname', '')}"
        self.name = self.description = f"postgresql://{place}"

    def open_connection(self) -> Connection:
        """Connect to the first host that will do; `Unavailable` where another store is there."""
        connection = Connection.connect(**self._parameters, autocommit=True)
        connection.statement_timeout = self.statement_timeout
        connection.add_notice_handler(connection.remember_warning)
        if connection.execute(BACKEND).fetchone() != (connection.info.backend_pid,):
            # A pooler stands between, and may run each transaction on another connection, where
            # nothing has been prepared.
            connection.prepare_threshold = None
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

    def begin(self, lock_type: str | None = None, wait: float | None = None) -> None:
        if lock_type is None:
            idle = IDLE_SECONDS if self.connection().statement_timeout else COMMAND_IDLE_SECONDS
            wait = self._busy_timeout if wait is None else wait
            lock_type = WRITE.format(wait=int(wait * 1000) or 1, idle=idle * 1000)
            lock_type += f"; {HISTORY}" if self.history else ""
        try:
            begun = self._command(lock_type, "BEGIN")
        except peewee.DatabaseError:
            self.rollback()
            raise
        if lock_type.endswith(HISTORY):
            # The last of the results.
            while begun.nextset():
                pass
            self.check_schema(begun.fetchall())

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

    def within(self, deadline: Deadline, read: Callable[[], T]) -> T:
        # 0 would mean none.
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
        # Some databases that speak its protocol accept the lock of writers, and block nobody.
        if version < OLDEST or not product.startswith("PostgreSQL"):
            raise DatabaseUnusable(f"{self.name} must be PostgreSQL {OLDEST // 10000} or newer.")

    def translate_error(self, error: BaseException) -> StorageError | None:
        said = getattr(error, "orig", None)
        state = getattr(said, "sqlstate", None) or ""
        if state in ("55P03", "40001", "40P01"):
            return Busy("Another writer holds the database.")
        if state == "53100":
            return DiskFull("There is no room left to write.")
        # No connection; read-only, by choice or as a standby; shutting down; a right, a table or
        # the schema is missing. What is too large for an index is a mistake of ours.
        broken = isinstance(said, (psycopg.OperationalError, psycopg.InterfaceError))
        if (broken and state[:2] != "54") or state in GONE or state[:2] in ("08", "53", "57", "58"):
            return Unavailable()
        return None

    def is_writable(self) -> bool:
        with self.connected() as db:
            return bool(db.execute_sql(WRITABLE).fetchone()[0])

    def compact(self) -> None:
        """Free space, while readers and writers go on."""
        for model in all_tables():
            self.execute_sql(f"VACUUM (ANALYZE) {model._meta.table_name}")

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


def read_url(url: str) -> dict[str, Any]:
    """Return the parameters of a URL; `DatabaseUnusable`, in which nothing of it is repeated.

    A password whose special characters are not encoded would be taken for hosts and ports.
    """
    try:
        given = conninfo_to_dict(url)
    except psycopg.Error:
        given = {"host": "@"}
    hosts, ports = str(given.get("host", "")), str(given.get("port", ""))
    if not re.fullmatch(r"[\w.,:/%-]*", hosts) or not re.fullmatch(r"[0-9,]*", ports):
        raise DatabaseUnusable(
            "The PostgreSQL URL cannot be read; special characters in a password have to be "
            "percent-encoded."
        )
    several = {"target_session_attrs": "read-write"} if "," in hosts else {}
    return {**DEFAULTS, **several, **given, "client_encoding": "UTF8"}


from_url = PostgreSQL
