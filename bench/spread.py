"""Measure how two workers share kept connections, here and in another checkout, in turn.

    .venv/bin/python bench/spread.py --beside ../before --runs 20
    .venv/bin/python bench/spread.py --case "one page" --case "create a page"

Each run opens new connections. Printed are how many connections each worker has while it runs, the
requests per second, and, beside another checkout, the median of the ratios of a pair.
"""

import argparse
import re
import shutil
import statistics
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from time import sleep

from load import AUTHORIZED, GUNICORN, HERE, NEW, Case, Servers, fill, script, wrk

TITLED = {**NEW, "title": "Created NUMBER times"}
CASES = {
    "create a page": Case("/pages", None, 0, None, "POST", AUTHORIZED, body=TITLED),
    "one page": Case("/pages/{page}", None, 0),
    "one page, closed": Case("/pages/{page}", None, 0, headers={"Connection": "close"}),
    "list 10": Case("/pages", None, 0),
    "list 10, nothing cached": Case("/pages?", None, 0, kind="fresh"),
}


def calm():
    """Wait until the machine is idle."""
    def times():
        v = list(map(int, open("/proc/stat").readline().split()[1:]))
        return v[3] + v[4], sum(v)
    for _ in range(120 if IDLE else 0):
        a = times()
        sleep(0.5)
        b = times()
        if (b[0] - a[0]) / (b[1] - a[1]) > IDLE:
            return
import os
IDLE = float(os.environ.get("IDLE", "0"))


def connections(master: int, port: int) -> list[int]:
    """Return how many connections to a port each worker of a master has, the fewest first."""
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    accepted = {f"socket:[{line[9]}]" for line in lines
                if line[1].endswith(f":{port:04X}") and line[3] == "01"}  # fmt: skip
    workers = Path(f"/proc/{master}/task/{master}/children").read_text().split()
    return sorted(sum(link in accepted for link in links(worker)) for worker in workers)


def links(process: str) -> list[str]:
    """Return what the open files of a process are."""
    found = []
    for file in Path(f"/proc/{process}/fd").iterdir():
        with suppress(OSError):
            found.append(str(file.readlink()))
    return found


class Checkout:
    """The service of a checkout, with two workers, filled."""

    def __init__(self, servers: Servers, tree: Path, port: int) -> None:
        self.port, self.base = port, f"http://127.0.0.1:{port}"
        path = servers.folder / str(port)
        path.mkdir()
        (path / "landform").symlink_to(tree.resolve())
        self.master = servers.start(
            f"{self.base}/pages",
            [GUNICORN[0], "-c", str(tree / "gunicorn.conf.py"), "-b", f"127.0.0.1:{port}"],
            PYTHONPATH=str(path), LANDFORM_DATABASE_URL=f"sqlite:///{path}/service.db",
            LANDFORM_CREDENTIALS="admin:secret", LANDFORM_WORKERS="2",
        ).pid  # fmt: skip
        self.page = fill(self.base)
        self.folder = path

    def run(self, case: Case, seconds: int, number: int) -> tuple[float, list[int]]:
        """Return the requests per second, and the connections of each worker."""
        url = self.base + case.path.format(page=self.page)
        given = script(self.folder / "run.lua", case, case.headers, "/pages")
        with ThreadPoolExecutor(1) as pool:
            rate = pool.submit(wrk, url, given, seconds, number)
            sleep(seconds / 2)
            spread = connections(self.master, self.port)
            return rate.result(), spread


def main() -> None:
    """Measure the cases that were chosen, in each checkout in turn."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--seconds", type=int, default=2)
    options.add_argument("--runs", type=int, default=20)
    options.add_argument("--connections", type=int, default=8)
    options.add_argument("--case", action="append", choices=CASES)
    options.add_argument("--beside", type=Path, help="Another checkout, which is measured too.")
    chosen = options.parse_args()
    servers = Servers(Path(tempfile.mkdtemp(prefix="landform-bench-")))
    try:
        trees = {"here": HERE.parent} | ({"beside": chosen.beside} if chosen.beside else {})
        checkouts = {n: Checkout(servers, t, 9111 + i) for i, (n, t) in enumerate(trees.items())}
        for name in chosen.case or CASES:
            rates, spreads = {n: [] for n in checkouts}, {n: [] for n in checkouts}
            for number in range(chosen.runs):
                calm()
                order = list(checkouts)
                for who in order if number % 2 else reversed(order):
                    rate, spread = checkouts[who].run(CASES[name], chosen.seconds, chosen.connections)
                    rates[who].append(rate)
                    spreads[who].append(spread)
            for who in checkouts:
                shown = " ".join("/".join(map(str, reversed(s))) for s in spreads[who])
                close = sum(s[-1] - s[0] <= 2 for s in spreads[who])
                print(f"{name:24} {who:7} {statistics.median(rates[who]):6.0f}/s, "
                      f"at most 5/3: {close} of {len(spreads[who])}: {shown}", flush=True)
            if chosen.beside:
                ratios = sorted(a / b for a, b in zip(*rates.values()))
                print(f"{name:24} ratio   {statistics.median(ratios):.2f}, "
                      f"quartiles {ratios[len(ratios)//4]:.2f} {ratios[-1-len(ratios)//4]:.2f}; "
                      f"of medians {statistics.median(rates['here'])/statistics.median(rates['beside']):.2f}", flush=True)
    finally:
        for process in servers.started:
            servers.stop(process)
        shutil.rmtree(servers.folder, ignore_errors=True)


if __name__ == "__main__":
    main()
