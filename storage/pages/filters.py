"""Filters of the list of pages: what its query selects, as conditions with parameters."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from itertools import chain
from operator import eq, gt, le, lt
from typing import Any, NamedTuple

from peewee import JOIN, SQL, ColumnBase, fn

from landform.storage.engines import expressions
from landform.storage.models import Page, PageLanguage
from landform.storage.pages import language_sql, scheduling, search_sql, slugs, windows
from landform.storage.pages.meta_keys import form_key, language_key
from landform.storage.pages.search_sql import SearchShape
from landform.storage.rows import Row, Values, json_text
from landform.storage.search_text import parse
from landform.storage.sql.numbers import storable
from landform.storage.sql.prepared import Parameter
from landform.storage.store import Store

# The position of the pages that are due, beside those of the statuses asked for.
DUE = -1
STATUSES = ("publish", "future", "draft", "pending", "private")
IDS = ("include", "exclude", "author", "author_exclude")
# Names of the filters that bound a date from below and above.
RANGES = {"date": ("after", "before"), "modified": ("modified_after", "modified_before")}


def _not_in_list(column: ColumnBase, values: Parameter) -> ColumnBase:
    negated: ColumnBase = ~expressions.in_list(column, values)
    return negated


def _opens(column: ColumnBase) -> ColumnBase:
    return fn.COALESCE(column, SQL("''"))


def _closes(column: ColumnBase) -> ColumnBase:
    return fn.COALESCE(column, SQL("'~'"))


# These filters name few pages by themselves: no order's index can find them faster.
NAMED = {"include", "slug"}
# The column that a filter compares, and how.
FILTERS: dict[str, tuple[ColumnBase, expressions.Comparison]] = {
    "include": (Page.id, expressions.in_list),
    "exclude": (Page.id, _not_in_list),
    "author": (Page.author, expressions.in_list),
    "one_author": (Page.author, eq),
    "author_exclude": (Page.author, _not_in_list),
    "after": (Page.date, gt),
    "before": (Page.date, lt),
    "modified_after": (Page.modified, gt),
    "modified_before": (Page.modified, lt),
    "slug": (Page.slug, expressions.in_list),
    "form": (Page.form, expressions.in_list),
    "one_form": (Page.form, eq),
    # Those of `open_at`, together.
    "opens_local": (_opens(Page.opens_local), le),
    "opens_utc": (_opens(Page.opens_utc), le),
    "closes_local": (_closes(Page.closes_local), gt),
    "closes_utc": (_closes(Page.closes_utc), gt),
}
# The filters that meta is found by: the parameter and its key, and the names for several and one.
KEYS = {
    "form_id": (form_key, "form", "one_form"),
    "language": (language_key, "language", "one_language"),
}
# This condition beside another is what the index of forms asks for.
HAS_FORM = Page.form != SQL("''")


class QueryShape(NamedTuple):
    """What the SQL of a list's conditions depends on, apart from the values of its parameters.

    `due`: whether the pages that are due come to those of the statuses stored (1), leave them
    (-1), or make no difference (0). `by_language`: they are found by the index of
    languages; with `reads_pages` for an order that needs more of a page.
    """

    statuses: int
    filters: tuple[str, ...]
    pattern: SearchShape | None
    unprotected: bool
    due: int = 0
    by_language: bool = False
    reads_pages: bool = False

    def is_led(self, place: int | None) -> bool:
        """Return whether the pages at a place are found by the index of languages."""
        return self.by_language and place != DUE

    @property
    def places(self) -> list[int]:
        """What the pages are collected from: the statuses by their places, and what is due."""
        return [*range(self.statuses), *([DUE] if self.due > 0 else [])]


def parse_query(store: Store, query: Values, due: str = "") -> tuple[QueryShape, Row]:
    """Return what a list's query selects, and the values of the parameters, lists as JSON.

    `due`: the date up to which future pages count as published.
    """
    statuses = _statuses(query)
    values: Row = {"statuses": json_text(statuses), "due": due}
    values.update({f"status{place}": status for place, status in enumerate(statuses)})
    filters = {name: json_text(storable(query[name])) for name in IDS if query.get(name)}
    if len(query.get("author") or ()) == 1 and storable(query["author"]):
        del filters["author"]
        filters["one_author"] = query["author"][0]
    filters |= {
        name: store.clock.moment(query[name]).local
        for name in chain(*RANGES.values())
        if query.get(name)
    }
    if query.get("slug"):
        filters["slug"] = json_text(wanted_slugs(query))
    for name, (key, several, one) in KEYS.items():
        if query.get(name):
            keys = list(dict.fromkeys(map(key, query[name])))
            filters |= {one: keys[0]} if len(keys) == 1 else {several: json_text(keys)}
    if query.get("open_at"):
        filters |= _window_values(store, query["open_at"])
    pattern = None
    if query.get("search", "").strip():
        columns = query.get("search_columns") or search_sql.COLUMNS
        pattern, words = search_sql.search_shape(
            parse(query["search"]), columns, store.database.dialect
        )
        values |= words
    unprotected = bool(pattern and query.get("unprotected_only"))
    moved = ("publish" in statuses) - ("future" in statuses) if due else 0
    return QueryShape(len(statuses), tuple(filters), pattern, unprotected, moved), values | filters


def select(selection: QueryShape, place: int | None, *columns: Any) -> Any:
    """Return the query of columns of the pages at a place, before its `conditions`."""
    if not selection.is_led(place):
        return Page.select(*columns)
    query = PageLanguage.select(*columns)
    return query.join(Page, JOIN.CROSS) if _needs_page(selection) else query


def _needs_page(selection: QueryShape) -> bool:
    is_covered = language_sql.COVERED.issuperset(selection.filters)
    return selection.reads_pages or selection.due < 0 or not is_covered


def conditions(
    selection: QueryShape, place: int | None, along: ColumnBase | None = None
) -> list[ColumnBase]:
    """Return the conditions on the pages of the status at a position; None for all statuses.

    With `along`, a column to go along in order, an index is used for that one alone; those that
    are due are found by their own.
    """
    usable = partial(_usable, selection, place, along)
    # Pages that are named are few: their ids find them, whatever their status.
    status: ColumnBase = Page.status
    if "include" in selection.filters:
        status = expressions.without_index(status)
    elif selection.is_led(place):
        status = language_sql.own_column(status)
    found: list[ColumnBase]
    if place == DUE:
        found = [scheduling.DUE]
    elif place is None and selection.statuses > 1:
        found = [expressions.in_list(status, Parameter("statuses"))]
    else:
        found = [status == Parameter(f"status{place or 0}")]
    if selection.due < 0:
        found.append(scheduling.NOT_DUE)
    found += _filter_conditions(selection, place, usable)
    if selection.pattern:
        found += search_sql.conditions(selection.pattern, usable(Page.id), along is not None)
    if selection.unprotected:
        # No password is written here: it says that there is none.
        found.append(Page.password == "")  # nosec B105
    return found


def _window_values(store: Store, open_at: object) -> Row:
    """Return what the filters of `open_at` compare with: a datetime, or any other text for now."""
    clock = store.clock
    moment = clock.moment(open_at) if isinstance(open_at, datetime) else clock.now()
    at = windows.instant(clock, moment.utc)
    return {name: at.utc if name.endswith("utc") else at.local for name in windows.COLUMNS}


def _usable(
    selection: QueryShape, place: int | None, along: ColumnBase | None, column: ColumnBase
) -> ColumnBase:
    """Return a column as a condition has it, so that the right index is used."""
    if selection.is_led(place):
        return language_sql.own_column(column)
    if place != DUE and (along is None or column is along):
        return column
    return expressions.without_index(column)


def _filter_conditions(
    selection: QueryShape, place: int | None, usable: Callable[[ColumnBase], ColumnBase]
) -> list[ColumnBase]:
    found = []
    for name in selection.filters:
        if name in language_sql.FILTERS:
            found.append(language_sql.condition(name, selection.is_led(place)))
            continue
        column, compare = FILTERS[name]
        found.append(compare(usable(column), Parameter(name)))
        if column is Page.form and usable(column) is column:
            found.append(HAS_FORM)
    if selection.is_led(place) and _needs_page(selection):
        found.append(Page.id == PageLanguage.page_id)
    return found


def wanted_slugs(query: Values) -> list[str]:
    """Return the slugs that a query names. A text that is no slug names no page."""
    wanted = [slugs.slugify(text) for text in query["slug"]]
    return [slug for slug in dict.fromkeys(wanted) if slug]


def _statuses(query: Values) -> list[str]:
    wanted = query.get("status") or ["publish"]
    every = [*STATUSES, *wanted] if "any" in wanted else wanted
    return [status for status in dict.fromkeys(every) if status != "any"]
