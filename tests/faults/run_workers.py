"""Four workers in one process: `run_workers.py PORT LOG ENTRIES SEED`.

Each takes its share of the entries in an order of its own, and afterwards what is due, until the
process is killed. LOG gets a line for each claim, each run of a feed, and each success that the
service has acknowledged.
"""

import os
import random
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

from writers import BROKEN, Client

WORKERS, FORM, FEEDS, LEASE = 4, 1, 2, 1
# How long a run takes at most, in seconds, and how many of them take longer than their lease.
LONGEST_EFFECT, HANGS = 0.05, 0.002


class Worker(Thread):
    """One worker, with a connection that is kept alive."""

    def __init__(self, port: int, log: int, entries: list[str]) -> None:
        super().__init__()
        self.log, self.entries = log, entries
        server: Any = SimpleNamespace(port=port)
        self.client = Client(server)

    def run(self) -> None:
        for entry in self.entries:
            body = {"entry": {"1": "yes"}, "entry_id": entry}
            _, plan = self.call("POST", f"/forms/{FORM}/feeds/plan", body)
            for feed in plan["feeds"]:
                self.work(feed["id"], entry)
        while True:
            _, due = self.call("GET", "/runs/due?per_page=100")
            if not due:
                time.sleep(0.3)
            # Not all of them for the same one.
            for run in random.sample(due, min(3, len(due))):
                self.work(run["feed_id"], run["entry_id"])

    def work(self, feed: int, entry: str) -> None:
        """Claim a run, run the feed, and report it."""
        body = {"entry_id": entry, "lease": LEASE}
        status, run = self.call("POST", f"/feeds/{feed}/runs", body)
        if status != 201:
            return
        what = f"{feed} {entry} {run['attempt']}"
        self.write(f"claim {what}")
        self.write(f"effect {what}")
        # So that kills come in between, and now and then the lease ends.
        hangs = random.random() < HANGS
        time.sleep(LEASE + 2 if hangs else random.random() * LONGEST_EFFECT)
        ended = {"state": "success", "attempt": run["attempt"]}
        status, _ = self.call("PATCH", f"/feeds/{feed}/runs/{run['id']}", ended)
        self.write(f"{'success' if status == 200 else 'lost'} {what}")

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Send a request until it is answered; whatever came of it, it may be sent again."""
        while True:
            with suppress(*BROKEN):
                status, answer = self.client.call(method, path, body)
                if status < 500:
                    return status, answer
            time.sleep(0.05)

    def write(self, line: str) -> None:
        # One call, so that lines of several processes do not mix.
        os.write(self.log, f"{line}\n".encode())


def main() -> None:
    port, log, entries, seed = sys.argv[1:]
    # What another process has done before it was killed.
    lines = [line.split() for line in Path(log).read_text().splitlines()]
    done = Counter(entry for kind, _, entry, _ in lines if kind == "success")
    left = [str(number) for number in range(int(entries)) if done[str(number)] < FEEDS]
    random.seed(seed)
    random.shuffle(left)
    file = os.open(log, os.O_WRONLY | os.O_APPEND)
    for number in range(WORKERS):
        Worker(int(port), file, [one for one in left if int(one) % WORKERS == number]).start()


if __name__ == "__main__":
    main()
