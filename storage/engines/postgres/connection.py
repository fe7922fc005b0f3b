"""A connection to PostgreSQL: with timeouts that do not depend on the server."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import peewee
import psycopg
from psycopg.pq import TransactionStatus

from landform.storage.query_budget import Deadline

CANCEL_SECONDS = 2


class Connection(psycopg.Connection[Any]):
    """A connection with a timeout for statements, which remembers the warnings of a commit."""

    statement_timeout: float | None = None
    warned = given_up = False
    # Until when the statements of the transaction that is open may run, if that is bounded.
    deadline: Deadline | None = None

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


@contextmanager
def driver_errors() -> Iterator[None]:
    """Raise the driver's errors as Peewee raises those that it sees itself."""
    try:
        yield
    except psycopg.Error as error:
        raise peewee.OperationalError(error, *error.args) from error
