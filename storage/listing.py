"""Lists of pages: those that pass the filters, in the order asked for, a page of results at a time.

The ids come from an index first, so that what is skipped is never read.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache, reduce
from typing import Any, NamedTuple

from peewee import JOIN, SQL

from landform.storage import counting, matching, sqlite
from landform.storage.database import Store
from landform.storage.filters import Selection, conditions, select, wanted_slugs
from landform.storage.models import Page, PageText
from landform.storage.numbers import storable
from landform.storage.prepared import Prepared, Slot
from landform.storage.rows import Row

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


class Found(NamedTuple):
    """A page of results, and how many there are on all pages together."""

    rows: list[Row]
    total: int


class Order(NamedTuple):
    """The column of an order; `walk`: to go along its index and test each page on the way."""

    by: str
    descending: bool
    ranked: bool
    walk: bool


def find(store: Store, query: Mapping[str, Any], columns: Sequence[str]) -> Found:
    """Return the pages that pass every filter of a list's query, with the columns asked for.

    `query` holds what the list's schema loads, all optional but `page`, `per_page`, `order` and
    `orderby`; with `unprotected_only`, pages behind a password are left out. Rows beyond the
    last are none; the total stays true.
    """
    selection, values = select(query, store.clock)
    total = counting.total(store, selection, values)
    offset = query.get("offset")
    skipped = (query["page"] - 1) * query["per_page"] if offset is None else offset
    if skipped >= total:
        return Found([], total)
    values |= {"most": query["per_page"], "skipped": skipped}
    if query["orderby"] == "include" or (query["orderby"] == "include_slugs" and query.get("slug")):
        rows = _as_given(store, query, selection, values, tuple(columns))
    else:
        walk = _walks(store, selection, values, total)
        by = query["orderby"] if query["orderby"] in ORDERS else "date"
        order = Order(by, query["order"] == "desc", query["orderby"] == "relevance", walk)
        rows = _ordered(selection, order, tuple(columns)).rows(store, values)
    return Found(rows, total)


def _walks(store: Store, selection: Selection, values: Mapping[str, Any], total: int) -> bool:
    """Say whether going along the order finds enough pages before the filters' index would."""
    if not (selection.filters or selection.pattern) or NAMED & set(selection.filters):
        return False
    wanted = values["skipped"] + values["most"]
    return bool(wanted * counting.of_status(store, values) < total * total)


@lru_cache(512)
def _ordered(selection: Selection, order: Order, columns: tuple[str, ...]) -> Prepared:
    """Return the query of the rows. Each status goes along its own index; ties go by id."""
    key = ORDERS[order.by]
    arms = []
    for place in range(selection.statuses):
        arm = Page.select(Page.id, key.alias("place"))
        if order.ranked and selection.pattern:
            arm = arm.select_extend(matching.rank(selection.pattern).alias("rank"))
            arm = arm.join(PageText, on=(PageText.id == Page.id))
        arms.append(arm.where(*conditions(selection, place, key if order.walk else None)))
    if len(arms) == 1:
        ties = [key, Page.id] if order.by not in ("id", "parent") else [Page.id]
    else:
        ties = [SQL("place"), SQL("id")]
    keys = [tie.desc() if order.descending else tie.asc() for tie in ties]
    ranks = [SQL("rank").asc()] if order.ranked and selection.pattern else []
    found = reduce(lambda one, other: one.union_all(other), arms).order_by(*ranks, *keys)
    found = found.limit(Slot("most")).offset(Slot("skipped")).alias("found")
    outer = [found.c.place, found.c.id]
    again = [tie.desc() if order.descending else tie.asc() for tie in outer]
    if ranks:
        again.insert(0, found.c.rank.asc())
    rows = Page.select(*[getattr(Page, name) for name in columns]).from_(found)
    return Prepared(rows.join(Page, JOIN.CROSS).where(Page.id == found.c.id).order_by(*again))


def _as_given(
    store: Store,
    query: Mapping[str, Any],
    selection: Selection,
    values: Mapping[str, Any],
    columns: tuple[str, ...],
) -> list[Row]:
    """Return the rows in the order in which a query names their ids or slugs."""
    by_id = query["orderby"] == "include"
    named = storable(query["include"]) if by_id else wanted_slugs(query)
    places = {name: place for place, name in reversed(list(enumerate(named)))}
    key = "id" if by_id else "slug"
    found = _passing(selection).rows(store, values)
    found.sort(key=lambda row: places[row[key]])
    ids = [row["id"] for row in found[values["skipped"] :][: values["most"]]]
    rows = {row["id"]: row for row in _named(columns).rows(store, {"ids": str(ids)})}
    return [rows[found_id] for found_id in ids]


@lru_cache(512)
def _passing(selection: Selection) -> Prepared:
    arms = [
        Page.select(Page.id, Page.slug).where(*conditions(selection, place))
        for place in range(selection.statuses)
    ]
    return Prepared(reduce(lambda one, other: one.union_all(other), arms))


@lru_cache(64)
def _named(columns: tuple[str, ...]) -> Prepared:
    wanted = [getattr(Page, name) for name in dict.fromkeys(("id", *columns))]
    return Prepared(Page.select(*wanted).where(sqlite.listed(Page.id, Slot("ids"))))
