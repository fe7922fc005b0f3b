"""The filters of the list of pages: the condition that each one adds to the query."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import reduce
from itertools import chain
from operator import and_, or_
from typing import Any

from peewee import SQL, Case, ColumnBase, fn

from landform.storage.clock import Clock
from landform.storage.engines import expressions
from landform.storage.engines.dialect import Dialect
from landform.storage.models import Page, PageText
from landform.storage.pages import scheduling
from landform.storage.pages.slugs import HAS_SLUG, spellings
from landform.storage.rows import Values, json_text, storable
from landform.storage.search import Search, form_key, language_key, parse
from landform.storage.store import Store

TEXTS = ("title", "content")
# With more words than this, only the whole sentence and the content rank pages.
MOST_RANKED_WORDS = 6


def keys(key: Callable[[Any], str], values: Sequence[Any]) -> list[str]:
    """Return what pages are found by for some values, each once; one without a key finds none."""
    return [found for found in dict.fromkeys(map(key, values)) if found]


def named_slugs(texts: Sequence[str]) -> list[str]:
    """Return the slugs that some texts may name, each once."""
    return list(dict.fromkeys(chain.from_iterable(map(spellings, texts))))


def _speaks(_: Clock, languages: Sequence[Any]) -> ColumnBase:
    wanted = keys(language_key, languages)
    if len(wanted) == 1:
        # Faster than a list of one.
        return expressions.contains(Page.languages, f'"{wanted[0]}"')
    return expressions.shares(Page.languages, json_text(wanted))


def _is_open(clock: Clock, at: object) -> ColumnBase:
    # Any other text than a date stands for now.
    moment = clock.moment(at) if isinstance(at, datetime) else clock.now()
    return scheduling.is_open(moment)


# Each makes a condition of the site's clock and the value in the query.
CONDITIONS: Mapping[str, Callable[[Clock, Any], ColumnBase]] = {
    "include": lambda _, ids: Page.id.in_(storable(ids)),
    "exclude": lambda _, ids: Page.id.not_in(storable(ids)),
    "author": lambda _, ids: Page.author.in_(storable(ids)),
    "author_exclude": lambda _, ids: Page.author.not_in(storable(ids)),
    "after": lambda clock, date: Page.date > clock.moment(date).local,
    "before": lambda clock, date: Page.date < clock.moment(date).local,
    "modified_after": lambda clock, date: Page.modified > clock.moment(date).local,
    "modified_before": lambda clock, date: Page.modified < clock.moment(date).local,
    "slug": lambda _, slugs: Page.slug.in_(named_slugs(slugs)) & HAS_SLUG,
    "form_id": lambda _, forms: Page.form.in_(keys(form_key, forms)),
    "language": _speaks,
    "open_at": _is_open,
    "window_changes_before": lambda clock, date: scheduling.turns_between(
        clock.now(), clock.moment(date)
    ),
}


def conditions(store: Store, query: Values) -> list[ColumnBase]:
    """Return the conditions on pages that a list's query makes, but for their status."""
    found = [make(store.clock, query[name]) for name, make in CONDITIONS.items() if query.get(name)]
    if search := searched(query):
        columns = query.get("search_columns") or TEXTS
        found += _search(search, columns, store.database.dialect)
        found += [Page.password == SQL("''")] if query.get("unprotected_only") else []
    return found


def searched(query: Values) -> Search | None:
    """Return the search in a list's query, if there is one."""
    return parse(query["search"]) if query.get("search", "").strip() else None


def rank(search: Search) -> Case | None:
    """Return how well a page matches, 1 the best: the sentence or words in its title.

    None where no page can match better than another. Of a search with words that must not be found,
    only the others count.
    """
    few = len(search.words) <= MOST_RANKED_WORDS
    words = [expressions.contains(PageText.title, word) for word in search.words if few]
    ranks = [(reduce(and_, words), 2), (reduce(or_, words), 3)] if words else []
    if not search.without:
        ranks.insert(0, (expressions.contains(PageText.title, search.sentence), 1))
        ranks.append((expressions.contains(PageText.content, search.sentence), 5))
    return Case(None, ranks, 6) if ranks else None


def _search(search: Search, names: Sequence[str], dialect: Dialect) -> list[ColumnBase]:
    """Return the conditions of a search; one that names no column or no word finds nothing."""
    columns = [name for name in TEXTS if name in names]
    found = _hold(search.words, columns, dialect) if columns else []
    for word in search.without if columns else ():
        found += [~held for held in _hold([word], columns, dialect)]
    return found or [Page.id == 0]


def _hold(words: Sequence[str], columns: Sequence[str], dialect: Dialect) -> list[ColumnBase]:
    """Return the conditions that a page holds words; those too short for an index are scanned."""
    long = [word for word in words if len(word) >= dialect.shortest_indexed]
    found: list[ColumnBase] = []
    if long:
        found.append(Page.id.in_(expressions.indexed(dialect.indexed_words(long, columns))))
    for word in words:
        if word not in long:
            texts = [expressions.contains(getattr(PageText, name), word) for name in columns]
            held = PageText.select(SQL("1")).where(PageText.id == Page.id, reduce(or_, texts))
            found.append(fn.EXISTS(held))
    return found
