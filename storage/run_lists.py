"""Lists of runs: by form, feed, entry, state and time, and those that are due."""

from collections.abc import Mapping
from functools import lru_cache
from operator import eq, ge, gt, lt
from typing import TYPE_CHECKING, Any

from peewee import SQL, ColumnBase, ModelSelect, fn

from landform.storage.clock import Clock
from landform.storage.engines import expressions
from landform.storage.models import Feed, FeedRun
from landform.storage.rows import Row, json_text
from landform.storage.sql.numbers import storable
from landform.storage.sql.prepared import Parameter, Prepared
from landform.storage.store import Store

if TYPE_CHECKING:
    Select = ModelSelect[FeedRun]

# The column that a filter compares, and how.
FILTERS: dict[str, tuple[ColumnBase, expressions.Comparison]] = {
    "form_id": (FeedRun.form_id, expressions.in_list),
    "feed_id": (FeedRun.feed_id, expressions.in_list),
    "state": (FeedRun.state, expressions.in_list),
    "one_form_id": (FeedRun.form_id, eq),
    "one_feed_id": (FeedRun.feed_id, eq),
    "one_state": (FeedRun.state, eq),
    "entry_id": (FeedRun.entry_id, eq),
    "addon": (Feed.addon_slug, expressions.same),
    "after": (FeedRun.created_utc, gt),
    "before": (FeedRun.created_utc, lt),
    "modified_after": (FeedRun.modified_utc, gt),
    "modified_before": (FeedRun.modified_utc, lt),
}
TIMES = ("after", "before", "modified_after", "modified_before")


def list_runs(store: Store, query: Mapping[str, Any]) -> tuple[list[Row], int]:
    """Return the runs of a page of results, newest first or with `order` asc, and their total.

    Filters: `form_id`, `feed_id`, `state` (lists), `entry_id`, and the times, which are datetimes.
    """
    return _read(store, query, str(query["order"]))


def list_due(store: Store, query: Mapping[str, Any]) -> tuple[list[Row], int]:
    """Return the runs that may be claimed now, those first that are due for the longest.

    Those of feeds that are inactive or gone are none of them. Filters: `form_id`, `feed_id` and
    `addon`.
    """
    return _read(store, query, "due")


def _read(store: Store, query: Mapping[str, Any], order: str) -> tuple[list[Row], int]:
    filters = _values(store.clock, query)
    rows, count = _selects(tuple(filters), order)
    skipped = (query["page"] - 1) * query["per_page"]
    part = {**filters, "most": query["per_page"], "skipped": skipped}

    def read() -> tuple[list[Row], int]:
        total = int(count.row(store, filters)[0])
        return (rows.rows(store, part) if skipped < total else []), total

    return store.bounded(read)


@lru_cache(256)
def _selects(filters: tuple[str, ...], order: str) -> tuple[Prepared, Prepared]:
    """Return the queries of the rows and of their number."""
    rows = _filtered(FeedRun.select(), filters, order)
    terms = {
        "asc": (FeedRun.id.asc(),),
        "desc": (FeedRun.id.desc(),),
        "due": (FeedRun.due_utc.asc(), FeedRun.id.asc()),
    }
    rows = rows.order_by(*terms[order]).limit(Parameter("most")).offset(Parameter("skipped"))
    return Prepared(rows), Prepared(_filtered(FeedRun.select(fn.COUNT(SQL("*"))), filters, order))


def _filtered(query: "Select", filters: tuple[str, ...], order: str) -> "Select":
    if order == "due":
        query = query.join(Feed, on=Feed.id == FeedRun.feed_id).where(
            Feed.is_active == True,  # noqa: E712 - a column
            ge(expressions.utc_now(), FeedRun.due_utc),
        )
    for name in filters:
        column, compare = FILTERS[name]
        query = query.where(compare(column, Parameter(name)))
    return query


def _values(clock: Clock, query: Mapping[str, Any]) -> Row:
    """Return the values of the filters that filter something; lists as JSON."""
    values: Row = {}
    for name in ("form_id", "feed_id", "state"):
        wanted = query.get(name)
        if wanted:
            wanted = wanted if name == "state" else storable(wanted)
            one = len(wanted) == 1
            values[f"one_{name}" if one else name] = wanted[0] if one else json_text(wanted)
    for name in ("entry_id", "addon"):
        if query.get(name):
            values[name] = query[name]
    for name in TIMES:
        if query.get(name):
            values[name] = clock.moment(query[name]).utc
    return values
