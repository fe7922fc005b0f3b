"""Export and import: all that is stored of pages and feeds."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator

from peewee import SQL

from landform.storage import identity, pages
from landform.storage.errors import DatabaseUnusable, ImportRefused, TextRefused
from landform.storage.models import TABLES, Page, Table
from landform.storage.pages.scheduling import next_version
from landform.storage.search_text import fold
from landform.storage.sql.rows import Row, next_id, to_columns
from landform.storage.store import Store

# The resources that an export holds, by the names of their tables.
EXPORTED = {model._meta.table_name: model for model in TABLES if model.traits.exported_by}
BATCH = 500
# Without this condition the index of slugs does not fit, and all of them are read.
HAS_SLUG = Page.slug != SQL("''")


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


def import_rows(
    store: Store, given: Iterable[tuple[int, Row]], by: str, keep: bool
) -> Counter[str]:
    """Write rows as they are; return how many were created, changed, and unchanged.

    `given`: the number of a line, and its row. `by`: `id`, or `slug` for rows that are found by
    what identifies them otherwise (`Traits.exported_by`), and then get ids of their own.
    Without `keep` it is rolled back. Raises `ImportRefused`, all lines named and nothing written.
    """
    counts: Counter[str] = Counter()
    refused: list[tuple[int, str]] = []
    with store.connection():
        try:
            with store.transaction() as db:
                db.defer_counters()
                for number, row in given:
                    one = dict(row)
                    model = EXPORTED[one.pop("resource")]
                    try:
                        counts[_put(store, model, one, by)] += 1
                    except (ImportRefused, TextRefused) as reason:
                        refused.append((number, str(reason)))
                if refused or not keep:
                    raise _Undone
                db.recount()
                db.advance_sequences(db.last_ids())
                if counts["created"] or counts["changed"]:
                    # A version in a line may have been that of another state here.
                    identity.renew_generation(db)
        except _Undone:
            pass
    if refused:
        raise ImportRefused("\n".join(f"line {number}: {text}" for number, text in refused))
    return counts


class _Undone(Exception):
    """Rolls back what was written."""


def _put(store: Store, model: type[Table], row: Row, by: str) -> str:
    if model is Page:
        if by == "slug" and not row["slug"]:
            raise ImportRefused("a page without a slug cannot be found by it")
        row = {**row, "title_key": fold(row["title_raw"], "title_raw")}
    row = to_columns(row)
    names = ["id"] if by == "id" else model.traits.exported_by
    here = model.select().where(*(getattr(model, name) == row[name] for name in names))
    if model is Page and by == "slug":
        here = here.where(HAS_SLUG)
    old = next(iter(here.dicts().execute(store.database)), None)
    row["id"] = old["id"] if old else row["id"] if by == "id" else None
    if model is Page and row["slug"]:
        named = (Page.slug == row["slug"]) & HAS_SLUG
        twins = Page.select(Page.id).where(named, Page.id != (row["id"] or 0))
        if twin := next(iter(twins.tuples().execute(store.database)), None):
            raise ImportRefused(f"the slug {row['slug']} is that of page {twin[0]}")
    return _written(store, model, row, old)


def _written(store: Store, model: type[Table], row: Row, old: Row | None) -> str:
    """Write a row where it differs from the one that is there, and say what was done."""
    db = store.database
    if old is None:
        values = {name: value for name, value in row.items() if value is not None or name != "id"}
        row["id"] = model.insert(values).execute(db)
    else:
        same = {**row, "version": old["version"]}
        if all(_plain(old[name]) == _plain(value) for name, value in same.items()):
            return "unchanged"
        changes = {**row, "version": max(row["version"], next_version(old))}
        del changes["id"]
        model.update(changes).where(model._meta.primary_key == row["id"]).execute(db)
    if model is Page:
        (pages.REPLACE_TEXT if old else pages.INSERT_TEXT).run(store, pages.searched_text(row))
    return "changed" if old else "created"


def _plain(value: object) -> object:
    """Return a value as it compares: JSON text by what it says, flags as numbers."""
    if isinstance(value, str) and value[:1] == "{":
        try:
            return json.loads(value)
        except ValueError:
            return value
    return int(value) if isinstance(value, bool) else value
