"""Whether a database is whole: what SQLite can tell, and what landform keeps beside the pages."""

import json
from collections.abc import Iterator
from typing import Any

from peewee import JOIN, SQL, fn

from landform.storage.database import Store
from landform.storage.models import Feed, Page, PageCount, PageText
from landform.storage.search import fold

NAMED = 5


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


def _texts(db: Any) -> Iterator[str]:
    columns = (Page.id, Page.title_raw, Page.content_raw, PageText.title, PageText.content)
    rows = Page.select(*columns).join(PageText, JOIN.LEFT_OUTER, on=(PageText.id == Page.id))
    wrong = [
        number
        for number, title, content, folded_title, folded_content in rows.tuples().iterator(db)
        if (fold(title), fold(content)) != (folded_title, folded_content)
    ]
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
        rows = model.select(model.id, model.meta).tuples().iterator(db)
        wrong = [number for number, meta in rows if not _is_object(meta)]
        yield from _told("whose meta is no JSON object", wrong, model._meta.table_name)


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
