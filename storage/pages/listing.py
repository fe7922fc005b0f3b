"""Lists of pages: those that pass the filters, in the order asked for, a page of results at a time.

One query counts them, and one reads a part of them. Both test the filters in an index that has all
of their columns, and find the ids; the rows of the pages are read for these ids alone.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from math import ceil
from typing import Any, NamedTuple

from peewee import JOIN, SQL, Case, fn

from landform.storage.engines import expressions
from landform.storage.models import Page, PageCount, PageText
from landform.storage.pages import scheduling
from landform.storage.pages.filters import CONDITIONS, filter_values, rank, rank_values
from landform.storage.pages.scheduling import (
    FUTURE,
    OPEN,
    WINDOW_COLUMNS,
    CollectionState,
    window_state,
)
from landform.storage.rows import MAX_INTEGER, Row, Values
from landform.storage.sql import (
    Parameter,
    Prepared,
    Shape,
    cached,
    make_conditions,
    parameter_values,
    parameters,
    shape_of,
)
from landform.storage.store import Store

STATUSES = ("publish", "future", "draft", "pending", "private")
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
}
# The filters in whose order a list may be, and the columns that hold their values.
FILTER_ORDERS = {"include": ("include", Page.id), "include_slugs": ("slug", Page.slug)}
SITEMAP = ("id", "slug", "status", "modified_utc", "password", *WINDOW_COLUMNS)


class ResultPage(NamedTuple):
    """A page of results, and how many there are on all pages together."""

    rows: list[Row]
    total: int


class Order(NamedTuple):
    """The order of a list: by the rank of pages, if there is one, then by a key, then by id."""

    by: str
    direction: str
    # How many values rank them; 0 for no rank.
    ranked_by: int


def list_state(store: Store, query: Values) -> CollectionState:
    """Return the state of all pages, which a list depends on."""
    state = scheduling.read_state(store)
    if query.get("open_at") != NOW and not query.get("window_changes_before"):
        return state
    at = store.clock.now()
    passed, following = scheduling.window_turns(store, at)
    return state._replace(until=min(state.until, following), turned=passed)


def list_pages(
    store: Store,
    query: Values,
    columns: Sequence[str],
    due: str = "",
    most_bytes: int | None = None,
) -> ResultPage:
    """Return the pages that pass every filter of a list's query, with the columns asked for.

    `query` holds what the list's schema loads, all optional but `page`, `per_page`, `order` and
    `orderby`; with `unprotected_only`, a search leaves out pages behind a password. Rows beyond the
    last are none; the total stays true. Up to the date `due` (see `scheduling`) future pages are
    found and shown as published. What may cost much is bounded, see `Store.bounded`. Raises
    `TooLarge` for rows of more than `most_bytes`.
    """
    if due and "status" in columns:
        columns = [*columns, "date_utc"]
    offset = query.get("offset")
    skipped = (query["page"] - 1) * query["per_page"] if offset is None else offset
    status, filters = _status_values(query, due), filter_values(store, query)
    ranks, shape = rank_values(query), shape_of(status | filters)
    values = parameter_values(status | filters | {"rank": ranks})
    values |= {"skipped": skipped, "most": query["per_page"]}
    count = _count(shape) if filters or "status" not in status else _stored_count(shape)

    def read() -> ResultPage:
        # Due pages may be stored in between, and total and rows have to agree.
        with store.database.snapshot() if due else nullcontext():
            total = int(count.row(store, values)[0])
            if skipped >= total:
                return ResultPage([], total)
            ranked_by = len(ranks) if total <= MOST_RANKED else 0
            order = Order(query["orderby"], query["order"].upper(), ranked_by)
            rows = _select(shape, order, tuple(columns))
            return ResultPage(rows.rows(store, values, most_bytes), total)

    rows, total = read() if skipped <= NEAR and not filters else store.bounded(read)
    if due and "status" in columns:
        rows = [scheduling.as_shown(row, due) for row in rows]
    return ResultPage(rows, total)


def sitemap_part(store: Store, number: int, most: int, due: str) -> tuple[list[Row], int]:
    """Return the pages of a part that everybody sees now, and how many parts there are.

    A part is of at most so many published pages. It may have fewer: those behind a password or
    outside of their window are not counted first, which would mean to look at all pages.
    """
    at = store.clock.now()
    query = {"orderby": "id", "order": "asc", "page": number, "per_page": most}
    # In a transaction it is no search, which would have a time limit.
    with store.database.snapshot():
        rows, total = list_pages(store, query, SITEMAP, due)
    shown = [
        row for row in rows if not row["password"] and window_state(row, at) == OPEN
    ]  # fmt: skip
    return shown, ceil(total / most)


def count_by_status(store: Store) -> Counter[str]:
    """Return the number of pages by status; one whose date has come counts as published."""
    with store.connection() as db:
        counted = PageCount.select(PageCount.status, PageCount.pages).tuples()
        counts = Counter(dict(counted.execute(db)))
        due = Page.select().where(FUTURE, Page.date_utc <= store.clock.now().utc).count(db)
    if due:
        counts.update({"publish": due, "future": -due})
    return counts


def list_authors(store: Store, statuses: Sequence[str]) -> list[int]:
    """Return the numbers of the authors of pages with one of the statuses, in order."""
    found = Page.select(Page.author).where(Page.status.in_(statuses)).distinct()
    return sorted(author for (author,) in found.tuples().execute(store.database))


def list_forms(store: Store, statuses: Sequence[str]) -> list[int]:
    """Return the forms that pages with one of the statuses name by a number, in order.

    0 stands for no form or for all of them, and is left out.
    """
    found = Page.select(Page.form).where(Page.status.in_(statuses)).distinct()
    named = [form for (form,) in found.tuples().execute(store.database)]
    forms = [int(form) for form in named if form.isascii() and form.isdigit()]
    return sorted(form for form in forms if 0 < form <= MAX_INTEGER)


def _statuses(query: Values) -> tuple[str, ...]:
    wanted = query.get("status") or ["publish"]
    every = [*STATUSES, *wanted] if "any" in wanted else wanted
    return tuple(status for status in dict.fromkeys(every) if status != "any")


def _status_values(query: Values, due: str) -> dict[str, Sequence[object]]:
    """Return the condition on the status; up to the date `due` future pages count as published."""
    statuses = _statuses(query)
    moved = ("publish" in statuses) - ("future" in statuses) if due else 0
    if not moved:
        return {"status": statuses}
    return {"status or due" if moved > 0 else "status, not due": [due, *statuses]}


@cached
def _stored_count(shape: Shape) -> Prepared:
    """Return the count of the pages of some statuses, which is stored."""
    statuses = parameters(*shape[0])
    pages = PageCount.select(fn.COALESCE(fn.SUM(PageCount.pages), 0))
    return Prepared(pages.where(PageCount.status.in_(statuses)))


@cached
def _count(shape: Shape) -> Prepared:
    conditions = make_conditions(shape, CONDITIONS)
    return Prepared(Page.select(fn.COUNT(SQL("*"))).where(*conditions))


@cached
def _select(shape: Shape, order: Order, columns: tuple[str, ...]) -> Prepared:
    """Return the query of a part of the rows: first of their ids, then of their columns."""
    key, direction = _order_key(order, dict(shape))
    found = Page.select(Page.id.alias("id"), key.alias("place"))
    ranks: list[Any] = []
    if order.ranked_by:
        found = found.select_extend(rank(*parameters("rank", order.ranked_by)).alias("rank"))
        found = found.join(PageText, on=PageText.id == Page.id)
        ranks = [SQL("rank")]
    found = found.where(*make_conditions(shape, CONDITIONS))
    ties = [expressions.sorted_by(tie, direction) for tie in (key, Page.id)]
    found = found.order_by(*ranks, *ties)
    found = found.limit(Parameter("most")).offset(Parameter("skipped")).alias("found")
    again = [expressions.sorted_by(tie, direction) for tie in (found.c.place, found.c.id)]
    rows = Page.select(*[getattr(Page, name) for name in columns]).from_(found)
    rows = rows.join(Page, JOIN.CROSS).where(Page.id == found.c.id)
    return Prepared(rows.order_by(*ranks, *again))


def _order_key(order: Order, counts: Mapping[str, int]) -> tuple[Any, str]:
    """Return what a list is ordered by, and in which direction.

    That is a column, or the place of a page's id or slug among those that the list asks for.
    """
    name, column = FILTER_ORDERS.get(order.by, ("", None))
    if count := counts.get(name):
        places = [(value, place) for place, value in enumerate(parameters(name, count))]
        return Case(column, places), "ASC"
    return ORDERS.get(order.by, Page.date), order.direction
