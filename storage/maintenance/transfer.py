"""Export and import: all that is stored of pages and feeds."""

import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain, islice

from landform.storage.errors import DatabaseUnusable, ImportRefused
from landform.storage.maintenance.batches import BatchWriter, Known
from landform.storage.maintenance.bulk import BulkWrite
from landform.storage.models import TABLES
from landform.storage.rows import Row, next_id
from landform.storage.sql import identity
from landform.storage.store import Store

# The resources that an export holds, by the names of their tables.
EXPORTED = {model._meta.table_name: model for model in TABLES if model.traits.exported_by}
BATCH = 500
# A batch of an import ends after so many seconds; then comes a pause of this share of them, from
# so many seconds to so many.
SECONDS, PAUSE, SHORTEST, LONGEST = 0.5, 0.25, 0.02, 0.2


def total(store: Store, resources: Iterable[str]) -> int:
    """Return how many rows an export has."""
    return sum(EXPORTED[name].select().count(store.database) for name in resources)


def rows(store: Store, resources: Iterable[str]) -> Iterator[Row]:
    """Yield every row by id, pages first, `resource` among its columns, as of one moment."""
    with store.connection() as db, db.snapshot():
        for name in resources:
            model, last = EXPORTED[name], 0
            computed, key = model.traits.computed, model._meta.primary_key
            columns = [field for field in model._meta.sorted_fields if field.name not in computed]
            while True:
                batch = model.select(*columns).where(key > last).order_by(key)
                found = list(batch.limit(BATCH).dicts().execute(db))
                yield from ({"resource": name, **row, "meta": _meta(name, row)} for row in found)
                if len(found) < BATCH:
                    break
                last = next_id(name, last, found[-1]["id"])


def _meta(table: str, row: Row) -> object:
    try:
        return json.loads(row["meta"])
    except (ValueError, TypeError, RecursionError) as error:
        damaged = f"The meta of row {row['id']} of {table} is no JSON; see `landform verify`."
        raise DatabaseUnusable(damaged) from error


def begin_import(store: Store, highest: Mapping[str, int]) -> Known:
    """Reserve the ids up to these, and return the version of each row that is there.

    What is created from now on has other ids than the lines of the import, and what is written
    from now on has other versions: so no line replaces it.
    """
    with store.connection(), store.transaction() as db:
        db.advance_sequences(highest)
        known = {}
        for name, model in EXPORTED.items():
            columns = [model._meta.fields[column] for column in ("id", "version")]
            known[name] = dict(model.select(*columns).tuples().execute(db))
        return known


def import_rows(
    store: Store,
    given: Iterable[tuple[int, Row]],
    by: str,
    keep: bool,
    *,
    lines: int = 0,
    known: Known | None = None,
) -> Counter[str]:
    """Write rows as they are; return how many were created, changed, and unchanged.

    `given`: the number of a line, and its row. `by`: `id`, or `slug` for rows that are found by
    what identifies them otherwise (`Traits.exported_by`), and then get ids of their own.
    Without `keep` it is rolled back. `lines`: how many there are, as far as is known. `known`:
    what was there when the import began; what was written since is not replaced.
    Raises `ImportRefused`, all lines named and nothing written.
    """
    bulk = BulkWrite(store, lines)
    writer = BatchWriter(store, by, bulk, known)
    with store.connection(), suppress(_Undone), store.transaction() as db:
        for number, row in given:
            columns = {name: value for name, value in row.items() if name != "resource"}
            writer.put(number, EXPORTED[row["resource"]], columns)
        writer.flush()
        if writer.refused or not keep:
            raise _Undone
        bulk.finish()
        db.advance_sequences(db.last_ids())
        if writer.counts["created"] or writer.counts["changed"]:
            # A version in a line may have been that of another state here.
            identity.renew_generation(db)
    if writer.refused:
        refused = sorted(writer.refused)
        raise ImportRefused("\n".join(f"line {number}: {text}" for number, text in refused))
    return writer.counts


def import_in_batches(
    store: Store,
    given: Iterable[tuple[int, Row]],
    by: str,
    done: Counter[str] | None = None,
    known: Known | None = None,
) -> tuple[Counter[str], list[tuple[int, str]]]:
    """Write rows as `import_rows` does, but a few in each transaction; others write in between.

    Return the counts, and of each line that was refused its number and the reason: the others are
    written all the same. `done`, if given, has the counts of what is committed at any time.
    """
    counts, refused = Counter[str]() if done is None else done, list[tuple[int, str]]()
    rows = iter(given)
    with store.connection():
        while True:
            began = time.monotonic()
            found, some = _import_batch(store, rows, by, began, known)
            if found is None:
                return counts, sorted(refused)
            counts.update(found)
            refused += some
            # Whoever waits looks again only now and then.
            time.sleep(min(max((time.monotonic() - began) * PAUSE, SHORTEST), LONGEST))


def _import_batch(
    store: Store, rows: Iterator[tuple[int, Row]], by: str, began: float, known: Known | None
) -> tuple[Counter[str] | None, list[tuple[int, str]]]:
    """Write some of the rows that are left; None where there are no more."""
    first = next(rows, None)
    if first is None:
        return None, []
    writer = BatchWriter(store, by, BulkWrite(store, 0), known)
    with store.transaction() as db:
        for number, row in chain([first], islice(rows, BATCH - 1)):
            columns = {name: value for name, value in row.items() if name != "resource"}
            writer.put(number, EXPORTED[row["resource"]], columns)
            if time.monotonic() - began > SECONDS:
                break
        writer.flush()
        if writer.counts["created"] or writer.counts["changed"]:
            db.advance_sequences(db.last_ids())
            identity.renew_generation(db)
    return writer.counts, writer.refused


class _Undone(Exception):
    """Rolls back what was written."""
