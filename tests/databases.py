"""The databases that the tests run on: SQLite files, or databases of a PostgreSQL of their own.

`pytest --database postgresql` starts a server in a temporary folder, on a free port, which
needs the programs of PostgreSQL (Debian: `postgresql`) and no service of the machine's.
"""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import psycopg
from processes import children

from landform.storage import Store
from landform.storage.maintenance import verify
from landform.storage.models import ResourceVersion, StoreInfo, all_tables, numbered_tables

# What it takes to be fast and not safe: the tests of faults have a server of their own.
UNSAFE = ("fsync=off", "full_page_writes=off", "synchronous_commit=off", "max_connections=300")
SINGLE = {ResourceVersion, StoreInfo}
EMPTIED = [model._meta.table_name for model in all_tables() if model not in SINGLE]
EMPTY = "; ".join(
    (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()",
        "SET session_replication_role = replica",
        *(f"DELETE FROM {table}" for table in EMPTIED),
        *(f"ALTER SEQUENCE {table}_id_seq RESTART" for table in numbered_tables()),
        "UPDATE resource_version SET version = 1",
    )
)

# A test may rename a column, so that requests fail.
SCHEMA = (
    "SELECT string_agg(table_name || '.' || column_name, ' ' ORDER BY table_name, column_name) "
    "FROM information_schema.columns WHERE table_schema = 'public'"
)


def run_sql(url: str, sql: str) -> list[tuple[Any, ...]]:
    """Execute a statement beside the service, and return its rows."""
    store = Store(url)
    with store.connection() as db:
        cursor = db.execute_sql(sql)
        rows = cursor.fetchall() if cursor.description else []
    store.dispose()
    return rows


def check(url: str) -> dict[str, int]:
    """Assert that a database is sound and return how many pages of each status it holds."""
    store = Store(url)
    assert list(verify.find_problems(store)) == []
    store.dispose()
    counted = dict(run_sql(url, "SELECT status, count(*) FROM page GROUP BY status"))
    assert counted == dict(run_sql(url, "SELECT status, pages FROM page_count WHERE pages <> 0"))
    return counted


def programs() -> Path | None:
    """Return the folder of PostgreSQL's programs, the newest; None where there are none."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    found = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    folders = {int(path.parts[-3]): path.parent for path in found}
    return folders[max(folders)] if folders else None


@cache
def empty_file() -> bytes:
    """Return a SQLite file with the schema, and nothing in it."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(f"sqlite:///{folder}/empty.db")
        store.migrate()
        store.dispose()
        return Path(folder, "empty.db").read_bytes()


def begin(url: str) -> None:
    """Give a new SQLite database its schema: to copy it is much faster than the migrations."""
    file = Path(url.removeprefix("sqlite:///"))
    if url.startswith("sqlite:///") and ":memory:" not in url and not file.exists():
        with open(os.open(file, os.O_CREAT | os.O_WRONLY, 0o600), "wb") as opened:
            opened.write(empty_file())


class Postgres:
    """A server of PostgreSQL in a temporary folder, and databases on it."""

    def __init__(self, *options: str, primary: "Postgres | None" = None) -> None:
        self.options = options
        self.folder = Path(tempfile.mkdtemp(prefix="postgres-"))
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.idle: list[str] = []
        self.made = 0
        self._user: list[str] = []
        if os.geteuid() == 0:
            # PostgreSQL does not run as root.
            nobody = pwd.getpwnam("nobody")
            os.chown(self.folder, nobody.pw_uid, nobody.pw_gid)
            ids = (f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups")
            self._user = ["setpriv", *ids]
        if primary:
            source = f"{primary.url('postgres')}?application_name=standby"
            self._run("pg_basebackup", "-R", "-c", "fast", "-d", source)
            self.start()
            return
        self._run("initdb", "-A", "trust", "-U", "landform", "-E", "UTF8", "--locale=C.UTF-8", "-N")
        self.start()
        self.execute("postgres", "CREATE DATABASE template")
        Store(self.url("template")).migrate()
        self.schema = self.execute("template", SCHEMA)

    def start(self) -> None:
        """Start the server and wait until it answers."""
        given = (
            *("listen_addresses=127.0.0.1", f"port={self.port}"),
            *(f"unix_socket_directories={self.folder}", *self.options),
        )
        options = " ".join(f"-c {option}" for option in given)
        self._run("pg_ctl", "-l", str(self.folder / "log"), "-o", options, "-w", "start")

    def stop(self, how: str = "immediate") -> None:
        """Stop the server: `fast`, or `immediate` as a crash does."""
        self._run("pg_ctl", "-m", how, "-w", "stop")

    def promote(self) -> None:
        """Make a standby the primary."""
        self._run("pg_ctl", "-w", "promote")

    def signal(self, sign: signal.Signals) -> None:
        """Send a signal to every process of the server."""
        master = int((self.folder / "data/postmaster.pid").read_text().split()[0])
        for process in (master, *children(master)):
            with suppress(ProcessLookupError):
                os.kill(process, sign)

    def remove(self) -> None:
        """Stop the server for good."""
        with suppress(subprocess.CalledProcessError):
            self.stop()
        shutil.rmtree(self.folder)

    def url(self, name: str) -> str:
        """Return the URL of a database."""
        return f"postgresql://landform@127.0.0.1:{self.port}/{name}"

    def execute(self, name: str, sql: str) -> list[tuple[Any, ...]]:
        """Execute a statement on a database."""
        return run_sql(self.url(name), sql)

    def create(self, template: str = "template1") -> str:
        """Create a database and return its URL."""
        self.made += 1
        copied = f"CREATE DATABASE test{self.made} TEMPLATE {template} STRATEGY file_copy"
        self.execute("postgres", copied)
        return self.url(f"test{self.made}")

    @contextmanager
    def lend(self) -> Iterator[str]:
        """Lend the URL of an empty database, its schema up to date."""
        url = self.idle.pop() if self.idle else self.create("template")
        yield url
        # What a test has spoilt is not lent again.
        with suppress(psycopg.Error), psycopg.connect(url, autocommit=True) as connection:
            if connection.execute(SCHEMA).fetchall() == self.schema:
                connection.execute(EMPTY)
                self.idle.append(url)

    def _run(self, program: str, *arguments: str) -> None:
        folder = programs()
        assert folder, "PostgreSQL is not installed."
        subprocess.run(
            [*self._user, str(folder / program), "-D", str(self.folder / "data"), *arguments],
            check=True, stdout=subprocess.DEVNULL, cwd=self.folder, timeout=60,
        )  # fmt: skip
