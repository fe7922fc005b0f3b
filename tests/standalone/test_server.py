"""What only a real server shows: many processes writing at once, signals, restarts."""

import itertools
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.client import HTTPException
from typing import Any

import pytest
from conftest import Server, processes

pytestmark = pytest.mark.servers

FEED = {"form_id": 1, "addon_slug": "gravityformszapier", "meta": {"feedName": "F"}}


def create_pages(server: Server) -> list[tuple[int, Any]]:
    return [server.call("POST", "/pages", {"title": "Same"}) for _ in range(50)]


def update_feeds(server: Server, writer: int, feeds: list[int]) -> list[int]:
    statuses = []
    for turn in range(10):
        for feed in feeds:
            body = {"meta": {f"{writer}-{turn}": [writer, turn]}, "feed_order": writer + turn}
            statuses.append(server.call("PATCH", f"/feeds/{feed}", body)[0])
            if turn % 5 == 0:
                path = f"/feeds/{feed}/properties"
                statuses.append(server.call("PUT", path, {"is_active": turn > 0})[0])
    return statuses


def test_sixteen_processes_write_at_once_and_nothing_is_lost(
    start_server: Callable[..., Server],
) -> None:
    server = start_server()
    feeds = [server.call("POST", "/feeds", FEED)[1]["id"] for _ in range(4)]
    process, server.process = server.process, None  # a process cannot be sent to another one
    with processes(16) as pool:
        updating = [pool.submit(update_feeds, server, writer, feeds) for writer in range(8)]
        creating = [pool.submit(create_pages, server) for _ in range(8)]
        created = list(itertools.chain.from_iterable(job.result() for job in creating))
        updated = list(itertools.chain.from_iterable(job.result() for job in updating))
    server.process = process

    assert {status for status, _ in created} == {201}
    assert len({page["slug"] for _, page in created}) == len(created) == 400
    assert len({page["id"] for _, page in created}) == 400
    assert set(updated) == {200}
    for feed in feeds:
        meta = server.call("GET", f"/feeds/{feed}")[1]["meta"]
        assert len(meta) == 1 + 8 * 10
        assert all(meta[f"{w}-{t}"] == [w, t] for w in range(8) for t in range(10))


def test_a_kill_between_writes_loses_no_acknowledged_write(
    start_server: Callable[..., Server],
) -> None:
    server = start_server()
    acknowledged: dict[int, str] = {}
    for round_number in range(5):
        killed = threading.Event()

        def write(writer: int, turn: int = round_number, over: threading.Event = killed) -> None:
            with suppress(OSError, HTTPException):
                for number in itertools.count():
                    title = f"{turn}/{writer}/{number}"
                    status, page = server.call("POST", "/pages", {"title": title, "content": title})
                    assert status == 201
                    acknowledged[page["id"]] = title
                    if over.is_set():
                        return

        with ThreadPoolExecutor(4) as pool:
            writers = [pool.submit(write, writer) for writer in range(4)]
            before = len(acknowledged)
            while len(acknowledged) < before + 40:
                killed.wait(0.01)
            server.stop(signal.SIGKILL)
            killed.set()
            for writer in writers:
                writer.result()
        server.start()

    found: dict[int, str] = {}
    for page in itertools.count(1):
        rows = server.call("GET", f"/pages?context=edit&per_page=100&page={page}")[1]
        if not isinstance(rows, list):
            break
        found |= {row["id"]: row["content"]["raw"] for row in rows}
    assert len(acknowledged) >= 200
    assert acknowledged.items() <= found.items()


@pytest.mark.smoke
def test_a_write_through_one_worker_is_read_through_every_other(
    start_server: Callable[..., Server],
) -> None:
    server = start_server(LANDFORM_WORKERS="4")
    page = server.call("POST", "/pages", {"title": "First"})[1]["id"]
    for number in range(50):
        server.call("PUT", f"/pages/{page}", {"title": f"Title {number}"})
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda _: server.call("GET", f"/pages/{page}"), range(4)))
        assert {answer[1]["title"]["rendered"] for answer in answers} == {f"Title {number}"}


def test_an_application_loaded_before_the_fork_works(
    start_server: Callable[..., Server],
) -> None:
    server = start_server("--preload")
    with ThreadPoolExecutor(8) as pool:
        created = list(
            pool.map(lambda n: server.call("POST", "/pages", {"title": f"P{n}"}), range(40))
        )
    assert {status for status, _ in created} == {201}
    assert len(server.call("GET", "/pages?per_page=100")[1]) == 40


def test_a_stop_answers_what_is_under_way(start_server: Callable[..., Server]) -> None:
    server = start_server()
    with ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(server.call, "POST", "/pages", {"title": "S"}) for _ in range(8)]
        assert {job.result()[0] for job in jobs} == {201}
    server.stop()
    assert server.process is not None
    assert server.process.returncode == 0
