"""Many writers, and one that keeps the lock to itself: nobody sees `database is locked`."""

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Server, basic
from consistency import check
from figures import HANGS_AFTER_SECONDS, STORM_SECONDS
from test_clock import Clock
from writers import Client, Writers, problems

from landform.storage import Store

READS = ("/pages?context=edit", "/feeds")
FEED = {"form_id": 1, "addon_slug": "a", "meta": {"feedName": "F"}}
WRITES = [
    ("POST", "/pages", {"title": "New"}, {}),
    ("POST", "/pages", {"title": "New"}, {"Idempotency-Key": "k"}),
    ("PUT", "/pages/1", {"title": "Other"}, {}),
    ("DELETE", "/pages/1", None, {}),
    ("DELETE", "/pages/1?force=true", None, {}),
    ("POST", "/forms/1/feeds", FEED, {}),
    ("PUT", "/feeds/1", FEED, {}),
    ("PATCH", "/feeds/1", {"meta": {"a": 1}}, {}),
    ("PUT", "/feeds/1/properties", {"is_active": False}, {}),
    ("DELETE", "/feeds/1", None, {}),
]


@pytest.fixture
def impatient(start_server: Callable[..., Server]) -> Server:
    """A server with one page and one feed that waits a tenth of a second for a lock."""
    server = start_server(LANDFORM_BUSY_TIMEOUT="0.1")
    server.call("POST", "/pages", {"title": "First"})
    server.call("POST", "/feeds", FEED)
    return server


def test_a_lock_held_for_longer_than_the_timeout_is_a_503_and_no_write(
    impatient: Server,
) -> None:
    before = [impatient.call("GET", path) for path in READS]
    other = Store(impatient.database)
    with Client(impatient) as client, other.connection():
        with other.transaction():
            refuses_all(client)
            assert [impatient.call("GET", path) for path in READS] == before
        statuses = [client.call(*write[:3], **write[3])[0] for write in WRITES]
    assert statuses == [201, 201, 200, 200, 200, 201, 200, 200, 200, 200]


def refuses_all(client: Client) -> None:
    for method, path, body, headers in WRITES:
        status, answer = client.call(method, path, body, **headers)
        assert (status, answer["code"]) == (503, "storage_unavailable"), (method, path, answer)
        assert answer["data"] == {"status": 503}
        assert int(client.headers["Retry-After"]) > 0


@pytest.mark.sqlite("what holds the lock is a plain connection to the file")
def test_a_reader_waits_for_nobody_who_holds_the_lock_when_a_page_comes_due(
    start_server: Callable[..., Server], tmp_path: Path
) -> None:
    clock = Clock(tmp_path)
    server = start_server(LANDFORM_BUSY_TIMEOUT="60", **clock.environment)
    body = {"title": "Soon", "date": "2026-06-01T12:30:00"}
    assert server.call("POST", "/pages", body)[1]["status"] == "future"
    connection = sqlite3.connect(tmp_path / "landform.db", isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    clock.set("2026-06-01 12:31:00")
    began = time.monotonic()
    for path in ("/pages", "/pages/1", "/pages?search=soon", "/pages?include=1"):
        status, _, raw = server.send("GET", path, {}, None)
        assert (status, b'"status":"publish"' in raw) == (200, True)
    headers = dict(server.send("GET", "/pages/1", {}, None)[1])
    assert server.call("GET", "/pages?status=future") == (200, [])
    assert time.monotonic() - began < HANGS_AFTER_SECONDS
    connection.execute("ROLLBACK")
    connection.close()
    with Client(server) as client:
        sent = {"If-Match": headers["ETag"]}
        assert client.call("PUT", "/pages/1", {"title": "New"}, **sent)[0] == 200
        assert client.call("PUT", "/pages/1", {"title": "Newer"}, **sent)[0] == 412


def test_thirty_two_writers_wait_in_line_and_none_is_told_that_the_database_is_locked(
    start_server: Callable[..., Server], tmp_path: Path
) -> None:
    server = start_server()
    writers = Writers(server, "storm", clients=32)
    with writers.writing():
        time.sleep(STORM_SECONDS)
    with Client(server) as client:
        told = problems(client, writers.things)
    assert (writers.refused, writers.broken, told) == ([], 0, [])
    assert "locked" not in (tmp_path / "server.log").read_text()
    check(server.database)


@pytest.mark.usefixtures("early")
def test_nobody_waits_for_a_lock_that_another_process_holds_to_have_a_failure_counted(
    start_server: Callable[..., Server],
) -> None:
    server = start_server(
        LANDFORM_WORKERS="1",
        LANDFORM_FAILED_ATTEMPTS_PER_MINUTE="5",
        LANDFORM_BUSY_TIMEOUT="60",
        LANDFORM_POSTGRES_STATEMENT_TIMEOUT="60",
    )
    with Client(server) as client:
        for name in ("Open", "Closed"):
            client.call("POST", "/pages", {"title": name, "password": "x" * (name == "Closed")})

        def timed(path: str, **headers: str) -> int:
            began = time.monotonic()
            status, _ = client.call("GET", path, None, **headers)
            assert time.monotonic() - began < HANGS_AFTER_SECONDS
            return status

        other = Store(server.database)
        with other.connection(), other.transaction():
            wrong = [timed("/feeds", **basic("admin:wrong")) for _ in range(7)]
            assert wrong == [401] * 5 + [429] * 2
            guesses = ["x", *["wrong"] * 5, "x"]
            told = [timed("/pages/2", **{"X-Page-Password": guess}) for guess in guesses]
            assert told == [200] + [403] * 5 + [429]
            for path in ("/pages", "/pages/1", "/pages/2", "/feeds"):
                assert timed(path) == 200
