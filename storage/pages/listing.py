"""Lists of pages: those that pass the filters, in the order asked for, a page of results at a time.

The ids come from an index first, so that what is skipped is never read.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import lru_cache
from typing import Any, NamedTuple

from peewee import JOIN, SQL

from landform.storage.engines import expressions
from landform.storage.models import Page, PageText
from landform.storage.pages import language_sql, scheduling, search_sql, totals, windows
from landform.storage.pages.filters import (
    DUE,
    NAMED,
    RANGES,
    QueryShape,
    conditions,
    parse_query,
    select,
    wanted_slugs,
)
from landform.storage.pages.scheduling import CollectionState
from landform.storage.rows import Check, Row, no_check
from landform.storage.sql.numbers import storable
from landform.storage.sql.prepared import Parameter, Prepared, union_all
from landform.storage.store import Store

ORDERS: dict[str, Any] = {
    "author": Page.author,
    "date": Page.date,
    "id": Page.id,
    "modified": Page.modified,
    "parent": Page.id,
    "slug": Page.slug,
    "title": Page.title_key,
}
PLACED = SQL("place"), SQL("id")
# Of more pages than this only the first in the order of their dates are ranked.
RANKED = 10_000
# What `open_at` says for the present moment.
NOW = "now"
# Without any filter, so many pages are skipped at no cost that is worth a bound.
NEAR = 10_000
# The pages of one author lie in these orders already.
AUTHORS_OWN = ("author", "date", "id", "parent")


class ResultPage(NamedTuple):
    """A page of results, and how many there are on all pages together."""

    rows: list[Row]
    total: int


class ListQuery(NamedTuple):
    """What a list selects, the values of its parameters with the part wanted, and the columns.

    `check_row` is called with each row as it is read.
    """

    selection: QueryShape
    values: Mapping[str, Any]
    columns: tuple[str, ...]
    check_row: Check = no_check
    total: int = 0

    def of(self, part: Mapping[str, Any]) -> "ListQuery":
        """Return the same list, but another part of it."""
        return self._replace(values={**self.values, **part})


class Order(NamedTuple):
    """The column of an order, and which index finds the pages (see `_index_strategy`).

    `ranked`: by relevance before that; `first`: only as many pages as are ranked at most.
    """

    by: str
    descending: bool
    way: str
    ranked: bool = False
    first: bool = False


def read_list(
    store: Store,
    query: Mapping[str, Any],
    columns: Sequence[str],
    is_held: Callable[[CollectionState], bool],
    new_check: Callable[[], Check] = lambda: no_check,
) -> ResultPage | None:
    """Return the pages of a list as they are now; None where the caller holds them already.

    `is_held` tells that from the state of all pages, before any page is read. The rest is as in
    `list_pages`.
    """
    state = scheduling.collection_state(store)
    if query.get("open_at") == NOW:
        turns = windows.turns(store, windows.instant(store.clock, store.clock.now().utc))
        state = state.with_turns(turns)
    return None if is_held(state) else list_pages(store, query, columns, state.due, new_check)


def list_pages(
    store: Store,
    query: Mapping[str, Any],
    columns: Sequence[str],
    due: str = "",
    new_check: Callable[[], Check] = lambda: no_check,
) -> ResultPage:
    """Return the pages that pass every filter of a list's query, with the columns asked for.

    `query` holds what the list's schema loads, all optional but `page`, `per_page`, `order` and
    `orderby`; with `unprotected_only`, pages behind a password are left out. Rows beyond the
    last are none; the total stays true. Up to the date `due` (see `scheduling`) future pages
    are found and shown as published. What may cost much is bounded, see `Store.bounded`.
    What `new_check` returns is called with each row as it is read.
    """
    selection, values = parse_query(store, query, due)
    if due and "status" in columns:
        columns = [*columns, "date_utc"]
    offset = query.get("offset")
    skipped = (query["page"] - 1) * query["per_page"] if offset is None else offset
    part = _part(skipped, query["per_page"])
    wanted = ListQuery(selection, {**values, **part}, tuple(columns))

    def read() -> ResultPage:
        # Due pages may be stored in between, and total and rows have to agree.
        with store.database.snapshot() if due else nullcontext():
            return _result_page(store, query, wanted._replace(check_row=new_check()))

    is_cheap = skipped <= NEAR and not (selection.pattern or selection.filters)
    rows, total = read() if is_cheap else store.bounded(read)
    if due and "status" in columns:
        rows = [scheduling.as_shown(row, due) for row in rows]
    return ResultPage(rows, total)


def _result_page(store: Store, query: Mapping[str, Any], wanted: ListQuery) -> ResultPage:
    values = wanted.values
    selection = totals.with_strategy(store, wanted.selection, values)
    total = totals.total(store, selection, values)
    if values["skipped"] >= total:
        return ResultPage([], total)
    wanted = wanted._replace(selection=selection, total=total)
    if query["orderby"] == "include" or (query["orderby"] == "include_slugs" and query.get("slug")):
        return ResultPage(_in_requested_order(store, query, wanted), total)
    by = query["orderby"] if query["orderby"] in ORDERS else "date"
    order = Order(by, query["order"] == "desc", "direct")
    if query["orderby"] == "relevance" and selection.pattern and selection.pattern.has_ranks:
        return ResultPage(_by_rank(store, wanted, order), total)
    return ResultPage(_rows(store, wanted, order), total)


def _part(skipped: int, most: int) -> dict[str, int]:
    """Return the values of the parameters for a part of all rows."""
    return {"skipped": skipped, "most": most, "last": skipped + most}


def _by_rank(store: Store, wanted: ListQuery, order: Order) -> list[Row]:
    """Return the rows by relevance; after the pages that are ranked the others by date."""
    skipped, last = wanted.values["skipped"], wanted.values["last"]
    rows: list[Row] = []
    if skipped < RANKED:
        part = {**_part(skipped, min(last, RANKED) - skipped), "ranked": RANKED}
        ranked = order._replace(ranked=True, first=wanted.total > RANKED)
        rows = _rows(store, wanted.of(part), ranked)
    if last > RANKED and wanted.total > RANKED:
        first = max(skipped, RANKED)
        rows += _rows(store, wanted.of(_part(first, last - first)), order)
    return rows


def _rows(store: Store, wanted: ListQuery, order: Order) -> list[Row]:
    dialect = store.database.dialect
    if dialect.hinted:
        needed = min(RANKED, wanted.total) if order.ranked else wanted.values["last"]
        way = _index_strategy(store, wanted, order.by, needed)
        order = order if way == order.way else order._replace(way=way)
    selection = wanted.selection
    if order.way == "walk" or (order.by != "date" and not dialect.hinted):
        # The index of another order leads, or what the engine chooses.
        selection = selection._replace(by_language=False)
    elif ORDERS[order.by].name not in language_sql.OWN:
        selection = selection._replace(reads_pages=True)
    query = _ordered(selection, order, wanted.columns, dialect.merges)
    return query.rows(store, wanted.values, wanted.check_row)


def _index_strategy(store: Store, wanted: ListQuery, by: str, needed: int) -> str:
    """Return how the pages are found, where the engine cannot know how many a filter leaves.

    `walk`: along the order's index, testing each page, which is fast where many pass; `sort`: by
    the filters' index, which is fast where few pass; `direct` where one index does both. `needed`:
    how many have to be found.
    """
    selection, total = wanted.selection, wanted.total
    filters = set(selection.filters)
    if not (filters or selection.pattern):
        return "direct"
    if selection.by_language and by == "date" and "one_language" in filters:
        return "direct"
    if not selection.pattern and (
        filters <= set(RANGES.get(by, ()))
        or (filters == {"one_author"} and by in AUTHORS_OWN)
        or (filters == {"one_form"} and by == "date")
    ):
        return "direct"
    walks = needed * totals.of_status(store, wanted.values) < total * total
    return "walk" if walks and not NAMED & filters else "sort"


@lru_cache(512)
def _ordered(
    selection: QueryShape, order: Order, columns: tuple[str, ...], merges: bool
) -> Prepared:
    """Return the query of the rows. Each status goes along its own index; ties go by id."""
    arms = []
    for place in selection.places:
        arm, keys = _arm(selection, place, order)
        if len(selection.places) > 1 and not merges and order.ranked == order.first:
            arm = arm.order_by(*keys).limit(Parameter("ranked" if order.first else "last"))
        arms.append(arm)
    if len(arms) > 1:
        keys = [_order_term(tie, order) for tie in PLACED]
    found = union_all(arms)
    if order.first:
        found = found.order_by(*keys).limit(Parameter("ranked"))
    ranks: list[Any] = []
    if order.ranked and selection.pattern:
        found = _ranked(found, search_sql.rank(selection.pattern))
        ranks, keys = [SQL("rank").asc()], [_order_term(tie, order) for tie in PLACED]
    found = found.order_by(*ranks, *keys)
    found = found.limit(Parameter("most")).offset(Parameter("skipped")).alias("found")
    again = [_order_term(tie, order) for tie in (found.c.place, found.c.id)]
    if ranks:
        again.insert(0, found.c.rank.asc())
    rows = Page.select(*[getattr(Page, name) for name in columns]).from_(found)
    return Prepared(rows.join(Page, JOIN.CROSS).where(Page.id == found.c.id).order_by(*again))


def _arm(selection: QueryShape, place: int, order: Order) -> tuple[Any, list[Any]]:
    """Return the query of ids and order's values of the pages at a place, and its order."""
    key, page_id = ORDERS[order.by], ORDERS["id"]
    if selection.is_led(place):
        key, page_id = language_sql.own_column(key), language_sql.own_column(page_id)
    ties = [page_id] if order.by in ("id", "parent") else [key, page_id]
    if order.way == "sort":
        ties = [expressions.without_index(tie) for tie in ties]
    # By a name of its own: beside the texts there are two ids, and the order means this one.
    # The order of several together is by what each selects.
    sorts = place == DUE or order.way == "sort"
    named = [expressions.without_index(one) if sorts else one for one in (page_id, key)]
    arm = select(selection, place, named[0].alias("id"), named[1].alias("place"))
    if selection.is_led(place) and "language" in selection.filters:
        arm = arm.distinct()
    arm = arm.where(*conditions(selection, place, key if order.way == "walk" else None))
    return arm, [_order_term(tie, order) for tie in ties]


def _ranked(found: Any, rank: Any) -> Any:
    """Return the query of the same pages, each with its rank, for which its texts are read."""
    found = found.alias("candidate")
    columns = found.c.id.alias("id"), found.c.place.alias("place"), rank.alias("rank")
    texts = PageText.select(*columns).from_(found).join(PageText, JOIN.CROSS)
    return texts.where(PageText.id == found.c.id)


def _order_term(tie: Any, order: Order) -> Any:
    return expressions.sorted_by(tie, "DESC" if order.descending else "ASC")


def _in_requested_order(store: Store, query: Mapping[str, Any], wanted: ListQuery) -> list[Row]:
    """Return the rows in the order in which a query names their ids or slugs."""
    values = wanted.values
    by_id = query["orderby"] == "include"
    named = storable(query["include"]) if by_id else wanted_slugs(query)
    places = {name: place for place, name in reversed(list(enumerate(named)))}
    key = "id" if by_id else "slug"
    found = _matching_keys(wanted.selection, key).rows(store, values)
    found.sort(key=lambda row: places[row[key]])
    ids = [row["id"] for row in found[values["skipped"] :][: values["most"]]]
    named_rows = _by_ids(wanted.columns).rows(store, {"ids": str(ids)}, wanted.check_row)
    rows = {row["id"]: row for row in named_rows}
    # One may have been deleted between the two queries.
    return [rows[found_id] for found_id in ids if found_id in rows]


@lru_cache(512)
def _matching_keys(selection: QueryShape, key: str) -> Prepared:
    # Nothing more than the key, so that the engine uses the key's index.
    wanted = [Page.id] if key == "id" else [Page.id, Page.slug]
    arms = [Page.select(*wanted).where(*conditions(selection, place)) for place in selection.places]
    return Prepared(union_all(arms))


@lru_cache(64)
def _by_ids(columns: tuple[str, ...]) -> Prepared:
    wanted = [getattr(Page, name) for name in dict.fromkeys(("id", *columns))]
    return Prepared(Page.select(*wanted).where(expressions.in_list(Page.id, Parameter("ids"))))
