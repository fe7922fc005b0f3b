"""Receivers of webhooks: servers on the loopback interface that remember what they were sent."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

# What a receiver responds to an event: a status and headers; None for nothing at all.
Respond = Callable[[dict[str, Any]], tuple[int, dict[str, str]]]


class Receiver:
    """A receiver at `url`: the events that came, in order, with headers and how it responded."""

    def __init__(self, respond: Respond) -> None:
        self.respond = respond
        self.received: list[tuple[int, dict[str, Any], dict[str, str], bytes]] = []
        # The methods and targets of the same requests.
        self.targets: list[tuple[str, str]] = []
        self.url = ""

    @property
    def accepted(self) -> list[int]:
        """The ids of the events that were accepted, as often as they were."""
        return [event["id"] for status, event, _, _ in self.received if status < 300]


@contextmanager
def receiver(respond: Respond = lambda event: (204, {}), words: bytes = b"") -> Iterator[Receiver]:
    """Serve a receiver, with some words in each response."""
    mine = Receiver(respond)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            event = json.loads(body) if body.startswith(b"{") else {}
            status, headers = mine.respond(event)
            mine.targets.append((self.command, self.path))
            mine.received.append((status, event, dict(self.headers), body))
            self.send_response(status)
            for name, value in {"Content-Length": str(len(words)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(words)

        do_GET = do_PUT = do_PATCH = do_DELETE = do_POST  # noqa: N815

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    mine.url = f"http://127.0.0.1:{server.server_port}/hook"
    try:
        yield mine
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def hook() -> Iterator[Receiver]:
    """A receiver that accepts everything."""
    with receiver() as accepting:
        yield accepting
