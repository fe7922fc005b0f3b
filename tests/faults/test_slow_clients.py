"""Clients that crawl: they cost a connection, and nobody else's time."""

import json
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from http.client import HTTPConnection
from statistics import median

import pytest
from conftest import Server, Start, basic
from crawlers import BODY, KINDS, Kind, allow_files, connect, crawling, head
from figures import HANGS_AFTER_SECONDS, promised
from processes import children, memory_kib, until
from writers import holding_writes

# Whoever waits for one of them waits for longer than `HANGS_AFTER_SECONDS`.
TWO_MINUTES = {"LANDFORM_CLIENT_TIMEOUT": "120"}
ONE_SECOND = {"LANDFORM_CLIENT_TIMEOUT": "1"}
TWO_SECONDS = {"LANDFORM_CLIENT_TIMEOUT": "2"}
# What a worker may hold for all its clients together, and what it takes beside.
MOST_KIB = (128 + 160) * 1024


@pytest.fixture
def start(start_server: Start) -> Callable[..., Server]:
    """Start a server of one worker, with a small page and `size` characters to be listed."""

    def start(size: int = 400_000, **environment: str) -> Server:
        allow_files(4096)
        server = start_server(LANDFORM_WORKERS="1", **environment)
        server.call("POST", "/pages", {"title": "Small"})
        for _ in range(2):
            text = f"<!-- wp:html -->{'x' * size}<!-- /wp:html -->"
            server.call("POST", "/pages", {"title": "A large one", "content": text})
        return server

    return start


def response(one: socket.socket) -> bytes:
    """Return all that comes until the connection is closed."""
    found = b""
    with suppress(ConnectionResetError):
        while piece := one.recv(1 << 20):
            found += piece
    return found


def halves(server: Server) -> list[object]:
    path = "/pages?context=edit&status=any&search=half&_fields=id"
    found: list[object] = server.call("GET", path)[1]
    return found


def slowest(server: Server, during: float) -> list[float]:
    """Ask for the probe and a page for so long; return the longest times, and the usual ones."""
    times: dict[str, list[float]] = {"/healthz": [], "/pages/1": []}
    until = time.monotonic() + during
    while time.monotonic() < until:
        for path, found in times.items():
            began = time.monotonic()
            assert server.call("GET", path)[0] == 200
            found.append(time.monotonic() - began)
    return [*map(max, times.values()), *map(median, times.values())]


def test_a_hundred_crawling_clients_of_a_kind_delay_nobody(start: Callable[..., Server]) -> None:
    server = start(**TWO_MINUTES)
    idle = [HTTPConnection("127.0.0.1", server.port, timeout=30) for _ in range(100)]
    with ExitStack() as stack:
        for one in idle:
            stack.enter_context(closing(one))
        assert statuses(idle) == {200}
        with crawling(server.port, 100, *KINDS.values()):
            found = slowest(server, 2)
            assert max(found) < promised(1), found
            assert server.call("POST", "/pages", {"title": "Meanwhile"})[0] == 201
            assert statuses(idle) == {200}
    assert halves(server) == []


def statuses(clients: list[HTTPConnection]) -> set[int]:
    """Let clients that wait for their next request send it; return the statuses of all."""
    for one in clients:
        one.request("GET", "/pages/1", headers=basic())
    responses = [one.getresponse() for one in clients]
    assert all(response.read() for response in responses)
    return {response.status for response in responses}


def test_each_kind_is_dropped_when_its_time_is_over(start: Callable[..., Server]) -> None:
    server = start(1_900_000, **ONE_SECOND)
    with crawling(server.port, 2, *KINDS.values()) as clients:
        began = time.monotonic()
        found = {name: response(clients[2 * n]) for n, name in enumerate(KINDS)}
        assert time.monotonic() - began < HANGS_AFTER_SECONDS
    for name, text in found.items():
        if name == "nothing":
            assert text == b""
        elif "response" not in name:
            assert text.startswith(b"HTTP/1.1 408 "), name
            assert b"Connection: close" in text
        else:
            # Its promised length never comes: the rest was thrown away.
            assert len(text) < 3_900_000, name
    assert halves(server) == []


def test_a_client_that_is_slow_but_goes_on_is_served(start: Callable[..., Server]) -> None:
    server = start(1_900_000, **TWO_SECONDS)
    body = json.dumps({"title": "Slow", "content": "x" * 600_000}).encode()
    with connect(server.port, Kind(head("POST /pages", f"Content-Length: {len(body)}"))) as one:
        for at in range(0, len(body), 50_000):
            one.sendall(body[at : at + 50_000])
            time.sleep(0.2)
        assert one.recv(12) == b"HTTP/1.1 201"
    with socket.create_connection(("127.0.0.1", server.port), 30) as one:
        one.sendall(head("GET /pages?search=large", "Connection: close"))
        found = b""
        for _ in range(15):
            found += one.recv(1 << 16, socket.MSG_WAITALL)
            time.sleep(0.2)
        found += response(one)
    top, _, rest = found.partition(b"\r\n\r\n")
    assert f"Content-Length: {len(rest)}".encode() in top
    assert len(rest) > 3_800_000


def test_bodies_that_crawl_do_not_fill_the_memory(start: Callable[..., Server]) -> None:
    server = start(**TWO_MINUTES)
    first = head("POST /pages", "Content-Length: 4000000") + BODY + b"x" * 3_900_000
    with ThreadPoolExecutor(8) as pool, crawling(server.port, 0):
        clients = list(pool.map(lambda _: connect(server.port, Kind(first)), range(60)))
    try:
        assert server.process
        assert memory_kib(children(server.process.pid)[0]) < MOST_KIB
        # The first ones had waited longest when there was no more room.
        assert response(clients[0]).startswith(b"HTTP/1.1 503 ")
        body = {"title": "In between", "content": "x" * 1_000_000}
        assert server.call("POST", "/pages", body)[0] == 201
    finally:
        for one in clients:
            one.close()
    assert halves(server) == []


def test_responses_that_nobody_reads_use_bounded_memory(start: Callable[..., Server]) -> None:
    server = start(1_900_000, **TWO_MINUTES)
    for _ in range(2):
        server.call("GET", "/pages?search=large&orderby=id")
    worker = children(server.process.pid)[0]
    before = memory_kib(worker)
    with crawling(server.port, 60, KINDS["a response that nobody takes"]):
        until(lambda: memory_kib(worker) > before + 60_000, "No response is made.", 60)
        time.sleep(3)
        # What was sent of a response is held as long as the rest of it.
        assert memory_kib(worker) < before + 180_000
        assert server.call("GET", "/pages/1")[0] == 200
    until(lambda: memory_kib(worker) < before + 20_000, "The memory is not given back.", 30)
    with ExitStack() as stack:
        for _ in range(20):
            client = stack.enter_context(closing(HTTPConnection("127.0.0.1", server.port)))
            client.request("GET", "/pages?search=large&orderby=id", headers=basic())
            assert len(client.getresponse().read()) > 3_800_000
        until(lambda: memory_kib(worker) < before + 20_000, "Idle clients keep theirs.", 30)


def test_probes_and_what_is_cached_need_none_of_the_threads(start: Callable[..., Server]) -> None:
    server = start()
    server.call("GET", "/pages/1")
    body = {"title": "Waits"}
    with ThreadPoolExecutor(8) as pool:
        with holding_writes(server):
            jobs = [pool.submit(server.call, "POST", "/pages", body) for _ in range(8)]
            time.sleep(0.3)
            for path in ("/healthz", "/readyz", "/pages/1") * 3:
                assert server.call("GET", path)[0] == 200
            assert not any(job.done() for job in jobs)
        assert {job.result()[0] for job in jobs} == {201}
