"""Connections to PostgreSQL: what a URL says of them, bounded waits, lost ones."""

import re
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus

from landform.storage.errors import DatabaseUnusable

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
