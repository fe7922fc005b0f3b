"""Everything at once for a while: memory, file descriptors and the log of writes stay level."""

import os
import random
import resource
import signal
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from conftest import Server
from consistency import check
from figures import SOAK_SECONDS, record
from processes import children, memory_kib, open_files, ready
from writers import Client, Writers, problems

pytestmark = pytest.mark.sqlite("it disturbs a file")

READS = "/pages", "/pages?search=qsoak", "/pages?per_page=100", "/feeds?addon=none", "/whoami"
WAL_BYTES = 96 * 1024 * 1024
FILES = 200
# Two workers, each with a cache of 10 MiB, and what Python takes; with room for more.
MEMORY_KIB = 256 * 1024


def read(server: Server, over: threading.Event, reads: Counter[str]) -> None:
    chance = random.Random(0)
    with Client(server) as client:
        while not over.is_set():
            path = chance.choice(READS)
            status, body = client.call("GET", path)
            # A word that every page holds takes longer the more pages there are.
            busy = (
                "search" in path and status == 503 and body["code"] == "rest_search_too_expensive"
            )
            reads["busy" if busy else str(status)] += 1
            time.sleep(0.01)


def disturb(file: Path, server: Server, over: threading.Event) -> None:
    """Hold the lock, keep an old state in use, and let files grow no further, for short whiles."""
    chance = random.Random(1)
    while not over.wait(0.3):
        with closing(sqlite3.connect(file, timeout=30, isolation_level=None)) as other:
            other.execute(chance.choice(["BEGIN IMMEDIATE", "BEGIN"]))
            other.execute("SELECT count(*) FROM page").fetchone()
            over.wait(chance.random() / 2)
        bound = file.with_name(f"{file.name}-wal").stat().st_size
        for worker in children(server.process.pid):
            resource.prlimit(worker, resource.RLIMIT_FSIZE, (bound, resource.RLIM_INFINITY))
        over.wait(0.1)
        for worker in children(server.process.pid):
            resource.prlimit(worker, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)


def test_a_soak_of_everything_at_once_stays_level(
    start_server: Callable[..., Server], tmp_path: Path
) -> None:
    server, over, reads = ready(start_server()), threading.Event(), Counter[str]()
    file, writers = tmp_path / "landform.db", Writers(server, "soak")
    others = [threading.Thread(target=read, args=[server, over, reads]) for _ in range(4)]
    others.append(threading.Thread(target=disturb, args=[file, server, over]))
    samples = []
    with writers.writing():
        for thread in others:
            thread.start()
        over_at = time.monotonic() + SOAK_SECONDS
        while time.monotonic() < over_at:
            time.sleep(SOAK_SECONDS / 40)
            workers = children(server.process.pid)
            samples.append((
                max(map(memory_kib, workers)), max(map(open_files, workers)),
                Path(f"{file}-wal").stat().st_size,
            ))  # fmt: skip
        over.set()
        for thread in others:
            thread.join()
    memory, files, log = zip(*samples, strict=True)
    with Client(server) as client:
        told = problems(client, writers.things)
    half = len(samples) // 2
    shown = (
        f"{SOAK_SECONDS:g} s; a worker at most {max(memory[:half]) // 1024} MiB in the first half, "
        f"{max(memory[half:]) // 1024} in the second; file descriptors {max(files[:half])}, "
        f"{max(files[half:])}; log of writes at most {max(log) / 2**20:.1f} MiB; searches refused "
        f"as `rest_search_too_expensive`: {reads['busy']} of {reads.total()} reads"
    )
    record("Everything at once", 1, writers.acknowledged, len(told), shown)
    assert told == []
    assert set(reads) <= {"200", "busy"}
    assert reads["busy"] < reads.total() / 20
    assert {status for status, _ in writers.refused} <= {503}
    assert (max(memory) < MEMORY_KIB, max(files) < FILES, max(log) < WAL_BYTES) == (True,) * 3
    if SOAK_SECONDS >= 60:
        assert max(memory[half:]) < 1.5 * max(memory[:half])
        assert max(files[half:]) <= max(files[:half]) + 4
    os.kill(server.process.pid, signal.SIGTERM)
    assert server.process.wait(30) == 0
    check(server.database)
