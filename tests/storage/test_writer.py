"""Writes that share a commit: each of them whole or not at all, none told of before it is kept."""

import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from conftest import PAGE as A_PAGE
from processes import until

from landform.storage import DiskFull, Store, events, feeds
from landform.storage.rows import Row

FEED = {"form_id": 1, "addon_slug": "a", "meta": {"k": "v"}}


def together(store: Store, works: list[Callable[[], Any]]) -> list[Any]:
    """Run all of them in threads of their own, so that they wait for one turn; return the ends."""
    ends: list[Any] = [None] * len(works)

    def run(place: int) -> None:
        try:
            with store.connection():
                ends[place] = store.write_queue.run(works[place])
        except Exception as error:
            ends[place] = error

    threads = [
        threading.Thread(target=run, args=(place,), daemon=True) for place in range(len(works))
    ]
    with store.write_queue._lock:
        for thread in threads:
            thread.start()
        until(lambda: len(store.write_queue._waiting) == len(works), "Not all of them wait.")
    for thread in threads:
        thread.join(60)
    return ends


def fail() -> None:
    raise ZeroDivisionError


@pytest.mark.sqlite("the disk is the server's")
def test_a_full_disk_keeps_none_of_them(store: Store) -> None:
    def fill() -> None:
        pages = store.database.execute_sql("PRAGMA page_count").fetchone()[0]
        store.database.execute_sql(f"PRAGMA max_page_count = {pages + 20}")
        for _ in range(200):
            feeds.create(store, {**FEED, "meta": {"k": "x" * 4000}})

    def create() -> int:
        return int(feeds.create(store, FEED)["id"])

    ends = together(store, [create, fill, create])
    assert isinstance(ends[1], DiskFull)
    with store.connection() as db:
        db.execute_sql("PRAGMA max_page_count = 100000")
        kept = {row["id"] for row in feeds.list_feeds(store, {})}
    assert kept == {end for end in (ends[0], ends[2]) if isinstance(end, int)}


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_an_exit_in_one_write_fails_the_other_writes_of_its_commit(store: Store) -> None:
    def leave() -> None:
        raise SystemExit

    works = [lambda: feeds.create(store, FEED)["id"], leave, lambda: feeds.create(store, FEED)]
    ends = together(store, works)
    with store.connection():
        assert feeds.list_feeds(store, {}) == []
    # Whoever did the work of all has ended; the others are told.
    assert sorted(type(end).__name__ for end in ends) == ["NoneType", "Unavailable", "Unavailable"]


PAGE = {**A_PAGE, "content_raw": "", "content_rendered": ""}


@pytest.fixture
def told(store: Store) -> Iterator[list[Row]]:
    """Yield what a listener is told, which is what the log holds in the end, in its order."""
    found: list[Row] = []
    store.on_commit(found.append)
    yield found
    with store.connection():
        log, _ = events.read(store, None, limit=1000)
    first = found[0]["id"] if found else 0
    logged = [(event["id"], event["type"]) for event in log if event["id"] >= first]
    assert [(one["id"], one["type"]) for one in found] == logged


def test_listeners_get_only_the_events_of_committed_writes(store: Store, told: list[Row]) -> None:
    def half() -> None:
        feeds.create(store, FEED)
        fail()

    begun: list[str] = []
    store.database.observers.append(lambda sql, _: begun.append(sql))
    works = [lambda: feeds.create(store, FEED)["id"], half, lambda: feeds.create(store, FEED)["id"]]
    ends = together(store, works)
    assert begun.count("BEGIN") == begun.count("COMMIT") == 1
    assert [type(end) for end in ends] == [int, ZeroDivisionError, int]
    assert sorted(json.loads(one["data"])["id"] for one in told) == sorted([ends[0], ends[2]])
    with store.connection():
        assert {row["id"] for row in feeds.list_feeds(store, {})} == {ends[0], ends[2]}


def test_listeners_get_no_event_of_a_commit_that_fails(
    store: Store, told: list[Row], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(store.database), "commit", lambda _: fail())
    ends = together(store, [lambda: feeds.create(store, FEED)] * 3)
    assert [type(end) for end in ends] == [ZeroDivisionError] * 3
    with store.connection(), pytest.raises(ZeroDivisionError), store.transaction():
        feeds.create(store, FEED)
    with pytest.raises(ZeroDivisionError):
        store.try_write(lambda: feeds.create(store, FEED))
    monkeypatch.undo()
    assert told == []
    with store.connection():
        assert feeds.list_feeds(store, {}) == []
        feeds.create(store, FEED)
    assert len(told) == 1


def test_listeners_get_each_event_once_in_order_of_commits(store: Store, told: list[Row]) -> None:
    def write() -> None:
        for _ in range(20):
            with store.connection():
                feeds.update(store, 1, {"meta": {"k": threading.get_ident()}})

    with store.connection():
        feeds.create(store, FEED)
    threads = [threading.Thread(target=write, daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [json.loads(one["data"])["version"] for one in told] == list(range(1, 82))
