"""Moving pages and feeds between stores: all that is stored of them, out and in again."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import reduce
from operator import and_
from typing import Any

from peewee import SQL

from landform.storage import identity, pages
from landform.storage.errors import DatabaseUnusable, ImportRefused, TextRefused
from landform.storage.models import Feed, Page
from landform.storage.pages.scheduling import next_version
from landform.storage.search_text import fold
from landform.storage.sql.rows import Row, next_id, to_columns
from landform.storage.store import Store

MODELS: dict[str, Any] = {"page": Page, "feed": Feed}
BATCH = 500
# What is made of other columns.
DERIVED = {"title_key"}


def total(store: Store, resources: Iterable[str]) -> int:
    """Return how many rows an export has."""
    return sum(MODELS[name].select().count(store.database) for name in resources)


def rows(store: Store, resources: Iterable[str]) -> Iterator[Row]:
    """Yield every row by id, pages first, `resource` among its columns, as of one moment."""
    with store.connection() as db, db.snapshot():
        for name in resources:
            model, last = MODELS[name], 0
            columns = [field for field in model._meta.sorted_fields if field.name not in DERIVED]
            while True:
                batch = model.select(*columns).where(model.id > last).order_by(model.id)
                found = list(batch.limit(BATCH).dicts().execute(db))
                yield from ({"resource": name, **row, "meta": _meta(name, row)} for row in found)
                if len(found) < BATCH:
                    break
                last = next_id(name, last, found[-1]["id"])


def _meta(table: str, row: Row) -> Any:
    try:
        return json.loads(row["meta"])
    except (ValueError, TypeError, RecursionError) as error:
        damaged = f"The meta of row {row['id']} of {table} is no JSON; see `landform verify`."
        raise DatabaseUnusable(damaged) from error


def import_rows(
    store: Store, given: Iterable[tuple[int, Row]], by: str, keep: bool
) -> Counter[str]:
    """Write rows as they are; return how many were created, changed, and unchanged.

    `given`: the number of a line, and its row. `by`: `id`, or `slug` for pages that are found by
    theirs and feeds that are found by all that they hold, which then get ids of their own.
    Without `keep` nothing is kept. Raises `ImportRefused`, all lines named and nothing written.
    """
    counts: Counter[str] = Counter()
    refused: list[tuple[int, str]] = []
    with store.connection():
        try:
            with store.transaction() as db:
                db.defer_counters()
                for number, row in given:
                    one = dict(row)
                    place = _put_page if one.pop("resource") == "page" else _put_feed
                    try:
                        counts[place(store, one, by)] += 1
                    except (ImportRefused, TextRefused) as reason:
                        refused.append((number, str(reason)))
                if refused or not keep:
                    raise _Undone
                db.recount()
                db.advance_sequences(db.last_ids())
                if counts["created"] or counts["changed"]:
                    # A version that comes with a line may have been that of something else here.
                    identity.renew_generation(db)
        except _Undone:
            pass
    if refused:
        raise ImportRefused("\n".join(f"line {number}: {text}" for number, text in refused))
    return counts


class _Undone(Exception):
    """What was written is not to be kept."""


def _put_page(store: Store, row: Row, by: str) -> str:
    db = store.database
    if by == "slug" and not row["slug"]:
        raise ImportRefused("a page without a slug cannot be found by it")
    row = {**to_columns(row), "title_key": fold(row["title_raw"], "title_raw")}
    # Without the second condition the index of slugs does not fit, and all of them are read.
    named = (Page.slug == row["slug"]) & (Page.slug != SQL("''"))
    here = named if by == "slug" else Page.id == row["id"]
    old = next(iter(Page.select().where(here).dicts().execute(db)), None)
    row["id"] = old["id"] if old else row["id"] if by == "id" else None
    if row["slug"]:
        twins = Page.select(Page.id).where(named, Page.id != (row["id"] or 0))
        if twin := next(iter(twins.tuples().execute(db)), None):
            raise ImportRefused(f"the slug {row['slug']} is that of page {twin[0]}")
    return _written(store, Page, row, old)


def _put_feed(store: Store, row: Row, by: str) -> str:
    row = to_columns(row)
    if by == "id":
        here = Feed.id == row["id"]
    else:
        named = ("form_id", "addon_slug", "feed_order", "meta")
        here = reduce(and_, (getattr(Feed, name) == row[name] for name in named))
        row["id"] = None
    old = next(iter(Feed.select().where(here).dicts().execute(store.database)), None)
    row["id"] = old["id"] if old else row["id"]
    return _written(store, Feed, row, old)


def _written(store: Store, model: Any, row: Row, old: Row | None) -> str:
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
        model.update(changes).where(model.id == row["id"]).execute(db)
    if model is Page:
        (pages.REPLACE_TEXT if old else pages.INSERT_TEXT).run(store, pages.searched_text(row))
    return "changed" if old else "created"


def _plain(value: Any) -> Any:
    """Return a value as it compares: JSON text by what it says, flags as numbers."""
    if isinstance(value, str) and value[:1] == "{":
        try:
            return json.loads(value)
        except ValueError:
            return value
    return int(value) if isinstance(value, bool) else value
