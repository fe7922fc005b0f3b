"""Clients that write without a pause to two servers, and remember what was acknowledged.

A create is repeated with its `Idempotency-Key` until it is answered, an update with its `If-Match`:
so each happens once, and none can come late and undo a later one.
"""

import random
import time
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPException
from itertools import count
from threading import Event, Thread
from typing import Any

from conftest import Server
from writers import Client

TIMEOUT = 20
# How long a client goes on with one request once it was told to stop.
PATIENCE = 90


class GaveUp(Exception):
    """A request was answered by no server for too long."""


@dataclass
class Thing:
    """A page or a feed, and what its writer knows of it."""

    kind: str
    # The title of a page or the name of a feed, that nothing else has.
    marker: str
    id: int = 0
    tag: str = ""
    # The last number that was acknowledged, and the last one that was sent.
    acknowledged: int = -1
    sent: int = 0

    def body(self) -> dict[str, Any]:
        """Return what brings the thing to the number that is sent."""
        if self.kind == "pages":
            return {"title": self.marker, "content": f"number {self.sent}"}
        meta = {"feedName": self.marker, "number": self.sent}
        return {"form_id": 1, "addon_slug": "clients", "meta": meta}


def marker_and_number(row: dict[str, Any]) -> tuple[str, int]:
    """Return what was read of a thing in the edit context."""
    if "title" in row:
        return row["title"]["raw"], int(row["content"]["raw"].split()[1])
    return row["meta"]["feedName"], int(row["meta"]["number"])


class Caller:
    """A client of several servers, that goes to another one when its own fails."""

    def __init__(self, servers: list[Server], over: Event) -> None:
        self.over, self.failures = over, Counter[str]()
        self.clients = deque(Client(server, TIMEOUT) for server in servers)

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """Send a request again and again until a server has answered it."""
        waited = 0.0
        while not self.over.is_set() or waited < PATIENCE:
            started = time.monotonic()
            try:
                status, answer = self.clients[0].call(method, path, body, **headers)
                if status < 500:
                    self.headers = self.clients[0].headers
                    return status, answer
                failure = f"{status} {answer['code']}"
            except (OSError, HTTPException, ValueError) as error:
                failure = type(error).__name__
            self.failures[failure] += 1
            self.clients[0].connection.close()
            self.clients.rotate(-1)
            time.sleep(0.05)
            waited += (time.monotonic() - started) * self.over.is_set()
        raise GaveUp(f"{method} {path}: {self.failures}")


class Clients:
    """A number of clients that write until they are stopped."""

    def __init__(self, servers: list[Server], clients: int = 8) -> None:
        self.things: list[Thing] = []
        # When each write was acknowledged.
        self.times: list[float] = []
        self.troubles: Counter[str] = Counter()
        self.over = Event()
        turned = [servers, servers[::-1]]
        self.callers = [Caller(turned[n % 2], self.over) for n in range(clients)]
        self._threads = [Thread(target=self._write, args=[n], daemon=True) for n in range(clients)]

    def start(self) -> None:
        """Begin to write."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End; what is under way is brought to its end first."""
        self.over.set()
        for thread in self._threads:
            thread.join(PATIENCE + 2 * TIMEOUT)
            self.troubles["a client that does not end"] += thread.is_alive()

    def _write(self, writer: int) -> None:
        chance, mine = random.Random(writer), list[Thing]()
        try:
            for number in count():
                if self.over.is_set():
                    return
                if len(mine) < 5 or chance.random() < 0.25:
                    kind = "pages" if chance.random() < 0.7 else "feeds"
                    thing = Thing(kind, f"client {writer} thing {number} end")
                    self.things.append(thing)
                    mine = [*mine, thing][-20:]
                else:
                    thing = chance.choice(mine)
                    thing.sent = thing.acknowledged + 1
                if trouble := self._send(self.callers[writer], thing):
                    self.troubles[trouble] += 1
                    mine.remove(thing)
                time.sleep(0.008)
        except Exception as failure:
            self.troubles[f"{type(failure).__name__}: {failure}"] += 1

    def _send(self, caller: Caller, thing: Thing) -> str:
        """Bring a thing to its next number; return what is wrong with the answer."""
        method, path, condition = "POST", f"/{thing.kind}", {"Idempotency-Key": thing.marker}
        if thing.sent:
            method, path, condition = "PATCH", f"{path}/{thing.id}", {"If-Match": thing.tag}
        status, answer = caller.call(method, path, thing.body(), **condition)
        if status == 412:
            # An attempt before went through, and only its answer was lost.
            found, read = caller.call("GET", f"{path}?context=edit")
            if found == 200 and marker_and_number(read) == (thing.marker, thing.sent):
                status, answer = found, read
        if status not in (200, 201):
            return f"{method} {thing.kind} answered {status}: {answer}"
        thing.id, thing.tag = answer["id"], caller.headers["ETag"]
        thing.acknowledged = thing.sent
        self.times.append(time.monotonic())
        return ""

    def problems(self) -> Iterator[str]:
        """Read everything that there is and compare it with what was acknowledged."""
        caller, found = self.callers[0], dict[str, list[int]]()
        query = "context=edit&per_page=100&status=any&orderby=id&order=asc"
        caller.call("GET", f"/pages?{query}")
        last = int(caller.headers["X-WP-TotalPages"])
        for path in ("/feeds", *(f"/pages?{query}&page={page + 1}" for page in range(last))):
            status, rows = caller.call("GET", path)
            if status != 200:
                raise GaveUp(f"A list answered {status}: {rows}")
            for marker, number in map(marker_and_number, rows):
                found.setdefault(marker, []).append(number)
        for thing in self.things:
            numbers = found.get(thing.marker, [-1])
            if max(numbers) < thing.acknowledged:
                yield f"lost: {thing}"
            if len(numbers) > 1:
                yield f"doubled: {thing}"
            if max(numbers) > thing.sent:
                yield f"never sent: {thing}"
        yield from (f"{what} ({times} times)" for what, times in self.troubles.items() if times)
