"""Eight workers on two processes: each feed of each entry succeeds once, whoever is killed.

`make test` has a short form; FAULTS_ENTRIES and FAULTS_ROUNDS make it longer.
"""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import Server
from consistency import check
from databases import run_sql
from figures import ROUNDS

ENTRIES = int(os.environ.get("FAULTS_ENTRIES", "40"))
FEEDS = 2
SCRIPT = Path(__file__).with_name("run_workers.py")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(SCRIPT.parents[1])}
# How long nothing may get done before the test gives up.
STUCK_SECONDS = 120


class Workers:
    """Two processes of four workers each, and their log."""

    def __init__(self, server: Server, log: Path) -> None:
        self.server, self.log = server, log
        self.processes: list[subprocess.Popen[bytes]] = []
        self.started = 0
        log.touch()

    def start(self) -> None:
        """Start processes until there are two."""
        while len(self.processes) < 2:
            self.started += 1
            arguments = (str(self.server.port), str(self.log), str(ENTRIES), str(self.started))
            command = [sys.executable, str(SCRIPT), *arguments]
            self.processes.append(subprocess.Popen(command, env=ENVIRONMENT))

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """Kill one of them."""
        process.send_signal(signal.SIGKILL)
        process.wait(30)
        self.processes.remove(process)

    def lines(self, kind: str) -> list[tuple[int, str, int]]:
        """Return the feed, entry and attempt of each line of a kind."""
        found = [line.split() for line in self.log.read_text().splitlines()]
        return [(int(feed), entry, int(n)) for name, feed, entry, n in found if name == kind]


@pytest.fixture
def workers(start_server: Callable[..., Server], tmp_path: Path) -> Iterator[Workers]:
    server = start_server()
    for number in range(FEEDS):
        feed = {"addon_slug": "a", "feed_order": number, "meta": condition("yes")}
        assert server.call("POST", "/forms/1/feeds", feed)[0] == 201
    never = {"addon_slug": "a", "meta": condition("no")}
    assert server.call("POST", "/forms/1/feeds", never)[0] == 201
    workers = Workers(server, tmp_path / "log")
    yield workers
    for process in list(workers.processes):
        workers.kill(process)


def condition(value: str) -> dict[str, object]:
    rules = [{"fieldId": "1", "operator": "is", "value": value}]
    logic = {"conditionalLogic": {"logicType": "all", "rules": rules}}
    return {
        "feed_condition_conditional_logic": "1",
        "feed_condition_conditional_logic_object": logic,
    }


def successes(url: str) -> int:
    """Return how many runs are done, as the database has it."""
    return int(run_sql(url, "SELECT count(*) FROM feed_run WHERE state = 'success'")[0][0])


def wait_for(server: Server, wanted: int) -> None:
    """Wait until so many runs are done, as long as there is progress."""
    done, since = successes(server.database), time.monotonic()
    while done < wanted:
        time.sleep(0.1)
        before, done = done, successes(server.database)
        since = time.monotonic() if done > before else since
        assert time.monotonic() < since + STUCK_SECONDS, f"It stays at {done} of {wanted}."


def test_each_feed_of_each_entry_succeeds_once_whoever_is_killed(workers: Workers) -> None:
    server, chance, total = workers.server, random.Random(1), ENTRIES * FEEDS
    kills = 0
    workers.start()
    for number in range(2 * ROUNDS):
        wait_for(server, total * (number + 1) // (2 * ROUNDS + 2))
        time.sleep(chance.random() * 0.2)
        if number % 2:
            server.stop(signal.SIGKILL)
            server.start()
        else:
            workers.kill(chance.choice(workers.processes))
            workers.start()
            kills += 1
    wait_for(server, total)
    for process in list(workers.processes):
        workers.kill(process)

    # Each claim was acknowledged to one worker, and each success at most once.
    claims, acknowledged = workers.lines("claim"), workers.lines("success")
    doubled = [pair for pair, n in Counter(one[:2] for one in acknowledged).items() if n > 1]
    assert [claim for claim, times in Counter(claims).items() if times > 1] == []
    assert doubled == []
    # Nothing is lost, and nothing is done that should not be.
    rows = run_sql(server.database, "SELECT feed_id, entry_id, state FROM feed_run")
    assert set(rows) == {
        (feed, str(entry), "success") for feed in (1, 2) for entry in range(ENTRIES)
    }
    check(server.database)
    effects = Counter(one[:2] for one in workers.lines("effect"))
    # Whoever dies between what it does and its report leaves it to be done again.
    again = sum(times - 1 for times in effects.values())
    late = len(workers.lines("lost"))
    assert again <= kills * 4 + late + len(claims) - len(acknowledged)
