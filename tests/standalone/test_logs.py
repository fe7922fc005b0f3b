"""The log of the service by itself: one format for requests, errors and gunicorn, one id each."""

import io
import json
import logging
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, SECRET, Server, basic, free_port
from databases import run_sql
from flask.testing import FlaskClient

from landform.app import create_app
from landform.standalone.logs import LineFormatter

LEVELS = {"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"}
PLAIN = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{3}Z "
    r"(DEBUG|INFO|WARNING|ERROR|CRITICAL) [0-9]+ (\S+) .+"
)
# A column that no code expects to be gone.
BREAK = "ALTER TABLE feed RENAME COLUMN meta TO other"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def ask(server: Server, path: str, request_id: str) -> int:
    headers = {**basic(), "X-Request-ID": request_id}
    status, answered, _ = server.send("GET", path, headers, None)
    assert dict(answered)["X-Request-ID"] == request_id
    return status


@pytest.fixture
def run_broken(
    start_server: Callable[..., Server], tmp_path: Path
) -> Callable[..., tuple[list[str], list[str]]]:
    """Run a server through a success, a 500 and a stop; return the lines of stdout and stderr."""

    def run(**environment: str) -> tuple[list[str], list[str]]:
        server = start_server(LANDFORM_WORKERS="1", **environment)
        assert ask(server, "/feeds", "good-1") == 200
        run_sql(server.database, BREAK)
        assert ask(server, "/feeds", "bad-1") == 500
        server.stop()
        logs = [(tmp_path / name).read_text().splitlines() for name in ("server.out", "server.log")]
        return logs[0], logs[1]

    return run


def test_every_line_is_json_and_a_traceback_is_a_part_of_its_line(
    run_broken: Callable[..., tuple[list[str], list[str]]],
) -> None:
    out, err = run_broken(LANDFORM_LOG_FORMAT="json", LANDFORM_ACCESS_LOG="on")
    requests, others = ([json.loads(line) for line in lines] for lines in (out, err))
    for line in (*requests, *others):
        assert {"time", "level", "pid", "request_id", "message"} <= set(line)
        assert line["level"] in LEVELS
    asked = {line["request_id"]: line for line in requests}
    assert (asked["good-1"]["status"], asked["good-1"]["level"]) == (200, "INFO")
    assert (asked["bad-1"]["status"], asked["bad-1"]["level"]) == (500, "ERROR")
    (failure,) = [line for line in others if line["request_id"] == "bad-1"]
    assert (failure["level"], failure["logger"]) == ("ERROR", "landform")
    assert "a 500 at /feeds" in failure["message"]
    assert "Traceback" in failure["traceback"]
    assert "meta" in failure["traceback"].splitlines()[-1]
    started = [line for line in others if line["message"].startswith("Booting worker")]
    assert (started[0]["logger"], started[0]["request_id"]) == ("gunicorn.error", None)


def test_every_plain_line_has_time_level_and_id_and_a_traceback_is_indented(
    run_broken: Callable[..., tuple[list[str], list[str]]],
) -> None:
    out, err = run_broken(LANDFORM_ACCESS_LOG="on")
    begun = [line for line in err if not line.startswith("    ")]
    found = {match and match[2]: match and match[1] for match in map(PLAIN.fullmatch, begun)}
    assert None not in found
    assert found["bad-1"] == "ERROR"
    assert any(line.startswith("    Traceback") for line in err)
    asked = {match[2]: match[0] for match in map(PLAIN.fullmatch, out) if match}
    assert len(asked) == len(out)
    assert re.search(r" INFO [0-9]+ good-1 GET /feeds 200 [0-9.]+ ms admin$", asked["good-1"])
    assert re.search(r" ERROR [0-9]+ bad-1 GET /feeds 500 ", asked["bad-1"])


OUTSIDE = """
import logging
from landform.standalone.access_log import around_requests
from werkzeug.routing import Map

def fail(environ, start_response):
    if environ["PATH_INFO"] == "/fine":
        logging.getLogger("gunicorn.error").info("Between.")
        start_response("200 OK", [("Content-Length", "0")])
        return []
    raise RuntimeError("outside of Flask")

app = around_requests(fail, Map(), [])
"""


@pytest.mark.servers
def test_what_gunicorn_says_of_a_request_has_its_id_and_no_query(tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text(OUTSIDE)
    port = free_port()
    command = ["-m", "gunicorn", "-c", str(ROOT / "gunicorn.conf.py"), "-b", f"127.0.0.1:{port}"]
    said: list[dict[str, Any]] = []
    with subprocess.Popen(
        [sys.executable, *command, "outside:app"],
        cwd=tmp_path,
        env={"LANDFORM_WORKERS": "1", "LANDFORM_LOG_FORMAT": "JSON"},
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            said.append(json.loads(line))
            if said[-1]["message"].startswith("Booting worker"):
                break
        for path, request_id in (("/x?password=hush", "r-1"), ("/fine", "r-2")):
            headers = {"X-Request-ID": request_id}
            request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers)
            with suppress(urllib.error.HTTPError):
                urllib.request.urlopen(request, timeout=60).close()
        process.terminate()
        said += map(json.loads, process.stderr)
    by_message = {line["message"]: line for line in said}
    failed = by_message["Exception while serving /x"]
    assert (failed["request_id"], failed["level"]) == ("r-1", "ERROR")
    assert "outside of Flask" in failed["traceback"]
    assert by_message["Between."]["request_id"] == "r-2"
    # What comes after a request in the same process is not about it.
    assert {line["request_id"] for line in said if "exiting" in line["message"]} == {None}
    assert "hush" not in json.dumps(said)


def test_auto_is_plain_on_a_terminal_only() -> None:
    streams = (Terminal(), io.StringIO(), None)
    assert [LineFormatter("AUTO", one).is_json for one in streams] == [False, True, True]
    assert not LineFormatter("PLAIN", None).is_json
    assert LineFormatter("JSON", Terminal()).is_json


@pytest.mark.parametrize("style", ["PLAIN", "JSON"])
def test_no_text_begins_another_line(style: str) -> None:
    evil = "a\nb\r\x1b[2J\u2028c\ud800 é"
    try:
        raise ValueError(evil)
    except ValueError:
        information = sys.exc_info()
    record = logging.LogRecord("x", logging.ERROR, "", 1, "%s", (evil,), information)
    text = LineFormatter(style, None).format(record)
    text.encode()
    lines = text.splitlines()
    if style == "JSON":
        (line,) = lines
        assert json.loads(line)["message"] == evil
        assert "ValueError: a\nb" in json.loads(line)["traceback"]
    else:
        assert PLAIN.fullmatch(lines[0])
        assert r"a\nb\r\x1b[2J\u2028c\ud800 é" in lines[0]
        assert all(line.startswith("    ") for line in lines[1:])
        assert "\x1b" not in text


def test_a_line_outside_of_a_request_has_no_id() -> None:
    record = logging.makeLogRecord({"levelname": "INFO", "msg": "m", "created": 1.5, "process": 7})
    assert json.loads(LineFormatter("JSON", None).format(record))["request_id"] is None
    assert LineFormatter("PLAIN", None).format(record) == "1970-01-01T00:00:01.500Z INFO 7 - m"


def service(url: str, **settings: Any) -> FlaskClient:
    given = {"DATABASE_URL": url, "CREDENTIALS": SECRET, "LOG_LEVEL": "DEBUG"}
    return create_app({**given, **settings}).test_client()


def test_debug_tells_of_the_start_and_the_cache(
    new_database: str, caplog: pytest.LogCaptureFixture
) -> None:
    client = service(new_database)
    for text in ("Applied the migration 0001", "is up to date", "is ready"):
        assert text in caplog.text
    caplog.clear()
    service(new_database)
    assert "is up to date" in caplog.text
    assert "migration" not in caplog.text
    caplog.clear()
    client.post("/pages", json={"title": "One"}, headers=basic())
    client.get("/pages")
    client.get("/pages")
    said = [record.getMessage() for record in caplog.records]
    assert [line for line in said if "ache" in line][-3:-1] == [
        "Cache miss.",
        next(line for line in said if line.startswith("Cached until")),
    ]
    assert said[-1].startswith("Cache hit: ")


def test_no_value_and_no_secret_reaches_the_log_at_debug(
    database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    client = service(database_url, CREDENTIALS="admin:hush-1")
    right = basic("admin:hush-1")
    page = {"title": "hush-3", "password": "hush-2", "slug": "hush-4", "meta": {"form_id": "hush"}}
    assert client.post("/pages", json=page, headers=right).status_code == 201
    feed = {"form_id": 1, "addon_slug": "hush", "meta": {"apiKey": "hush-5"}}
    assert client.post("/feeds", json=feed, headers=right).status_code == 201
    for headers in (
        right,
        basic("admin:hush-6"),
        {"X-Page-Password": "hush-2"},
        {"Cookie": "hush"},
    ):
        for path in ("/pages/1?password=hush-2", "/pages?search=hush-3", "/hush-7", "/feeds"):
            client.get(path, headers=headers)
    client.open("/pages", method="HUSH-8")
    assert len(caplog.records) > 10
    assert "hush" not in caplog.text.lower()


def test_at_info_nothing_is_said_of_what_goes_well(
    database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    client = service(database_url, LOG_LEVEL="INFO")
    store = client.application.blueprints["landform"].service.store  # type: ignore[attr-defined]
    client.post("/pages", json={"title": "One"}, headers=basic())
    client.get("/pages")
    assert caplog.records == []
    assert store.database.observers == []
