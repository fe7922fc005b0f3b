"""How many pages a list has: from the counts that triggers maintain, wherever they suffice."""

import json
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

from peewee import SQL, fn

from landform.storage.engines import expressions
from landform.storage.models import Page, PageCount
from landform.storage.pages import windows
from landform.storage.pages.filters import DUE, RANGES, QueryShape, conditions
from landform.storage.sql.prepared import Parameter, Prepared, union_all
from landform.storage.sql.rows import json_text
from landform.storage.store import Store

Values = Mapping[str, Any]

PAGES = fn.COALESCE(fn.SUM(PageCount.pages), 0)
STORED = (PageCount.counted == Parameter("counted")) & expressions.in_list(
    PageCount.status, Parameter("statuses")
)
OF_VALUES = Prepared(
    PageCount.select(PAGES).where(STORED, expressions.in_list(PageCount.value, Parameter("of")))
)
OF_DAYS = Prepared(
    PageCount.select(PAGES).where(
        STORED, PageCount.value > Parameter("above"), PageCount.value < Parameter("below")
    )
)
CLOSED = Prepared(
    Page.select(fn.COUNT(SQL("*"))).where(
        expressions.in_list(expressions.without_index(Page.status), Parameter("statuses")),
        windows.CLOSED,
    )
)
FIRST_DAY, LAST_DAY = "", "~"


def total(store: Store, selection: QueryShape, values: Values) -> int:
    """Return how many pages a selection has."""
    stored = selection._replace(due=0)
    count = None if selection.pattern else _stored_count(store, stored, values)
    found = _count_rows(store, stored, values) if count is None else count
    if selection.due:
        found += selection.due * int(_due_count_query(stored).row(store, values)[0])
    return found


def _stored_count(store: Store, selection: QueryShape, values: Values) -> int | None:
    """Return how many pages pass the filters by the stored counts; None if they do not tell."""
    filters = set(selection.filters)
    if not filters:
        return of_status(store, values)
    if filters in ({"one_author"}, {"author"}):
        return _of_authors(store, values, *filters)
    if filters == {"author_exclude"}:
        return of_status(store, values) - _of_authors(store, values, *filters)
    if filters in ({"exclude"}, set(windows.COLUMNS)):
        return of_status(store, values) - _count_left_out(store, selection, values)
    for column, (after, before) in RANGES.items():
        if filters <= {after, before}:
            return _of_range(store, values, column, values.get(after), values.get(before))
    return None


def _count_left_out(store: Store, selection: QueryShape, values: Values) -> int:
    """Return how many pages do not pass the one filter, which leaves out few."""
    if "exclude" not in selection.filters:
        return int(CLOSED.row(store, values)[0])
    named = selection._replace(filters=("include",))
    return _count_rows(store, named, {**values, "include": values["exclude"]})


def of_status(store: Store, values: Values) -> int:
    """Return how many pages have one of the statuses."""
    return _of_values(store, values, "status", [""])


def _of_authors(store: Store, values: Values, name: str) -> int:
    authors = [values[name]] if name == "one_author" else json.loads(values[name])
    return _of_values(store, values, "author", [str(author) for author in dict.fromkeys(authors)])


def _of_values(store: Store, values: Values, counted: str, of: list[str]) -> int:
    given = {"statuses": values["statuses"], "counted": counted, "of": json_text(of)}
    return int(OF_VALUES.row(store, given)[0])


def _of_range(
    store: Store, values: Values, column: str, after: str | None, before: str | None
) -> int:
    """Return how many pages have a date between: the days' counts, and what the ends cut off."""
    given = {"statuses": values["statuses"], "counted": column}
    first = after[:10] if after else FIRST_DAY
    last = before[:10] if before else LAST_DAY
    if after and before and first >= last:
        return _count_between(store, given, column, after, before)
    found = int(OF_DAYS.row(store, {**given, "above": first, "below": last})[0])
    if after:
        found += _count_between(store, given, column, after, first + LAST_DAY)
    if before:
        found += _count_between(store, given, column, last, before)
    return found


def _count_between(store: Store, given: Values, column: str, above: str, below: str) -> int:
    return int(_between(column).row(store, {**given, "above": above, "below": below})[0])


@cache
def _between(name: str) -> Prepared:
    column = getattr(Page, name)
    inside = (column > Parameter("above")) & (column < Parameter("below"))
    status = expressions.in_list(Page.status, Parameter("statuses"))
    return Prepared(Page.select(fn.COUNT(SQL("*"))).where(status, inside))


def _count_rows(store: Store, selection: QueryShape, values: Values) -> int:
    return sum(count for (count,) in _count_query(selection).run(store, values).fetchall())


@lru_cache(512)
def _count_query(selection: QueryShape) -> Prepared:
    count = Page.select(fn.COUNT(SQL("*")))
    if selection.pattern:
        # The full-text index is queried once, however many statuses there are.
        return Prepared(count.where(*conditions(selection, None)))
    counts = [count.where(*conditions(selection, place)) for place in range(selection.statuses)]
    return Prepared(union_all(counts))


@lru_cache(512)
def _due_count_query(selection: QueryShape) -> Prepared:
    return Prepared(Page.select(fn.COUNT(SQL("*"))).where(*conditions(selection, DUE)))
