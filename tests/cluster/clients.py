"""Clients that write without a pause to two servers, and remember what was acknowledged.

A create is repeated with its `Idempotency-Key` until it is answered, an update with its `If-Match`:
so each happens once, and none can come late and undo a later one.
"""

import random
import time
from collections import Counter
from dataclasses import dataclass
from http.client import HTTPException
from itertools import count
from threading import Event, Lock, Thread
from typing import Any

from conftest import Server
from writers import Client

TIMEOUT = 20
# How long a client goes on with one request once it was told to stop.
PATIENCE = 90


@dataclass
class Thing:
    """A page or a feed, and what its writer knows of it."""

    kind: str
    # The title of a page or the name of a feed, that nothing else has.
    marker: str
    number: int = 0
    tag: str = ""
    # The last number that was acknowledged, and the last one that was sent.
    acknowledged: int = -1
    sent: int = 0
    created_at: float = 0
    acknowledged_at: float = 0

    def body(self, number: int) -> dict[str, Any]:
        """Return what is sent to bring the thing to a number."""
        if self.kind == "pages":
            return {"title": self.marker, "content": f"number {number}"}
        meta = {"feedName": self.marker, "number": number}
        return {"form_id": 1, "addon_slug": "clients", "meta": meta}


def marker_and_number(kind: str, row: dict[str, Any]) -> tuple[str, int]:
    """Return what was read of a thing in the edit context."""
    if kind == "pages":
        return row["title"]["raw"], int(row["content"]["raw"].split()[1])
    return row["meta"]["feedName"], int(row["meta"]["number"])


class GaveUp(Exception):
    """A request was answered by no server for too long."""


class Caller:
    """A client of several servers, that goes to another one when its own fails."""

    def __init__(self, servers: list[Server]) -> None:
        self.servers = servers
        self.failures: Counter[str] = Counter()
        self.slowest = 0.0
        self._connect()

    def _connect(self) -> None:
        self.client = Client(self.servers[0], TIMEOUT)

    def call(
        self, over: Event, method: str, path: str, body: Any = None, **headers: str
    ) -> tuple[int, Any]:
        """Send a request again and again until a server has answered it."""
        waited = 0.0
        while not over.is_set() or waited < PATIENCE:
            started = time.monotonic()
            try:
                status, answer = self.client.call(method, path, body, **headers)
            except (OSError, HTTPException, ValueError) as error:
                failure = type(error).__name__
            else:
                self.slowest = max(self.slowest, time.monotonic() - started)
                if status < 500:
                    return status, answer
                failure = f"{status} {answer.get('code') if isinstance(answer, dict) else ''}"
            self.failures[failure] += 1
            self.client.connection.close()
            self.servers = self.servers[1:] + self.servers[:1]
            self._connect()
            time.sleep(0.05)
            waited += (time.monotonic() - started) * over.is_set()
        raise GaveUp(f"{method} {path}: {self.failures}")


class Clients:
    """A number of clients that write until they are stopped."""

    def __init__(self, servers: list[Server], clients: int = 8) -> None:
        self.things: list[Thing] = []
        # When each write was acknowledged.
        self.times: list[float] = []
        self.troubles: Counter[str] = Counter()
        self.over = Event()
        self._lock = Lock()
        places = [n % len(servers) for n in range(clients)]
        turned = [servers[place:] + servers[:place] for place in places]
        self.callers = [Caller(order) for order in turned]
        self._threads = [
            Thread(target=self._write, args=[number], daemon=True) for number in range(clients)
        ]

    def start(self) -> None:
        """Begin to write."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End; what is under way is brought to its end first."""
        self.over.set()
        deadline = time.monotonic() + PATIENCE + 2 * TIMEOUT
        for thread in self._threads:
            thread.join(max(0.1, deadline - time.monotonic()))
            if thread.is_alive():
                self.troubles["a client that does not end"] += 1

    def wait_for(self, more: int, seconds: float) -> bool:
        """Wait until so many further writes were acknowledged; say whether they were."""
        wanted, deadline = len(self.times) + more, time.monotonic() + seconds
        while len(self.times) < wanted:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        return True

    def failures(self) -> Counter[str]:
        """Return how often which failure made clients try again."""
        return sum((caller.failures for caller in self.callers), Counter())

    def _trouble(self, what: str) -> None:
        with self._lock:
            self.troubles[what] += 1

    def _acknowledge(self, thing: Thing, number: int, tag: str) -> None:
        thing.acknowledged, thing.tag = number, tag
        thing.acknowledged_at = time.monotonic()
        with self._lock:
            self.times.append(thing.acknowledged_at)

    def _write(self, writer: int) -> None:
        chance = random.Random(writer)
        mine: list[Thing] = []
        try:
            for number in count():
                if self.over.is_set():
                    return
                if len(mine) < 5 or chance.random() < 0.25:
                    kind = "pages" if chance.random() < 0.7 else "feeds"
                    thing = Thing(kind, f"client {writer} thing {number} end")
                    goes_on = self._create(self.callers[writer], thing)
                    mine = [*mine, thing][-20:]
                else:
                    thing = chance.choice(mine)
                    goes_on = self._update(self.callers[writer], thing)
                if not goes_on:
                    mine.remove(thing)
                time.sleep(0.008)
        except GaveUp as failure:
            self._trouble(f"gave up: {failure}")
        except Exception as failure:
            self._trouble(f"{type(failure).__name__}: {failure}")
            raise

    def _create(self, caller: Caller, thing: Thing) -> bool:
        self.things.append(thing)
        key = {"Idempotency-Key": thing.marker}
        status, answer = caller.call(self.over, "POST", f"/{thing.kind}", thing.body(0), **key)
        if status != 201:
            self._trouble(f"a create answered {status}: {answer}")
            return False
        thing.number = answer["id"]
        self._acknowledge(thing, 0, caller.client.headers["ETag"])
        thing.created_at = thing.acknowledged_at
        return True

    def _update(self, caller: Caller, thing: Thing) -> bool:
        """Bring a thing to its next number; say whether it can be written to any further."""
        path, thing.sent = f"/{thing.kind}/{thing.number}", thing.acknowledged + 1
        condition = {"If-Match": thing.tag}
        body = thing.body(thing.sent)
        status, answer = caller.call(self.over, "PATCH", path, body, **condition)
        if status == 200:
            self._acknowledge(thing, thing.sent, caller.client.headers["ETag"])
            return True
        if status == 412:
            # An attempt before went through, and only its answer was lost.
            status, answer = caller.call(self.over, "GET", f"{path}?context=edit")
            wanted = (thing.marker, thing.sent)
            if status == 200 and marker_and_number(thing.kind, answer) == wanted:
                self._acknowledge(thing, thing.sent, caller.client.headers["ETag"])
                return True
            status = 412
        self._trouble(f"an update answered {status}")
        return False


@dataclass
class Verdict:
    """What became of the things, as far as something is wrong with them."""

    # A create or an update that was acknowledged and is not there.
    lost: list[Thing]
    doubled: list[Thing]
    # A number that nobody has sent.
    unsent: list[Thing]


def check(clients: Clients, servers: list[Server]) -> Verdict:
    """Read everything that there is and compare it with what was acknowledged."""
    caller, found = Caller(servers), dict[tuple[str, str], list[int]]()
    for kind in ("pages", "feeds"):
        for row in _read(caller, kind):
            marker, number = marker_and_number(kind, row)
            found.setdefault((kind, marker), []).append(number)
    verdict = Verdict([], [], [])
    for thing in clients.things:
        numbers = found.get((thing.kind, thing.marker), [-1])
        if max(numbers) < thing.acknowledged:
            verdict.lost.append(thing)
        if len(numbers) > 1:
            verdict.doubled.append(thing)
        if max(numbers) > thing.sent:
            verdict.unsent.append(thing)
    return verdict


def _read(caller: Caller, kind: str) -> list[dict[str, Any]]:
    over, rows = Event(), list[dict[str, Any]]()
    over.set()
    if kind == "feeds":
        status, answer = caller.call(over, "GET", "/feeds")
        return list(expected(status, answer))
    for page in count(1):
        query = f"context=edit&per_page=100&page={page}&status=any&orderby=id&order=asc"
        status, answer = caller.call(over, "GET", f"/pages?{query}")
        rows += expected(status, answer)
        if page >= int(caller.client.headers["X-WP-TotalPages"]):
            return rows
    raise AssertionError


def expected(status: int, answer: Any) -> Any:
    """Return the answer to a read, which must have succeeded."""
    if status != 200:
        raise GaveUp(f"A list answered {status}: {answer}")
    return answer
