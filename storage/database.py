"""The store: one database, opened by URL, brought up to date, one connection per piece of work."""

import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import peewee
from playhouse.migrations import Runner

from landform.storage import files, sqlite
from landform.storage.backup import backup
from landform.storage.clock import Clock
from landform.storage.errors import Busy, DatabaseUnusable, StorageError, Unavailable
from landform.storage.models import ApiKey, Feed, Page
from landform.storage.writer import Writer

MIGRATIONS = Path(__file__).parent / "migrations"


class Store:
    """A database and the site's clock. Holds no connection across a fork.

    `url` is `sqlite:///relative.db` or `sqlite:////absolute/path.db`; `busy_timeout` is in
    seconds. Raises `DatabaseUnusable` for a URL that names no database.
    """

    def __init__(
        self,
        url: str,
        clock: Clock | None = None,
        synchronous: str = "FULL",
        busy_timeout: float = 10.0,
    ) -> None:
        scheme, separator, self.path = url.partition(":///")
        if not separator or scheme != "sqlite":
            raise DatabaseUnusable("The database URL must look like sqlite:///landform.db.")
        self.clock = clock or Clock()
        self.busy_timeout = busy_timeout
        self.database = files.database(self.path, synchronous, busy_timeout)
        self.writer = Writer(self.database)
        self._watch = files.Watch(self.path)
        weakref.finalize(self, self.database.close_idle)

    @contextmanager
    def connection(self) -> Iterator[Any]:
        """Lend this thread a connection for one piece of work, and take it back in any case.

        Inside another one it lends the same.
        """
        with _translated():
            opened = self.database.connect(reuse_if_open=True)
            try:
                yield self.database
            except peewee.DatabaseError:
                # Whatever the connection remembers of the file may be what is wrong.
                if opened:
                    self.database.manual_close()
                raise
            finally:
                if opened:
                    self.database.close()

    @contextmanager
    def transaction(self) -> Iterator[Any]:
        """Write all or nothing, one writer at a time. Use inside `connection()`."""
        with self.writer.transaction():
            yield self.database

    def migrate(self) -> list[str]:
        """Bring the schema up to date, one process at a time; return the migrations applied.

        Raises `DatabaseUnusable` where that cannot be, the database untouched.
        """
        files.create_file(self.path)
        give_up = time.monotonic() + self.busy_timeout
        while True:
            try:
                return self._migrate()
            except Busy:
                # SQLite does not wait while another process turns a new file to WAL mode.
                if time.monotonic() > give_up:
                    raise
                time.sleep(0.05)
            except Unavailable as error:
                raise DatabaseUnusable(
                    f"{self.path} cannot be opened as a database: {error.__cause__}. It is left "
                    "as it is; `landform restore` puts a backup in its place."
                ) from error

    def check(self) -> None:
        """Raise `DatabaseUnusable` where the file is missing or none that this version knows."""
        if not Path(self.path).is_file():
            raise DatabaseUnusable(f"There is no database {self.path}.")
        with self.connection() as db:
            if not db.table_exists("schema_migration") or not db.table_exists(Page):
                raise DatabaseUnusable(f"{self.path} is no database of landform.")
            self._is_current(Runner(db, str(MIGRATIONS)))
        self.dispose()

    def _migrate(self) -> list[str]:
        try:
            with self.connection() as db:
                runner = Runner(db, str(MIGRATIONS))
                if self._is_current(runner):
                    return []
                with db.atomic():
                    # Another process may have done it while this one waited for its turn.
                    if self._is_current(runner):
                        return []
                    self._keep_copy(runner)
                    applied: list[str] = runner.up()
                    return applied
        finally:
            # No connection may be open when a server forks after this.
            self.dispose()

    def _keep_copy(self, runner: Runner) -> None:
        """Back up a database that holds something before its schema changes."""
        applied, db = set(runner.applied()), self.database
        tables = [model for model in (Page, Feed, ApiKey) if db.table_exists(model)]
        if not any(model.select(model.id).limit(1).tuples().execute(db) for model in tables):
            return
        pending = [one.name for one in runner.migrations() if one.name not in applied]
        backup(self.path, Path(f"{self.path}.before-{pending[0][:4]}"), force=True)

    def _is_current(self, runner: Runner) -> bool:
        known = {migration.name for migration in runner.migrations()}
        applied = set(runner.applied())
        if applied - known:
            raise DatabaseUnusable(
                f"{self.path} has a newer schema ({', '.join(sorted(applied - known))}) "
                "than this version of landform knows."
            )
        return applied == known

    def watched_version(self) -> int | None:
        """Return a number that is another one after anybody's commit, in any process.

        None where it cannot be told. One thread at a time.
        """
        return self._watch.version()

    def dispose(self) -> None:
        """Close every connection that is not in use."""
        self.database.close_idle()
        self._watch.close()


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except peewee.DatabaseError as error:
        told: StorageError | None = sqlite.complaint(error)
        if told is None:
            raise
        raise told from error
