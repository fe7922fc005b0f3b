"""SQLite: a database in one file, with one writer at a time; or in memory."""

import os
import re
import secrets
import sqlite3
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

import peewee

from landform.storage.atomic_file import LOGS
from landform.storage.engines.database import (
    HISTORY,
    IDENTITY,
    INDEX,
    PEEWEE_ERRORS,
    URL_FORMS,
    EngineDatabase,
    EngineOptions,
    Named,
    Schema,
)
from landform.storage.engines.sqlite import backup as sqlite_backup
from landform.storage.engines.sqlite import files
from landform.storage.engines.sqlite.dialect import SQLiteDialect
from landform.storage.engines.sqlite.files import Connection
from landform.storage.errors import (
    Busy,
    CommitUnknown,
    DatabaseUnusable,
    DiskFull,
    StorageError,
    TooExpensive,
    Unavailable,
)
from landform.storage.query_budget import Deadline

# Blanks in the SQL of a schema that have no meaning.
PADDING = re.compile(r" (?=[,)])|(?<=\() ")
ROLLED_BACK = re.compile("no transaction is active|no such savepoint")
SYNC_ERRORS = ("SQLITE_IOERR_FSYNC", "SQLITE_IOERR_DIR_FSYNC")
# Parts of the driver's messages about a file that is out of reach or damaged.
BROKEN = re.compile(
    "readonly|unable to open|disk i/o|malformed|not a database|no such table|could not decode|"
    "vtable constructor|invalid fts5 file format"
)
RETRY_SECONDS = 0.0001
# A deadline is checked after so many steps of SQLite, mostly a tenth of a millisecond. Each check
# takes the interpreter's lock.
STEPS = 200
# The seconds that a commit waits for the readers of a log that is too large.
RESTART_SECONDS = 0.1
# The path in the URL of a database in memory, `sqlite:///:memory:`.
MEMORY = ":memory:"
GONE = (
    "A database in memory is in the process that opened it, until its store is closed: it can be "
    "served neither by other processes nor later."
)
REPLACED = (
    "Another file lies in the place of the database. Put the right one back, or restart the "
    "service to serve this one."
)
LOG_REPLACED = (
    "The log of writes (-wal) of the database was removed or replaced while it was open. Restart "
    "the service."
)
# A log larger than this starts again.
LOG_BYTES = 64 * 1024 * 1024
# A disk with less, which a write of a small page may need, counts as full.
LEAST_FREE_BYTES = 256 * 1024
T = TypeVar("T")


class SQLite(EngineDatabase, peewee.SqliteDatabase):
    """The engine of a SQLite file.

    Each use of a connection begins with a look at the file in its place. Another file of the same
    store is opened then, as another generation of it.
    """

    read_only = "DEFERRED"
    remedy = (
        "It is left as it is: let this user write to the file and to its folder, or put a backup "
        "in its place with `landform restore`."
    )
    gone = "The database cannot be used now."

    def __init__(self, path: str, options: EngineOptions) -> None:
        if not path:
            raise DatabaseUnusable("SQLite needs a file, or :memory: in its place.")
        super().__init__(path, SQLiteDialect())
        self.name = self.path = path
        self.description = f"SQLite, {Path(path).absolute()}"
        self.options = options
        # With `rw` SQLite does not create a missing file.
        self.uri = f"file:{quote(path)}?mode=rw"
        self._file: files.FileId | None = None
        # Connections whose log was replaced, which stay open: to close one could delete the new
        # log.
        self._stranded: list[Connection] = []

    def file(self) -> files.FileId | None:
        """Return the identity of the file in its place, or None."""
        return files.file_id(self.path)

    def is_writable(self) -> bool:
        """Return whether this process may write to the file."""
        return os.access(self.path, os.W_OK)

    def is_disk_full(self) -> bool:
        try:
            disk = os.statvfs(os.path.realpath(self.path))
        except OSError:
            return False
        # Some blocks may be reserved for root. Some file systems do not know their size.
        blocks = disk.f_bavail if os.geteuid() else disk.f_bfree
        return bool(disk.f_blocks) and blocks * disk.f_frsize < LEAST_FREE_BYTES

    def open_connection(self) -> Connection:
        """Open a connection; `Unavailable` without a file, or for that of another store."""
        file = self.file()
        if file is None:
            raise Unavailable(self.gone) from FileNotFoundError(f"{self.path} is gone, or empty")
        for opened in list(Connection.opened):
            # It may be closed meanwhile, and its log removed.
            if opened.file == file and not opened.has_its_log() and opened in Connection.opened:
                raise Unavailable(LOG_REPLACED)
        connection: Connection = sqlite3.connect(
            self.uri,
            timeout=self.options.busy_timeout,
            isolation_level=None,
            check_same_thread=False,
            factory=Connection,
            uri=True,
        )
        try:
            connection.file, connection.is_writable = file, self.is_writable()
            Connection.opened.add(connection)
            # It opens the log with its first statement.
            if self.file() != file:
                raise Unavailable(REPLACED)
            if problem := files.log_problem(self.path):
                raise Unavailable(problem)
            self._set_up(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _set_up(self, connection: Connection) -> None:
        for pragma in (
            f"synchronous = {self.options.synchronous}",
            "foreign_keys = 1",
            "cache_size = -4096",  # in KiB; the system has a cache of its own
            f"journal_size_limit = {LOG_BYTES}",
            "secure_delete = 1",  # free pages hold nothing of what was deleted
        ):
            connection.execute(f"PRAGMA {pragma}")
        if self.identity and connection.execute(IDENTITY).fetchone() != (self.identity,):
            raise Unavailable(REPLACED)
        # The mode is stored in the file, which may be that of another program.
        mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
        if mode != "wal" and not files.is_foreign(connection):
            connection.execute("PRAGMA journal_mode = wal")
        if self._file not in (None, connection.file):
            self.adopt(connection)
        files.mark_log(self.path)
        # SQLite follows symbolic links.
        log = f"{os.path.realpath(self.path)}-wal"
        connection.log = log, files.file_id(log, min_size=0)

    def adopt(self, connection: Connection) -> None:
        """Mark a file as served here; a new one may be a backup, and gets another generation."""
        if files.is_new(self.path) or self._file not in (None, connection.file):
            files.renew(connection)
        files.mark(self.path)
        self._file = connection.file

    def is_usable(self, connection: Connection) -> bool:
        """Return whether an idle connection leads to the file in its place, or to a removed one."""
        file = self.file()
        if file == connection.file and not connection.has_its_log():
            self._stranded.append(connection)
            raise Unavailable(LOG_REPLACED)
        return connection.is_writable and file in (None, connection.file)

    def is_clean(self, connection: Connection) -> bool:
        """Return whether a connection can be reused; a read-only one would block all writes."""
        try:
            if connection.in_transaction:
                connection.rollback()
        except sqlite3.Error:
            return False
        return connection.is_writable

    def close_connection(self, connection: Connection) -> None:
        """Close a connection; write the log into its file before, if that was replaced."""
        if self.file() not in (None, connection.file):
            with suppress(sqlite3.Error):
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        super().close_connection(connection)

    def create(self) -> None:
        files.create(self.path)

    def check(self) -> None:
        if self.file() is None:
            raise DatabaseUnusable(f"There is no database {self.path}.")

    def before_migration(self, migration: str) -> None:
        """Back up the file beside it, with the name of the migration."""
        self.backup(Path(f"{self.path}.before-{migration}"), force=True)

    def after_migration(self) -> None:
        """Mark the file as served here, and let only its owner read it."""
        connection = self.connection()
        if connection.is_writable:
            self.adopt(connection)
        files.protect(self.path, group=self.options.group_access)

    def translate_error(self, error: BaseException) -> StorageError | None:
        # SQLite rolls back itself on a full disk; then Peewee raises that it cannot.
        while ROLLED_BACK.search(str(error)) and error.__context__:
            error = error.__context__
        if isinstance(error, UnicodeDecodeError):
            # A message of SQLite about a damaged schema.
            return Unavailable()
        if not isinstance(error, (peewee.DatabaseError, sqlite3.Error)):
            return None
        if files.is_busy(error):
            return Busy()
        text = str(error).lower()
        if "full" in text:
            return DiskFull()
        return Unavailable() if BROKEN.search(text) else None

    def integrity_problems(self) -> Iterator[str]:
        for (problem,) in self.execute_sql("PRAGMA integrity_check").fetchall():
            if problem != "ok":
                yield f"SQLite says: {problem}. {self.remedy}"
        for table, row, *_ in self.execute_sql("PRAGMA foreign_key_check").fetchall():
            yield (
                f"The row {row} of {table} refers to a missing row. `landform vacuum` repairs that."
            )
        check = "INSERT INTO page_index (page_index, rank) VALUES ('integrity-check', 1)"
        try:
            self.execute_sql(check)
        except peewee.DatabaseError as error:
            if files.is_busy(error):
                raise
            yield "The full-text index is not that of the texts. `landform vacuum` rebuilds it."

    def compact(self) -> None:
        self.execute_sql("INSERT INTO page_index (page_index) VALUES ('optimize')")
        self.execute_sql("VACUUM")
        self.execute_sql("PRAGMA optimize")
        self.execute_sql("PRAGMA wal_checkpoint(TRUNCATE)")

    @property
    def files(self) -> tuple[Path, ...]:
        real = os.path.realpath(self.path)
        return tuple(Path(f"{real}{suffix}") for suffix in ("", *LOGS))

    def backup(self, target: Path, *, force: bool) -> None:
        sqlite_backup.backup(self.path, target, force=force)

    def restore(
        self, source: Path, check: Callable[[str], None], *, force: bool = False
    ) -> Path | None:
        group = self.options.group_access
        return sqlite_backup.restore(self.path, source, check, force=force, group=group)

    def schema(self) -> Schema:
        rows = self.execute_sql("SELECT type, name, sql FROM sqlite_master WHERE sql <> ''")
        return {
            Named(kind, name): PADDING.sub("", " ".join(sql.split()))
            for kind, name, sql in rows.fetchall()
            # Its own, and what the full-text index consists of.
            if not name.startswith(("sqlite_", f"{INDEX.name}_"))
        }

    def reference_schema(self, make: Callable[[EngineDatabase], object]) -> Schema:
        new = MemoryDatabase(EngineOptions())
        new.create()
        try:
            with new.connected():
                make(new)
                return new.schema()
        finally:
            new.close_all()

    def read_before(self, deadline: Deadline, read: Callable[[], T]) -> T:
        """Return the result of a function that reads; SQLite interrupts it at the deadline."""
        connection = self.connection()
        connection.set_progress_handler(deadline.is_over, STEPS)
        try:
            result = read()
        except (peewee.DatabaseError, sqlite3.Error) as error:
            if not deadline.is_refused:
                raise
            # The cycles of the traceback would hold the statement until another thread collects
            # them, and that thread would wait for this connection.
            traceback.clear_frames(error.__traceback__)
            raise TooExpensive from None
        finally:
            connection.set_progress_handler(None, 0)
        # The result is incomplete if the full-text index ignored the interruption.
        if deadline.is_refused:
            raise TooExpensive
        return result

    def begin(self, lock_type: str | None = None, wait: float | None = None) -> None:
        """Begin a transaction; a write to a file that was moved or deleted is `Unavailable`."""
        connection = self.connection()
        if lock_type == self.read_only:
            connection.execute("BEGIN DEFERRED")
            return
        if connection.file != self.file() or not connection.is_writable:
            raise Unavailable from OSError("the file is read-only or not in its place")
        if not connection.has_its_log():
            raise Unavailable(LOG_REPLACED)
        began = time.perf_counter()
        give_up = began + (self.options.busy_timeout if wait is None else wait)
        try:
            # SQLite itself would sleep for longer than a write takes, and is not fair.
            with PEEWEE_ERRORS, self._waiting_for_locks(connection, 0):
                while not self._begins(connection, give_up):
                    time.sleep(RETRY_SECONDS)
        finally:
            if self.observers:
                self.notify_observers("BEGIN", began)
        if self.history:
            with PEEWEE_ERRORS:
                history = connection.execute(HISTORY).fetchall()
            self.check_schema(history)

    def _begins(self, connection: Connection, give_up: float) -> bool:
        try:
            # A transaction that takes the lock only after it has read fails where it should wait.
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if "readonly" in str(error):
                # All connections to a file share this state, so that none can be reused.
                for opened in list(Connection.opened):
                    opened.is_writable = False
            if not files.is_busy(error) or time.perf_counter() >= give_up:
                raise
            return False
        return True

    def commit(self) -> None:
        """Commit, and let a log that is too large start again.

        SQLite itself does so only while no reader uses the log, which may never be. This waits for
        the present readers, while new ones read the file alone.
        """
        try:
            self.execute_sql("COMMIT")
        except peewee.DatabaseError as error:
            if getattr(getattr(error, "orig", None), "sqlite_errorname", "") in SYNC_ERRORS:
                # The commit is in the log, and maybe on disk. The connection stays open, so that
                # the next write replaces it; a new connection would read it from the log.
                raise CommitUnknown from error
            raise
        with suppress(OSError, peewee.DatabaseError):
            connection = self.connection()
            if os.path.getsize(connection.log[0]) > LOG_BYTES:
                with self._waiting_for_locks(connection, RESTART_SECONDS):
                    self.execute_sql("PRAGMA wal_checkpoint(RESTART)").fetchone()

    def rollback(self) -> None:
        """Roll back, which SQLite does itself on a disk that is full or fails."""
        connection = self.connection()
        if connection.in_transaction:
            with PEEWEE_ERRORS:
                connection.execute("ROLLBACK")

    @contextmanager
    def _waiting_for_locks(self, connection: Connection, seconds: float) -> Iterator[None]:
        """Let SQLite wait for locks for some seconds."""
        connection.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")
        try:
            yield
        finally:
            connection.execute(f"PRAGMA busy_timeout = {int(self.options.busy_timeout * 1000)}")


class MemoryDatabase(SQLite):
    """A SQLite database in memory: for tests, in one process, deleted with its store.

    Its connections share it by `memdb` of SQLite, which has no log: readers wait for a transaction
    of another thread that writes, and writers for readers.
    """

    gone = GONE

    def __init__(self, options: EngineOptions) -> None:
        super().__init__(MEMORY, options)
        self.description = "SQLite, in memory"
        self.uri = f"file:/landform-{secrets.token_hex(16)}?vfs=memdb"
        # SQLite deletes the database with its last connection.
        self._anchor: sqlite3.Connection | None = None

    def create(self) -> None:
        self._anchor = self._anchor or sqlite3.connect(
            self.uri, uri=True, isolation_level=None, check_same_thread=False
        )

    def file(self) -> files.FileId | None:
        return (0, id(self._anchor)) if self._anchor else None

    def is_writable(self) -> bool:
        return True

    def close_all(self) -> None:
        super().close_all()
        if self._anchor and self.is_own():
            self._anchor.close()
            self._anchor = None


def from_url(url: str, options: EngineOptions) -> SQLite:
    """Return the engine of a URL."""
    _, separator, path = url.partition(":///")
    if not separator:
        raise DatabaseUnusable(URL_FORMS)
    return MemoryDatabase(options) if path == MEMORY else SQLite(path, options)
