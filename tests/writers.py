"""Clients that write to a server, remember what it acknowledged, and look whether it is there.

Each thing that they write has a name of its own and is in a numbered version that shows in its
title, content and meta alike: so what is lost and what is half there can both be told.
"""

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from itertools import count
from pathlib import Path
from threading import Event, Thread
from typing import Any

from conftest import Server, basic
from databases import check
from processes import until

from landform.storage import Store

ABSENT = 0
BROKEN = (OSError, HTTPException)


@contextmanager
def holding_writes(server: Server) -> Iterator[None]:
    """Let no other write begin."""
    store = Store(server.database)
    with store.connection(), store.transaction():
        yield
    store.dispose()


class Client:
    """A connection that is kept alive, as clients keep them."""

    def __init__(self, server: Server, timeout: float = 30) -> None:
        self.connection = HTTPConnection("127.0.0.1", server.port, timeout=timeout)

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *failure: object) -> None:
        self.connection.close()

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """Send JSON with every right; return the status and what came back."""
        sent = {"Content-Type": "application/json", **basic(), **headers}
        try:
            raw = None if body is None else json.dumps(body)
            self.connection.request(method, path, raw, sent)
            answer = self.connection.getresponse()
            self.headers = answer.headers
            text = answer.read()
            return answer.status, json.loads(text) if text else None
        except BROKEN:
            self.connection.close()
            raise


@dataclass
class Thing:
    """A page or a feed: what it may be at, as far as its writer knows."""

    kind: str
    name: str
    number: int | None = None
    allowed: set[int] = field(default_factory=lambda: {ABSENT})
    # The Idempotency-Key of its create, if that had one.
    key: str = ""
    # The version whose write got no answer.
    unanswered: int | None = None

    def body(self, version: int) -> dict[str, Any]:
        """Return what a version of the thing looks like: with a word that no other one has."""
        word = f"q{self.name}x{version}z"
        if self.kind == "pages":
            meta = {"form_id": word, "language": [word]}
            body = {"title": f"Title {word}", "content": f"{word} " * 40 + "end", "meta": meta}
            return {**body, "slug": self.name}
        meta = {"feedName": word, "more": [word] * 40, "version": version}
        feed = {"form_id": 1, "addon_slug": self.name.rsplit("n")[0], "feed_order": version}
        return {**feed, "meta": meta}

    def seen(self, row: dict[str, Any]) -> dict[str, Any]:
        """Return what was read in the form of a body."""
        if self.kind == "feeds":
            row = {**row, "form_id": int(row["form_id"]), "feed_order": int(row["feed_order"])}
            return {k: row[k] for k in self.body(1)}
        meta = {k: row["meta"].get(k) for k in ("form_id", "language")}
        texts = {k: row[k]["raw"] for k in ("title", "content")}
        return {**texts, "meta": meta, "slug": row["slug"]}


class Writers:
    """A number of clients that write until they are stopped."""

    def __init__(self, server: Server, name: str, clients: int = 8) -> None:
        self.server, self.name = server, name
        self.things: list[Thing] = []
        self.connect: Callable[[Server], Any] = Client
        self.acknowledged = self.broken = 0
        # Answers that are no success, by status.
        self.refused: list[tuple[int, Any]] = []
        self.over = Event()
        self._threads = [Thread(target=self._write, args=[number]) for number in range(clients)]

    @contextmanager
    def writing(self) -> Iterator["Writers"]:
        """Let the clients write for as long as the block lasts."""
        for thread in self._threads:
            thread.start()
        try:
            yield self
        finally:
            self.over.set()
            for thread in self._threads:
                thread.join()

    def wait_for(self, more: int) -> None:
        """Wait until so many further writes were acknowledged."""
        wanted = self.acknowledged + more
        until(lambda: self.acknowledged >= wanted, "Nothing is acknowledged any more.")

    def _write(self, writer: int) -> None:
        client, chance = self.connect(self.server), random.Random(f"{self.name}{writer}")
        mine: list[Thing] = []
        for number in count():
            if self.over.is_set():
                client.connection.close()
                return
            thing = chance.choice(mine) if len(mine) > 3 and chance.random() < 0.6 else None
            if thing is None:
                kind = "pages" if chance.random() < 0.7 else "feeds"
                thing = Thing(kind, f"{self.name}w{writer}n{number}")
                thing.key = f"key-{thing.name}" if chance.random() < 0.5 else ""
                self.things.append(thing)
                mine.append(thing)
            if not self._send(client, thing, gone=thing.number and chance.random() < 0.2):
                # Nobody knows what became of it: it is not written to again.
                mine.remove(thing)
                time.sleep(0.01)
            elif ABSENT in thing.allowed:
                mine.remove(thing)

    def _send(self, client: Client, thing: Thing, gone: Any) -> bool:
        version = ABSENT if gone else max(thing.allowed) + 1
        try:
            status, answer = send(client, thing, version)
        except ConnectionRefusedError:
            return False
        except BROKEN:
            thing.allowed, thing.unanswered = thing.allowed | {version}, version
            self.broken += 1
            return False
        if status not in (200, 201):
            self.refused.append((status, answer))
            return False
        thing.number = thing.number or answer["id"]
        thing.allowed = {version}
        self.acknowledged += 1
        return True


def send(client: Client, thing: Thing, version: int) -> tuple[int, Any]:
    """Create the thing, update it to a version or delete it."""
    if thing.number is None:
        headers = {"Idempotency-Key": thing.key} if thing.key else {}
        return client.call("POST", f"/{thing.kind}", thing.body(version), **headers)
    path = f"/{thing.kind}/{thing.number}"
    if version == ABSENT:
        return client.call("DELETE", f"{path}?force=true" if thing.kind == "pages" else path)
    return client.call("PUT", path, thing.body(version))


def repeat_creates(client: Client, things: list[Thing]) -> None:
    """Repeat each create whose answer was lost and that had a key."""
    for thing in [thing for thing in things if thing.key and thing.number is None]:
        status, answer = send(client, thing, 1)
        assert status == 201, answer
        thing.number, thing.allowed = answer["id"], {1}


def problems(client: Client, things: list[Thing]) -> list[str]:
    """Return what is lost, half there or there twice; things in doubt are settled."""
    found: dict[str, list[tuple[Thing, dict[str, Any]]]] = {}
    for thing, row in _read(client, things):
        found.setdefault(thing.name, []).append((thing, row))
    told = []
    for thing in things:
        rows = [row for _, row in found.get(thing.name, [])]
        versions = [v for row in rows for v in _versions(thing, row)] or [ABSENT] * (not rows)
        if len(rows) > 1:
            told.append(f"twice: {thing}")
        elif not versions:
            told.append(f"half there: {thing}: {rows}")
        elif versions[0] not in thing.allowed:
            told.append(f"lost: {thing}, found version {versions[0]}")
        else:
            thing.allowed = {versions[0]}
            thing.number = thing.number or (int(rows[0]["id"]) if rows else None)
    return told


def _versions(thing: Thing, row: dict[str, Any]) -> list[int]:
    seen = thing.seen(row)
    return [v for v in range(1, max(thing.allowed) + 2) if thing.body(v) == seen]


def _read(client: Client, things: list[Thing]) -> Iterator[tuple[Thing, dict[str, Any]]]:
    pages = {thing.name: thing for thing in things if thing.kind == "pages"}
    names = list(pages)
    for start in range(0, len(names), 50):
        # A page that was created twice would have the slug with a number after it.
        slugs = [s for name in names[start : start + 50] for s in (name, f"{name}-2")]
        path = f"/pages?context=edit&per_page=100&slug={','.join(slugs)}"
        status, rows = client.call("GET", path)
        assert status == 200, rows
        yield from ((pages[row["slug"].removesuffix("-2")], row) for row in rows)
    feeds = {thing.name: thing for thing in things if thing.kind == "feeds"}
    for addon in {name.rsplit("n")[0] for name in feeds}:
        status, rows = client.call("GET", f"/feeds?addon={addon}")
        assert status == 200, rows
        for row in rows:
            name = row["meta"]["feedName"].removeprefix("q").rsplit("x")[0]
            if name in feeds:
                yield feeds[name], row


def start(server: Server, *arguments: str | Path) -> subprocess.Popen[str]:
    """Start a command beside a server."""
    command = [sys.executable, "-m", "landform.standalone", *map(str, arguments)]
    environment = {**os.environ, "LANDFORM_DATABASE_URL": server.database}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def run_beside(
    writers: Writers, server: Server, *arguments: str | Path, times: int = 2
) -> list[int]:
    """Run a command while clients write, and look for what was acknowledged; return exit codes."""
    done = []
    with writers.writing():
        writers.wait_for(20)
        for _ in range(times):
            command = start(server, *arguments)
            command.communicate(timeout=120)
            done.append(command.returncode)
            writers.wait_for(20)
    with Client(server) as client:
        lost = problems(client, writers.things)
    assert (writers.broken, lost) == (0, [])
    ids = [(thing.kind, thing.number) for thing in writers.things if thing.number]
    assert len(ids) == len(set(ids))
    check(server.database)
    return done
