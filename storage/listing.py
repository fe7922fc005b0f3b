"""Lists of pages: those that pass the filters, in the order asked for, a page of results at a time.

The ids come from an index first, so that what is skipped is never read.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from peewee import JOIN, SQL

from landform.storage import counting, dialect, matching
from landform.storage.database import Store
from landform.storage.filters import RANGES, Selection, conditions, select, wanted_slugs
from landform.storage.models import Page, PageText
from landform.storage.numbers import storable
from landform.storage.prepared import Prepared, Slot, together
from landform.storage.rows import Check, Row, no_check

ORDERS: dict[str, Any] = {
    "author": Page.author,
    "date": Page.date,
    "id": Page.id,
    "modified": Page.modified,
    "parent": Page.id,
    "slug": Page.slug,
    "title": Page.title_key,
}
# What names few pages by itself: no order's index can serve better.
NAMED = {"include", "slug"}
# The pages of one author lie in these orders already.
AUTHORS_OWN = ("author", "date", "id", "parent")


class Found(NamedTuple):
    """A page of results, and how many there are on all pages together."""

    rows: list[Row]
    total: int


class Order(NamedTuple):
    """The column of an order, and which index finds the pages (see `_way`)."""

    by: str
    descending: bool
    ranked: bool
    way: str


def find(
    store: Store,
    query: Mapping[str, Any],
    columns: Sequence[str],
    check_row: Check = no_check,
) -> Found:
    """Return the pages that pass every filter of a list's query, with the columns asked for.

    `query` holds what the list's schema loads, all optional but `page`, `per_page`, `order` and
    `orderby`; with `unprotected_only`, pages behind a password are left out. Rows beyond the
    last are none; the total stays true. `check_row` is called with each row as it is read.
    """
    selection, values = select(store, query)
    total = counting.total(store, selection, values)
    offset = query.get("offset")
    skipped = (query["page"] - 1) * query["per_page"] if offset is None else offset
    if skipped >= total:
        return Found([], total)
    values |= {"most": query["per_page"], "skipped": skipped, "last": skipped + query["per_page"]}
    if query["orderby"] == "include" or (query["orderby"] == "include_slugs" and query.get("slug")):
        rows = _as_given(store, query, selection, values, tuple(columns), check_row=check_row)
    else:
        by = query["orderby"] if query["orderby"] in ORDERS else "date"
        speaks = store.database.dialect
        way = _way(store, selection, values, total, by) if speaks.hinted else "direct"
        order = Order(by, query["order"] == "desc", query["orderby"] == "relevance", way)
        found = _ordered(selection, order, tuple(columns), speaks.merges)
        rows = found.rows(store, values, check_row)
    return Found(rows, total)


def _way(store: Store, selection: Selection, values: Mapping[str, Any], total: int, by: str) -> str:
    """Return how the pages are found, where the engine cannot know how many a filter leaves.

    `walk`: along the order's index, testing each page, which finds many soon; `sort`: by the
    filters' index, which has few to sort; `direct` where one index does both.
    """
    filters = set(selection.filters)
    if not (filters or selection.pattern):
        return "direct"
    if not selection.pattern and (
        filters <= set(RANGES.get(by, ())) or (filters == {"one_author"} and by in AUTHORS_OWN)
    ):
        return "direct"
    wanted = values["skipped"] + values["most"]
    walks = wanted * counting.of_status(store, values) < total * total
    return "walk" if walks and not NAMED & filters else "sort"


@lru_cache(512)
def _ordered(
    selection: Selection, order: Order, columns: tuple[str, ...], merges: bool
) -> Prepared:
    """Return the query of the rows. Each status goes along its own index; ties go by id."""
    key = ORDERS[order.by]
    ranks = [SQL("rank").asc()] if order.ranked and selection.pattern else []
    ties = [key, Page.id] if order.by not in ("id", "parent") else [Page.id]
    if order.way == "sort":
        ties = [dialect.unindexed(tie) for tie in ties]
    keys = [_turned(tie, order) for tie in ties]
    arms = []
    for place in range(selection.statuses):
        # By a name of its own: beside the texts there are two ids, and the order means this one.
        arm = Page.select(Page.id.alias("id"), key.alias("place"))
        if order.ranked and selection.pattern:
            arm = arm.select_extend(matching.rank(selection.pattern).alias("rank"))
            arm = arm.join(PageText, on=(PageText.id == Page.id))
        arm = arm.where(*conditions(selection, place, key if order.way == "walk" else None))
        if selection.statuses > 1 and not merges:
            arm = arm.order_by(*ranks, *keys).limit(Slot("last"))
        arms.append(arm)
    if len(arms) > 1:
        keys = [_turned(tie, order) for tie in (SQL("place"), SQL("id"))]
    found = together(arms).order_by(*ranks, *keys)
    found = found.limit(Slot("most")).offset(Slot("skipped")).alias("found")
    again = [_turned(tie, order) for tie in (found.c.place, found.c.id)]
    if ranks:
        again.insert(0, found.c.rank.asc())
    rows = Page.select(*[getattr(Page, name) for name in columns]).from_(found)
    return Prepared(rows.join(Page, JOIN.CROSS).where(Page.id == found.c.id).order_by(*again))


def _turned(tie: Any, order: Order) -> Any:
    return dialect.sorted_by(tie, "DESC" if order.descending else "ASC")


def _as_given(
    store: Store,
    query: Mapping[str, Any],
    selection: Selection,
    values: Mapping[str, Any],
    columns: tuple[str, ...],
    *,
    check_row: Check,
) -> list[Row]:
    """Return the rows in the order in which a query names their ids or slugs."""
    by_id = query["orderby"] == "include"
    named = storable(query["include"]) if by_id else wanted_slugs(query)
    places = {name: place for place, name in reversed(list(enumerate(named)))}
    key = "id" if by_id else "slug"
    found = _passing(selection, key).rows(store, values)
    found.sort(key=lambda row: places[row[key]])
    ids = [row["id"] for row in found[values["skipped"] :][: values["most"]]]
    named_rows = _named(columns).rows(store, {"ids": str(ids)}, check_row)
    rows = {row["id"]: row for row in named_rows}
    # One may have been deleted between the two looks.
    return [rows[found_id] for found_id in ids if found_id in rows]


@lru_cache(512)
def _passing(selection: Selection, key: str) -> Prepared:
    # Nothing more than the key, lest another index than the key's looks better.
    wanted = [Page.id] if key == "id" else [Page.id, Page.slug]
    arms = [
        Page.select(*wanted).where(*conditions(selection, place))
        for place in range(selection.statuses)
    ]
    return Prepared(together(arms))


@lru_cache(64)
def _named(columns: tuple[str, ...]) -> Prepared:
    wanted = [getattr(Page, name) for name in dict.fromkeys(("id", *columns))]
    return Prepared(Page.select(*wanted).where(dialect.listed(Page.id, Slot("ids"))))
