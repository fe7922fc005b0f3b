"""Lists of pages: those that pass the filters, in the order asked for, a page of results at a time.

One query counts them, and one reads a part of them. Both test the filters in an index that has all
of their columns, and find the ids; the rows of the pages are read for these ids alone.
"""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import lru_cache
from math import ceil
from typing import Any, NamedTuple

from peewee import JOIN, SQL, fn

from landform.storage.engines import expressions
from landform.storage.models import Page, PageCount, PageText
from landform.storage.pages import scheduling, search_sql, windows
from landform.storage.pages.filters import Selection, conditions, keys_of, parse_query
from landform.storage.pages.scheduling import CollectionState
from landform.storage.rows import Check, Row, Values, no_check
from landform.storage.sql.numbers import storable
from landform.storage.sql.prepared import Parameter, Prepared
from landform.storage.store import Store

# What `open_at` says for the present moment.
NOW = "now"
# Without any filter, so many pages are skipped at no cost that is worth a bound.
NEAR = 10_000
# Of more pages than this, relevance would take too long: they are listed by date.
MOST_RANKED = 10_000
ORDERS: dict[str, Any] = {
    "author": Page.author,
    "date": Page.date,
    "id": Page.id,
    "modified": Page.modified,
    "parent": Page.id,
    "slug": Page.slug,
    "title": Page.title_key,
    # The place in what the query names.
    "include": expressions.place_in(Parameter("named"), Page.id),
    "include_slugs": expressions.place_in(Parameter("named"), Page.slug),
}
COUNT = Prepared(
    PageCount.select(fn.COALESCE(fn.SUM(PageCount.pages), 0)).where(
        expressions.in_list(PageCount.status, Parameter("statuses"))
    )
)
SITEMAP = ("id", "slug", "status", "modified_utc", "password", *windows.COLUMNS)


class ResultPage(NamedTuple):
    """A page of results, and how many there are on all pages together."""

    rows: list[Row]
    total: int


class Order(NamedTuple):
    """The order of a list, one of `ORDERS` or `relevance`; ties go by id."""

    by: str
    is_descending: bool


def list_state(store: Store, query: Values) -> CollectionState:
    """Return the state of all pages, which a list depends on."""
    state = scheduling.collection_state(store)
    return _with_windows(store, state) if query.get("open_at") == NOW else state


def list_pages(
    store: Store,
    query: Mapping[str, Any],
    columns: Sequence[str],
    due: str = "",
    check_row: Check = no_check,
) -> ResultPage:
    """Return the pages that pass every filter of a list's query, with the columns asked for.

    `query` holds what the list's schema loads, all optional but `page`, `per_page`, `order` and
    `orderby`; with `unprotected_only`, pages behind a password are left out. Rows beyond the
    last are none; the total stays true. Up to the date `due` (see `scheduling`) future pages
    are found and shown as published. What may cost much is bounded, see `Store.bounded`.
    `check_row` is called with each row as it is read.
    """
    selection, values = parse_query(store, query, due)
    if due and "status" in columns:
        columns = [*columns, "date_utc"]
    offset = query.get("offset")
    skipped = (query["page"] - 1) * query["per_page"] if offset is None else offset
    values |= {"skipped": skipped, "most": query["per_page"]}

    def read() -> ResultPage:
        # Due pages may be stored in between, and total and rows have to agree.
        with store.database.snapshot() if due else nullcontext():
            total = _total(store, selection, values)
            if skipped >= total:
                return ResultPage([], total)
            order = _order(query, selection, total, values)
            rows = _select(selection, order, tuple(columns))
            return ResultPage(rows.rows(store, values, check_row), total)

    is_cheap = skipped <= NEAR and not selection.is_filtered
    rows, total = read() if is_cheap else store.bounded(read)
    if due and "status" in columns:
        rows = [scheduling.as_shown(row, due) for row in rows]
    return ResultPage(rows, total)


def sitemap_state(store: Store) -> CollectionState:
    """Return the state of all pages, which the sitemap depends on."""
    return _with_windows(store, scheduling.collection_state(store))


def sitemap_part(store: Store, number: int, most: int, due: str) -> tuple[list[Row], int]:
    """Return the pages of a part that everybody sees now, and how many parts there are.

    A part is of at most so many published pages. It may have fewer: those behind a password or
    outside of their window are not counted first, which would mean to look at all pages.
    """
    at = windows.instant(store.clock, store.clock.now().utc)
    query = {"orderby": "id", "order": "asc", "page": number, "per_page": most}
    # In a transaction it is no search, which would have a time limit.
    with store.database.snapshot():
        rows, total = list_pages(store, query, SITEMAP, due)
    shown = [
        row for row in rows if not row["password"] and windows.state(row, at) == windows.OPEN
    ]  # fmt: skip
    return shown, ceil(total / most)


def _with_windows(store: Store, state: CollectionState) -> CollectionState:
    at = windows.instant(store.clock, store.clock.now().utc)
    return state.with_turns(windows.turns(store, at))


def _total(store: Store, selection: Selection, values: Values) -> int:
    is_stored = not (selection.is_filtered or selection.due)
    query = COUNT if is_stored else _count(selection)
    return int(query.row(store, values)[0])


@lru_cache(256)
def _count(selection: Selection) -> Prepared:
    return Prepared(Page.select(fn.COUNT(SQL("*"))).where(*conditions(selection)))


def _order(query: Values, selection: Selection, total: int, values: Row) -> Order:
    """Return the order that a query asks for, with its parameter among the values."""
    by, is_descending = query["orderby"], query["order"] == "desc"
    if by == "include" or (by == "include_slugs" and query.get("slug")):
        named = storable(query["include"]) if by == "include" else keys_of("slug", query)
        values["named"] = f",{','.join(map(str, named))},"
        return Order(by, is_descending=False)
    has_ranks = selection.search is not None and selection.search.has_ranks
    if by == "include_slugs" or (by == "relevance" and not (has_ranks and total <= MOST_RANKED)):
        by = "date"
    return Order(by, is_descending)


@lru_cache(512)
def _select(selection: Selection, order: Order, columns: tuple[str, ...]) -> Prepared:
    """Return the query of a part of the rows: first of their ids, then of their columns."""
    direction = "DESC" if order.is_descending else "ASC"
    key = ORDERS.get(order.by, Page.date)
    found = Page.select(Page.id.alias("id"), key.alias("place")).where(*conditions(selection))
    ranks: list[Any] = []
    if order.by == "relevance" and selection.search:
        found = found.select_extend(search_sql.rank(selection.search).alias("rank"))
        found = found.join(PageText, on=PageText.id == Page.id)
        ranks = [SQL("rank")]
    ties = [expressions.sorted_by(tie, direction) for tie in (key, Page.id)]
    found = found.order_by(*ranks, *ties)
    found = found.limit(Parameter("most")).offset(Parameter("skipped")).alias("found")
    again = [expressions.sorted_by(tie, direction) for tie in (found.c.place, found.c.id)]
    rows = Page.select(*[getattr(Page, name) for name in columns]).from_(found)
    rows = rows.join(Page, JOIN.CROSS).where(Page.id == found.c.id)
    return Prepared(rows.order_by(*ranks, *again))
