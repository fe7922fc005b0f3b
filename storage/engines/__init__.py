"""The engines under the store: SQLite by default, PostgreSQL past one machine.

Everything in which they differ is in this folder.
"""

from landform.storage.engines.base import Engine
from landform.storage.engines.sqlite.engine import SQLite
from landform.storage.errors import DatabaseUnusable


def open_engine(
    url: str, synchronous: str, busy_timeout: float, answer_timeout: float | None
) -> Engine:
    """Return the engine of a database URL; nothing is opened yet. See `Store`."""
    scheme, _, path = url.partition(":///")
    if scheme == "sqlite" and path != url:
        return SQLite(path, synchronous, busy_timeout)
    if url.startswith(("postgresql://", "postgres://")):
        try:
            from landform.storage.engines.postgres.engine import PostgreSQL  # noqa: PLC0415
        except ImportError as error:
            raise DatabaseUnusable("For PostgreSQL install landform[postgres].") from error
        return PostgreSQL(url, busy_timeout, answer_timeout)
    raise DatabaseUnusable(
        "The database URL must look like sqlite:///landform.db or postgresql://user@host/name."
    )
