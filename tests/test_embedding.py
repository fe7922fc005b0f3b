"""landform as a guest of `host/`, a shop whose own rooms bear the same names as landform's.

Needs nothing of this folder but `host/`, so that it also runs against an installed wheel.
"""

import importlib
import json
import logging
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from landform.service import create_blueprint

HOST = Path(__file__).parent / "host"
NAMES = ("app", "service", "schemas", "storage")
FEED = {"form_id": 3, "addon_slug": "mailer", "meta": {"rate": 1.5}}
REGRETS = [
    ("GET", "/nowhere", 404),
    ("DELETE", "/books", 405),
    ("POST", "/offers", 413),
    ("GET", "/broken", 500),
]
IMPORT_EVERYTHING = """
import importlib, json, logging, os, pkgutil, sys

class Watched(dict):
    def __getitem__(self, name):
        asked.append(name)
        return super().__getitem__(name)
    def get(self, name, default=None):
        asked.append(name)
        return super().get(name, default)
    def __iter__(self):
        asked.append("LANDFORM_ anything")
        return super().__iter__()

def watch(event, arguments):
    if event == "sqlite3.connect":
        written.append(str(arguments[0]))
    if event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        written.append(str(arguments[0]))

asked, written, root = [], [], logging.getLogger()
os.environ = Watched(os.environ)
import flask, marshmallow, peewee
before = (root.level, list(root.handlers))
sys.addaudithook(watch)
for name in ("app", "cli", "service", "schemas", "storage"):
    module = importlib.import_module(f"landform.{name}")
    for inner in pkgutil.iter_modules(getattr(module, "__path__", ())):
        importlib.import_module(f"landform.{name}.{inner.name}")
ours = logging.getLogger("landform")
print(json.dumps({
    "asked": [name for name in asked if name.startswith("LANDFORM_")],
    "written": written,
    "logging": [(root.level, root.handlers) != before, ours.level, len(ours.handlers)],
}))
"""


def run(code: str, folder: Path, *arguments: str, **environment: str) -> Any:
    """Run Python in a folder, as one starts an application there, and read the JSON it prints."""
    command = [sys.executable, "-c", code, *arguments]
    variables = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment}
    ended = subprocess.run(command, cwd=folder, env=variables, capture_output=True, check=False)
    assert ended.returncode == 0, ended.stderr.decode()
    return json.loads(ended.stdout)


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
def client(host: Flask) -> FlaskClient:
    return host.test_client()


@pytest.fixture(scope="module")
def every_connection() -> list[str]:
    paths: list[str] = []

    def note(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "sqlite3.connect":
            paths.append(str(arguments[0]))

    # There is no removing it; but it looks at one word.
    sys.addaudithook(note)
    return paths


@pytest.fixture
def opened(host: Flask, every_connection: list[str]) -> list[str]:
    """The path of each database that this process opens from now on."""
    every_connection.clear()
    return every_connection


@pytest.fixture
def broken(tmp_path: Path, host: Flask) -> Path:
    """The database without the table of feeds: what no code of ours expects."""
    database = sqlite3.connect(tmp_path / "landform.db")
    database.execute("DROP TABLE feed")
    database.close()
    return tmp_path


def regretted(client: FlaskClient, method: str, path: str, status: int) -> bool:
    """Say whether the shop answers a failure in its own way."""
    answer = client.open(path, method=method, data=b"x" * 2000)
    return (answer.status_code, answer.headers.get("X-Shop"), answer.text) == (
        *(status, "regrets"),
        f"<p>Corner Books regrets: {status}</p>",
    )


def refused(answer: TestResponse, status: int, code: str) -> bool:
    """Say whether an answer is an error in our shape."""
    body = json.loads(answer.data)
    assert (answer.status_code, body["code"]) == (status, code), body
    return (
        set(body) == {"code", "message", "data"}
        and body["data"]["status"] == status
        and answer.mimetype == "application/json"
        and "X-Shop" not in answer.headers
    )


def test_a_host_imports_its_own_packages_under_their_bare_names(tmp_path: Path) -> None:
    code = """
import json, sys
import app, schemas, service, storage
from pathlib import Path
client = app.make_host(Path(sys.argv[1])).test_client()
answers = [client.get("/books"), client.post("/landing/pages", json={"title": "Hello"})]
modules = [str(Path(m.__file__).relative_to(Path.cwd())) for m in (app, schemas, service, storage)]
ours = [str(Path(sys.modules["landform." + n].__file__)) for n in ("schemas", "service", "storage")]
print(json.dumps([modules, ours, [answer.status_code for answer in answers]]))
"""
    modules, ours, statuses = run(code, HOST, str(tmp_path))
    assert modules == ["app.py", *(f"{name}/__init__.py" for name in sorted(NAMES[1:]))]
    assert not [path for path in ours if Path(path).is_relative_to(HOST)]
    assert statuses == [200, 201]


def test_importing_does_nothing(tmp_path: Path) -> None:
    garbage = {f"LANDFORM_{name}": "%" for name in ("DATABASE_URL", "TIMEZONE", "LOG_LEVEL")}
    told = run(IMPORT_EVERYTHING, tmp_path, **garbage)
    assert told == {"asked": [], "written": [], "logging": [False, logging.NOTSET, 0]}
    assert list(tmp_path.iterdir()) == []


def test_a_guest_brings_neither_server_nor_command(tmp_path: Path) -> None:
    code = """
import json, sys
from landform.service import create_blueprint
print(json.dumps([n for n in ("gunicorn", "landform.app", "landform.cli") if n in sys.modules]))
"""
    assert run(code, tmp_path) == []


def test_registering_changes_nothing_of_the_host(shop: ModuleType, tmp_path: Path) -> None:
    def everything(host: Flask) -> list[Any]:
        loggers = [logging.getLogger(name) for name in (None, "app", "landform", "peewee")]
        hooks = (
            *(host.before_request_funcs, host.after_request_funcs, host.teardown_request_funcs),
            *(host.teardown_appcontext_funcs, host.template_context_processors),
            *(host.url_default_functions, host.url_value_preprocessors, host.extensions),
        )
        return [
            *(dict(host.config), host.json, type(host.json), host.request_class),
            *(host.response_class, dict(host.url_map.converters), host.url_map.merge_slashes),
            *({k: dict(v) for k, v in hook.items()} if isinstance(hook, dict) else list(hook)
              for hook in hooks if any(hook)),
            *({code: dict(found) for code, found in host.error_handler_spec[None].items()},),
            *((logger.level, list(logger.handlers), logger.propagate) for logger in loggers),
        ]  # fmt: skip

    host = shop.make_shop(tmp_path)
    before = everything(host)
    host.register_blueprint(
        create_blueprint(host.config["LANDFORM_DATABASE"]), url_prefix="/landing"
    )
    assert everything(host) == before


@pytest.mark.parametrize(("method", "path", "status"), REGRETS)
def test_outside_the_prefix_failures_are_the_hosts(
    client: FlaskClient, method: str, path: str, status: int
) -> None:
    assert regretted(client, method, path, status)
    assert regretted(client, "GET", "/landings/pages", 404)
