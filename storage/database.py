"""The store: one database, opened by URL, brought up to date, one connection per piece of work."""

import time
import weakref
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import peewee
from playhouse.migrations import Runner

from landform.storage.clock import Clock
from landform.storage.engines import open_engine
from landform.storage.errors import Busy, DatabaseUnusable, Unavailable
from landform.storage.models import UNFINISHED, ApiKey, Feed, Page, ResourceVersion
from landform.storage.writer import Writer

MIGRATIONS = Path(__file__).parent / "migrations"
T = TypeVar("T")


class Store:
    """A database and the site's clock. Holds no connection across a fork.

    `url` is `sqlite:///relative.db`, `sqlite:////absolute/path.db`, or what libpq takes as
    `postgresql://...`. In seconds: for `busy_timeout` a write waits until it may begin, for
    `answer_timeout` a statement for an answer of the server (None: as long as it takes).
    Raises `DatabaseUnusable` for a URL that names no database.
    """

    def __init__(
        self,
        url: str,
        clock: Clock | None = None,
        synchronous: str = "FULL",
        busy_timeout: float = 10.0,
        answer_timeout: float | None = None,
    ) -> None:
        self.engine = open_engine(url, synchronous, busy_timeout, answer_timeout)
        self.clock = clock or Clock()
        self.busy_timeout = busy_timeout
        self.database = self.engine.database
        self.writer = Writer(self.database)
        weakref.finalize(self, self.database.close_idle)

    @contextmanager
    def connection(self) -> Iterator[Any]:
        """Lend this thread a connection for one piece of work, and take it back in any case.

        Inside another one it lends the same.
        """
        with self._translated(), self.database.lent():
            yield self.database

    @contextmanager
    def transaction(self) -> Iterator[Any]:
        """Write all or nothing, one writer at a time. Use inside `connection()`."""
        with self.writer.transaction():
            yield self.database

    def try_write(self, work: Callable[[], T]) -> T:
        """Run `work` in a write transaction and return its result, without waiting for writers.

        As `writer.run`, but it raises `Busy` within some 20 milliseconds where another thread or
        process is writing.
        """
        with self.connection():
            return self.writer.try_run(work)

    def migrate(self, *, unfinished: bool = False) -> list[str]:
        """Bring the schema up to date, one process at a time; return the migrations applied.

        Raises `DatabaseUnusable` where that cannot be, the database untouched, and where an
        `unfinished` copy is in it, unless that may be.
        """
        give_up = time.monotonic() + self.busy_timeout
        while True:
            try:
                with self._translated():
                    self.engine.create()
                return self._migrate(unfinished)
            except Busy:
                # SQLite does not wait while another process turns a new file to WAL mode.
                if time.monotonic() > give_up:
                    raise
                time.sleep(0.05)
            except Unavailable as error:
                raise DatabaseUnusable(
                    f"{self.engine.name} cannot be opened as a database: "
                    f"{str(error.__cause__).strip()}. {self.engine.remedy}".strip()
                ) from error

    def check(self, *, current: bool = False) -> None:
        """Raise `DatabaseUnusable` where there is none, or none that this version knows.

        One of an earlier version will do, unless it has to be `current`.
        """
        self.engine.check()
        with self.connection() as db:
            if not db.table_exists("schema_migration") or not db.table_exists(Page):
                raise DatabaseUnusable(f"{self.engine.name} is no database of landform.")
            if self._is_current(Runner(db, str(MIGRATIONS))):
                self._refuse_half()
            elif current:
                raise DatabaseUnusable(
                    f"{self.engine.name} has the schema of an earlier version; `landform migrate` "
                    "brings it up to date."
                )

    def _migrate(self, unfinished: bool) -> list[str]:
        try:
            with self.connection() as db:
                db.unhurried()
                runner = Runner(db, str(MIGRATIONS))
                if self._is_current(runner):
                    if not unfinished:
                        self._refuse_half()
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

    def _refuse_half(self) -> None:
        mark = ResourceVersion.select().where(ResourceVersion.name == UNFINISHED)
        if mark.count(self.database):
            raise DatabaseUnusable(
                f"{self.engine.name} holds an unfinished copy; `landform copy --resume` goes on."
            )

    def _keep_copy(self, runner: Runner) -> None:
        """Back up a database that holds something before its schema changes."""
        applied, db = set(runner.applied()), self.database
        tables = [model for model in (Page, Feed, ApiKey) if db.table_exists(model)]
        if not any(model.select(model.id).limit(1).tuples().execute(db) for model in tables):
            return
        pending = [one.name for one in runner.migrations() if one.name not in applied]
        self.engine.before_migration(pending[0][:4])

    def _is_current(self, runner: Runner) -> bool:
        known = {migration.name for migration in runner.migrations()}
        applied = set(runner.applied())
        if applied - known:
            raise DatabaseUnusable(
                f"{self.engine.name} has a newer schema ({', '.join(sorted(applied - known))}) "
                "than this version of landform knows."
            )
        return applied == known

    def watched_version(self) -> Hashable | None:
        """Return what is something else after anybody's commit, in any process on any machine.

        None where it cannot be told.
        """
        return self.engine.version()

    def unready(self) -> str | None:
        """Return in words, and without any path, why writes would fail; None where they would not.

        Asked after `check`.
        """
        with self._translated():
            return self.engine.unready()

    def dispose(self) -> None:
        """Close every connection that is not in use."""
        self.engine.close()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except peewee.DatabaseError as error:
            told = self.engine.complaint(error)
            if told is None:
                raise
            raise told from error
