"""Eight workers, some of which die at any moment: each feed of each entry succeeds once.

`make test-faults` has a short form; FAULTS_ENTRIES and FAULTS_ROUNDS make it longer.
"""

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from threading import Thread
from typing import Any

import pytest
from applications import when
from conftest import Server, Start
from databases import check, run_sql
from figures import ROUNDS
from processes import until
from writers import BROKEN, Client

pytestmark = pytest.mark.faults
ENTRIES = int(os.environ.get("FAULTS_ENTRIES", "40"))
FEEDS, LEASE, WORKERS, KILLED = 2, 1, 8, 4
# How long a run takes at most, in seconds, and how many of them take longer than their lease.
LONGEST_EFFECT, HANGS = 0.05, 0.002
# How long a part of it may take before the test gives up.
STUCK_SECONDS = 120 + ENTRIES


class Killed(Exception):
    """Ends a worker wherever it is."""


class Worker(Thread):
    """Takes its entries, and then what is due; notes claims, runs of feeds, and successes."""

    def __init__(self, server: Server, log: list[tuple[str, int, str, int]], number: int) -> None:
        super().__init__()
        done = Counter(entry for kind, _, entry, _ in log if kind == "success")
        self.server, self.log, self.is_killed = server, log, False
        self.entries = [
            str(entry)
            for entry in range(ENTRIES)
            if entry % WORKERS == number and done[str(entry)] < FEEDS
        ]

    def run(self) -> None:
        with suppress(Killed), Client(self.server) as self.client:
            for entry in self.entries:
                body = {"entry": {"1": "yes"}, "entry_id": entry}
                for feed in self.call("POST", "/forms/1/feeds/plan", body)[1]["feeds"]:
                    self.work(feed["id"], entry)
            while True:
                _, due = self.call("GET", "/runs/due?per_page=100")
                time.sleep(0 if due else 0.3)
                # Not all of them for the same one.
                for run in random.sample(due, min(3, len(due))):
                    self.work(run["feed_id"], run["entry_id"])

    def work(self, feed: int, entry: str) -> None:
        """Claim a run, run the feed, and report it."""
        body = {"entry_id": entry, "lease": LEASE}
        status, run = self.call("POST", f"/feeds/{feed}/runs", body)
        if status != 201:
            return
        what = feed, entry, int(run["attempt"])
        self.log += [("claim", *what), ("effect", *what)]
        hangs = random.random() < HANGS
        time.sleep(LEASE + 2 if hangs else random.random() * LONGEST_EFFECT)
        ended = {"state": "success", "attempt": run["attempt"]}
        status, _ = self.call("PATCH", f"/feeds/{feed}/runs/{run['id']}", ended)
        self.log.append(("success" if status == 200 else "lost", *what))

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Send a request until it is answered; who is killed meanwhile learns no answer."""
        while not self.is_killed:
            with suppress(*BROKEN):
                status, answer = self.client.call(method, path, body)
                if status < 500 and not self.is_killed:
                    return status, answer
            time.sleep(0.05)
        raise Killed


@pytest.fixture
def server(start_server: Start) -> Iterator[Server]:
    server = start_server()
    for number, value in enumerate(("yes", "yes", "no")):
        feed = {"addon_slug": "a", "feed_order": number, "meta": when("1", value)}
        assert server.call("POST", "/forms/1/feeds", feed)[0] == 201
    return server


def wait_for(server: Server, wanted: int) -> None:
    """Wait until so many runs are done, as the database has it."""
    done = "SELECT count(*) FROM feed_run WHERE state = 'success'"
    until(
        lambda: run_sql(server.database, done)[0][0] >= wanted, f"Not {wanted} are done.",
        STUCK_SECONDS,
    )  # fmt: skip


def kill(workers: list[Worker]) -> None:
    for worker in workers:
        worker.is_killed = True
    for worker in workers:
        worker.join()


def test_each_feed_of_each_entry_succeeds_once_whoever_is_killed(server: Server) -> None:
    chance, total, log = random.Random(1), ENTRIES * FEEDS, list[tuple[str, int, str, int]]()
    workers = [Worker(server, log, number) for number in range(WORKERS)]
    try:
        for worker in workers:
            worker.start()
        for number in range(2 * ROUNDS):
            wait_for(server, total * (number + 1) // (2 * ROUNDS + 2))
            time.sleep(chance.random() * 0.2)
            if number % 2:
                server.stop(signal.SIGKILL)
                server.start()
                continue
            places = chance.sample(range(WORKERS), KILLED)
            kill([workers[place] for place in places])
            for place in places:
                workers[place] = Worker(server, log, place)
                workers[place].start()
        wait_for(server, total)
    finally:
        kill(workers)

    def noted(kind: str) -> list[tuple[int, str, int]]:
        return [(feed, entry, attempt) for name, feed, entry, attempt in log if name == kind]

    # Each claim was acknowledged to one worker, and each success at most once.
    claims, acknowledged = noted("claim"), noted("success")
    assert len(claims) == len(set(claims))
    assert len(acknowledged) == len({one[:2] for one in acknowledged})
    # Nothing is lost, and nothing is done that should not be.
    rows = run_sql(server.database, "SELECT feed_id, entry_id, state FROM feed_run")
    assert set(rows) == {
        (feed, str(entry), "success") for feed in (1, 2) for entry in range(ENTRIES)
    }
    check(server.database)
    # Whoever dies between what it does and its report leaves it to be done again.
    effects = Counter(one[:2] for one in noted("effect"))
    again = sum(times - 1 for times in effects.values())
    late = len(noted("lost"))
    assert again <= KILLED * ROUNDS + late
