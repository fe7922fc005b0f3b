"""How SQLite finds what a list asks for: in an index, so that few rows are read."""

import re
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from conftest import LIST, PAGE
from test_lists import FILTERS

from landform.storage import Store, feeds, pages
from landform.storage.pages import listing, scheduling

pytestmark = pytest.mark.sqlite("PostgreSQL plans by what it has counted")

COLUMNS = ["id", "title_rendered", "content_rendered"]


@pytest.fixture(scope="module")
def store(module_database_url: str) -> Store:
    store = Store(module_database_url)
    store.migrate()
    with store.connection():
        for _ in range(30):
            pages.create(store, {**PAGE, "meta": {"form_id": "3", "language": ["en"]}})
    return store


ORDERS = ("author", "date", "id", "modified", "parent", "slug", "title")


@pytest.mark.parametrize("query", [query for query, _ in FILTERS], ids=str)
def test_filters_are_tested_in_covering_indexes(store: Store, query: dict[str, Any]) -> None:
    for orderby, status in product(ORDERS, (["publish"], ["any"])):
        asked = {**LIST, **query, "orderby": orderby, "status": status}
        found = plans(store, asked)
        assert found
        for plan in found:
            read = [step for step in plan if step.startswith(("SCAN t", "SEARCH t"))]
            for step in read:
                assert "COVERING INDEX" in step or "(rowid=?)" in step or (
                    "page_slug (slug=?" in step or "page_count" in step
                    # In the order of their ids, as those of one author are, the rows themselves
                    # are in this order.
                    or orderby in ("id", "parent") or orderby in query
                ), plan  # fmt: skip


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("orderby", ["date", "id", "modified", "title"])
@pytest.mark.parametrize("status", [["publish"], ["any"]])
def test_the_first_pages_of_these_orders_are_found_without_sorting_all(
    store: Store, orderby: str, order: str, status: list[str]
) -> None:
    total, rows = plans(store, {**LIST, "orderby": orderby, "order": order, "status": status})
    # The ten that were found are put in order again; what they are chosen from is not.
    assert sum("TEMP B-TREE" in step for step in rows) <= 1
    assert not [step for step in total if "page" in step and "page_count" not in step]


@pytest.mark.parametrize(
    ("work", "index"),
    [
        (scheduling.read_state, "page_due"),
        (lambda store: pages.create(store, PAGE), "page_slug"),
        (lambda store: feeds.list_feeds(store, {"form_id": [3]}), "feed_by_form"),
        (lambda store: feeds.list_feeds(store, {"addon": "a"}), "feed_by_addon"),
        (lambda store: feeds.list_feeds(store, {}), "feed_by_order"),
    ],
)
def test_due_pages_slugs_and_feeds_are_found_by_indexes(
    store: Store, work: Callable[[Store], object], index: str
) -> None:
    with store.connection() as db:
        steps = [step for plan in explained(db, lambda: work(store)) for step in plan]
    assert [step for step in steps if index in step]
    assert not [step for step in steps if re.match("SCAN (page|feed|t1)$|USE TEMP B-TREE", step)]


def plans(store: Store, query: dict[str, Any]) -> list[list[str]]:
    """Return SQLite's plans of the statements that a list runs; the last one's is of the rows."""
    with store.connection() as db:
        return explained(db, lambda: listing.list_pages(store, query, COLUMNS))


def explained(db: Any, run: Any) -> list[list[str]]:
    statements: list[str] = []
    db.connection().set_trace_callback(statements.append)
    run()
    db.connection().set_trace_callback(None)
    found = []
    for text in statements:
        # A comment is the text index, or a trigger, talking to itself.
        if text.startswith(("SELECT", "UPDATE", "INSERT", "DELETE")):
            rows = db.execute_sql(f"EXPLAIN QUERY PLAN {text}").fetchall()
            found.append([str(row[-1]) for row in rows])
    return found
