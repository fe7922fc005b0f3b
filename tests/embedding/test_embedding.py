"""landform as a guest of `host/`, a shop whose own rooms bear the same names as landform's.

Needs nothing of this folder but `host/`, so that it also runs against an installed wheel.
"""

import importlib
import json
import logging
import os
import re
import sqlite3
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from flask import Blueprint, Flask, got_request_exception
from werkzeug.exceptions import NotFound
from werkzeug.middleware.dispatcher import DispatcherMiddleware
from werkzeug.test import TestResponse

from landform.service import create_blueprint

HOST = Path(__file__).parent / "host"
NAMES = ("app", "parts", "schemas", "service", "storage")
FEED = {"form_id": 3, "addon_slug": "mailer", "meta": {"rate": 1.5}}
# Where Flask keeps what a blueprint brings.
ADDRESSES = {
    "blueprints", "url_map", "view_functions", "template_context_processors", "error_handler_spec",
}  # fmt: skip
REGRETS = {"GET /nowhere": 404, "DELETE /books": 405, "POST /offers": 413, "GET /broken": 500}


def bare() -> dict[str, ModuleType]:
    return {k: module for k, module in sys.modules.items() if k.partition(".")[0] in NAMES}


@pytest.fixture
def shop(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The host's `app`, its folder first on the import path, as where it is deployed."""
    monkeypatch.syspath_prepend(str(HOST))
    root, others = logging.getLogger(), bare()
    level, handlers = root.level, list(root.handlers)
    for name in others:
        del sys.modules[name]
    yield importlib.import_module("app")
    for name in bare():
        del sys.modules[name]
    sys.modules.update(others)
    for handler in set(root.handlers) - set(handlers):
        root.removeHandler(handler)
        handler.close()
    root.setLevel(level)


@pytest.fixture
def host(shop: ModuleType, tmp_path: Path) -> Flask:
    """The shop with landform in local mode, where the test client may do everything."""
    return shop.make_host(tmp_path)


@pytest.fixture
def broken(tmp_path: Path, host: Flask) -> Path:
    """A database without the column of settings, which no code of ours expects; its folder."""
    database = sqlite3.connect(tmp_path / "landform.db")
    database.execute("ALTER TABLE feed RENAME COLUMN meta TO other")
    database.close()
    return tmp_path


def databases(folder: Path) -> list[str]:
    """Return the database files that this process has open in a folder, one for each connection."""
    if not Path("/proc/self/fd").is_dir():
        pytest.skip("this system does not list open files")
    files = [os.path.realpath(file) for file in Path("/proc/self/fd").iterdir()]
    return [file for file in files if file.startswith(str(folder)) and file.endswith(".db")]


def send(host: Flask, request: str, body: Any = None, **headers: str) -> TestResponse:
    method, _, path = request.partition(" ")
    return host.test_client().open(path, method=method, json=body, headers=headers)


def regretted(answer: TestResponse, status: int) -> bool:
    """Return whether the shop answers a failure in its own way."""
    assert answer.status_code == status
    return answer.text == f"<p>Corner Books regrets: {status}</p>" and "X-Shop" in answer.headers


def refused(answer: TestResponse, status: int, code: str) -> bool:
    """Return whether an answer is an error in our shape."""
    assert (answer.status_code, answer.mimetype) == (status, "application/json"), answer.text
    body = json.loads(answer.data)
    return set(body) == {"code", "message", "data"} and body["code"] == code


def test_registering_changes_and_opens_nothing_of_a_host(shop: ModuleType, tmp_path: Path) -> None:
    def everything(host: Flask) -> list[Any]:
        loggers = [logging.getLogger(name) for name in (None, "app", "landform", "peewee")]
        return [
            {name: repr(value) for name, value in vars(host).items() if name not in ADDRESSES},
            repr(host.template_context_processors[None]),
            repr(host.error_handler_spec[None]),
            [(logger.level, list(logger.handlers), logger.propagate) for logger in loggers],
        ]

    host = shop.make_shop(tmp_path)
    before = everything(host)
    for _ in range(2):
        guest = create_blueprint(host.config["LANDFORM_DATABASE"])
    host.register_blueprint(guest, url_prefix="/landing")
    assert everything(host) == before
    # So that the host may fork.
    assert databases(tmp_path) == []


@pytest.mark.parametrize(("request_line", "status"), REGRETS.items())
def test_outside_a_prefix_errors_are_the_hosts(host: Flask, request_line: str, status: int) -> None:
    assert regretted(send(host, request_line, "x" * 2000), status)
    for path in ("/landings/pages", "/healthz", "/readyz", "/metrics"):
        assert regretted(send(host, f"GET {path}"), 404)


def test_the_hosts_json_is_the_hosts_and_ours_is_ours(host: Flask) -> None:
    theirs = send(host, "POST /offers", {"price": 1.5})
    assert theirs.mimetype == "application/vnd.bookshop+json"
    assert theirs.text == '{\n  "exact": true,\n  "price": "1.5"\n}\n'
    made = send(host, "POST /landing/feeds", FEED)
    read = send(host, "GET /landing/feeds/1")
    enveloped = send(host, "GET /landing/feeds/1?_envelope")
    assert [a.mimetype for a in (made, read, enveloped)] == ["application/json"] * 3
    assert json.loads(made.data)["meta"] == json.loads(read.data)["meta"] == FEED["meta"]
    assert json.loads(enveloped.data)["body"] == json.loads(read.data)


@pytest.mark.parametrize(
    ("request_line", "status", "code"),
    [
        ("GET /landing/", 404, "rest_no_route"),
        ("POST /landing/nonsense", 404, "rest_no_route"),
        ("GET /landing/pages/99", 404, "rest_post_invalid_id"),
        ("DELETE /landing/pages", 405, "rest_no_route"),
        ("GET /landing/pages?per_page=0", 400, "rest_invalid_param"),
        ("POST /landing/pages", 400, "rest_invalid_json"),
    ],
)
def test_below_the_prefix_failures_keep_our_shape(
    host: Flask, request_line: str, status: int, code: str
) -> None:
    host.register_error_handler(Exception, lambda error: ("The host wants them all.", 500))
    answer = send(host, request_line, None if request_line.startswith("GET") else "no object")
    assert refused(answer, status, code)
    allowed = {"GET", "HEAD", "OPTIONS", "POST"} if status == 405 else {""}
    assert set(answer.headers.get("Allow", "").split(", ")) == allowed


def test_a_failure_of_ours_reaches_the_hosts_log_and_listeners(host: Flask, broken: Path) -> None:
    told = []

    def tracker(sender: Flask, exception: Exception) -> None:
        told.append((sender, exception is sys.exc_info()[1], str(exception)))

    with got_request_exception.connected_to(tracker, host):
        answer = send(host, "GET /landing/feeds")
    assert refused(answer, 500, "internal_server_error")
    assert not {"table", "column", "meta"} & set(answer.text.split())
    assert told == [(host, True, "no such column: t1.meta")]
    log = (broken / "shop.log").read_text()
    assert "[shop] ERROR landform: " in log
    assert "no such column: t1.meta" in log


def test_a_guest_logs_to_its_own_logger_and_changes_none(
    shop: ModuleType, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    factory = logging.getLogRecordFactory()
    caplog.set_level(logging.DEBUG, "landform")
    host = shop.make_host(tmp_path)
    caplog.set_level(logging.DEBUG)
    answers = [send(host, "POST /landing/pages", {"title": "hush"})]
    answers += [send(host, f"GET /landing/{path}") for path in ("pages", "pages", "nowhere")]
    # The id of a request is the host's matter.
    assert not any("X-Request-ID" in answer.headers for answer in answers)
    assert factory is logging.getLogRecordFactory()
    assert {record.name for record in caplog.records} == {"landform"}
    for start in ("Applied the migration", "Cache miss", "Cache hit"):
        assert any(message.startswith(start) for message in caplog.messages), start
    assert "hush" not in caplog.text


@pytest.mark.parametrize(
    ("request_line", "status"),
    [
        ("GET /landing/pages", 200),
        ("POST /landing/pages", 400),
        ("GET /landing/feeds", 500),
        ("POST /landing/feeds", 500),
    ],
)
def test_a_request_gives_its_connection_back_however_it_ends(
    host: Flask, broken: Path, request_line: str, status: int
) -> None:
    statuses = []

    def work(*request: Any) -> None:
        statuses.append(send(host, *request).status_code)

    asked = (request_line, None if request_line.startswith("GET") else FEED)
    # In a thread each, as one that kept its connection would cost the next thread a new one.
    for request in (asked, asked, asked, ("POST /landing/pages", {"title": "No lock is left"})):
        thread = threading.Thread(target=work, args=request)
        thread.start()
        thread.join()
    assert statuses == [status, status, status, 201]
    assert databases(broken) == [str(broken / "landform.db")]


@pytest.mark.parametrize("parent", ["", "/site"])
@pytest.mark.parametrize("mount", ["", "/shop"])
def test_addresses_carry_every_prefix_and_lead_back(
    shop: ModuleType, tmp_path: Path, mount: str, parent: str
) -> None:
    host, around = shop.make_shop(tmp_path), Blueprint("site", __name__, url_prefix=parent or None)
    guest = create_blueprint(host.config["LANDFORM_DATABASE"])
    around.register_blueprint(guest, url_prefix="/landing")
    host.register_blueprint(around)
    host.wsgi_app = DispatcherMiddleware(NotFound(), {mount: host.wsgi_app})
    site, base = f"{mount}{parent}", f"http://localhost{mount}{parent}/landing"

    pages = [send(host, f"POST {site}/landing/pages", {"title": f"No. {n}"}) for n in "123"]
    feed = send(host, f"POST {site}/landing/forms/3/feeds", FEED)
    listed = send(host, f"GET {site}/landing/pages?per_page=1&page=2&order=asc&orderby=id")
    links = dict(re.findall(r'<([^>]+)>; rel="(\w+)"', listed.headers["Link"]))
    assert json.loads(listed.data)[0]["link"] == f"{base}/no-2/"
    assert [page.headers["Location"] for page in pages] == [f"{base}/pages/{n}" for n in "123"]
    assert feed.headers["Location"] == f"{base}/feeds/1"
    assert sorted(links.values()) == ["next", "prev"]
    for address in (*links, pages[0].headers["Location"], feed.headers["Location"]):
        assert address.startswith(base)
        assert send(host, f"GET {address.removeprefix('http://localhost')}").status_code == 200
    assert refused(send(host, f"GET {site}/landing/nonsense"), 404, "rest_no_route")
    assert regretted(send(host, f"GET {site}/nonsense"), 404)


def test_a_guest_has_the_paths_of_wordpress_below_its_prefix_where_it_is_asked_for(
    shop: ModuleType, tmp_path: Path
) -> None:
    for options, status in ({}, 404), ({"wp_json_paths": True}, 200):
        host = shop.make_host(tmp_path, **options)
        for path in ("", "wp-json/wp/v2/pages", "wp-json/gf/v2/feeds"):
            assert send(host, f"GET /landing/{path}").status_code == status
        assert regretted(send(host, "GET /wp-json"), 404)
    send(host, "POST /landing/pages", {"title": "One"})
    (plain,) = send(host, "GET /landing/pages").json or ()
    for path in ("wp-json/wp/v2/pages", "?rest_route=/wp/v2/pages"):
        (typed,) = send(host, f"GET /landing/{path}").json or ()
        assert (typed["type"], {name: typed[name] for name in plain}) == ("page", plain)
    page = "http://localhost/landing/wp-json/wp/v2/pages/1"
    assert typed["_links"]["self"][0]["href"] == page


def test_the_hosts_own_authorizer_decides(shop: ModuleType, tmp_path: Path) -> None:
    host = shop.make_host(tmp_path, authorizer=sys.modules["service"].identify)
    for badge, status in (("blue", 201), ("", 401), ("forged", 401)):
        badges = {"X-Badge": badge} if badge else {}
        made = send(host, "POST /landing/pages", {"title": "Fair"}, **badges)
        assert made.status_code == status, badge
        assert badge != "blue" or json.loads(made.data)["author"] == 7
    assert json.loads(made.data)["message"] == "This badge is not ours."


def test_bare_names_and_other_addresses_are_the_hosts(host: Flask, tmp_path: Path) -> None:
    for name, module in bare().items():
        assert Path(module.__file__ or "").is_relative_to(HOST), name
        assert module is not sys.modules.get(f"landform.{name}")
    assert set(bare()) == set(NAMES)
    for request_line in (*REGRETS, "GET /", "GET /books"):
        send(host, request_line)
    assert databases(tmp_path) == []
