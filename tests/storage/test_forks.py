"""A process that is forked while a store is in use: it shares nothing, and never waits for ever."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest
from conftest import PAGE, migrated
from processes import until

from landform.storage import Store, pages


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    # Whoever waits for a lock waits for longer than a child may run.
    store = migrated(database_url, busy_timeout=60)
    yield store
    store.close()


def in_child(work: Callable[[], object]) -> str:
    """Run something in a forked process; return what it returns as a text, or its error."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        # Whoever waits for ever is ended.
        signal.alarm(30)
        try:
            told = str(work())
        except BaseException as error:
            told = f"{type(error).__name__}: {error}"
        os.write(writing, told.encode())
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as pipe:
        told = pipe.read().decode()
    os.waitpid(child, 0)
    return told or "It never ended."


@contextmanager
def held_elsewhere(scope: Callable[[], AbstractContextManager[object]]) -> Iterator[None]:
    """Let another thread be inside of something."""
    inside, over = threading.Event(), threading.Event()

    def hold() -> None:
        with scope():
            inside.set()
            over.wait(60)

    thread = threading.Thread(target=hold, daemon=True)
    thread.start()
    assert inside.wait(30)
    try:
        yield
    finally:
        over.set()
        thread.join(60)


def create(store: Store, title: str) -> str:
    with store.connection():
        return str(pages.create(store, {**PAGE, "title_raw": title})["title_raw"])


def titles(store: Store) -> list[str]:
    with store.connection() as db:
        rows = db.execute_sql("SELECT title_raw FROM page ORDER BY id").fetchall()
    return [title for (title,) in rows]


@contextmanager
def writing(store: Store) -> Iterator[None]:
    with store.connection(), store.transaction():
        pages.create(store, {**PAGE, "title_raw": "under way"})
        yield


def test_a_child_has_connections_of_its_own(store: Store) -> None:
    create(store, "before")
    with store.connection() as db:
        mine = db.connection()

    def look() -> tuple[bool, list[str]]:
        with store.connection() as db:
            is_mine = db.connection() is mine
        create(store, "child")
        return is_mine, titles(store)

    assert in_child(look) == "(False, ['before', 'child'])"
    create(store, "after")
    assert titles(store) == ["before", "child", "after"]


def test_leaving_a_transaction_in_a_child_is_an_error_and_does_not_end_it(store: Store) -> None:
    reading, told = os.pipe()
    process = os.getpid()
    try:
        with store.connection(), store.transaction():
            pages.create(store, {**PAGE, "title_raw": "parent"})
            child = os.fork()
            if child:
                os.waitpid(child, 0)
    except RuntimeError as error:
        if os.getpid() != process:
            os.write(told, str(error).encode())
    finally:
        if os.getpid() != process:
            os._exit(0)
    assert os.read(reading, 1000).startswith(b"A connection that was opened before a fork")
    assert titles(store) == ["parent"]
    create(store, "later")
    assert titles(store) == ["parent", "later"]


@pytest.mark.parametrize("is_elsewhere", [False, True], ids=["its own", "another thread's"])
def test_a_child_forked_during_a_write_only_reads(database_url: str, is_elsewhere: bool) -> None:
    store = migrated(database_url, busy_timeout=0.5)
    create(store, "before")
    elsewhere = held_elsewhere(lambda: writing(store)) if is_elsewhere else writing(store)
    with elsewhere:
        assert in_child(lambda: titles(store)) == "['before']"
        assert in_child(lambda: create(store, "child")).startswith("Busy: ")
    create(store, "after")
    assert titles(store) == ["before", "under way", "after"]
    store.close()


def test_writes_that_wait_in_the_parent_are_not_made_by_the_child_too(store: Store) -> None:
    waiting = threading.Thread(target=create, args=(store, "waiting"), daemon=True)
    with held_elsewhere(lambda: writing(store)):
        waiting.start()
        until(lambda: store.write_queue._waiting, "It does not wait.")

        def look() -> int:
            with store.connection():
                return len(store.write_queue._waiting)

        assert in_child(look) == "0"
    waiting.join(60)
    assert titles(store) == ["under way", "waiting"]
