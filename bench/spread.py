"""Measure how two workers share kept connections, here and in another checkout, in turn.

    .venv/bin/python bench/spread.py --beside ../before --runs 20
    .venv/bin/python bench/spread.py --case "one page" --case "create a page"

Each run opens new connections. Printed are how many connections each worker has while it runs, the
requests per second, and, beside another checkout, the median of the ratios of a pair.
"""

import argparse
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


def connections(master: int, port: int) -> list[int]:
    """Return how many connections to a port each worker of a master has, the fewest first."""
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    accepted = {
        f"socket:[{line[9]}]"
        for line in lines
        if line[1].endswith(f":{port:04X}") and line[3] == "01"
    }
    workers = Path(f"/proc/{master}/task/{master}/children").read_text().split()
    return sorted(sum(link in accepted for link in links(worker)) for worker in workers)


def links(process: str) -> list[str]:
    """Return the names of the open files of a process."""
    names = []
    for file in Path(f"/proc/{process}/fd").iterdir():
        with suppress(OSError):
            names.append(str(file.readlink()))
    return names


class Checkout:
    """The service of a checkout, with two workers, filled."""

    def __init__(self, servers: Servers, tree: Path, port: int) -> None:
        self.port, self.base = port, f"http://127.0.0.1:{port}"
        self.folder = servers.folder / str(port)
        self.folder.mkdir()
        (self.folder / "landform").symlink_to(tree.resolve())
        self.master = servers.start(
            f"{self.base}/pages",
            [GUNICORN[0], "-c", str(tree / "gunicorn.conf.py"), "-b", f"127.0.0.1:{port}"],
            PYTHONPATH=str(self.folder),
            LANDFORM_DATABASE_URL=f"sqlite:///{self.folder}/service.db",
            LANDFORM_CREDENTIALS="admin:secret",
            LANDFORM_WORKERS="2",
        ).pid
        self.page = fill(self.base)

    def run(self, case: Case, seconds: int, number: int) -> tuple[float, list[int]]:
        """Return the requests per second, and the connections of each worker."""
        url = self.base + case.path.format(page=self.page)
        lua = script(self.folder / "run.lua", case, case.headers, "/pages")
        with ThreadPoolExecutor(1) as pool:
            rate = pool.submit(wrk, url, lua, seconds, number)
            sleep(seconds / 2)
            spread = connections(self.master, self.port)
            return rate.result(), spread


def report(name: str, runs: dict[str, list[tuple[float, list[int]]]]) -> None:
    """Print the rates and spreads of each checkout, and the ratios of the pairs of runs."""
    for who, results in runs.items():
        rate = statistics.median(rate for rate, _ in results)
        even = sum(counts[-1] - counts[0] <= 2 for _, counts in results)
        spreads = ("/".join(map(str, reversed(counts))) for _, counts in results)
        print(f"{name}, {who}: {rate:.0f}/s, at most 5/3 in {even} of {len(results)}:", *spreads)
    if "beside" in runs:
        pairs = zip(runs["here"], runs["beside"], strict=True)
        low, middle, high = statistics.quantiles(here[0] / beside[0] for here, beside in pairs)
        print(f"{name}, ratio: {middle:.2f}; half of all from {low:.2f} to {high:.2f}", flush=True)


def main() -> None:
    """Measure the cases that were chosen, in each checkout in turn."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--seconds", type=int, default=2)
    options.add_argument("--runs", type=int, default=20)
    options.add_argument("--case", action="append", choices=CASES)
    options.add_argument("--beside", type=Path, help="Another checkout, which is measured too.")
    chosen = options.parse_args()
    servers = Servers(Path(tempfile.mkdtemp(prefix="landform-bench-")))
    trees = {"here": HERE.parent} | ({"beside": chosen.beside} if chosen.beside else {})
    try:
        checkouts = {
            who: Checkout(servers, tree, 9111 + number)
            for number, (who, tree) in enumerate(trees.items())
        }
        for name in chosen.case or CASES:
            runs = {who: [] for who in checkouts}
            for number in range(chosen.runs):
                for who in sorted(checkouts, reverse=bool(number % 2)):
                    runs[who].append(checkouts[who].run(CASES[name], chosen.seconds, 8))
            report(name, runs)
    finally:
        servers.close()


if __name__ == "__main__":
    main()
