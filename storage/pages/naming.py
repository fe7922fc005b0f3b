"""The slugs of pages in the database: each belongs to one page only."""

from collections.abc import Collection
from functools import lru_cache
from typing import Any

from peewee import SQL, Select, fn

from landform.storage.engines import expressions
from landform.storage.models import Page
from landform.storage.pages import scheduling, slugs
from landform.storage.rows import Row, json_text
from landform.storage.sql.prepared import Parameter, Prepared
from landform.storage.store import Store

# This condition beside another is what the index of slugs asks for.
HAS_SLUG = Page.slug != SQL("''")
TAKEN = Prepared(
    Page.select(Page.id, Page.slug).where(
        expressions.in_list(Page.slug, Parameter("slugs")), HAS_SLUG
    )
)
# Pages that share a slug mostly share their title.
NEWEST = Prepared(
    Page.select(Page.slug)
    .where(
        Page.status == Parameter("status"), expressions.same(Page.title_key, Parameter("title_key"))
    )
    .order_by(Page.id.desc())
    .limit(SQL("1"))
)


def unique_slug(store: Store, slug: str, page: Row) -> str:
    """Return the slug for a page, with a number where another one has it or it is reserved."""
    return slugs.unique(slug, *_lookups(store, page))


def insert(store: Store, page: Row) -> tuple[int, str | None]:
    """Insert a page whose slug gets a number where it is taken or reserved, and set that.

    Return its id, and the date of the first future page that is there.
    """
    # Most slugs are free.
    reserved = slugs.RESERVED.fullmatch(page["slug"])
    inserted = None if reserved else _insert(tuple(page)).row(store, page)
    if inserted is None:
        page["slug"] = slugs.numbered(page["slug"], *_lookups(store, page))
        inserted = _insert(tuple(page)).row(store, page)
    page_id, first = inserted
    return page_id, first


@lru_cache(64)
def _insert(columns: tuple[str, ...]) -> Prepared:
    """Return the insert of a page, which does nothing where another page has its slug."""
    values: list[Any] = [Parameter(name) for name in columns]
    taken = Page.select(SQL("1")).where(Page.slug == Parameter("slug"), HAS_SLUG)
    new = Select(columns=values).where(~fn.EXISTS(taken))
    query = Page.insert_from(new, [getattr(Page, name) for name in columns])
    return Prepared(query.returning(Page.id, scheduling.FIRST))


def _lookups(store: Store, page: Row) -> tuple[slugs.Taken, slugs.Newest]:
    def taken(candidates: Collection[str]) -> set[str]:
        rows = TAKEN.run(store, {"slugs": json_text(list(candidates))}).fetchall()
        return {found for other, found in rows if other != page.get("id")}

    def newest() -> str:
        row = NEWEST.row(store, page)
        return str(row[0]) if row else ""

    return taken, newest
