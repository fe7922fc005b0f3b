"""Many writers at once for a while: nobody sees `database is locked`, and all stays level."""

import random
import threading
import time
from collections import Counter
from pathlib import Path

import pytest
from conftest import Server, Start
from databases import check
from figures import SOAK_SECONDS
from processes import children, memory_kib, open_files, ready
from writers import Client, Writers, problems

pytestmark = pytest.mark.sqlite("it looks at the log of a file")

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
