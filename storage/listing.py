"""Lists of pages: which pages pass the filters, in which order, and how many there are."""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import and_, gt, lt, or_
from typing import Any, NamedTuple

from peewee import SQL, Case, fn

from landform.storage import slugs, sqlite
from landform.storage.clock import Clock
from landform.storage.database import Store
from landform.storage.models import Page, PageText
from landform.storage.numbers import storable
from landform.storage.pages import Row, read
from landform.storage.search import Search, parse

STATUSES = ("publish", "future", "draft", "pending", "private")
TEXT = ("title", "content")
# Beyond this many words only the whole sentence and the content tell pages apart.
MOST_RANKED_WORDS = 6
ORDERS: dict[str, Any] = {
    "author": Page.author,
    "date": Page.date,
    "id": Page.id,
    "modified": Page.modified,
    "slug": Page.slug,
    "title": Page.title_key,
}
# Parameter, column, and whether the pages named are kept or left out.
ID_FILTERS: tuple[tuple[str, Any, bool], ...] = (
    ("include", Page.id, True),
    ("exclude", Page.id, False),
    ("author", Page.author, True),
    ("author_exclude", Page.author, False),
)
DATE_FILTERS: tuple[tuple[str, Any, Callable[[Any, str], Any]], ...] = (
    ("after", Page.date, gt),
    ("before", Page.date, lt),
    ("modified_after", Page.modified, gt),
    ("modified_before", Page.modified, lt),
)


class Found(NamedTuple):
    """A page of results, and how many there are on all pages together."""

    rows: list[Row]
    total: int


def find(store: Store, query: Mapping[str, Any], columns: Sequence[str]) -> Found:
    """Return the pages that pass every filter of a list's query, with the columns asked for.

    `query` holds what the list's schema loads, all optional but `page`, `per_page`, `order` and
    `orderby`; with `unprotected_only`, pages behind a password are left out. Rows beyond the
    last are none; the total stays true.
    """
    search = parse(query["search"]) if query.get("search", "").strip() else None
    condition = reduce(and_, _conditions(query, search, store.clock))
    total = _count(store, condition)
    offset = query.get("offset")
    skipped = (query["page"] - 1) * query["per_page"] if offset is None else offset
    if skipped >= total:
        return Found([], total)
    rows = Page.select(*[getattr(Page, name) for name in columns]).where(condition)
    if query["orderby"] == "relevance":
        rows = rows.join(PageText, on=(PageText.id == Page.id))
    rows = rows.order_by(*_order(query, search)).limit(query["per_page"]).offset(skipped)
    return Found([read(row) for row in rows.dicts().execute(store.database)], total)


def _count(store: Store, condition: Any) -> int:
    rows = Page.select(fn.COUNT(SQL("*"))).where(condition).tuples().execute(store.database)
    return int(next(iter(rows))[0])


def _conditions(query: Mapping[str, Any], search: Search | None, clock: Clock) -> list[Any]:
    conditions = [_one_of(Page.status, _statuses(query.get("status") or ["publish"]))]
    for name, column, keeps in ID_FILTERS:
        if query.get(name):
            ids = storable(query[name])
            conditions.append(_one_of(column, ids) if keeps else column.not_in(ids))
    for name, column, compare in DATE_FILTERS:
        if query.get(name):
            conditions.append(compare(column, clock.moment(query[name]).local))
    if query.get("slug"):
        conditions.append(_one_of(Page.slug, _slugs(query)))
    if search:
        conditions += _matches(search, query.get("search_columns") or TEXT)
        if query.get("unprotected_only"):
            # No password is written here: it says that there is none.
            conditions.append(Page.password == "")  # nosec B105
    return conditions


def _one_of(column: Any, values: list[Any]) -> Any:
    return column == values[0] if len(values) == 1 else column.in_(values)


def _statuses(statuses: Sequence[str]) -> list[str]:
    every = [*STATUSES, *statuses] if "any" in statuses else statuses
    return [status for status in dict.fromkeys(every) if status != "any"]


def _slugs(query: Mapping[str, Any]) -> list[str]:
    # A text that is no slug names no page; drafts without a slug are not meant by it.
    wanted = [slugs.slugify(text) for text in query["slug"]]
    return [slug for slug in dict.fromkeys(wanted) if slug]


def _matches(search: Search, columns: Sequence[str]) -> list[Any]:
    columns = [name for name in columns if name in TEXT]
    if not columns or not (search.words or search.without):
        return [Page.id == 0]
    conditions = sqlite.with_words(search.words, columns)
    for word in search.without:
        conditions += [~found for found in sqlite.with_words([word], columns)]
    return conditions


def _order(query: Mapping[str, Any], search: Search | None) -> list[Any]:
    """Return what to order by. Ties go by id, in the same direction."""
    by = query["orderby"]
    if by == "include":
        return [_as_given(Page.id, storable(query["include"]))]
    if by == "include_slugs" and query.get("slug"):
        return [_as_given(Page.slug, _slugs(query))]
    keys: list[Any] = [Page.id]
    if by not in ("id", "parent"):
        keys.insert(0, ORDERS.get(by, Page.date))
    ranks = [_rank(search).asc()] if by == "relevance" and search else []
    down = query["order"] == "desc"
    return ranks + [key.desc() if down else key.asc() for key in keys]


def _as_given(column: Any, values: list[Any]) -> Any:
    places = [(value, place) for place, value in enumerate(dict.fromkeys(values))]
    return Case(column, places, len(places)) if places else column


def _rank(search: Search) -> Any:
    """Return how well a page answers a search, 1 the best: the sentence or words in its title."""
    title = [sqlite.contains(PageText.title, word) for word in search.words]
    ranks = []
    if not search.without:
        ranks.append((sqlite.contains(PageText.title, search.sentence), 1))
    if 0 < len(title) <= MOST_RANKED_WORDS:
        ranks.append((reduce(and_, title), 2))
        ranks.append((reduce(or_, title), 3))
    if not search.without:
        ranks.append((sqlite.contains(PageText.content, search.sentence), 5))
    return Case(None, ranks or [(Page.id == 0, 1)], 6)
