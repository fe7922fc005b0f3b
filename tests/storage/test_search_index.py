"""Searches: the same as reading every text, whatever was written."""

from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from conftest import LIST, PAGE, databases, migrated
from hypothesis import given, settings
from hypothesis import strategies as st

from landform.storage import PageNotFound, Store, pages
from landform.storage.maintenance import verify
from landform.storage.pages import listing
from landform.storage.search import fold, parse

# Letters that fold to others, to several or to none, and what means something to an index or LIKE.
LETTERS = "aAbBzZ09 %_\\'\"-+,ÅåÉé\u0301ßſẞİıΣςσﬁÆæŁł日本語ךم\u00ad\u200b😀ᏸꮿ\u1e9b\U0001d400½²"
strange = st.text(st.sampled_from(LETTERS), min_size=1, max_size=5)
words = st.one_of(st.sampled_from(["Some", "words", "sóm", "ord", "x", '"some w']), strange)
texts = st.lists(words, min_size=1, max_size=4).map(" ".join)
numbers = st.integers(1, 6)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("create"), texts, texts),
        st.tuples(st.just("update"), numbers, st.sampled_from(["title_raw", "content_raw"]), texts),
        st.tuples(st.just("delete"), numbers),
        st.tuples(st.just("undo"), numbers, texts),
    ),
    max_size=14,
)
terms = st.tuples(st.sampled_from(["", "", "-"]), words).map("".join)
searches = st.tuples(
    st.lists(terms, min_size=1, max_size=4).map(" ".join),
    st.sampled_from([["title"], ["content"], ["title", "content"]]),
)


class Undone(Exception):
    """Rolls back a write."""


def write(store: Store, step: Any) -> None:
    kind, *given = step
    with suppress(PageNotFound, Undone):
        if kind == "create":
            pages.create(store, {**PAGE, "title_raw": given[0], "content_raw": given[1]})
        elif kind == "update":
            pages.update(store, given[0], {given[1]: given[2]})
        elif kind == "delete":
            pages.delete(store, given[0])
        elif kind == "undo":
            with store.transaction():
                pages.update(store, given[0], {"title_raw": given[1]})
                raise Undone


def found(store: Store, search: str, columns: list[str], **query: Any) -> set[int]:
    asked = {**LIST, "per_page": 100, "search": search, "search_columns": columns, **query}
    with store.connection():
        result = listing.list_pages(store, asked, ["id"])
    assert result.total == len(result.rows)
    return {row["id"] for row in result.rows}


def scanned(store: Store, search: str, columns: list[str]) -> set[int]:
    """Return what reading every page finds."""
    wanted = parse(search)
    with store.connection() as db:
        rows = db.execute_sql("SELECT id, title_raw, content_raw FROM page").fetchall()
    if not (wanted.words or wanted.without):
        return set()
    texts = {
        number: [fold(text) for text, name in zip(row, ("title", "content"), strict=True)
                 if name in columns]
        for number, *row in rows
    }  # fmt: skip
    return {
        number
        for number, of_page in texts.items()
        if all(any(word in text for text in of_page) for word in wanted.words)
        and not any(word in text for text in of_page for word in wanted.without)
    }


@settings(max_examples=25)
@given(steps, st.lists(searches, min_size=1, max_size=6), st.sampled_from(["date", "relevance"]))
def test_a_search_finds_the_same_pages_as_reading_every_page(
    request: pytest.FixtureRequest, history: list[Any], asked: list[Any], order: str
) -> None:
    with TemporaryDirectory() as folder, databases(request, Path(folder)) as make:
        store = migrated(make())
        known = [("create", title, "some words") for title in ("Some", "words", "T")]
        for step in [*known, *history]:
            with store.connection():
                write(store, step)
        for search, columns in asked:
            wanted = scanned(store, search, columns)
            assert found(store, search, columns, orderby=order) == wanted, search
        assert list(verify.find_problems(store)) == []
        store.dispose()
