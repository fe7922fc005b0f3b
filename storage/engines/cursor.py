"""What is used of a driver's cursor, and of a database that executes SQL."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

# A row as the driver returns it.
Record = tuple[Any, ...]


class Cursor(Protocol):
    """What is used of a driver's cursor."""

    description: Sequence[Record]

    def fetchone(self) -> Any:
        """Return the next row as a tuple; None after the last one."""

    def fetchall(self) -> list[Record]:
        """Return the rows that are left."""

    def __iter__(self) -> Iterator[Record]: ...

    def close(self) -> None:
        """Forget the rows that are left."""


class Executor(Protocol):
    """A database that executes SQL."""

    def execute_sql(self, sql: str, params: Sequence[object] | None = None) -> Cursor:
        """Execute a statement and return its cursor."""

    def atomic(self) -> AbstractContextManager[object]:
        """Return a transaction, or a savepoint inside another one."""
