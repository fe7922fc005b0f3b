"""The store: one database, opened by its URL, its schema up to date, one connection per request."""

import logging
import time
import weakref
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import wraps
from threading import Lock
from typing import Any, Concatenate, ParamSpec, TypeVar

import peewee

from landform.storage import migrating
from landform.storage.clock import Clock
from landform.storage.engines import open_engine
from landform.storage.engines.database import EngineDatabase, EngineOptions
from landform.storage.errors import Busy, DatabaseUnusable, StorageError, Unavailable, reason_of
from landform.storage.models import StoreInfo
from landform.storage.query_budget import Deadline
from landform.storage.transactions import Listener, WriteQueue

log = logging.getLogger("landform")
FIRST_MIGRATION = "0001"
# The seconds that `try_write` waits for other threads, and again for other processes.
TRY_SECONDS = 0.01
# By the name of a table that is cached: a value that changes with every write to it.
WatchedVersions = Mapping[str, Hashable]
# See `Part.row_written` (`parts/part.py`).
RowWritten = Callable[..., None]
P = ParamSpec("P")
T = TypeVar("T")


class Store:
    """A database and the site's clock. Uses no connection across a fork.

    `url`: `sqlite:///relative.db`, `sqlite:////absolute/path.db`, or a URL of libpq with
    `postgresql://`; `options`: those of `EngineOptions` (`engines/database.py`). `search_timeout`:
    the seconds that the database may work for one list that searches or filters (None: no limit).
    `event_days`: the days that events are stored; 0 stores none. `row_written`: what parts do in
    the transaction of each write. `language`: that of the site, for slugs. `identity`: the only
    store to open, which then is never created; None for the first that is migrated. Raises
    `DatabaseUnusable` for a URL that names no database.
    """

    def __init__(
        self,
        url: str,
        clock: Clock | None = None,
        *,
        search_timeout: float | None = None,
        identity: str | None = None,
        event_days: int = 30,
        row_written: Sequence[RowWritten] = (),
        language: str = "",
        **options: Any,
    ) -> None:
        self._url, self._options = url, EngineOptions(**options)
        self._is_pending = False
        self.clock = clock or Clock()
        self.busy_timeout = self._options.busy_timeout
        self.search_timeout = search_timeout
        self.event_days, self.row_written, self.language = event_days, row_written, language
        self._listeners = list[Listener]()
        self._begin(identity)

    def _begin(self, identity: str | None) -> None:
        """Open the engine without any connection or lock, once in each process."""
        self.database = open_engine(self._url, self._options)
        self.database.identity = identity
        self.write_queue = WriteQueue(self.database, self._listeners)
        self._long_list = Lock()
        # As long as the store exists this also keeps the engine of a parent process, since to close
        # its connections here could end or damage them there.
        weakref.finalize(self, self.database.close_all)

    def _leave_parent(self) -> None:
        """Begin again in a forked process, without the connections of its parent."""
        parent = self.database
        self._begin(self.identity)
        self.database.observers, self.database.history = parent.observers, parent.history

    def connection(self) -> AbstractContextManager[EngineDatabase]:
        """Open a connection for this thread, and close it at the end; nested calls share one."""
        if not self.database.is_own():
            self._leave_parent()
        if self._is_pending:
            # A database that was out of reach is migrated once it is back.
            try:
                self.migrate(create=False)
            except DatabaseUnusable as error:
                raise Unavailable from error
            self._is_pending = False
        return self.database.connected()

    def transaction(self) -> AbstractContextManager[EngineDatabase]:
        """Run a write transaction, one at a time. Use inside `connection()`."""
        return self.write_queue.transaction()

    def try_write(self, work: Callable[[], T]) -> T:
        """Run a function in a write transaction without waiting for others; return its result.

        Raises `Busy` within some 20 milliseconds if another thread or process is writing.
        """
        with self.connection():
            return self.write_queue.run(work, TRY_SECONDS)

    def on_commit(self, listener: Listener) -> None:
        """Call a listener with each event of this process, once its commit is certain.

        It is called outside of the transaction, by one thread at a time, in the order of the
        commits; its exceptions are logged. See `events.write`.
        """
        self._listeners.append(listener)

    def bounded(self, read: Callable[[], T]) -> T:
        """Return the result of a function that reads, within the search timeout.

        Use inside `connection()`; inside a transaction there is no limit. Raises `TooExpensive`,
        also if another list of this process takes long already.
        """
        if self.search_timeout is None or self.database.in_transaction():
            return read()
        deadline = Deadline(self.search_timeout, self._long_list)
        try:
            return self.database.read_before(deadline, read)
        finally:
            deadline.close()

    @property
    def identity(self) -> str | None:
        """A random text that identifies the store, in any file and on any server."""
        return self.database.identity

    def open(self, *, create: bool = True) -> None:
        """Bring the schema up to date, as `migrate`.

        With `create=False`, or an identity, the database may be out of reach: then calls raise
        `Unavailable` until it is back.
        """
        create = create and self.identity is None
        try:
            self.migrate(create=create)
        except StorageError as error:
            if create:
                raise
            log.warning("The database is out of reach: %s", error)
            self._is_pending = True

    def migrate(self, *, create: bool = True, log_level: int = logging.INFO) -> list[str]:
        """Bring the schema up to date, one process at a time; return the migrations applied.

        A missing database is created with `create`, unless an `identity` is expected. Raises
        `DatabaseUnusable`, and then the database is unchanged.
        """
        give_up = time.monotonic() + self.busy_timeout
        while True:
            try:
                with self._explained():
                    applied = self._migrate(create)
            except Busy:
                # SQLite does not wait while another process switches a new file to WAL mode.
                if time.monotonic() > give_up:
                    raise
                time.sleep(0.05)
            else:
                # Operators need to know of changes to a database with rows.
                is_new = any(name.startswith(FIRST_MIGRATION) for name in applied)
                for name in applied:
                    level = logging.DEBUG if is_new else log_level
                    log.log(level, "Applied the migration %s to %s.", name, self.database.name)
                return applied

    def _migrate(self, create: bool) -> list[str]:
        db = self.database
        if create and self.identity is None:
            db.create()
        db.check()
        try:
            with db.connected():
                return migrating.upgrade(db, create=create)
        finally:
            # No connection may be open when a server forks after this.
            self.dispose()

    def check(self, *, current: bool = False) -> None:
        """Raise `DatabaseUnusable` for a database that is missing, or of a newer version.

        With `current`, also for one of an earlier version.
        """
        self.database.check()
        with self._explained(), self.database.connected() as db:
            migrating.check(db, current=current)

    def has_room(self) -> bool:
        """Return whether the disk has room for a write; after a failure, try to write."""
        database, is_full = self.database, self.database.is_disk_full()
        if database.is_out_of_room and not is_full:
            with suppress(StorageError):
                unchanged = StoreInfo.update(generation=StoreInfo.generation)
                self.try_write(lambda: unchanged.execute(database))
            is_full = database.is_out_of_room
        if is_full:
            database.report_full_disk()
        return not is_full

    def watched_versions(self) -> WatchedVersions | None:
        """Return the versions of tables, which change with commits of any process.

        None if they are not known.
        """
        if not self.database.is_own():
            self._leave_parent()
        try:
            with self.database.connected() as db:
                rows = db.execute_sql(db.dialect.versions).fetchall()
        except (peewee.DatabaseError, StorageError):
            return None
        return {name: (db.losses, *version) for name, *version in rows}

    def dispose(self) -> None:
        """Close all connections that are not in use."""
        self.database.close_idle()

    def close(self) -> None:
        """Close the store for good; a database in memory is deleted."""
        self.database.close_all()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Raise `DatabaseUnusable`, with advice, for a database that cannot be opened."""
        try:
            yield
        except (Unavailable, UnicodeDecodeError, peewee.DatabaseError) as error:
            reason = reason_of(error.__cause__ or error).rstrip(".")
            raise self.database.unusable(f"cannot be opened as a database: {reason}.") from error


def transactional(
    function: Callable[Concatenate[Store, P], T],
) -> Callable[Concatenate[Store, P], T]:
    """Run a function of a store as one write: all of it, or nothing."""

    @wraps(function)
    def write(store: Store, *args: P.args, **kwargs: P.kwargs) -> T:
        return store.write_queue.run(lambda: function(store, *args, **kwargs))

    return write  # type: ignore[return-value]
