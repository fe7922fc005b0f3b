"""How the worker reads requests, and how it refuses them."""

import json
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Server, free_port
from crawlers import Kind, connect, head
from processes import until

pytestmark = pytest.mark.servers

HOST, BODY, CHUNKED = "Host: a\r\n", "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n"
# An application that returns the bodies that it gets, and one stream; or fails.
ECHO = """
from contextvars import ContextVar

REQUEST, closed = ContextVar("REQUEST"), []

def app(environ, start_response):
    path = environ["PATH_INFO"]
    kind = "a\\r\\nX: b" if path == "/lines" else "text/plain"
    start_response("200 OK", [("Content-Type", kind)])
    if path == "/stops":
        raise KeyboardInterrupt
    if path == "/closed":
        return [b"<%d>" % len(closed)]
    if path in ("/breaks", "/stream"):
        return stream(path)
    return [b"<" + environ["wsgi.input"].read() + b">"]

def stream(path):
    token = REQUEST.set(path)
    yield b"x" * 100_000
    if path == "/breaks":
        raise ValueError
    try:
        while True:
            yield b"x" * 100_000
    finally:
        # Raises an error in another context than that of the request.
        REQUEST.reset(token)
        closed.append(path)
"""
# As where no C compiler was.
WITHOUT_C = f"""
import sys
sys.modules["gunicorn_h1c"] = sys.modules["uvloop"] = None
exec(open({str(ROOT / "gunicorn.conf.py")!r}).read())
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("echo")


@pytest.fixture(scope="module", params=["C", "Python"])
def port(request: pytest.FixtureRequest, folder: Path) -> Iterator[int]:
    """Serve an application that returns each body, with the parser in C and that in Python."""
    port = free_port()
    (folder / "echo.py").write_text(ECHO)
    (folder / "python.conf.py").write_text(WITHOUT_C)
    configuration = ROOT / "gunicorn.conf.py" if request.param == "C" else "python.conf.py"
    command = ["gunicorn", "-c", str(configuration), "-w", "1", "-b", f"127.0.0.1:{port}"]
    with (
        (folder / "server.log").open("w") as log,
        subprocess.Popen(
            [sys.executable, "-m", *command, "echo:app"], cwd=folder, stderr=log
        ) as process,
    ):
        until(lambda: is_open(port), "It does not listen.")
        yield port
        process.terminate()


def is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def answers(port: int, stream: str | bytes, size: int = 1 << 20) -> list[bytes | int]:
    """Send a stream in pieces of a size; return the bodies that come back, and other statuses."""
    stream = stream.encode("latin-1") if isinstance(stream, str) else stream
    with socket.create_connection(("127.0.0.1", port), 30) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with suppress(ConnectionError):
            for at in range(0, len(stream), size):
                client.sendall(stream[at : at + size])
                time.sleep(0.001 if size < len(stream) else 0)
            client.shutdown(socket.SHUT_WR)
        received = b""
        while piece := client.recv(1 << 16):
            received += piece
    found: list[bytes | int] = []
    while received:
        top, _, rest = received.partition(b"\r\n\r\n")
        length = re.search(rb"\r\nContent-Length: (\d+)", top)
        assert length, top
        body, received = rest[: int(length[1])], rest[int(length[1]) :]
        status = int(top[9:12])
        found.append(body[1:-1] if status == 200 else status)
    return found


IN_TWO_WAYS = [
    BODY + CHUNKED, CHUNKED + BODY, BODY + BODY, "Content-Length: 5, 5\r\n", CHUNKED + CHUNKED,
    "Content-Length: +5\r\n", "Content-Length: -5\r\n", "Content-Length: 0x5\r\n",
    "Content-Length: 5\x0b\r\n", "Content-Length : 5\r\n", "Transfer-Encoding : chunked\r\n",
    "Content-Length:\r\n", "Content-Length: 5 5\r\n", f"Content-Length: {'9' * 5000}\r\n",
    "Transfer-Encoding: chunked, chunked\r\n", "Transfer-Encoding:\r\n chunked\r\n",
    "X: y\r\n Transfer-Encoding: chunked\r\n", "X: y\nTransfer-Encoding: chunked\r\n",
    "X: y\rTransfer-Encoding: chunked\r\n", "X: y\x00\r\n", "X y: z\r\n", ": x\r\n", "X\r\n",
    "Host: b\r\n", "Host: a\r\n", "Transfer-Encoding: chunked, identity\r\n",
]  # fmt: skip
CODINGS = [
    "gzip, chunked",
    "identity",
    "identity, chunked",
    "gzip",
    "xchunked",
    "chunked;a",
    "cs_1",
    "",
]


@pytest.mark.parametrize("headers", IN_TWO_WAYS, ids=repr)
def test_ambiguous_headers_of_a_body_are_refused(port: int, headers: str) -> None:
    top = f"POST / HTTP/1.1\r\n{HOST}{headers}\r\n"
    for body in ("5\r\nhello\r\n0\r\n\r\n", "hello"):
        assert answers(port, top + body) == [400]


@pytest.mark.parametrize("coding", CODINGS)
def test_other_codings_than_chunks_are_refused(port: int, coding: str) -> None:
    top = f"POST / HTTP/1.1\r\n{HOST}Transfer-Encoding: {coding}\r\n\r\n"
    assert answers(port, f"{top}5\r\nhello\r\n0\r\n\r\n")[0] in (400, 501)


@pytest.mark.parametrize(("count", "status"), [(100, b""), (101, 431), (1000, 431)])
def test_more_than_a_hundred_headers_are_refused(
    port: int, count: int, status: bytes | int
) -> None:
    lines = HOST + "".join(f"X-{number}: 1\r\n" for number in range(count - 1))
    assert answers(port, f"GET / HTTP/1.1\r\n{lines}\r\n") == [status]


FOLLOWING = f"GET / HTTP/1.1\r\n{HOST}\r\n"


@pytest.mark.parametrize(
    ("trailer", "end"),
    [
        ("", [b"hello", b""]),
        # They are read and dropped, whatever they are.
        ("X: y\r\nZ:\r\n", [b"hello", b""]),
        ("nothing\r\n", [b"hello", b""]),
        # But not what could be the framing, or another request, for somebody else.
        ("X: y\nGET / HTTP/1.1\r\n", [400]),
        ("X: a\rb\r\n", None),
        ("Content-Length: 5\r\n", [400]),
        ("Transfer-Encoding : chunked\r\n", [400]),
    ],
    ids=repr,
)
def test_lines_after_the_last_chunk_are_no_request(
    port: int, trailer: str, end: list[Any] | None
) -> None:
    top = f"POST / HTTP/1.1\r\n{HOST}{CHUNKED}\r\n5\r\nhello\r\n0\r\n{trailer}\r\n{FOLLOWING}"
    assert answers(port, top) in ([end] if end else [[400], [b"hello", b""]])


@pytest.mark.parametrize(
    "chunks",
    [
        "5\n\r\nhello\r\n0\r\n\r\n", "5;a\n\r\nhello\r\n0\r\n\r\n", "5\r\nhello\r\n0\n\r\n\r\n",
        "\r\n5\r\nhello\r\n0\r\n\r\n", "5\r\nhello\r\n\r\n0\r\n\r\n", "5\r\nhello\n0\r\n\r\n",
        "5\r\r\nhello\r\n0\r\n\r\n", "5;a\nb\r\nhello\r\n0\r\n\r\n", "5;a\rb\r\nhello\r\n0\r\n\r\n",
        " 5\r\nhello\r\n0\r\n\r\n", "5 \r\nhello\r\n0\r\n\r\n", "0x5\r\nhello\r\n0\r\n\r\n",
        "+5\r\nhello\r\n0\r\n\r\n", "-5\r\nhello\r\n0\r\n\r\n", "5_\r\nhello\r\n0\r\n\r\n",
        "5\r\nhelloX\r\n0\r\n\r\n", "4\r\nhello\r\n0\r\n\r\n",
        f"1{'0' * 16}5\r\nhello\r\n0\r\n\r\n", ";a\r\nhello\r\n0\r\n\r\n", "0;a\nb\r\n\r\n",
    ],
    ids=repr,
)  # fmt: skip
@pytest.mark.parametrize("size", [1, 8192])
def test_ambiguous_chunks_are_refused(port: int, chunks: str, size: int) -> None:
    stream = f"POST / HTTP/1.1\r\n{HOST}{CHUNKED}\r\n{chunks}{FOLLOWING}"
    # A chunk of any size may begin, for the parser in Python: then it never ends.
    assert answers(port, stream, size) in ([400], [] if "0" * 16 in chunks else [400])


@pytest.mark.parametrize("size", [1, 2, 7, 8192])
def test_chunks_are_read_in_whatever_pieces_they_come(port: int, size: int) -> None:
    chunks = '3;a\r\nhel\r\n00002;a="b c"; d\r\nlo\r\n000\r\nX: y\r\n\r\n'
    one = f"POST / HTTP/1.1\r\n{HOST}{CHUNKED}\r\n{chunks}"
    assert answers(port, one * 3, size) == [b"hello"] * 3


@pytest.mark.parametrize(
    "line",
    ["GET / HTTP/1.1\n", "GET / HTTP/1.1\r", "GET / HTTP/1.1 ", "GET / HTTP/1.1\x0b", "GET /",
     "GET /\tHTTP/1.1", "GET\t/ HTTP/1.1", "GET /\x0b HTTP/1.1", "GET /\xe9 HTTP/1.1",
     "get / HTTP/1.1",
     "GET /\x00 HTTP/1.1", "GET /\n HTTP/1.1", "GET / x HTTP/1.1", "GET x HTTP/1.1",
     "GET * HTTP/1.1",
     # Versions without chunks.
     *(f"POST / HTTP/{version}\r\n{CHUNKED.strip()}" for version in ("1.0", "0.9", "2.0", "1"))],
    ids=repr,
)  # fmt: skip
def test_an_ambiguous_request_line_is_refused(port: int, line: str) -> None:
    assert answers(port, f"{line}\r\n{HOST}\r\n") == [400]


@pytest.mark.parametrize(
    ("top", "is_read"),
    [
        ("GET / HTTP/1.1", False), ("GET http://a/ HTTP/1.1", False), ("GET / HTTP/1.0", True),
        ("GET / HTTP/1.1\r\nHost: [::1]:80", True), ("GET http://a//x HTTP/1.1\r\nHost: a", True),
        ("GET http://b/ HTTP/1.1\r\nHost: a", False), ("GET x?://a HTTP/1.1\r\nHost: a", False),
        ("GET http://b@a/ HTTP/1.1\r\nHost: a", False), ("OPTIONS * HTTP/1.1\r\nHost: a", False),
        ("CONNECT a:80 HTTP/1.1\r\nHost: a", False),
        *((f"GET / HTTP/1.1\r\nHost: {name}", False) for name in ("a/b", "a,b", "b@a", "a b", "é")),
    ],
    ids=repr,
)  # fmt: skip
def test_a_request_to_no_host_or_to_two_is_refused(port: int, top: str, is_read: bool) -> None:
    assert answers(port, f"{top}\r\n\r\n") == ([b""] if is_read else [400])


def test_an_application_gets_no_part_of_a_body(port: int) -> None:
    assert answers(port, f"POST / HTTP/1.1\r\n{HOST}Content-Length: 4194305\r\n\r\nhello") == [413]


def test_a_client_of_an_old_version_gets_no_interim_response(port: int) -> None:
    top = f"POST / HTTP/1.0\r\n{HOST}{BODY}Expect: 100-continue\r\n\r\n"
    assert answers(port, f"{top}hello", 1) == [b"hello"]


@pytest.mark.parametrize("path", ["/stops", "/lines"])
def test_an_application_that_fails_is_answered_for(port: int, path: str) -> None:
    assert answers(port, f"GET {path} HTTP/1.1\r\n{HOST}\r\n{FOLLOWING}") == [500]


def test_a_stream_that_breaks_ends_with_the_connection(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), 30) as client:
        client.sendall(f"GET /breaks HTTP/1.1\r\n{HOST}\r\n".encode())
        received, is_reset = b"", False
        try:
            while piece := client.recv(1 << 16):
                received += piece
        except ConnectionResetError:
            is_reset = True
    assert is_reset
    assert received.count(b"HTTP/1.1 ") <= 1


def test_clients_that_leave_are_not_in_the_log(port: int, folder: Path) -> None:
    for path in ["/"] * 20 + ["/stream"]:
        with socket.create_connection(("127.0.0.1", port), 30) as client:
            client.sendall(f"GET {path} HTTP/1.1\r\n{HOST}Connection: close\r\n\r\n".encode())
            if path == "/stream":
                client.recv(1000)
    closed = f"GET /closed HTTP/1.1\r\n{HOST}\r\n"
    until(lambda: answers(port, closed) == [b"1"], "The stream is not closed as it was opened.")
    log = (folder / "server.log").read_text()
    assert "Exception in callback" not in log
    assert "after a response" not in log


def in_chunks(body: bytes, size: int) -> bytes:
    pieces = (body[at : at + size] for at in range(0, len(body), size))
    return b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


@pytest.mark.parametrize(
    ("length", "size", "is_read"),
    [(600_000, 1, False), (600_000, 100, False), (600_000, 1000, True), (500, 1, True)],
)
def test_a_body_of_many_small_chunks_is_refused(
    port: int, length: int, size: int, is_read: bool
) -> None:
    top, body = f"POST / HTTP/1.1\r\n{HOST}{CHUNKED}\r\n".encode(), b"x" * length
    assert answers(port, top + in_chunks(body, size)) == ([body] if is_read else [413])


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
    body = b"" if "4194306" in headers[0] else b"500000\r\n" + b"x" * 0x420000
    with connect(server.port, Kind(head("POST /pages", *headers) + body)) as one:
        assert responses(one) == [b"413 REQUEST ENTITY TOO LARGE"]


@pytest.mark.parametrize(
    ("sent", "response"),
    [
        (head("POST /pages", "Content-Length: 40") + b'{"title": "Half"', []),
        (head("POST /pages", "Transfer-Encoding: chunked") + b'10\r\n{"title": "Half"\r\n', []),
        (
            head("POST /pages", "Transfer-Encoding: chunked") + b'10;x\r\n{"title": "Half"}xx',
            [b"400 Bad Request"],
        ),
    ],
)
def test_a_body_that_breaks_off_is_no_request(
    server: Server, sent: bytes, response: list[bytes]
) -> None:
    with connect(server.port, Kind(sent)) as one:
        one.shutdown(socket.SHUT_WR)
        assert responses(one) == response
    assert server.call("GET", "/pages?status=any")[1] == []


UNREADABLE = {
    "GET /" + "x" * 9000 + " HTTP/1.1\r\n\r\n": b"414 Request-URI Too Long",
    "GET / HTTP/1.1\r\nX: " + "y" * 40000 + "\r\n\r\n": b"431 Request Header Fields Too Large",
    "GET /?consumer_secret=cs_1 HTTX/1.1\r\n\r\n": b"400 Bad Request",
    "GET http://[cs_1/ HTTP/1.1\r\n\r\n": b"400 Bad Request",
    "GET http://cs_1@\u2100/ HTTP/1.1\r\n\r\n": b"400 Bad Request",
    "GET / HTTP/1.1\r\nAuthorization : cs_1\r\n\r\n": b"400 Bad Request",
    "GET / HTTP/1.1\r\nTransfer-Encoding: cs_1\r\n\r\n": b"501 Not Implemented",
}


def test_an_unreadable_request_is_refused_and_not_logged(server: Server) -> None:
    for sent, status in UNREADABLE.items():
        with socket.create_connection(("127.0.0.1", server.port), 30) as client:
            # A response before it is not lost.
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n" + sent.encode())
            received = b""
            while part := client.recv(1 << 16):
                received += part
        _, first, refused = received.split(b"HTTP/1.1 ")
        assert first.startswith(b"200 ")
        top, _, body = refused.partition(b"\r\n\r\n")
        assert top.startswith(status + b"\r\n"), sent
        assert b"Connection: close" in top
        assert b"Content-Type: application/json" in top
        assert b"X-Content-Type-Options: nosniff" in top
        error = json.loads(body)
        assert error.keys() == {"code", "message", "data"}
        assert error["data"] == {"status": int(status[:3])}
        assert b"cs_1" not in received
    server.stop()
    log = (server.folder / "server.log").read_text()
    assert log.count("A request cannot be read: ") == len(UNREADABLE)
    assert "cs_1" not in log


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
