"""The filters of the list of pages: the condition that each one adds to the query."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from peewee import SQL, ColumnBase

from landform.storage.engines import expressions
from landform.storage.models import Page
from landform.storage.pages import scheduling, search_sql, slugs, windows
from landform.storage.pages.meta_keys import form_key, language_key
from landform.storage.pages.naming import HAS_SLUG
from landform.storage.pages.search_sql import SearchShape
from landform.storage.rows import Row, Values, json_text
from landform.storage.search_text import parse
from landform.storage.sql.numbers import storable
from landform.storage.sql.prepared import Parameter
from landform.storage.store import Store

STATUSES = ("publish", "future", "draft", "pending", "private")


def _in(column: ColumnBase, name: str) -> ColumnBase:
    return expressions.in_list(column, Parameter(name))


# Each compares a column with the parameter of its own name.
CONDITIONS: Mapping[str, ColumnBase] = {
    "include": _in(Page.id, "include"),
    "exclude": ~_in(Page.id, "exclude"),
    "author": _in(Page.author, "author"),
    "author_exclude": ~_in(Page.author, "author_exclude"),
    "after": Page.date > Parameter("after"),
    "before": Page.date < Parameter("before"),
    "modified_after": Page.modified > Parameter("modified_after"),
    "modified_before": Page.modified < Parameter("modified_before"),
    "slug": _in(Page.slug, "slug") & HAS_SLUG,
    "form_id": _in(Page.form, "form_id"),
    "language": expressions.shares(Page.languages, Parameter("language")),
    # Its key in quotes: faster than a list of one.
    "one_language": expressions.contains(Page.languages, Parameter("one_language")),
    "open_local": windows.is_open("local"),
    "open_utc": windows.is_open("utc"),
    "unprotected": Page.password == SQL("''"),
}
# How the values in a query are compared, by the name of the parameter.
IDS = ("include", "exclude", "author", "author_exclude")
DATES = ("after", "before", "modified_after", "modified_before")
KEYS: Mapping[str, Callable[[Any], str]] = {
    "slug": slugs.slugify,
    "form_id": form_key,
    "language": language_key,
}


class Selection(NamedTuple):
    """What the SQL of a list's conditions depends on, apart from the values of its parameters.

    `due`: whether the pages that are due come to those of the statuses stored (1), leave them
    (-1), or make no difference (0).
    """

    filters: tuple[str, ...]
    search: SearchShape | None
    due: int

    @property
    def is_filtered(self) -> bool:
        """Whether there are more conditions than the status."""
        return bool(self.filters or self.search)


def parse_query(store: Store, query: Values, due: str = "") -> tuple[Selection, Row]:
    """Return what a list's query selects, and the values of the parameters, lists as JSON.

    `due`: the date up to which future pages count as published.
    """
    statuses = _statuses(query)
    values: Row = _filter_values(store, query)
    search, filters = None, list(values)
    if query.get("search", "").strip():
        columns = query.get("search_columns") or search_sql.COLUMNS
        dialect = store.database.dialect
        search, words = search_sql.search_shape(parse(query["search"]), columns, dialect)
        values |= words
        filters += ["unprotected"] if query.get("unprotected_only") else []
    moved = ("publish" in statuses) - ("future" in statuses) if due else 0
    values |= {"statuses": json_text(statuses), "due": due}
    return Selection(tuple(filters), search, moved), values


def conditions(selection: Selection) -> list[ColumnBase]:
    """Return the conditions on the pages of a list."""
    found = [_shown_status(selection.due), *(CONDITIONS[name] for name in selection.filters)]
    return found + (search_sql.conditions(selection.search) if selection.search else [])


def _shown_status(due: int) -> ColumnBase:
    stored = _in(Page.status, "statuses")
    if not due:
        return stored
    is_due: ColumnBase = Page.id.in_(scheduling.DUE)
    return stored | is_due if due > 0 else stored & ~is_due


def _filter_values(store: Store, query: Values) -> Row:
    clock = store.clock
    values: Row = {name: json_text(storable(query[name])) for name in IDS if query.get(name)}
    values |= {name: clock.moment(query[name]).local for name in DATES if query.get(name)}
    values |= {name: json_text(keys_of(name, query)) for name in KEYS if query.get(name)}
    if len(languages := keys_of("language", query)) == 1:
        del values["language"]
        values["one_language"] = f'"{languages[0]}"'
    if at := query.get("open_at"):
        # Any other text than a date stands for now.
        moment = clock.moment(at) if isinstance(at, datetime) else clock.now()
        at = windows.instant(clock, moment.utc)
        values |= {"open_local": at.local, "open_utc": at.utc}
    return values


def keys_of(name: str, query: Values) -> list[str]:
    """Return what pages are found by for the values of a filter; a text without a key finds none.

    Each comes once, in the order of the query.
    """
    return [key for key in dict.fromkeys(map(KEYS[name], query.get(name) or ())) if key]


def _statuses(query: Values) -> list[str]:
    wanted = query.get("status") or ["publish"]
    every = [*STATUSES, *wanted] if "any" in wanted else wanted
    return [status for status in dict.fromkeys(every) if status != "any"]
