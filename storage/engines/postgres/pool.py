"""The pool of connections to PostgreSQL, which survives forks, failures and lost connections."""

import heapq
import select
import time
from itertools import count
from typing import Any

import peewee
import psycopg
from playhouse.pool import PooledPostgresqlDatabase
from psycopg.pq import TransactionStatus

from landform.storage.engines.postgres.connection import Connection, driver_errors

# For so long after a failed connection no other is tried: a request would wait twice.
FAILURE_SECONDS = 0.1


class PostgresPool(PooledPostgresqlDatabase):  # type: ignore[misc]
    """The connections of a process: as many as threads that use one at once."""

    _connections: list[Any]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        # How many connections ended: whatever was known through them may be so no longer.
        self.losses = 0
        self._made = count()
        self._failed = -FAILURE_SECONDS

    def connect(self, reuse_if_open: bool = False) -> bool:
        """Connect this thread; no other thread waits while a new connection is made."""
        if self.is_closed() and not self._has_idle():
            made = time.time(), next(self._made), self._new()
            with self._pool_lock:
                heapq.heappush(self._connections, made)
        return bool(super().connect(reuse_if_open))

    def _new(self) -> Connection:
        if time.monotonic() < self._failed + FAILURE_SECONDS:
            raise peewee.OperationalError(psycopg.OperationalError("no connection just now"))
        try:
            with driver_errors():
                connection: Connection = peewee.PostgresqlDatabase._connect(self)  # type: ignore[attr-defined]
                return connection
        except peewee.DatabaseError:
            self._failed = time.monotonic()
            raise

    def _has_idle(self) -> bool:
        with self._pool_lock:
            idle = [one for one in self._connections if not self._is_closed(one[-1])]
            heapq.heapify(idle)
            self._connections = idle
            return bool(idle)

    def _is_closed(self, connection: Connection) -> bool:
        """Return whether an idle connection is lost, without asking the server."""
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
