"""Listeners are told what was written, once it is certain, and of nothing else."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from conftest import PAGE as A_PAGE
from conftest import migrated
from test_writer import FEED, fail, together

from landform.storage import Store, events, feeds, pages
from landform.storage.events import Happened
from landform.storage.pages import scheduling

PAGE = {**A_PAGE, "content_raw": "", "content_rendered": ""}


@pytest.fixture
def store(database_url: str) -> Store:
    return migrated(database_url, busy_timeout=0.5)


@pytest.fixture
def told(store: Store) -> Iterator[list[Happened]]:
    """Yield what a listener is told, which is what the log holds in the end, in its order."""
    found: list[Happened] = []
    store.on_commit(found.append)
    yield found
    with store.connection():
        log, _ = events.read(store, None, limit=1000)
    first = found[0].id if found else 0
    logged = [(event["id"], event["type"]) for event in log if event["id"] >= first]
    assert [(one.id, one.type) for one in found] == logged


def test_nothing_is_told_before_it_is_committed_nor_what_is_undone(
    store: Store, told: list[Happened]
) -> None:
    def write_two_and_fail() -> None:
        with store.transaction():
            feeds.create(store, FEED)
            feeds.create(store, FEED)
            fail()

    with store.connection():
        with store.transaction():
            feeds.create(store, FEED)
            with pytest.raises(ZeroDivisionError):
                write_two_and_fail()
            feeds.create(store, FEED)
            assert told == []
        seen = [row["id"] for row in feeds.list_feeds(store, {})]
        assert [one.data["id"] for one in told] == seen
        assert len(seen) == 2
        with pytest.raises(ZeroDivisionError):
            write_two_and_fail()
        feeds.create(store, FEED)
    assert len(told) == 3


def test_of_writes_that_share_a_commit_those_are_told_that_were_not_undone(
    store: Store, told: list[Happened]
) -> None:
    def half() -> None:
        feeds.create(store, FEED)
        fail()

    works = [lambda: feeds.create(store, FEED)["id"], half, lambda: feeds.create(store, FEED)["id"]]
    ends = together(store, works)
    assert [type(end) for end in ends] == [int, ZeroDivisionError, int]
    assert sorted(one.data["id"] for one in told) == sorted([ends[0], ends[2]])
    with store.connection():
        assert {row["id"] for row in feeds.list_feeds(store, {})} == {ends[0], ends[2]}


def test_of_a_commit_that_fails_nothing_is_told_then_or_later(
    store: Store, told: list[Happened], monkeypatch: pytest.MonkeyPatch
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


def test_due_pages_are_told_of_when_they_are_published(store: Store, told: list[Happened]) -> None:
    soon = datetime.now(UTC) + timedelta(hours=1)
    with store.connection():
        for _ in range(2):
            pages.create(store, {**PAGE, "date": soon})
        told.clear()
        store.clock.now = lambda: store.clock.moment(soon)  # type: ignore[method-assign]
        scheduling.collection_state(store)
        versions = [pages.get(store, number)["version"] for number in (1, 2)]
    assert [(one.type, one.data["version"]) for one in told] == [
        ("page.published", version) for version in versions
    ]


def test_a_listener_may_write_itself(store: Store, told: list[Happened]) -> None:
    def answer(event: Happened) -> None:
        if event.type == "page.created":
            feeds.create(store, {**FEED, "form_id": event.data["id"]})

    store.on_commit(answer)
    with store.connection():
        pages.create(store, PAGE)
        assert len(feeds.list_feeds(store, {})) == 1
    assert [one.type for one in told] == ["page.created", "page.published", "feed.created"]


def test_writes_of_many_threads_are_told_once_each_in_the_order_of_their_commits(
    store: Store, told: list[Happened]
) -> None:
    def write() -> None:
        for _ in range(20):
            with store.connection():
                feeds.update(store, 1, {"meta": {"k": threading.get_ident()}})

    with store.connection():
        feeds.create(store, FEED)
    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one.data["version"] for one in told] == list(range(1, 82))
