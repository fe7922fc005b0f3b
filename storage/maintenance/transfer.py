"""Export and import: all that is stored of pages and feeds."""

import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice

from peewee import SQL

from landform.storage.errors import DatabaseUnusable, ImportRefused, TextRefused
from landform.storage.maintenance.tables import EXPORTED, Known, RowWriter, read_rows
from landform.storage.models import Page
from landform.storage.pages import revisions
from landform.storage.rows import Row
from landform.storage.store import Store

# A batch of an import has so many rows. Then comes a pause of so many seconds.
BATCH, PAUSE = 200, 0.05


def rows(store: Store, resources: Iterable[str], *, with_revisions: bool = False) -> Iterator[Row]:
    """Yield every row by id, pages first, `resource` among its columns, as of one moment.

    The `revisions` of a page are those that it has, the oldest first, if they are wanted.
    """
    with store.connection() as db, db.snapshot():
        for name in resources:
            model = EXPORTED[name]
            for row in read_rows(db, model, without=model.computed):
                found = {key: model._meta.fields[key].python_value(row[key]) for key in row}
                found |= {"resource": name, "meta": _meta(name, row)}
                if with_revisions and model is Page:
                    kept = revisions.all_of(store, row["id"])
                    found["revisions"] = [{**one, "meta": _meta(name, one)} for one in kept]
                yield found


def count(store: Store, resources: Iterable[str]) -> int:
    """Return how many rows of some resources there are."""
    with store.connection() as db:
        return sum(int(EXPORTED[name].select().count(db)) for name in resources)


def _meta(table: str, row: Row) -> object:
    try:
        # No integer is written as NaN or Infinity.
        return json.loads(row["meta"], parse_constant=int)
    except (ValueError, TypeError, RecursionError) as error:
        damaged = f"The meta of row {row['id']} of {table} is no JSON; see `landform verify`."
        raise DatabaseUnusable(damaged) from error


def known_rows(store: Store) -> Known:
    """Return the versions of what is there: what is written from now on has others.

    An import that is given them replaces nothing of that.
    """
    versions = {name: model.select(SQL("id"), SQL("version")) for name, model in EXPORTED.items()}
    with store.connection() as db, db.snapshot():
        return {name: dict(query.tuples().execute(db)) for name, query in versions.items()}


def reserve_ids(store: Store, highest: Mapping[str, int]) -> None:
    """Let nothing that is created from now on get an id up to these, or one that is there."""
    with store.connection(), store.transaction() as db:
        db.advance_sequences({**db.last_ids(), **highest})


class Import:
    """Rows that are written as they are, and what became of them.

    `counts`: how many of those that are committed were created, changed and unchanged; `refused`:
    the number of each line that was refused, and why. `by` and `known`: see `RowWriter`.
    """

    def __init__(self, store: Store, by: str = "id", known: Known | None = None) -> None:
        self.counts: Counter[str] = Counter()
        self.refused: list[tuple[int, str]] = []
        self._store, self._writer = store, RowWriter(store, by, known)

    def run(
        self, given: Iterable[tuple[int, Row]], *, whole: bool = False, keep: bool = True
    ) -> None:
        """Write the rows, given with the numbers of their lines, a few in each transaction.

        Others write in between. A row that is refused stops no other. As a `whole` it is one
        transaction, and `ImportRefused` has all that was refused. `keep`: see `RowWriter`.
        """
        rows = iter(given)
        with self._store.connection():
            for first in rows:
                with self._writer.transaction(keep=keep):
                    found = self._write(chain([first], rows if whole else islice(rows, BATCH - 1)))
                    if whole and self.refused:
                        told = [f"line {number}: {text}" for number, text in self.refused]
                        raise ImportRefused("\n".join(told))
                self.counts += found
                if not whole:
                    # Whoever waits looks again only now and then.
                    time.sleep(PAUSE)

    def _write(self, given: Iterable[tuple[int, Row]]) -> Counter[str]:
        """Write rows, and return what became of them."""
        found = Counter[str]()
        for number, row in given:
            columns = {name: row[name] for name in row.keys() - {"resource", "revisions"}}
            try:
                outcome, row_id = self._writer.write(EXPORTED[row["resource"]], columns)
                if "revisions" in row:
                    revisions.replace_all(self._store, row_id, row["revisions"])
                found[outcome] += 1
            except (ImportRefused, TextRefused) as reason:
                self.refused.append((number, str(reason)))
        return found
