"""What storage asks of an engine, and what the pools of all engines have."""

import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import peewee

from landform.storage.errors import StorageError
from landform.storage.models import TABLES

Progress = Callable[[int, int], None]


class Named(NamedTuple):
    """A part of a schema: a `table`, `index`, `trigger` or `function`, and its name."""

    kind: str
    name: str


# What SQLite searches in; the tables that it makes for it have longer names.
INDEX = Named("table", "page_index")
# The parts of a schema, and the SQL of each.
Schema = Mapping[Named, str]


class Dialect(Protocol):
    """The SQL in which engines differ; `expressions.py` asks for the conditions among it."""

    # What a table's definition says of an id that is never given out twice, and of columns.
    identity: str
    integer: str
    boolean: str
    text: str
    # How long a word must be for `indexed` to find it.
    shortest_indexed: int
    # Whether it has to be told which index serves, and whether it goes along those of several
    # selects at once to put them into one order.
    hinted: bool
    merges: bool

    def key(self, column: str) -> str:
        """Return what an index holds of a text of any length."""

    def same(self, column: Any, value: Any) -> Any:
        """Return the condition that a text of any length, indexed by `key`, is this one."""

    def sorted(self, column: Any, direction: str) -> Any:
        """Return the terms of an order by a column, in which the index by `key` is of use."""

    def contains(self, column: Any, text: Any) -> Any:
        """Return the condition that a column holds a text somewhere."""

    def contains_indexed(self, column: Any, text: Any) -> Any:
        """Return the same condition, in the form for which an index may be used."""

    def in_list(self, column: Any, values: Any) -> Any:
        """Return the condition that a column is in a list, given as the text of a JSON array."""

    def without_index(self, column: Any) -> Any:
        """Return a column as one that no index is used for, where another index serves better."""

    def indexed_words(
        self, words: Iterable[str], without: Iterable[str], columns: Iterable[str]
    ) -> str:
        """Return what `indexed` takes to find all of the words, and none of those `without`.

        Without words to find it finds any of those `without`.
        """

    def indexed(self, words: Any) -> Any:
        """Return the query of the ids of pages that hold `indexed_words`."""

    def create_search_index(self, db: Any) -> None:
        """Create the index over `page_text`, and see to it that it stays true."""

    def create_counters(self, db: Any, counted: Mapping[str, str]) -> None:
        """Create the triggers that count pages in `page_count`, and those of the first versions.

        `counted` maps what is counted to the SQL of its value in a row named by `{row}`.
        """

    def create_version(self, db: Any, table: str) -> None:
        """Create the triggers that increment a table's counter in `resource_version`."""


class Pool:
    """What is common to the pooled Peewee databases: observers, and no log of statements."""

    dialect: Dialect
    # The store that connections have to lead to; None while that is not known.
    identity: str | None = None
    # Whether a server holds the database, and not a file that tells of each commit.
    on_server: bool

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Told of each statement and how many seconds it took; `BEGIN` is the wait for the lock.
        self.observers: list[Callable[[str, float], None]] = []

    @property
    def versioned(self) -> set[str]:
        """The tables that have a counter in `resource_version`."""
        return {
            model._meta.table_name
            for model in TABLES
            if model.traits.versioned or (model.traits.versioned_on_server and self.on_server)
        }

    def get_context_options(self) -> dict[str, Any]:
        """Return what SQL is made with, the dialect too."""
        options: dict[str, Any] = super().get_context_options()  # type: ignore[misc]
        return {**options, "dialect": self.dialect}

    @contextmanager
    def connection_scope(self) -> Iterator[Any]:
        """Lend this thread a connection for one piece of work, and take it back in any case.

        Inside another one it lends the same.
        """
        opened = self.connect(reuse_if_open=True)  # type: ignore[attr-defined]
        try:
            yield self
        except peewee.DatabaseError:
            # Whatever the connection remembers of the database may be what is wrong.
            if opened:
                self.manual_close()  # type: ignore[attr-defined]
            raise
        finally:
            if opened:
                self.close()  # type: ignore[attr-defined]

    def execute_sql(self, sql: str, params: Any = None) -> Any:
        """Execute a statement and return its cursor."""
        if not self.observers:
            return super().execute_sql(sql, params)  # type: ignore[misc]
        with self._observed(sql):
            return super().execute_sql(sql, params)  # type: ignore[misc]

    def commit(self) -> Any:
        """Commit, which waits for the disk."""
        with self._observed("COMMIT"):
            return super().commit()  # type: ignore[misc]

    @contextmanager
    def _observed(self, sql: str) -> Iterator[None]:
        began = time.perf_counter()
        try:
            yield
        finally:
            for observer in self.observers:
                observer(sql, time.perf_counter() - began)

    def without_durability(self) -> None:
        """Let the commit of this transaction wait neither for the disk nor for a standby.

        For what can be done again by anybody. Where an engine knows no such thing it does nothing.
        """

    def _log_query(self, sql: str, params: Any) -> None:
        """Do without the line that Peewee logs at DEBUG: the values are passwords too."""


class Engine(Protocol):
    """One database: its pool, and what an operator or a server asks beside queries."""

    # A pooled Peewee database with what `Pool` has, and these methods:
    # `begin(wait=None)` begins a write, one writer at a time, and waits for the others so many
    # seconds, or for the busy timeout; `snapshot()` is a transaction that reads
    # what was committed at one moment; `holds_transaction()` says whether the database itself is
    # still in the transaction that was begun; `recover(error)` whether what failed was certainly
    # not applied, and may be done again on the connection that it has put in the broken one's
    # place; `within(budget, read)` returns what a function reads, whose statements the database
    # gives up when the budget is spent, and raises its refusal;
    # `without_timeout()` lets the statements of a connection take as long as they like. For
    # whoever writes many rows: `defer_counters()`, after which the counters need not be true for
    # what a transaction writes, and `recount()`, after which they are; `last_ids()`, the highest id
    # that each table has given out, and `advance_sequences(ids)`, so that none up to those, nor any
    # of the rows that are there, is given out again. `stamp()` marks a file that has no stamp yet.
    # For whoever looks after it: `schema()` is what it has, `reference_schema(make)` what it would
    # have if `make(db)` had just made it; `drop(part)` drops a part; `remakes_tables` says whether
    # the SQL of a table makes it; within `lenient()` texts that are not UTF-8 can be read.
    database: Any
    # How messages call it, without secrets, and what they say beside where it cannot be opened.
    name: str
    remedy: str

    def create(self) -> None:
        """Make the place of a new database ready; `DatabaseUnusable` where none can be."""

    def check(self) -> None:
        """Raise `DatabaseUnusable` where there is no database at all."""

    def before_migration(self, migration: str) -> None:
        """Keep what is there, before the schema of a database that holds something changes."""

    def translate_error(self, error: BaseException) -> StorageError | None:
        """Return what an error of the driver means to a caller; None where it is a bug of ours."""

    def hold(self) -> None:
        """Let other processes see that the database is in use."""

    def version(self) -> Hashable | None:
        """Return what is something else after anybody's commit, on any machine.

        None where it cannot be told.
        """

    def readiness_error(self) -> str | None:
        """Return in words, and without any path, why writes would fail; None where they would not.

        Asked after `Store.check`.
        """

    def integrity_problems(self, db: Any) -> Iterator[str]:
        """Yield in words what is wrong with the database itself."""

    def mend(self, db: Any) -> None:
        """Make the full-text index anew."""

    def compact(self, db: Any) -> None:
        """Make the database as small as it can be."""

    def size(self) -> int:
        """Return how many bytes it takes."""

    def owns_file(self, file: Path) -> bool:
        """Say whether the database is in this file, or a log of it."""

    def backup(self, target: Path, *, force: bool, progress: Progress) -> None:
        """Copy it to a file; `BackupRefused`."""

    def restore(self, source: Path, check: Callable[[str], None]) -> Path | None:
        """Put a backup in its place, checked by what takes a path; `BackupRefused`."""

    def close(self) -> None:
        """Close every connection that is not in use."""
