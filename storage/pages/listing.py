"""Lists of pages: filtered, ordered, and read one page of results at a time.

One query counts the pages, and one reads a part of them. Both test the filters in an index that
has all of their columns, for the ids; whole rows are read for the ids of the part alone.
"""

from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from math import ceil
from typing import Any, NamedTuple

from peewee import JOIN, SQL, Case, fn

from landform.storage import sql
from landform.storage.engines import expressions
from landform.storage.models import Page, PageCount, PageText
from landform.storage.pages import scheduling
from landform.storage.pages.filters import (
    CONDITIONS,
    STATUS,
    condition_values,
    rank,
    rank_values,
)
from landform.storage.pages.scheduling import (
    FUTURE,
    OPEN,
    WINDOW_COLUMNS,
    CollectionState,
    window_state,
)
from landform.storage.rows import Row, Values
from landform.storage.store import Store

# The value of `open_at` for the present moment.
NOW = "now"
# Up to so many pages are skipped without a time limit if there is no filter.
MOST_SKIPPED = 10_000
# More pages than this are listed by date, since their ranks would take too long.
MOST_RANKED = 10_000
ORDERS: dict[str, Any] = {
    "author": Page.author,
    "date": Page.date,
    "id": Page.id,
    "modified": Page.modified,
    "parent": Page.id,
    "slug": Page.slug,
    "title": Page.title_key,
}
# The filters whose values may order a list, and the columns that have these values.
FILTER_ORDERS = {"include": ("include", Page.id), "include_slugs": ("slug", Page.slug)}
SITEMAP = ("id", "slug", "status", "modified_utc", "password", *WINDOW_COLUMNS)


class ResultPage(NamedTuple):
    """A page of results, and the number of results on all pages together."""

    rows: list[Row]
    total: int


def list_state(store: Store, query: Values) -> CollectionState:
    """Return the state of all pages, which a list depends on."""
    state = scheduling.read_state(store)
    if query.get("open_at") != NOW and not query.get("window_changes_before"):
        return state
    passed, following = scheduling.window_changes(store, store.clock.now())
    return state._replace(until=min(state.until, following), last_window_change=passed)


def list_pages(
    store: Store,
    query: Values,
    columns: Sequence[str],
    publish_up_to: str = "",
    most_bytes: int | None = None,
) -> ResultPage:
    """Return the pages that pass every filter of a query, with some columns, and the total.

    `query`: as the list's schema loads it; `page`, `per_page`, `order` and `orderby` are required.
    With `unprotected_only`, a search leaves out pages with a password. Future pages up to the date
    `publish_up_to` (UTC text, see `CollectionState`) count as published. A page of results beyond
    the last is empty. Raises `TooLarge` for rows of more than `most_bytes`, and `TooExpensive`, as
    `Store.bounded`.
    """
    if publish_up_to and "status" in columns:
        columns = [*columns, "date_utc"]
    offset = query.get("offset")
    skipped = (query["page"] - 1) * query["per_page"] if offset is None else offset
    conditions = condition_values(store, query, publish_up_to)
    ranks = rank_values(query) if query["orderby"] == "relevance" else []
    shape = sql.shape_of(conditions)
    values = sql.parameter_values({**conditions, "rank": ranks})
    values |= {"skipped": skipped, "most": query["per_page"]}
    # The total of a list by the stored status alone is stored; any other one is counted.
    count = _stored_count(shape) if conditions.keys() == {STATUS} else _count(shape)

    def read() -> ResultPage:
        # Due pages may be stored in between, and total and rows have to agree.
        with store.database.snapshot() if publish_up_to else nullcontext():
            total = int(count.row(store, values)[0])
            if skipped >= total:
                return ResultPage([], total)
            ranked_by = len(ranks) if total <= MOST_RANKED else 0
            order = query["orderby"], query["order"].upper(), ranked_by
            rows = _select(shape, *order, tuple(columns))
            return ResultPage(rows.rows(store, values, most_bytes), total)

    # One condition, that on the status, is always there.
    is_cheap = skipped <= MOST_SKIPPED and len(conditions) == 1
    rows, total = read() if is_cheap else store.bounded(read)
    if publish_up_to and "status" in columns:
        rows = [scheduling.as_published(row, publish_up_to) for row in rows]
    return ResultPage(rows, total)


def sitemap_part(store: Store, number: int, size: int, publish_up_to: str) -> tuple[list[Row], int]:
    """Return the pages in one part of the sitemap, and the number of parts.

    A part is made of `size` published pages, and leaves out those with a password or outside of
    their window: to count these first, all pages would have to be read.
    """
    at = store.clock.now()
    query = {"orderby": "id", "order": "asc", "page": number, "per_page": size}
    # In a transaction a list has no time limit.
    with store.database.snapshot():
        rows, total = list_pages(store, query, SITEMAP, publish_up_to)
    public = [row for row in rows if not row["password"] and window_state(row, at) == OPEN]
    return public, ceil(total / size)


def count_by_status(store: Store) -> Counter[str]:
    """Return the number of pages by status; a due page counts as published."""
    with store.connection() as db:
        counted = PageCount.select(PageCount.status, PageCount.pages).tuples()
        counts = Counter(dict(counted.execute(db)))
        due = Page.select().where(FUTURE, Page.date_utc <= store.clock.now().utc).count(db)
    if due:
        counts.update({"publish": due, "future": -due})
    return counts


@sql.cached
def _stored_count(shape: sql.Shape) -> sql.Prepared:
    """Return the query of the stored number of pages with some statuses."""
    statuses = sql.parameters(STATUS, dict(shape)[STATUS])
    pages = PageCount.select(fn.COALESCE(fn.SUM(PageCount.pages), 0))
    return sql.Prepared(pages.where(PageCount.status.in_(statuses)))


@sql.cached
def _count(shape: sql.Shape) -> sql.Prepared:
    conditions = sql.make_conditions(shape, CONDITIONS)
    return sql.Prepared(Page.select(fn.COUNT(SQL("*"))).where(*conditions))


@sql.cached
def _select(
    shape: sql.Shape, order_by: str, direction: str, ranked_by: int, columns: tuple[str, ...]
) -> sql.Prepared:
    """Return the query of a part of the rows: first of their ids, then of their columns.

    `ranked_by`: the number of values that rank pages; 0 for no rank.
    """
    key = ORDERS.get(order_by, Page.date)
    name, column = FILTER_ORDERS.get(order_by, ("", None))
    if count := dict(shape).get(name):
        # The place of a page's id or slug among the values of a filter.
        places = [(value, place) for place, value in enumerate(sql.parameters(name, count))]
        key, direction = Case(column, places), "ASC"
    part = Page.select(Page.id.alias("id"), key.alias("place"))
    ranks: list[Any] = []
    if ranked_by:
        part = part.select_extend(rank(*sql.parameters("rank", ranked_by)).alias("rank"))
        part = part.join(PageText, on=PageText.id == Page.id)
        ranks = [SQL("rank")]
    part = part.where(*sql.make_conditions(shape, CONDITIONS))
    part = part.order_by(*ranks, *_sorted_by((key, Page.id), direction))
    part = part.limit(sql.Parameter("most")).offset(sql.Parameter("skipped")).alias("part")
    rows = Page.select(*[getattr(Page, name) for name in columns]).from_(part)
    rows = rows.join(Page, JOIN.CROSS).where(Page.id == part.c.id)
    return sql.Prepared(rows.order_by(*ranks, *_sorted_by((part.c.place, part.c.id), direction)))


def _sorted_by(keys: Sequence[Any], direction: str) -> list[Any]:
    return [expressions.sorted_by(key, direction) for key in keys]
