"""The log of the service by itself: one format for requests, errors and gunicorn, one id each."""

import json
import logging
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from applications import service
from conftest import Server, basic
from databases import run_sql

from landform.standalone.logs import LineFormatter

LEVELS = {"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"}
PLAIN = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{3}Z "
    r"(DEBUG|INFO|WARNING|ERROR|CRITICAL) [0-9]+ (\S+) .+"
)
# A column that no code expects to be gone.
BREAK = "ALTER TABLE feed RENAME COLUMN meta TO other"


def ask(server: Server, path: str, request_id: str) -> int:
    headers = {**basic(), "X-Request-ID": request_id}
    status, answered, _ = server.send("GET", path, headers, None)
    assert dict(answered)["X-Request-ID"] == request_id
    return status


@pytest.mark.parametrize("style", ["json", "plain"])
def test_every_line_has_its_time_level_and_id_and_a_traceback_belongs_to_its_line(
    start_server: Callable[..., Server], tmp_path: Path, style: str
) -> None:
    environment = {"LANDFORM_LOG_FORMAT": style, "LANDFORM_ACCESS_LOG": "on"}
    server = start_server(LANDFORM_WORKERS="1", **environment)
    assert ask(server, "/feeds", "good-1") == 200
    run_sql(server.database, BREAK)
    # Not the same list: that is cached.
    assert ask(server, "/feeds?include=1", "bad-1") == 500
    server.stop()
    out, err = ((tmp_path / name).read_text() for name in ("server.out", "server.log"))
    if style == "plain":
        asked = {match[2]: match[0] for match in map(PLAIN.fullmatch, out.splitlines()) if match}
        assert re.search(r" INFO [0-9]+ good-1 GET /feeds 200 [0-9.]+ ms admin$", asked["good-1"])
        assert re.search(r" ERROR [0-9]+ bad-1 GET /feeds 500 ", asked["bad-1"])
        begun = [line for line in err.splitlines() if not line.startswith("    ")]
        found = {match and match[2]: match and match[1] for match in map(PLAIN.fullmatch, begun)}
        assert (None in found, found["bad-1"], "\n    Traceback" in err) == (False, "ERROR", True)
        return
    requests, others = ([json.loads(line) for line in text.splitlines()] for text in (out, err))
    for line in (*requests, *others):
        assert {"time", "level", "pid", "request_id", "message"} <= set(line)
        assert line["level"] in LEVELS
    told = {line["request_id"]: (line["status"], line["level"]) for line in requests}
    assert (told["good-1"], told["bad-1"]) == ((200, "INFO"), (500, "ERROR"))
    (failure,) = [line for line in others if line["request_id"] == "bad-1"]
    assert (failure["level"], failure["logger"]) == ("ERROR", "landform")
    assert "a 500 at /feeds" in failure["message"]
    assert "meta" in failure["traceback"].splitlines()[-1]
    started = [line for line in others if line["message"].startswith("Booting worker")]
    assert (started[0]["logger"], started[0]["request_id"]) == ("gunicorn.error", None)


@pytest.mark.parametrize("style", ["PLAIN", "JSON"])
def test_no_text_begins_another_line(style: str) -> None:
    evil = "a\nb\r\x1b[2J\u2028c\ud800 é"
    try:
        raise ValueError(evil)
    except ValueError:
        information = sys.exc_info()
    record = logging.LogRecord("x", logging.ERROR, "", 1, "%s", (evil,), information)
    text = LineFormatter(style).format(record)
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


def test_no_value_and_no_secret_reaches_a_line(
    database_url: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    client = service(
        database_url, CREDENTIALS="admin:hush-1", ACCESS_LOG="ON", LOG_LEVEL="DEBUG"
    ).anonymous
    right = basic("admin:hush-1")
    page = {"title": "hush-3", "password": "hush-2", "slug": "hush-4", "meta": {"form_id": "hush"}}
    assert client.post("/pages", json=page, headers=right).status_code == 201
    feed = {"form_id": 1, "addon_slug": "hush", "meta": {"apiKey": "hush-5"}}
    assert client.post("/feeds", json=feed, headers=right).status_code == 201
    senders = [
        right, basic("admin:hush-6"), {"X-Page-Password": "hush-2"}, {"Cookie": "hush"},
        {"X-API-Key": "hush-5"}, {"Authorization": "Bearer hush-6"}, {"User-Agent": "hush-8"},
    ]  # fmt: skip
    paths = ["/pages/1?p%61ssword=hush-2", "/pages?search=hush-3", "/hush-7", "/feeds"]
    paths += ["/feeds?consumer_key=admin&consumer%5Fsecret=hush-6"]
    for headers in senders:
        for path in paths:
            client.get(path, headers=headers)
    client.open("/pages", method="HUSH-8")
    out, error = capfd.readouterr()
    assert out.count("\n") == 3 + len(senders) * len(paths)
    assert "hush" not in (out + error + caplog.text).lower()
