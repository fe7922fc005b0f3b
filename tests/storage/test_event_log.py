"""The log of events: those of each commit, in the order of commits; and writes that share one."""

import json
import shutil
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from applications import NOON, Standing
from conftest import PAGE, migrated, processes
from databases import run_sql
from files import command
from processes import until

from landform.storage import DiskFull, Store, events, feeds, pages
from landform.storage.errors import EventsExpired, StorageError
from landform.storage.maintenance import transfer
from landform.storage.pages import scheduling
from landform.storage.rows import Row

LATER = {"date": datetime.now(UTC) + timedelta(days=9)}


def log(store: Store, after: int = 0) -> list[Row]:
    with store.connection():
        return events.read(store, after)[0]


def types(store: Store, after: int = 0) -> list[str]:
    return [event["type"] for event in log(store, after)]


def order(store: Store, *ids: int) -> None:
    feeds.set_order(store, 1, ids, partial=False, if_match=None, columns=["id"])


# What is done, and the types of the events of it.
WRITES: list[tuple[Callable[[Store], object], str]] = [
    (lambda store: pages.create(store, {**PAGE, "status": "draft"}), "page.created"),
    (lambda store: pages.create(store, PAGE), "page.created page.published"),
    (lambda store: pages.create(store, {**PAGE, **LATER}), "page.created"),
    (lambda store: pages.update(store, 1, {}), ""),
    (lambda store: pages.update(store, 1, {"author": 2}), "page.updated"),
    (lambda store: pages.update(store, 1, {"status": "publish"}), "page.updated page.published"),
    (lambda store: pages.update(store, 1, {"status": "private"}), "page.updated page.unpublished"),
    (lambda store: pages.update(store, 2, LATER), "page.updated page.unpublished"),
    (lambda store: pages.trash(store, 1), "page.trashed"),
    (lambda store: pages.update(store, 1, {"status": "publish"}), "page.restored page.published"),
    (lambda store: pages.trash(store, 1), "page.trashed page.unpublished"),
    (lambda store: pages.trash(store, 1), ""),
    (lambda store: pages.delete(store, 1), "page.deleted"),
    (lambda store: pages.create(store, PAGE), "page.created page.published"),
    (lambda store: pages.delete(store, 4), "page.deleted page.unpublished"),
    (lambda store: feeds.create(store, FEED), "feed.created"),
    (lambda store: feeds.duplicate(store, 1), "feed.created"),
    (lambda store: feeds.update(store, 1, {"is_active": False}), "feed.updated"),
    (lambda store: order(store, 2, 1), "feed.reordered"),
    (lambda store: order(store, 2, 1), ""),
    (lambda store: order(store, 1), ""),
    (lambda store: feeds.delete(store, 2), "feed.deleted"),
]  # fmt: skip


def test_each_write_has_its_events_one_after_the_other(store: Store) -> None:
    last = 0
    for number, (write, expected) in enumerate(WRITES):
        with store.connection():
            try:
                write(store)
            except StorageError:
                assert not expected
            found, last = events.read(store, last)
        assert " ".join(event["type"] for event in found) == expected, number
    kept = log(store)
    assert all(one["id"] < other["id"] for one, other in pairwise(kept))
    text = json.dumps(kept)
    assert not [word for word in ("some words", '\\"v\\"') if word in text]


def test_an_event_names_what_changed_and_holds_no_content(store: Store) -> None:
    secret = {"password": "hidden", "meta": {"form_id": "hidden"}, "content_raw": "hidden"}
    with store.connection():
        pages.create(store, {**PAGE, "slug": "one", **secret})
        pages.update(store, 1, {"slug": "two", "password": "hidden2", "title_raw": "hidden"})
        feeds.create(store, {**FEED, "addon_slug": "\U0001d54f" * 2000, "meta": {"k": "hidden"}})
        feeds.update(store, 1, {"meta": {"k": "hidden2"}, "is_active": False})
        feeds.update(store, 1, {"event_type": "hidden"})
    found = log(store)
    assert "hidden" not in json.dumps(found)
    told = [json.loads(event["data"]) for event in found]
    page = {"resource": "page", "id": 1, "status": "publish"}
    assert sorted(told[0].pop("changed")) == [
        "author", "content", "date", "meta", "password", "slug", "status", "title",
    ]  # fmt: skip
    assert told[0] == {**page, "version": 1, "slug": "one"}
    changed = {"version": 2, "slug": "two", "previous_slug": "one"}
    assert told[2] == {**page, **changed, "changed": ["password", "slug", "title"]}
    feed = {"resource": "feed", "id": 1, "form_id": 1, "addon_slug": "\U0001d54f" * 255}
    assert told[4] == {**feed, "version": 2, "is_active": False, "changed": ["is_active", "meta"]}
    # As JSON knows it, also where nothing was written to it.
    assert [one["is_active"] for one in told[3:]] == [True, False, False]
    assert told[5]["is_active"] is False
    assert {event["resource_id"] for event in found} == {1}


def publish_at(url: str, minutes: int) -> None:
    """Publish what is due as another process does, whose clock is so many minutes past noon."""
    store = Store(url)
    store.clock = Standing(at=NOON + timedelta(minutes=minutes))
    for _ in range(20):
        with store.connection():
            scheduling.publish_due_pages(store)
    store.dispose()


def test_a_due_page_is_published_once_with_the_time_when_it_was_due(store: Store) -> None:
    store.clock = Standing()
    with store.connection():
        for minute in (3, 1, 2):
            pages.create(store, {**PAGE, "date": NOON + timedelta(minutes=minute)})
        _, last = events.read(store, 0)
    url = store.url  # type: ignore[attr-defined]
    with processes(2) as pool:
        # A clock that jumps back an hour, and goes on.
        for minutes in (30, -30, 30):
            list(pool.map(publish_at, [url] * 4, [minutes] * 4))
    found = [
        (event["type"], event["resource_id"], event["created_utc"]) for event in log(store, last)
    ]
    assert found == [
        ("page.published", page, f"2030-05-01T12:0{minute}:00")
        for page, minute in ((2, 1), (3, 2), (1, 3))
    ]


def test_an_import_of_many_rows_is_one_event(store: Store, make_database: Any) -> None:
    other = migrated(make_database())
    with other.connection(), other.transaction():
        for number in range(250):
            feeds.create(other, {**FEED, "form_id": number})
    with other.connection():
        lines = list(transfer.rows(other, ["feed"]))
    transfer.Import(store).run(enumerate(lines))
    assert types(store) == ["store.imported"]
    transfer.Import(store).run(enumerate(lines))
    transfer.Import(store).run(enumerate({**line, "form_id": 7} for line in lines), keep=False)
    assert types(store) == ["store.imported"]


@pytest.mark.sqlite("only a file can be put back")
@pytest.mark.parametrize("by_hand", [False, True])
@pytest.mark.parametrize("held", ["a log", "an empty log"])
def test_ids_go_on_above_all_earlier_ones_after_a_backup_was_put_back(
    store: Store, tmp_path: Path, by_hand: bool, held: str
) -> None:
    file, copy, before = Path(store.database.path), tmp_path / "copy.db", []
    with store.connection():
        pages.create(store, PAGE)
    if held == "an empty log":
        run_sql(store.url, "DELETE FROM event")  # type: ignore[attr-defined]
    store.database.backup(copy, force=False)
    for _ in range(2):
        with store.connection():
            feeds.create(store, FEED)
            before += [event["id"] for event in events.read(store, None)[0]]
        store.dispose()
        if by_hand:
            file.unlink()
            shutil.copyfile(copy, file)
        else:
            done = command(file, "restore", copy)
            assert done.exit_code == 0, done.output
        for _ in range(2):
            store = migrated(f"sqlite:///{file}")
            assert types(store, max(before)) == ["store.restored"]


def write_events(store: Store, upto: int, *names: str) -> None:
    with store.connection(), store.transaction():
        while events.newest(store) < upto:
            events.write(store, names or ("page.created", "page.published"), {"resource": "page"})


def test_a_clock_that_is_ahead_deletes_at_most_a_day_in_ten_minutes(store: Store) -> None:
    store.clock = clock = Standing()
    write_events(store, 100)
    for number in range(1, 101):
        expires = (NOON + timedelta(hours=number, days=-30)).isoformat()[:19]
        run_sql(store.url, f"UPDATE event SET created_utc = '{expires}' WHERE id = {number}")  # type: ignore[attr-defined]
    minutes = timedelta(minutes=10)
    for upto, jump, first in (
        (200, timedelta(days=400), 24), (300, minutes / 2, 24), (400, minutes / 2, 48),
        (500, -timedelta(days=400), 48), (600, minutes, 48),
    ):  # fmt: skip
        clock.at += jump
        write_events(store, upto)
        assert run_sql(store.url, "SELECT min(id) FROM event") == [(first,)], upto  # type: ignore[attr-defined]


def test_events_are_kept_for_some_days(store: Store) -> None:
    write_events(store, 1, "feed.created")
    # Two at a time skip the numbers after which old ones are deleted.
    write_events(store, 150)
    old = (datetime.now(UTC) - timedelta(days=31)).isoformat()[:19]
    run_sql(store.url, f"UPDATE event SET created_utc = '{old}' WHERE id <= 60")  # type: ignore[attr-defined]
    for upto, first in ((199, 1), (210, 61), (310, 61)):
        write_events(store, upto)
        assert run_sql(store.url, "SELECT min(id) FROM event") == [(first,)], upto  # type: ignore[attr-defined]
    with store.connection():
        assert events.read(store, 60)[0][0]["id"] == 61
        with pytest.raises(EventsExpired):
            events.read(store, 59)


# Writes that share a commit.
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
