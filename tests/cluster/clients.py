"""Clients that write without a pause to two servers: `Writers` of the faults that never give up.

A create is repeated with its `Idempotency-Key` until it is answered, an update with its `If-Match`:
so each happens once, and none can come late and undo a later one.
"""

import time
from collections import Counter, deque
from http.client import HTTPException
from itertools import cycle
from secrets import token_hex
from threading import Event
from typing import Any

from conftest import Server
from writers import Client, Writers

TIMEOUT = 20
# How long a client goes on with one request once it was told to stop.
PATIENCE = 90


class GaveUp(OSError):
    """A request was answered by no server for too long."""


class Caller:
    """A client of several servers, that goes to another one when its own fails."""

    def __init__(self, servers: list[Server], over: Event, failures: Counter[str]) -> None:
        self.over, self.failures, self.tags = over, failures, dict[str, str]()
        self.clients = deque(Client(server, TIMEOUT) for server in servers)

    @property
    def connection(self) -> Any:
        """The connection to the server that is called now."""
        return self.clients[0].connection

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """Send a request again and again until a server has answered it."""
        waited, is_repeated, resource = 0.0, False, path.partition("?")[0]
        if method == "POST":
            headers.setdefault("Idempotency-Key", token_hex(8))
        elif method != "GET":
            headers["If-Match"] = self.tags[resource]
        while not self.over.is_set() or waited < PATIENCE:
            started = time.monotonic()
            try:
                status, answer = self.clients[0].call(method, path, body, **headers)
                if status < 500:
                    return self._settled(method, resource, status, answer, is_repeated)
                failure = f"{status} {answer['code']}"
            except (OSError, HTTPException, ValueError) as error:
                failure = type(error).__name__
            self.failures[failure] += 1
            self.connection.close()
            self.clients.rotate(-1)
            time.sleep(0.05)
            is_repeated = True
            waited += (time.monotonic() - started) * self.over.is_set()
        raise GaveUp(f"{method} {path}: {self.failures}")

    def _settled(
        self, method: str, path: str, status: int, answer: Any, is_repeated: bool
    ) -> tuple[int, Any]:
        """Return an answer; where an attempt before went through, what that has done."""
        if is_repeated and method == "DELETE" and status == 404:
            return 200, {}
        if is_repeated and method == "PUT" and status == 412:
            return self.call("GET", f"{path}?context=edit")
        if "ETag" in self.clients[0].headers and isinstance(answer, dict) and "id" in answer:
            place = path if path[-1].isdigit() else f"{path}/{answer['id']}"
            self.tags[place] = self.clients[0].headers["ETag"]
        return status, answer


def make_writers(servers: list[Server], failures: Counter[str], clients: int = 8) -> Writers:
    """Return clients of which each other one begins with the other server."""
    turns = cycle([servers, servers[::-1]])
    writers = Writers(servers[0], "cluster", clients)
    writers.connect = lambda _: Caller(next(turns), writers.over, failures)
    return writers
