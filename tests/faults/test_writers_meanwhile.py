"""Commands and locks beside a server that serves: no acknowledged write is lost or replaced."""

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from applications import FEED
from conftest import PAGE, Server, Start, migrated
from databases import check, run_sql
from files import written
from processes import until
from writers import Client, Writers, problems, run_beside, start

from landform.storage import Store, feeds, pages
from landform.storage.maintenance import transfer

# Beyond the ids that writers are given before the import begins.
FIRST, PAGES, FEEDS = 2_000, 1_000, 200


def lines(**changes: Any) -> list[dict[str, Any]]:
    """Return an export whose ids begin beyond those of the writers."""
    store = migrated("sqlite:///:memory:")
    with store.connection():
        pages.create(store, {**PAGE, "content_raw": "imported " * 20, **changes})
        feeds.create(store, {"form_id": 7, "addon_slug": "imported", "meta": {}})
        page, feed = transfer.rows(store, ["page", "feed"])
    store.close()
    numbers = range(FIRST, FIRST + PAGES)
    meta = [{"feedName": f"imported {n}"} for n in range(FEEDS)]
    return [
        *({**page, "id": n, "slug": f"imported-{n}"} for n in numbers),
        *({**feed, "id": FIRST + n, "meta": one} for n, one in enumerate(meta)),
    ]


def imported(server: Server, table: str = "page") -> int:
    """Return how many rows of the file are there."""
    return int(run_sql(server.database, f"SELECT count(*) FROM {table} WHERE id >= {FIRST}")[0][0])


@pytest.mark.parametrize("options", [[], ["--by", "slug"], ["--atomic"]], ids=" ".join)
def test_an_import_replaces_nothing_that_is_created_while_it_runs(
    start_server: Start, tmp_path: Path, options: list[str]
) -> None:
    # With `--atomic` all other writers wait.
    server = start_server(LANDFORM_BUSY_TIMEOUT="60")
    file, writers = written(tmp_path / "lines", lines()), Writers(server, "meanwhile")
    with writers.writing():
        writers.wait_for(20)
        command = start(server, "import", file, *options)
        if not options:
            until(lambda: imported(server) > PAGES // 3, "Nothing is imported.")
            command.kill()
            command.communicate()
            assert command.returncode == -signal.SIGKILL
            writers.wait_for(20)
            command = start(server, "import", file)
        told, _ = command.communicate(timeout=120)
        assert command.returncode == 0, told
        writers.wait_for(20)
    with Client(server) as client:
        lost = problems(client, writers.things)
        again, _ = start(server, "import", file, *options).communicate(timeout=120)
        lost += problems(client, writers.things)
    assert (writers.refused, writers.broken, lost) == ([], 0, [])
    assert again == f"0 created, 0 changed, {PAGES + FEEDS} unchanged\n"
    check(server.database)


def test_an_import_replaces_nothing_changed_meanwhile(start_server: Start, tmp_path: Path) -> None:
    server, file = start_server(), written(tmp_path / "lines", lines())
    start(server, "import", file).communicate(timeout=120)
    changed = "SELECT count(*) FROM page WHERE title_raw = 'New'"
    command = start(server, "import", written(file, lines(title_raw="New", title_rendered="New")))
    until(lambda: run_sql(server.database, changed)[0][0], "Nothing is imported.")
    kept = []
    with Client(server) as client:
        # No more than the command names one by one.
        while command.poll() is None and len(kept) < 15:
            number = FIRST + PAGES - 1 - len(kept)
            method, path = ("DELETE", "?force=true") if number % 3 == 0 else ("PATCH", "")
            assert client.call(method, f"/pages/{number}{path}", {"title": "Mine"})[0] == 200
            kept.append(number)
    told = command.communicate()[0].splitlines()
    found = dict(run_sql(server.database, f"SELECT id, title_raw FROM page WHERE id >= {kept[-1]}"))
    assert found == {number: "Mine" for number in kept if number % 3}
    assert (command.returncode, len(told) > 1) == (1, True)
    assert all("was written here while the import ran" in line for line in told[1:])
    check(server.database)


@pytest.mark.parametrize("name", ["vacuum", "migrate", "verify"])
def test_maintenance_loses_nothing_written_meanwhile(start_server: Start, name: str) -> None:
    server = start_server()
    writers = Writers(server, name)
    assert run_beside(writers, server, name) == [0, 0]
    assert writers.refused == []


def test_a_copy_loses_nothing_new(start_server: Start, make_database: Callable[[], str]) -> None:
    server, other = start_server(), make_database()
    migrated(other).dispose()
    done = run_beside(Writers(server, "copied"), server, "copy", server.database, other)
    # The second time the target is empty no more; and one that is served is not replaced.
    assert done == [0, 1]
    assert run_beside(Writers(server, "target"), server, "copy", other, server.database) == [1, 1]


# A writer that keeps the lock to itself.
READS = ("/pages?context=edit", "/feeds")
WRITES = [
    ("POST", "/pages", {"title": "New"}, {}),
    ("POST", "/pages", {"title": "New"}, {"Idempotency-Key": "k"}),
    ("PUT", "/pages/1", {"title": "Other"}, {}), ("DELETE", "/pages/1", None, {}),
    ("DELETE", "/pages/1?force=true", None, {}), ("POST", "/forms/1/feeds", FEED, {}),
    ("PUT", "/feeds/1", FEED, {}), ("PATCH", "/feeds/1", {"meta": {"a": 1}}, {}),
    ("PUT", "/feeds/1/properties", {"is_active": False}, {}), ("DELETE", "/feeds/1", None, {}),
]  # fmt: skip


def test_a_lock_held_for_longer_than_the_timeout_is_a_503_and_no_write(start_server: Start) -> None:
    server = start_server(LANDFORM_BUSY_TIMEOUT="0.1")
    server.call("POST", "/pages", {"title": "First"})
    server.call("POST", "/feeds", FEED)
    before = [server.call("GET", path) for path in READS]
    other = Store(server.database)
    with Client(server) as client, other.connection():
        with other.transaction():
            for method, path, body, headers in WRITES:
                status, answer = client.call(method, path, body, **headers)
                assert (status, answer["code"]) == (503, "storage_unavailable"), (method, path)
                assert int(client.headers["Retry-After"]) > 0
            assert [server.call("GET", path) for path in READS] == before
        statuses = [client.call(*write[:3], **write[3])[0] for write in WRITES]
    assert statuses == [201, 201, 200, 200, 200, 201, 200, 200, 200, 200]
