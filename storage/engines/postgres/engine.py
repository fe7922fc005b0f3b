"""PostgreSQL: a database for many processes on many machines.

Every write takes one lock first, so that writers take turns as they do on SQLite, and each sees
all that the one before has committed; readers wait for nobody.
"""

import re
from collections.abc import Iterator
from itertools import cycle
from typing import Any

import peewee
import psycopg
from psycopg.conninfo import conninfo_to_dict

from landform.storage.engines.database import Options, WatchedVersions
from landform.storage.engines.postgres.database import Database
from landform.storage.engines.postgres.dialect import lacks_search_index
from landform.storage.errors import (
    Busy,
    DatabaseUnusable,
    DiskFull,
    StorageError,
    Unavailable,
)
from landform.storage.models import TABLES

OLDEST = 130000
# What a URL need not say; one that does is believed.
DEFAULTS = {
    "application_name": "landform",
    "connect_timeout": "5",
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": "10000",
}
INVALID = (
    "SELECT indexrelid::regclass::text FROM pg_index JOIN pg_class ON oid = indrelid "
    "WHERE NOT indisvalid AND relnamespace = current_schema()::regnamespace"
)
GONE = ("25006", "25P03", "3F000", "42501", "42P01", "42P07")
WRITABLE = (
    "SELECT current_setting('transaction_read_only') = 'off' "
    "AND has_table_privilege('page', 'INSERT') AND has_table_privilege('feed', 'UPDATE')"
)
# The counters of all that a response may depend on. Those of a store that was repaired may come by
# the same numbers again: then its generation is another one.
VERSIONS = "SELECT name, version, generation FROM resource_version, store ORDER BY name"


class PostgreSQL(Database):
    """The engine of a PostgreSQL database, or of a cluster of them."""

    def __init__(self, url: str, options: Options) -> None:
        parameters = _read(url)
        super().__init__(parameters, options)
        hosts = str(parameters.get("host", "localhost")).split(",")
        ports = cycle(str(parameters.get("port", "")).split(","))
        places = ",".join(
            ":".join(filter(None, place)) for place in zip(hosts, ports, strict=False)
        )
        self.name = self.description = f"postgresql://{places}/{parameters.get('dbname', '')}"

    def create(self) -> None:
        """Check that the server can hold a store."""
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

    def versions(self) -> WatchedVersions | None:
        # It reads two tables of a few rows.
        try:
            with self.connected() as db:
                found = db.execute_sql(VERSIONS).fetchall()
        except (peewee.DatabaseError, StorageError):
            return None
        losses = self.losses
        tables = {name: (losses, generation, version) for name, version, generation in found}
        return WatchedVersions((losses, tuple(found)), tables)

    def readiness_error(self) -> str | None:
        with self.connected() as db:
            if db.execute_sql(WRITABLE).fetchone()[0]:
                return None
        return "The database cannot be written to."

    def integrity_problems(self) -> Iterator[str]:
        """Yield which indexes are invalid or missing."""
        for (name,) in self.execute_sql(INVALID).fetchall():
            yield f"The index {name} is invalid. `landform vacuum` rebuilds it."
        if lacks_search_index(self):
            yield "The full-text index is missing. `landform vacuum` creates it."

    def compact(self) -> None:
        """Rebuild invalid indexes and free space, while readers and writers go on."""
        for (name,) in self.execute_sql(INVALID).fetchall():
            # What is left of an administrator's own REINDEX is of no use.
            left = re.search(r"_cc(new|old)[0-9]*$", name)
            self.execute_sql(f"{'DROP' if left else 'REINDEX'} INDEX CONCURRENTLY {name}")
        for model in TABLES:
            self.execute_sql(f"VACUUM (ANALYZE) {model._meta.table_name}")

    def size(self) -> int:
        total = "SELECT sum(pg_total_relation_size(t::regclass)) FROM unnest(%s::text[]) AS t"
        with self.connected() as db:
            names = [model._meta.table_name for model in TABLES]
            return int(db.execute_sql(total, (names,)).fetchone()[0])


from_url = PostgreSQL


def _read(url: str) -> dict[str, Any]:
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
