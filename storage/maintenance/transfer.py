"""Export and import of pages, feeds, and the rows of parts."""

import json
import time
from collections import Counter
from collections.abc import Generator, Iterable, Mapping
from itertools import chain, islice

from peewee import SQL

from landform.storage.errors import DatabaseUnusable, ImportRefused, TextRefused
from landform.storage.maintenance.tables import Known, RowWriter, read_rows
from landform.storage.models import exported_tables, part_exports
from landform.storage.rows import Row
from landform.storage.store import Store

# The rows in a transaction of an import, and the seconds of the pause after it.
BATCH, PAUSE = 200, 0.05


def rows(
    store: Store, resources: Iterable[str], *, with_more: bool = False
) -> Generator[Row, None, None]:
    """Yield all rows of some resources by id, as of one moment, each with its `resource`.

    `with_more`: each has what parts add to its line, such as revisions to pages.
    """
    with store.connection() as db, db.snapshot():
        for name in resources:
            model, exported = exported_tables()[name], part_exports().get(name)
            for row in read_rows(db, model, without=model.computed):
                line = {key: model._meta.fields[key].python_value(row[key]) for key in row}
                line |= {key: parse_json(name, row, key) for key in model.json_names()}
                line |= {"resource": name, **model.read_details(db, row["id"])}
                if exported and exported.read_more and with_more:
                    line |= exported.read_more(store, row["id"])
                yield line


def count(store: Store, resources: Iterable[str]) -> int:
    """Return the number of rows of some resources."""
    with store.connection() as db:
        return sum(int(exported_tables()[name].select().count(db)) for name in resources)


def parse_json(table: str, row: Row, column: str) -> object:
    """Return the JSON in a column of a row; raises `DatabaseUnusable` for a damaged one."""
    try:
        # No integer is written as NaN or Infinity.
        return json.loads(row[column], parse_constant=int)
    except (ValueError, TypeError, RecursionError) as error:
        damaged = f"The {column} of row {row['id']} of {table} is no JSON; see `landform verify`."
        raise DatabaseUnusable(damaged) from error


def known_rows(store: Store) -> Known:
    """Return the versions of all rows by id, for each table in an export.

    An import that has them does not replace rows that are written from now on.
    """
    tables = exported_tables().items()
    versions = {name: model.select(SQL("id"), SQL("version")) for name, model in tables}
    with store.connection() as db, db.snapshot():
        return {name: dict(query.tuples().execute(db)) for name, query in versions.items()}


def reserve_ids(store: Store, highest: Mapping[str, int]) -> None:
    """Let new rows get higher ids than these, and than those of all rows, by table."""
    with store.connection(), store.transaction() as db:
        db.advance_sequences({**db.last_ids(), **highest})


class Import:
    """An import of rows, with its outcome.

    `counts`: the numbers of committed rows that were created, changed and unchanged; `refused`: the
    number of each line that was refused, with the reason. `by` and `known`: see `RowWriter`.
    `forms` gets the ids here of forms by those in the file; `pages` those of pages, if rows are
    found by their slugs.
    """

    def __init__(self, store: Store, by: str = "id", known: Known | None = None) -> None:
        self.forms = dict[int, int]()
        self.pages: dict[int, int] | None = {} if by == "slug" else None
        self.counts: Counter[str] = Counter()
        self.refused: list[tuple[int, str]] = []
        self._store, self._writer = store, RowWriter(store, by, known)

    def run(
        self, lines: Iterable[tuple[int, Row]], *, whole: bool = False, keep: bool = True
    ) -> None:
        """Write rows, which come with the numbers of their lines, some in each transaction.

        Other writers write in between, and refused rows are left out. With `whole` it is one
        transaction, and `ImportRefused` has all refused lines. `keep`: see
        `RowWriter.transaction`.
        """
        lines = iter(lines)
        with self._store.connection():
            for first in lines:
                with self._writer.transaction(keep=keep):
                    following = lines if whole else islice(lines, BATCH - 1)
                    counts = self._write(chain([first], following))
                    if whole and self.refused:
                        reasons = [f"line {number}: {text}" for number, text in self.refused]
                        raise ImportRefused("\n".join(reasons))
                self.counts += counts
                if not whole:
                    # Other processes that wait for the lock try only now and then.
                    time.sleep(PAUSE)

    def _write(self, lines: Iterable[tuple[int, Row]]) -> Counter[str]:
        """Write rows, and return the number of each outcome."""
        counts = Counter[str]()
        for number, row in lines:
            columns = {name: row[name] for name in row.keys() - {"resource"}}
            try:
                outcome, row_id = self._writer.write(exported_tables()[row["resource"]], columns)
                if row["resource"] == "form":
                    self.forms[row["id"]] = row_id
                elif row["resource"] == "page" and self.pages is not None:
                    self.pages[row["id"]] = row_id
                counts[outcome] += 1
            except (ImportRefused, TextRefused) as reason:
                self.refused.append((number, str(reason)))
        return counts
