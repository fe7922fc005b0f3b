"""How many pages a list has: from the counts that triggers maintain, wherever they suffice."""

import json
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any

from peewee import SQL, fn

from landform.storage.engines import expressions
from landform.storage.models import Page, PageCount, PageLanguage
from landform.storage.pages import language_sql, windows
from landform.storage.pages.filters import DUE, NAMED, RANGES, QueryShape, conditions, select
from landform.storage.rows import json_text
from landform.storage.sql.prepared import Parameter, Prepared, union_all
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
LANGUAGES = Prepared(
    PageCount.select(PageCount.value, PageCount.pages).where(STORED, PageCount.pages > SQL("0"))
)
# What is counted together: the pages whose languages are too long for an index.
TOO_LONG = "*"
# How many entries of another index are looked at in the time that a page is read.
READ_COST = 5
FIRST_DAY, LAST_DAY = "", "~"


def with_strategy(store: Store, selection: QueryShape, values: Values) -> QueryShape:
    """Return a selection that says whether the index of languages finds its pages best.

    Each page that it finds has to be read where a filter asks for more than the index has.
    """
    filters = set(selection.filters)
    languages = filters.intersection(language_sql.FILTERS)
    if not languages or selection.pattern or filters & NAMED:
        return selection
    others = filters - language_sql.COVERED
    if not store.database.dialect.hinted:
        # The engine counts rows itself, and finds a few of several languages by itself.
        return selection._replace(by_language=not others and "language" not in filters)
    leads = True
    if others:
        groups = {tuple(others.intersection(RANGES["modified"])) or (name,) for name in others}
        counts = (_stored_count(store, selection._replace(filters=one), values) for one in groups)
        pages = _stored_count(store, selection._replace(filters=tuple(languages)), values)
        leads = pages is not None and all(pages * READ_COST < (one or 0) for one in counts)
    return selection._replace(by_language=leads)


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
    if len(filters) == 1 and filters <= BY_VALUE.keys():
        (name,) = filters
        return BY_VALUE[name](store, values, name)
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
    authors = [str(author) for author in dict.fromkeys(_given(values, name))]
    return _of_values(store, values, "author", authors)


def _of_forms(store: Store, values: Values, name: str) -> int:
    return _of_values(store, values, "form", _given(values, name))


def _given(values: Values, name: str) -> list[Any]:
    """Return the values of a filter, of which there may be one or several."""
    return [values[name]] if name.startswith("one_") else list(json.loads(values[name]))


def _of_languages(store: Store, values: Values, name: str) -> int | None:
    """Return how many pages have one of the languages: a page with two of them is one page."""
    given = {"statuses": values["statuses"], "counted": "languages"}
    wanted, found = set(_given(values, name)), 0
    for languages, pages in LANGUAGES.run(store, given):
        if languages == TOO_LONG:
            return None
        if not wanted.isdisjoint(json.loads(languages)):
            found += pages
    return found


def _of_values(store: Store, values: Values, counted: str, of: list[str]) -> int:
    given = {"statuses": values["statuses"], "counted": counted, "of": json_text(of)}
    return int(OF_VALUES.row(store, given)[0])


# What is counted by value, of which a filter names one or several.
BY_VALUE: dict[str, Callable[[Store, Values, str], int | None]] = {
    "author": _of_authors,
    "one_author": _of_authors,
    "form": _of_forms,
    "one_form": _of_forms,
    "language": _of_languages,
    "one_language": _of_languages,
}


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
    if selection.pattern:
        # The full-text index is queried once, however many statuses there are.
        every = Page.select(fn.COUNT(SQL("*"))).where(*conditions(selection, None))
        return Prepared(every)
    counts = []
    for place in range(selection.statuses):
        several = selection.is_led(place) and "language" in selection.filters
        what = fn.COUNT(PageLanguage.page_id.distinct() if several else SQL("*"))
        counts.append(select(selection, place, what).where(*conditions(selection, place)))
    return Prepared(union_all(counts))


@lru_cache(512)
def _due_count_query(selection: QueryShape) -> Prepared:
    return Prepared(Page.select(fn.COUNT(SQL("*"))).where(*conditions(selection, DUE)))
