"""How SQLite finds what a list asks for: by an index, never by scanning the tables."""

import sqlite3
from datetime import datetime
from typing import Any

import pytest
from conftest import LIST, PAGE

from landform.storage import Store, feeds, pages
from landform.storage.pages import listing, scheduling

pytestmark = pytest.mark.sqlite("PostgreSQL plans by what it has counted")

COLUMNS = ["id", "title_rendered", "content_rendered"]
FILTERS: list[dict[str, Any]] = [
    {"slug": ["t"]}, {"include": [1, 2]}, {"exclude": [1]}, {"author": [1]}, {"author": [1, 2]},
    {"author_exclude": [1]}, {"after": datetime(2020, 1, 1)}, {"before": datetime(2100, 1, 1)},
    {"modified_after": datetime(2020, 1, 1)}, {"modified_before": datetime(2100, 1, 1)},
    {"open_at": "now"}, {"open_at": datetime(2026, 1, 1)}, {"open_at": "now", "author": [1]},
    {"search": "words"}, {"search": "words -none"}, {"search": "words", "unprotected_only": True},
    {"form_id": ["3"]}, {"form_id": ["3", "4"]}, {"language": ["en"]}, {"language": ["en", "de"]},
    {"form_id": ["3"], "language": ["en"]}, {"language": ["en"], "author": [1]},
    {"language": ["en"], "after": datetime(2020, 1, 1), "search": "words"},
]  # fmt: skip


@pytest.fixture(scope="module")
def store(module_database_url: str) -> Store:
    store = Store(module_database_url)
    store.migrate()
    with store.connection():
        for _ in range(30):
            pages.create(store, {**PAGE, "meta": {"form_id": "3", "language": ["en"]}})
    return store


@pytest.mark.parametrize("status", [["publish"], ["any"], ["draft", "publish"]])
@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("orderby", ["author", "date", "id", "modified", "parent", "slug", "title"])
def test_an_index_serves_every_order(
    store: Store, orderby: str, order: str, status: list[str]
) -> None:
    rows = plans(store, {**LIST, "orderby": orderby, "order": order, "status": status})[-1]
    found = [step for step in rows if "SCAN found" not in step]
    assert all("SCAN" not in step for step in found)
    # The ten that were found are put in order again; what they are chosen from is not.
    assert sum("TEMP B-TREE" in step for step in found) <= 1
    assert sum("INDEX page_by_" in step for step in found) == len(statuses(status))


@pytest.mark.parametrize("query", FILTERS, ids=str)
@pytest.mark.parametrize("status", [["publish"], ["any"]])
def test_no_filter_scans_the_pages(store: Store, query: dict[str, Any], status: list[str]) -> None:
    for orderby in ("date", "title", "author"):
        for plan in plans(store, {**LIST, **query, "orderby": orderby, "status": status}):
            assert not scans(plan), plan


@pytest.mark.parametrize("search", ["-ab -cd -ef", "so me -zz", "so", "-ab"])
def test_words_too_short_for_the_index_share_one_scan_of_the_texts(
    store: Store, search: str
) -> None:
    for orderby in ("date", "title", "relevance"):
        for plan in plans(store, {**LIST, "search": search, "orderby": orderby}):
            assert sum("SCAN t" in step for step in plan) <= 1, plan


def test_beside_a_word_of_the_index_the_short_ones_are_looked_for_in_its_pages(
    store: Store,
) -> None:
    for plan in plans(store, {**LIST, "search": "words so -zz"}):
        assert not [step for step in plan if "SCAN t" in step], plan


def test_totals_of_what_is_counted_are_not_counted_again(store: Store) -> None:
    for query in (
        {}, {"author": [1]}, {"author_exclude": [1]}, {"status": ["any"]}, {"form_id": ["3"]},
        {"form_id": ["3", "4"]}, {"language": ["en"]}, {"language": ["en", "de"]},
    ):  # fmt: skip
        counting = plans(store, {**LIST, **query})[:-1]
        steps = [step for plan in counting for step in plan]
        assert not [step for step in steps if "page_by" in step or "page_of" in step]
        assert not [step for step in steps if "page_language" in step or "PRIMARY KEY" in step]


@pytest.mark.parametrize(
    ("query", "index"),
    [({"form_id": ["3"]}, "page_of_form"),
     ({"language": ["en"]}, "PRIMARY KEY (language=? AND status=?"),
     ({"language": ["en"], "after": datetime(2020, 1, 1)},
      "PRIMARY KEY (language=? AND status=? AND date>?)")],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("status", [["publish"], ["any"]])
@pytest.mark.parametrize("offset", [0, 20])
def test_the_pages_of_a_form_or_a_language_lie_in_the_order_of_their_dates(
    store: Store, query: dict[str, Any], index: str, status: list[str], offset: int
) -> None:
    rows = plans(store, {**LIST, **query, "status": status, "offset": offset})[-1]
    assert sum(index in step for step in rows) == len(statuses(status))
    assert sum("TEMP B-TREE" in step for step in rows) <= 1
    # What is skipped is not read.
    assert sum("INTEGER PRIMARY KEY" in step for step in rows) == 1


def test_what_comes_due_is_found_by_its_own_index(store: Store) -> None:
    with store.connection() as db:
        plan = explained(db, lambda: scheduling.collection_state(store))
    assert any("page_due" in step for step in plan[0])


@pytest.mark.parametrize("query", [{}, *FILTERS], ids=str)
@pytest.mark.parametrize("status", [["publish"], ["future"], ["future", "draft"]])
def test_what_is_due_and_not_stored_is_found_by_its_own_index_too(
    store: Store, query: dict[str, Any], status: list[str]
) -> None:
    for orderby in ("date", "title", "author", "include"):
        given = {**LIST, **query, "orderby": orderby, "status": status}
        if orderby != "include" or "include" in query:
            found = plans(store, given, due="2020-01-01T00:00:00")
            assert not [step for plan in found for step in scans(plan)]
            assert any("page_due" in step for plan in found for step in plan)


def test_a_slug_is_looked_up_not_looked_for(store: Store) -> None:
    with store.connection() as db:
        plan = explained(db, lambda: pages.create(store, PAGE))
    taken = [steps for steps in plan if any("page_slug" in step for step in steps)]
    assert taken
    assert not any(scans(steps) for steps in plan)


def test_an_update_names_no_column_that_stays_as_it_is(store: Store) -> None:
    sent: list[str] = []
    feed = {"form_id": 1, "addon_slug": "a", "is_active": True, "meta": {"k": "v"}}
    with store.connection() as db:
        page = pages.get(store, 1)
        feeds.create(store, feed)
        db.observers.append(lambda sql, _: sent.append(sql))
        pages.update(store, 1, {"title_raw": page["title_raw"], "status": "publish", "author": 99})
        feeds.update(store, 1, {**feed, "feed_order": 2})
    updates = [sql for sql in sent if sql.startswith("UPDATE")]
    for sql, changed in zip(updates, ("author", "feed_order"), strict=True):
        assert f'"{changed}" =' in sql
        for same in ("status", "slug", "title_key", "form_id", "addon_slug", "is_active", "meta"):
            assert f'"{same}" =' not in sql, sql


@pytest.mark.parametrize(
    ("filters", "index"),
    [
        ({"form_id": [3]}, "feed_by_form"), ({"addon": "a"}, "feed_by_addon"),
        ({}, "feed_by_order"), ({"include": [1]}, "INTEGER PRIMARY KEY"),
    ],
)  # fmt: skip
def test_feeds_are_found_by_an_index_in_their_order(
    store: Store, filters: dict[str, Any], index: str
) -> None:
    with store.connection() as db:
        (plan,) = explained(db, lambda: feeds.list_feeds(store, filters))
    assert index in plan[0]
    assert "include" in filters or not any("TEMP B-TREE" in step for step in plan)


def statuses(wanted: list[str]) -> list[str]:
    return ["publish", "future", "draft", "pending", "private"] if wanted == ["any"] else wanted


def scans(plan: list[str]) -> list[str]:
    """Return the steps that read a whole table of ours, or a whole index of one."""
    tables = ("SCAN page", "SCAN feed", "SCAN t1", "SCAN t2", "SCAN t3")
    return [step for step in plan if step.startswith(tables) and "page_index" not in step]


def plans(store: Store, query: dict[str, Any], due: str = "") -> list[list[str]]:
    """Return SQLite's plans of the statements that a list runs; the last one's is of the rows."""
    with store.connection() as db:
        return explained(db, lambda: listing.list_pages(store, query, COLUMNS, due))


def explained(db: Any, run: Any) -> list[list[str]]:
    statements: list[str] = []
    db.connection().set_trace_callback(statements.append)
    run()
    db.connection().set_trace_callback(None)
    found = []
    for text in statements:
        # A comment is the text index, or a trigger, talking to itself.
        if text.startswith(("SELECT", "UPDATE", "INSERT", "DELETE")):
            try:
                rows = db.execute_sql(f"EXPLAIN QUERY PLAN {text}").fetchall()
            except sqlite3.Error as error:  # pragma: no cover
                raise AssertionError(text) from error
            found.append([str(row[-1]) for row in rows])
    return found
