"""Clients that keep a server waiting: each kind sends, or takes, next to nothing at a time."""

import os
import resource
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from threading import Event, Thread
from typing import NamedTuple

from conftest import basic


class Kind(NamedTuple):
    """What a client sends at once, what every half second, and how many bytes it takes then."""

    first: bytes
    then: bytes = b""
    takes: int = 0


def head(line: str, *headers: str) -> bytes:
    """Return the head of a request with every right."""
    right = f"Authorization: {basic()['Authorization']}"
    kind = "Content-Type: application/json"
    return "\r\n".join(
        [f"{line} HTTP/1.1", "Host: localhost", right, kind, *headers, "", ""]
    ).encode()


HALF = head("GET /pages")[:-4]
LARGE = head("GET /pages?search=large&orderby=id")
BODY = b'{"title": "Half", "content": "'
KINDS = {
    "nothing": Kind(b""),
    "half a head": Kind(HALF),
    "a head that crawls": Kind(HALF + b"\r\nX-More: ", b"x"),
    "a body that crawls": Kind(head("POST /pages", "Content-Length: 100000") + BODY, b"x"),
    "chunks that crawl": Kind(
        head("POST /pages", "Transfer-Encoding: chunked") + b"1e\r\n" + BODY + b"\r\n",
        b"1\r\nx\r\n",
    ),
    "a response that nobody takes": Kind(LARGE),
    "a response that is taken in bytes": Kind(LARGE, takes=1),
    "requests in a row, their responses not taken": Kind(LARGE * 20),
}


def allow_files(wanted: int) -> None:
    """Let this process, and those that it starts, have so many files open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < wanted <= hard or hard == resource.RLIM_INFINITY:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))


def connect(port: int, kind: Kind) -> socket.socket:
    """Open a connection that buffers little, and send what comes first."""
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    one.settimeout(30)
    one.connect(("127.0.0.1", port))
    one.sendall(kind.first)
    return one


@contextmanager
def crawling(port: int, number: int, *kinds: Kind) -> Iterator[list[socket.socket]]:
    """Keep so many connections of each kind crawling for as long as the block lasts."""
    over, clients = Event(), [(connect(port, kind), kind) for kind in kinds for _ in range(number)]

    def crawl() -> None:
        while not over.wait(0.5):
            for one, kind in clients:
                # By number, as a socket with a timeout waits.
                with suppress(OSError):
                    os.write(one.fileno(), kind.then)
                    if kind.takes:
                        os.read(one.fileno(), kind.takes)

    thread = Thread(target=crawl)
    with ExitStack() as stack:
        for one, _ in clients:
            stack.enter_context(one)
        thread.start()
        try:
            yield [one for one, _ in clients]
        finally:
            over.set()
            thread.join()
