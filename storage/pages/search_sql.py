"""Searching pages: the conditions that a search makes, and how well a page matches it."""

from collections.abc import Sequence
from functools import reduce
from operator import and_, or_
from typing import NamedTuple

from peewee import SQL, Case, ColumnBase, fn

from landform.storage.engines import expressions
from landform.storage.engines.dialect import Dialect
from landform.storage.models import Page, PageText
from landform.storage.search_text import Search
from landform.storage.sql.prepared import Parameter

COLUMNS = ("title", "content")
# With more words than this, only the whole sentence and the content rank pages.
MOST_RANKED_WORDS = 6


class SearchShape(NamedTuple):
    """What the SQL of a search depends on, apart from its words.

    How many words there are of each kind: those in the index, and those that are too short for it
    and scanned for. `unlike` is what must not be found; together with `indexed` words the index
    leaves it out by itself.
    """

    columns: tuple[str, ...]
    indexed: int
    scanned: int
    unlike_indexed: int
    unlike_scanned: int
    ranked: int
    plain: bool

    @property
    def has_ranks(self) -> bool:
        """Whether one page can match better than another."""
        return bool(self.ranked) or self.plain


def search_shape(
    search: Search, columns: Sequence[str], dialect: Dialect
) -> tuple[SearchShape, dict[str, str]]:
    """Return the shape of a search for a dialect, and the values of its parameters."""
    columns = tuple(name for name in COLUMNS if name in columns)
    indexed, scanned = _by_length(search.words, dialect)
    unlike_indexed, unlike_scanned = _by_length(search.without, dialect)
    ranked = len(search.words) if len(search.words) <= MOST_RANKED_WORDS else 0
    found = SearchShape(
        columns, len(indexed), len(scanned), len(unlike_indexed), len(unlike_scanned), ranked,
        not search.without,
    )  # fmt: skip
    values = {"sentence": search.sentence}
    if indexed or unlike_indexed:
        values["match"] = dialect.indexed_words(indexed, unlike_indexed, columns)
    for name, words in (
        ("scanned", scanned),
        ("unlike_scanned", unlike_scanned),
        ("word", search.words),
    ):
        values.update({f"{name}{place}": word for place, word in enumerate(words)})
    return found, values


def conditions(wanted: SearchShape) -> list[ColumnBase]:
    """Return the conditions of a search; one that names no column or no word finds nothing."""
    found: list[ColumnBase] = []
    if wanted.indexed and wanted.columns:
        # The index leaves out by itself what must not be found.
        found.append(Page.id.in_(expressions.indexed(Parameter("match"))))
    elif wanted.unlike_indexed and wanted.columns:
        found.append(Page.id.not_in(expressions.indexed(Parameter("match"))))
    tests = _holds_each(wanted, "scanned", wanted.scanned)
    tests += [~miss for miss in _holds_each(wanted, "unlike_scanned", wanted.unlike_scanned)]
    if tests and wanted.columns:
        texts = PageText.select(SQL("1")).where(PageText.id == Page.id, *tests)
        found.append(fn.EXISTS(texts))
    return found or [Page.id == 0]


def rank(wanted: SearchShape) -> Case:
    """Return how well a page matches, 1 the best: the sentence or words in its title.

    For a shape that has ranks. Of a search with words that must not be found, only the others
    count.
    """
    title = [
        expressions.contains(PageText.title, Parameter(f"word{n}")) for n in range(wanted.ranked)
    ]
    ranks = (
        [(expressions.contains(PageText.title, Parameter("sentence")), 1)] if wanted.plain else []
    )
    if title:
        ranks += [(reduce(and_, title), 2), (reduce(or_, title), 3)]
    if wanted.plain:
        ranks.append((expressions.contains(PageText.content, Parameter("sentence")), 5))
    return Case(None, ranks, 6)


def _by_length(words: Sequence[str], dialect: Dialect) -> tuple[list[str], list[str]]:
    long = [word for word in words if len(word) >= dialect.shortest_indexed]
    return long, [word for word in words if len(word) < dialect.shortest_indexed]


def _holds_each(wanted: SearchShape, name: str, words: int) -> list[ColumnBase]:
    return [_holds(wanted, f"{name}{place}") for place in range(words)]


def _holds(wanted: SearchShape, parameter: str) -> ColumnBase:
    columns = [getattr(PageText, name) for name in wanted.columns]
    return reduce(
        or_, [expressions.contains_indexed(column, Parameter(parameter)) for column in columns]
    )
