"""`kill -9` while eight clients write, and many writers at once: nothing acknowledged is lost."""

import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Server, Start
from databases import check
from figures import HANGS_AFTER_SECONDS, ROUNDS, SOAK_SECONDS, promised
from processes import children, is_running, memory_kib, open_files, ready, reload, until
from writers import BROKEN, Client, Writers, problems, repeat_creates

SERVES_WITHIN_SECONDS = 2


def kill_worker(server: Server, chance: random.Random) -> Callable[[], bool]:
    workers = children(server.process.pid)
    os.kill(chance.choice(workers), signal.SIGKILL)
    return lambda: len(set(children(server.process.pid)) - set(workers)) == 1


def kill_master(server: Server, chance: random.Random) -> Callable[[], bool]:
    """Kill the master and start another at once, as a supervisor does; the workers end too."""
    workers, process = children(server.process.pid), server.process
    process.kill()
    process.wait()
    server.start()
    return lambda: not any(map(is_running, workers)) and len(children(server.process.pid)) == 2


def kill_all(server: Server, chance: random.Random) -> Callable[[], bool]:
    server.stop(signal.SIGKILL)
    server.start()
    return lambda: True


def seconds_to_serve(server: Server, killed: float, settled: Callable[[], bool]) -> float:
    """Return the seconds from a kill until every new connection is answered again."""
    served, deadline = None, killed + HANGS_AFTER_SECONDS
    while served is None or not settled() or time.monotonic() < served + 0.1:
        try:
            status, _ = server.call("GET", "/pages?per_page=1&_fields=id")
            assert status == 200
            served = served or time.monotonic()
        except BROKEN:
            served = None
        assert time.monotonic() < deadline, "It does not serve again."
        time.sleep(0.01)
    return served - killed


KILLS = {"one worker": kill_worker, "the master": kill_master, "the whole group": kill_all}


@pytest.mark.parametrize("killed", KILLS)
def test_kills_lose_no_acknowledged_write_and_end_soon(start_server: Start, killed: str) -> None:
    server, chance = start_server(), random.Random(killed)
    told, waited, everything = list[str](), [], []
    for number in range(ROUNDS):
        writers = Writers(server, f"r{number}")
        ready(server)
        with writers.writing():
            writers.wait_for(20)
            time.sleep(chance.random() * 0.3)
            before = time.monotonic()
            settled = KILLS[killed](server, chance)
            waited.append(seconds_to_serve(server, before, settled))
            writers.wait_for(5)
        assert writers.refused == []
        with Client(server) as client:
            repeat_creates(client, writers.things)
            told += problems(client, writers.things)
        everything += writers.things
    with Client(server) as client:
        for status, pages in check(server.database).items():
            client.call("GET", f"/pages?status={status}&per_page=1")
            assert client.headers["X-WP-Total"] == str(pages)
        told += problems(client, everything)
    assert told == []
    assert max(waited) < promised(SERVES_WITHIN_SECONDS)


# Beyond the thirty after which gunicorn kills what has not ended.
GRACEFUL_SECONDS = 60


def stop(server: Server) -> None:
    os.kill(server.process.pid, signal.SIGTERM)
    assert server.process.wait(GRACEFUL_SECONDS) == 0
    ready(server.start())


def stop_worker(server: Server) -> None:
    workers = children(server.process.pid)
    os.kill(workers[0], signal.SIGTERM)
    until(lambda: workers[0] not in children(server.process.pid), "The worker stays.")
    until(lambda: len(children(server.process.pid)) == len(workers), "No other comes.")


def recycle(server: Server) -> None:
    workers = children(server.process.pid)
    until(lambda: set(workers) - set(children(server.process.pid)), "None is recycled.")


DISTURBANCES = {
    "SIGTERM, and another start": (stop, ()),
    "SIGHUP, which reloads": (reload, ()),
    "SIGTERM for one worker": (stop_worker, ()),
    "A worker is recycled": (recycle, ("--max-requests", "60")),
}


@pytest.mark.parametrize("disturbance", DISTURBANCES)
def test_under_load_no_accepted_request_is_dropped(start_server: Start, disturbance: str) -> None:
    disturb, arguments = DISTURBANCES[disturbance]
    server = ready(start_server(*arguments))
    writers = Writers(server, "d")
    with writers.writing():
        for _ in range(max(1, ROUNDS // 4)):
            writers.wait_for(40)
            disturb(server)
        writers.wait_for(40)
    with Client(server) as client:
        assert problems(client, writers.things) == []
    check(server.database)
    # Done, but not answered.
    assert [thing for thing in writers.things if thing.unanswered in thing.allowed] == []
    assert writers.refused == []
    # While there is no server, connections are refused.
    assert disturb is stop or writers.broken == 0


# Many writers for a while.
READS = "/pages", "/pages?search=qsoak", "/pages?per_page=100", "/feeds?addon=none", "/whoami"
WAL_BYTES = 96 * 1024 * 1024
FILES = 200
# Two workers, each with a cache of 10 MiB, and what Python takes; with room for more.
MEMORY_KIB = 256 * 1024


def read(server: Server, over: threading.Event, reads: Counter[int]) -> None:
    chance = random.Random(0)
    with Client(server) as client:
        while not over.is_set():
            path = chance.choice(READS)
            reads[client.call("GET", path)[0]] += 1
            time.sleep(0.01)


@pytest.mark.sqlite("it looks at the log of a file")
def test_many_writers_get_no_error_all_stays_bounded(start_server: Start, tmp_path: Path) -> None:
    server, over, reads = ready(start_server()), threading.Event(), Counter[int]()
    file, writers = tmp_path / "landform.db", Writers(server, "soak", clients=32)
    others = [threading.Thread(target=read, args=[server, over, reads]) for _ in range(4)]
    samples = []
    with writers.writing():
        for thread in others:
            thread.start()
        try:
            over_at = time.monotonic() + SOAK_SECONDS
            while time.monotonic() < over_at:
                time.sleep(SOAK_SECONDS / 40)
                workers = children(server.process.pid)
                samples.append((
                    max(map(memory_kib, workers)), max(map(open_files, workers)),
                    Path(f"{file}-wal").stat().st_size,
                ))  # fmt: skip
        finally:
            over.set()
            for thread in others:
                thread.join(60)
    memory, files, log = zip(*samples, strict=True)
    with Client(server) as client:
        told = problems(client, writers.things)
    assert (writers.refused, writers.broken, told) == ([], 0, [])
    assert "locked" not in (tmp_path / "server.log").read_text()
    # A word that every page holds takes longer the more pages there are.
    assert set(reads) <= {200, 503}
    assert (max(memory) < MEMORY_KIB, max(files) < FILES, max(log) < WAL_BYTES) == (True,) * 3
    if SOAK_SECONDS >= 60:
        half = len(samples) // 2
        assert max(memory[half:]) < 1.5 * max(memory[:half])
        assert max(files[half:]) <= max(files[:half]) + 4
    server.stop()
    check(server.database)
