"""Whether a database is whole: what SQLite can tell, and what landform keeps beside the pages."""

import json
from collections.abc import Iterator
from typing import Any

from peewee import SQL, fn

from landform.storage.database import Store
from landform.storage.models import Feed, Page, PageCount, PageText
from landform.storage.numbers import MAX_INTEGER
from landform.storage.search import fold

NAMED = 5
# Pages may be large.
BATCH = 50


def findings(store: Store) -> Iterator[str]:
    """Yield in words whatever is wrong; nothing where the database is whole. Changes nothing."""
    with store.connection() as db:
        yield from store.engine.damage(db)
        # Of one moment: what is compared must not change between two looks.
        with db.snapshot():
            yield from _texts(db)
            yield from _slugs(db)
            yield from _counts(db)
            yield from _meta(db)
            yield from _given(db)


def _texts(db: Any) -> Iterator[str]:
    wrong = []
    columns = (Page.id, Page.title_raw, Page.content_raw)
    for rows in _by_id(db, Page, Page.select(*columns)):
        here = PageText.id.between(rows[0][0], rows[-1][0])
        texts = PageText.select(PageText.id, PageText.title, PageText.content).where(here)
        found = {number: folded for number, *folded in texts.tuples().execute(db)}
        wrong += [number for number, *raw in rows if [*map(fold, raw)] != found.get(number)]
    yield from _told("whose text for searching is not theirs", wrong)
    lost = PageText.select(PageText.id).where(PageText.id.not_in(Page.select(Page.id)))
    yield from _told("that are gone, but still found by searching", _ids(db, lost))


def _slugs(db: Any) -> Iterator[str]:
    twice = Page.select(Page.slug).where(Page.slug != "").group_by(Page.slug)
    twice = twice.having(fn.COUNT(Page.id) > 1)
    yield from _told(
        "that share a slug", _ids(db, Page.select(Page.id).where(Page.slug.in_(twice)))
    )


def _counts(db: Any) -> Iterator[str]:
    values = {
        "status": SQL("''"),
        "author": Page.author.cast("TEXT"),
        "date": fn.SUBSTR(Page.date, 1, 10),
        "modified": fn.SUBSTR(Page.modified, 1, 10),
    }
    for counted, value in values.items():
        rows = Page.select(Page.status, value, fn.COUNT(SQL("*"))).group_by(SQL("1"), SQL("2"))
        truth = {(status, of): pages for status, of, pages in rows.tuples().execute(db)}
        columns = (PageCount.status, PageCount.value, PageCount.pages)
        kept = PageCount.select(*columns).where(
            PageCount.counted == counted, PageCount.pages != 0
        )  # fmt: skip
        if {(status, of): pages for status, of, pages in kept.tuples().execute(db)} != truth:
            yield f"The kept numbers of pages by {counted} are not those of the pages."


def _meta(db: Any) -> Iterator[str]:
    for model in (Page, Feed):
        query = model.select(model.id, model.meta)
        wrong = [
            number
            for rows in _by_id(db, model, query)
            for number, meta in rows
            if not _is_object(meta)
        ]
        yield from _told("whose meta is no JSON object", wrong, model._meta.table_name)


def _given(db: Any) -> Iterator[str]:
    given = db.last_ids()
    for model in (Page, Feed):
        name = model._meta.table_name
        highest = next(iter(model.select(fn.MAX(model.id)).tuples().execute(db)))[0] or 0
        if highest > given[name]:
            yield f"The next id of {name} is one that is there; `landform vacuum` mends that."


def _by_id(db: Any, model: Any, query: Any) -> Iterator[list[Any]]:
    """Yield the rows of a query, of which the first column is the id, a few at a time."""
    last = -MAX_INTEGER
    while True:
        some = query.where(model.id > last).order_by(model.id).limit(BATCH)
        rows = list(some.tuples().execute(db))
        if rows:
            yield rows
        if len(rows) < BATCH:
            return
        last = rows[-1][0]


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _ids(db: Any, query: Any) -> list[int]:
    return [number for (number,) in query.tuples().execute(db)]


def _told(what: str, ids: list[int], table: str = "page") -> Iterator[str]:
    if ids:
        named = ", ".join(map(str, ids[:NAMED])) + (", ..." if len(ids) > NAMED else "")
        yield f"There are {len(ids)} rows of {table} {what}: {named}."
