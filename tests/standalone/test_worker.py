"""The worker's own part of HTTP: when a request is complete, and never what it says."""

import json
import re
import socket
from collections.abc import Callable
from contextlib import closing
from itertools import pairwise
from typing import Any

import pytest
from conftest import Server
from crawlers import Kind, connect, head
from gunicorn.config import Config
from gunicorn.http.errors import NoMoreData
from gunicorn.http.parser import RequestParser
from hypothesis import given, settings
from hypothesis import strategies as st

from landform.standalone.server.connection import Connection

CFG = Config()
MOST = 1 << 22
LINES = [
    "GET / HTTP/1.1\r\n", "POST /a?b HTTP/1.1\r\n", "GET / HTTP/1.0\r\n", "GET /\r\n", "G / H\n",
    "\r\nGET / HTTP/1.1\r\n", "\r\n\r\nGET / HTTP/1.1\r\n", "GET / HTTP/1.1\n",
]  # fmt: skip
HEADERS = [
    "Host: a\r\n", "Host : a\r\n", "X: y\n", " folded\r\n", "Connection: close\r\n",
    "Content-Length: 5\r\n", "Content-Length: 0\r\n", "Content-Length: +5\r\n",
    "Content-Length: 99\r\n", "Content-Length: 5, 5\r\n", "Transfer-Encoding: chunked\r\n",
    "Transfer-Encoding: identity\r\n", "Transfer-Encoding: chunked, chunked\r\n",
    "transfer-encoding:\tChunked\r\n", "Expect: 100-continue\r\n", "\r", "\n",
]  # fmt: skip
BODIES = [
    "\r\n", "\n", "\r", "hello", "5\r\nhello\r\n", "5;a=b\r\nhello\r\n", "0\r\n\r\n",
    "0\r\nX: y\r\n\r\n", "0\r\nX: y\r\n", "0x5\r\nhello\r\n", "+5\r\nhello\r\n", "-1\r\n",
    "5 \r\nhello\r\n", "5\nhello\r\n", "fffffffffffffffff\r\n", "00000005\r\nhello\r\n",
    "5\r\nhelloX\r\n", "1_0\r\nhello\r\n", "000\r\n\r\n",
]  # fmt: skip
WHOLE = [
    "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
    "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n5\r\nhello\r\n",
]


def some(parts: list[str], most: int) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(parts), max_size=most).map("".join)


HEADS = st.tuples(st.sampled_from(LINES), some(HEADERS, 3), st.just("\r\n"), some(BODIES, 4))
STREAMS = st.lists(
    st.sampled_from(WHOLE) | HEADS.map("".join) | some(LINES + HEADERS + BODIES, 3), max_size=5
).map("".join)


def told(request: Any) -> tuple[Any, ...]:
    try:
        body = request.body.read()
    except Exception as error:
        body = type(error)
    return request.method, request.uri, request.version, request.headers, body


def outcome(error: Exception) -> str:
    # Which of two faults is told first depends on how the stream is cut, for gunicorn too.
    return "broken off" if isinstance(error, NoMoreData) else "refused"


def as_gunicorn_reads_it(stream: bytes) -> list[Any]:
    """Return what gunicorn alone makes of a stream: its requests, and how it ends."""
    found: list[Any] = []
    parser = RequestParser(CFG, iter([stream]), ("127.0.0.1", 1))
    try:
        for request in parser:
            found.append(told(request))
            if isinstance(found[-1][-1], type):
                break
    except Exception as error:
        found.append(outcome(error))
    return found


def as_the_worker_reads_it(stream: bytes, cuts: list[int]) -> list[Any]:
    """Return what the worker makes of a stream that comes in pieces."""
    found: list[Any] = []
    near, far = socket.socketpair()
    places = sorted({0, len(stream), *(cut % (len(stream) + 1) for cut in cuts)})
    pieces = [stream[a:b] for a, b in pairwise(places)]
    with closing(near), closing(far):
        conn = Connection(CFG, near, ("127.0.0.1", 1), ("127.0.0.1", 2))
        for piece in [*pieces, b""]:
            far.sendall(piece) if piece else far.shutdown(socket.SHUT_WR)
            assert conn.receive()
            if conn.has_ended and not conn.source.data:
                break
            try:
                while (conn.request or conn.source.data) and conn.is_complete(MOST):
                    found.append(told(conn.request))
                    if conn.request.should_close() or not conn.finish():
                        return found
            except Exception as error:
                return [*found, outcome(error)]
    return found


@settings(max_examples=300, deadline=None)
@given(STREAMS, st.lists(st.integers(0, 400), max_size=12))
def test_a_stream_means_what_gunicorn_says_however_it_is_cut(text: str, cuts: list[int]) -> None:
    stream = text.encode()
    expected, found = as_gunicorn_reads_it(stream), as_the_worker_reads_it(stream, cuts)
    assert found == expected


@pytest.fixture
def server(start_server: Callable[..., Server]) -> Server:
    return start_server(LANDFORM_WORKERS="1")


def responses(one: socket.socket) -> list[bytes]:
    """Return the first lines of the responses until the connection is closed."""
    found = b""
    while piece := one.recv(1 << 16):
        found += piece
    return re.findall(rb"HTTP/1\.1 (.*)\r\n", found)


def test_requests_in_a_row_are_answered_in_their_order(server: Server) -> None:
    body = b'{"title": "In a row"}'
    rows = [
        head("POST /pages", f"Content-Length: {len(body)}") + body,
        head("GET /pages/1"),
        head("POST /pages", "Transfer-Encoding: chunked") + b"15\r\n" + body + b"\r\n0\r\n\r\n",
        head("HEAD /pages/2"),
        head("POST /nowhere", "Content-Length: 4") + b"left",
        head("DELETE /pages/2?force=1", "Connection: close"),
    ]
    promised = [b"201 CREATED", b"200 OK", b"201 CREATED", b"200 OK", b"404 NOT FOUND", b"200 OK"]
    with connect(server.port, Kind(b"".join(rows))) as one:
        assert responses(one) == promised


def test_a_client_that_asks_first_is_told_to_send_its_body(server: Server) -> None:
    body = b'{"title": "Asked"}'
    headers = f"Content-Length: {len(body)}", "Expect: 100-continue", "Connection: close"
    with connect(server.port, Kind(head("POST /pages", *headers))) as one:
        assert one.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        one.sendall(body)
        assert responses(one) == [b"201 CREATED"]


@pytest.mark.parametrize("headers", [["Content-Length: 4194306"], ["Transfer-Encoding: chunked"]])
def test_a_body_that_is_too_large_is_refused_and_not_waited_for(
    server: Server, headers: list[str]
) -> None:
    body = b"" if "4194306" in headers[0] else b"500000\r\n" + b"x" * 0x410000
    with connect(server.port, Kind(head("POST /pages", *headers) + body)) as one:
        assert responses(one) == [b"413 REQUEST ENTITY TOO LARGE"]


@pytest.mark.parametrize(
    "sent",
    [
        head("POST /pages", "Content-Length: 40") + b'{"title": "Half"',
        head("POST /pages", "Transfer-Encoding: chunked") + b'10\r\n{"title": "Half"\r\n',
        head("POST /pages", "Transfer-Encoding: chunked") + b'10;x\r\n{"title": "Half"}',
        head("POST /pages", "Transfer-Encoding: chunked", "Content-Length: 5") + b"0\r\n\r\n",
        head("POST /pages", "Content-Length: 5", "Content-Length: 5") + b"[1,2]",
    ],
)
def test_a_body_that_breaks_off_or_cannot_be_told_apart_is_a_400(
    server: Server, sent: bytes
) -> None:
    with connect(server.port, Kind(sent)) as one:
        one.shutdown(socket.SHUT_WR)
        assert [line.upper() for line in responses(one)] == [b"400 BAD REQUEST"]
    assert server.call("GET", "/pages?status=any")[1] == []


UNREADABLE = {
    "GET /" + "x" * 9000 + " HTTP/1.1\r\n\r\n": (414, "rest_uri_too_long"),
    "GET / HTTP/1.1\r\n" + "X: y\r\n" * 200 + "\r\n": (431, "rest_headers_too_large"),
    "GET / HTTP/1.1\r\nX: " + "y" * 9000 + "\r\n\r\n": (431, "rest_headers_too_large"),
    "GET /?consumer_secret=cs_1 HTTX/1.1\r\n\r\n": (400, "rest_bad_request"),
    "GET / HTTP/1.1\r\nAuthorization : cs_1\r\n\r\n": (400, "rest_bad_request"),
    "GET / HTTP/1.1\r\nTransfer-Encoding: cs_1\r\n\r\n": (501, "rest_bad_request"),
    "GET / HTTP/1.1\r\nExpect: cs_1\r\n\r\n": (417, "rest_bad_request"),
}


def test_what_is_no_request_is_refused_as_json_and_repeated_nowhere(
    start_server: Callable[..., Server],
) -> None:
    server = start_server()
    for sent, (status, code) in UNREADABLE.items():
        with socket.create_connection(("127.0.0.1", server.port), 30) as client:
            # A response before it is not lost.
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n" + sent.encode())
            received = b""
            while part := client.recv(1 << 16):
                received += part
        _, first, refused = re.split(rb"HTTP/1\.1 ", received)
        assert first.startswith(b"200 ")
        top, _, body = refused.partition(b"\r\n\r\n")
        assert int(top[:3]) == status, sent
        assert b"Content-Type: application/json" in top
        told = json.loads(body)
        assert (told["code"], told["data"]) == (code, {"status": status})
        assert b"cs_1" not in received
    server.stop()
    log = (server.folder / "server.log").read_text()
    assert log.count("A request cannot be read: ") == len(UNREADABLE)
    assert "cs_1" not in log
