"""Measure the service on PostgreSQL beside itself on SQLite, with one to four processes each.

`compare.py --postgresql` starts a server of PostgreSQL in a temporary folder, with its default
settings: every commit waits for the disk, as on SQLite. Both services have the same 1,000 pages
and 20 feeds. Each round asks each of them once per case and number of processes, in turn.
"""

import statistics
import sys
from collections.abc import Mapping
from typing import Any

from load import HERE, SERVICE, Case, Servers, fill, script, wrk

sys.path.append(str(HERE.parent / "tests"))

from databases import Postgres

OTHER = "http://127.0.0.1:9104"
PROCESSES = (1, 2, 3, 4)
CHOSEN = (
    "one page", "list 10", "list 10, nothing cached", "search", "5 % writes", "create a page",
    "update a page", "create a feed",
)  # fmt: skip


def compare_engines(servers: Servers, cases: Mapping[str, Case], chosen: Any) -> None:
    """Measure the cases, and print the rows of a table for each."""
    postgres = Postgres()
    bases = {
        SERVICE: f"sqlite:///{servers.folder}/service.db", OTHER: postgres.url("template"),
    }  # fmt: skip
    try:
        ids = {}
        for base, database in bases.items():
            started = servers.service(base, database)
            ids[base] = fill(base)
            servers.stop(started)
        rates: dict[tuple[str, int, str], float] = {}
        for processes in PROCESSES:
            given = {"LANDFORM_WORKERS": str(processes)}
            started = [servers.service(base, url, **given) for base, url in bases.items()]
            for name in chosen.case or CHOSEN:
                for base, rate in _measure(servers, cases[name], ids, chosen).items():
                    rates[name, processes, base] = rate
            for process in started:
                servers.stop(process)
        _print(rates, chosen.case or CHOSEN)
    finally:
        postgres.remove()


def _measure(servers: Servers, case: Case, ids: Mapping[str, str], chosen: Any) -> dict[str, float]:
    """Return the medians of a case for each service."""
    given = script(servers.folder / "a.lua", case, case.headers, "/pages")
    found: dict[str, list[float]] = {base: [] for base in ids}
    for _ in range(chosen.rounds):
        for base, last in ids.items():
            url = base + case.path.format(page=last)
            found[base].append(wrk(url, given, chosen.seconds, chosen.connections))
    return {base: statistics.median(rates) for base, rates in found.items()}


def _print(rates: Mapping[tuple[str, int, str], float], names: Any) -> None:
    """Print each case: PostgreSQL by SQLite, and each by itself with one process."""
    print("| case | " + " | ".join(f"{n} processes" for n in PROCESSES) + " |")
    for name in names:
        lite = [rates[name, n, SERVICE] for n in PROCESSES]
        post = [rates[name, n, OTHER] for n in PROCESSES]
        for told, shares in (
            ("PostgreSQL of SQLite", [one / other for one, other in zip(post, lite, strict=True)]),
            ("PostgreSQL of its own with one", [one / post[0] for one in post]),
            ("SQLite of its own with one", [one / lite[0] for one in lite]),
        ):
            print(f"| {name}: {told} | " + " | ".join(f"{one:.2f}" for one in shares) + " |")
