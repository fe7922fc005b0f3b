"""The filters of the list of pages: the condition of each, and the values of its parameters.

SQL is made once for each shape of a list: its conditions, and the number of values of each.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial, reduce
from itertools import chain
from operator import and_, or_
from typing import Any, NamedTuple

from peewee import SQL, Case, ColumnBase, NodeList, fn

from landform.storage.clock import Clock
from landform.storage.engines import expressions
from landform.storage.engines.dialect import Dialect
from landform.storage.models import Page, PageText
from landform.storage.pages import scheduling
from landform.storage.pages.slugs import spellings
from landform.storage.rows import Values, storable
from landform.storage.search import Search, form_key, language_key, parse
from landform.storage.sql import Filters
from landform.storage.store import Store

TEXTS = ("title", "content")
COLUMNS = (("title",), ("content",), TEXTS)
# With more words than this, only the whole sentence and the content rank pages.
MOST_RANKED_WORDS = 6
QUOTE = SQL("'\"'")
# The conditions on the stored status of a page, and on that which readers see where pages are due.
STATUS, STATUS_OR_DUE, STATUS_NOT_DUE = "status", "status_or_due", "status_not_due"
ANY_STATUS = ("publish", "future", "draft", "pending", "private")


class Filter(NamedTuple):
    """A condition on pages, and the function that returns its values.

    `condition` has an argument for each item of what `values` returns for the value of the query
    parameter, such as the ids of `include`.
    """

    condition: Callable[..., ColumnBase]
    values: Callable[[Clock, Any], Sequence[object]]


def _numbers(_: Clock, numbers: Sequence[int]) -> list[int]:
    return storable(numbers)


def _local(clock: Clock, date: datetime) -> list[str]:
    return [clock.moment(date).local]


def _moment(clock: Clock, at: object) -> Sequence[str]:
    # Any other value than a date stands for now.
    return clock.moment(at) if isinstance(at, datetime) else clock.now()


def _slugs(_: Clock, texts: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(chain.from_iterable(map(spellings, texts))))


def _keys(key_of: Callable[[object], str]) -> Callable[[Clock, Sequence[object]], list[str]]:
    """Return a function for the keys of values; no page has a value without a key."""
    return lambda _, values: [key for key in dict.fromkeys(map(key_of, values)) if key]


def _has_language(*languages: Any) -> ColumnBase:
    if len(languages) == 1:
        # Faster than a list with one item.
        quoted = NodeList((QUOTE, *languages, QUOTE), " || ", parens=True)
        return expressions.contains(Page.languages, quoted)
    return expressions.shares(Page.languages, NodeList(languages, ", "))


def item_filters(model: Any) -> Mapping[str, Filter]:
    """Return the filters that all items have, such as pages, for their table."""
    return {
        "include": Filter(lambda *ids: model.id.in_(ids), _numbers),
        "exclude": Filter(lambda *ids: model.id.not_in(ids), _numbers),
        "author": Filter(lambda *authors: model.author.in_(authors), _numbers),
        "author_exclude": Filter(lambda *authors: model.author.not_in(authors), _numbers),
        "after": Filter(lambda date: model.date > date, _local),
        "before": Filter(lambda date: model.date < date, _local),
        "modified_after": Filter(lambda date: model.modified > date, _local),
        "modified_before": Filter(lambda date: model.modified < date, _local),
        # The second condition is what the index of slugs of pages asks for.
        "slug": Filter(lambda *slugs: model.slug.in_(slugs) & (model.slug != SQL("''")), _slugs),
    }


FILTERS: Mapping[str, Filter] = {
    **item_filters(Page),
    "form_id": Filter(lambda *forms: Page.form.in_(forms), _keys(form_key)),
    "language": Filter(_has_language, _keys(language_key)),
    "open_at": Filter(scheduling.is_open, _moment),
    "window_changes_before": Filter(
        scheduling.changes_between, lambda clock, date: [*clock.now(), *clock.moment(date)]
    ),
}


def _is_due(due: Any) -> ColumnBase:
    return Page.id.in_(Page.select(Page.id).where(scheduling.FUTURE, Page.date_utc <= due))


def _scan(columns: Sequence[str], is_in: bool, *words: Any) -> ColumnBase:
    """Return the condition that the texts of a page contain all words, or none of them."""
    texts = [getattr(PageText, name) for name in columns]
    matches = [reduce(or_, [expressions.contains(text, word) for text in texts]) for word in words]
    rows = PageText.select(SQL("1")).where(PageText.id == Page.id)
    rows = rows.where(reduce(and_ if is_in else or_, matches))
    return fn.EXISTS(rows) if is_in else ~fn.EXISTS(rows)


# Each condition by its name, made of the parameters for its values.
CONDITIONS: Mapping[str, Callable[..., ColumnBase]] = {
    STATUS: lambda *statuses: Page.status.in_(statuses),
    STATUS_OR_DUE: lambda due, *statuses: Page.status.in_(statuses) | _is_due(due),
    STATUS_NOT_DUE: lambda due, *statuses: Page.status.in_(statuses) & ~_is_due(due),
    **{name: filter_.condition for name, filter_ in FILTERS.items()},
    "in index": lambda words: Page.id.in_(expressions.indexed(words)),
    "not in index": lambda words: Page.id.not_in(expressions.indexed(words)),
    **{f"in {' '.join(names)}": partial(_scan, names, True) for names in COLUMNS},
    **{f"not in {' '.join(names)}": partial(_scan, names, False) for names in COLUMNS},
    "nowhere": lambda: Page.id == SQL("0"),
    "unprotected": lambda: Page.password == SQL("''"),
}


def condition_values(store: Store, query: Values, publish_up_to: str) -> Filters:
    """Return the values of all conditions of a query, by the names in `CONDITIONS`.

    That on the status is always one of them. Future pages up to the date `publish_up_to` (UTC text)
    count as published. Empty values are no filters.
    """
    names = query.get("status") or ["publish"]
    names = [*ANY_STATUS, *names] if "any" in names else names
    statuses = [status for status in dict.fromkeys(names) if status != "any"]
    values: dict[str, Sequence[object]] = {STATUS: statuses}
    if publish_up_to and ("publish" in statuses) != ("future" in statuses):
        condition = STATUS_OR_DUE if "publish" in statuses else STATUS_NOT_DUE
        values = {condition: [publish_up_to, *statuses]}
    for name, filter_ in FILTERS.items():
        if query.get(name) not in (None, "", []):
            values[name] = filter_.values(store.clock, query[name])
    if query.get("search") and (search := searched(query)):
        columns = query.get("search_columns") or TEXTS
        values |= _search_values(search, columns, store.database.dialect)
        values |= {"unprotected": ()} if query.get("unprotected_only") else {}
    return values


def searched(query: Values) -> Search | None:
    """Return the search of a query, or None."""
    return parse(query["search"]) if query.get("search", "").strip() else None


def _search_values(search: Search, names: Sequence[str], dialect: Dialect) -> Filters:
    """Return the values of a search; one without a column or a word has no results."""
    columns = [name for name in TEXTS if name in names]
    filters: dict[str, Sequence[object]] = {}
    for is_in, joint, words in (("in", "AND", search.words), ("not in", "OR", search.without)):
        # Words that are too short for the index are searched in the texts.
        long = [word for word in words if len(word) >= dialect.shortest_indexed]
        if long:
            filters[f"{is_in} index"] = [dialect.indexed_words(long, columns, joint)]
        if short := [word for word in words if word not in long]:
            filters[f"{is_in} {' '.join(columns)}"] = short
    return filters if columns and filters else {"nowhere": ()}


def rank_values(query: Values) -> list[str | None]:
    """Return the sentence and the words that rank pages; empty for a query without a search."""
    search = searched(query)
    if search is None:
        return []
    words = search.words if len(search.words) <= MOST_RANKED_WORDS else ()
    if search.without:
        # The sentence of a search with excluded words has these too.
        return [None, *words] if words else []
    return [search.sentence, *words]


def rank(sentence: Any, *words: Any) -> Case:
    """Return the rank of a page, 1 the best, by the sentence and words in its texts."""
    in_title = [expressions.contains(PageText.title, word) for word in words]
    ranks: list[Any] = [(expressions.contains(PageText.title, sentence), 1)]
    ranks += [(reduce(and_, in_title), 2), (reduce(or_, in_title), 3)] if words else []
    ranks += [(expressions.contains(PageText.content, sentence), 5)]
    return Case(None, ranks, 6)
