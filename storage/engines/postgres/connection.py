"""A connection to PostgreSQL: with timeouts, and to the right store only."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import peewee
import psycopg
from psycopg.pq import TransactionStatus

from landform.storage.engines.database import EngineDatabase
from landform.storage.errors import Unavailable
from landform.storage.query_budget import Budget

CANCEL_SECONDS = 2
IDENTITY = "SELECT identity FROM store"
REPLACED = "Another store is in the place of the one that was served; restart to serve this one."


class Connection(psycopg.Connection[Any]):
    """A connection with a timeout for statements, which remembers the warnings of a commit."""

    statement_timeout: float | None = None
    warned = given_up = False
    # What the statements of the transaction that is open may take, if that is bounded.
    budget: Budget | None = None

    def wait(self, gen: Any, *args: Any, **kwargs: Any) -> Any:
        """Wait for a response; without one in time, statement and connection end."""
        kwargs.setdefault("timeout", self.statement_timeout)
        try:
            return super().wait(gen, *args, **kwargs)
        except psycopg.OperationalError:
            if self.pgconn.transaction_status == TransactionStatus.ACTIVE:
                self.given_up = True
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


class Adapter(peewee.Psycopg3Adapter):
    """What Peewee opens connections with."""

    def connect(self, db: EngineDatabase, **parameters: Any) -> Connection:
        """Connect to the first host that will do."""
        connection = Connection.connect(**parameters, autocommit=True)
        connection.statement_timeout = db.statement_timeout
        connection.add_notice_handler(connection.remember_warning)
        if db.identity and connection.execute(IDENTITY).fetchone() != (db.identity,):
            connection.close()
            raise Unavailable(REPLACED)
        return connection


@contextmanager
def driver_errors() -> Iterator[None]:
    """Raise the driver's errors as Peewee raises those that it sees itself."""
    try:
        yield
    except psycopg.Error as error:
        raise peewee.OperationalError(error, *error.args) from error
