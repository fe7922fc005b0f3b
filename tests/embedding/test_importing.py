"""Importing landform does nothing: a host decides when its guest is made, and of what."""

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.servers

SCRIPT = """
import flask, importlib, json, logging, marshmallow, os, peewee, pkgutil, sys
# It looks whether there is IPv6.
import urllib3

def watch(event, arguments):
    writes = event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    if writes or event in ("sqlite3.connect", "os.mkdir", "socket.bind"):
        done.append([event, str(arguments[0])])

done, loggers = [], [logging.getLogger(), logging.getLogger("landform")]
before = [(logger.level, list(logger.handlers)) for logger in loggers]
sys.addaudithook(watch)
from landform.service import create_blueprint
unneeded = "gunicorn", "landform.app", "landform.standalone"
needless = [name for name in unneeded if name in sys.modules]
for name in ("app", "parts", "schemas", "service", "standalone", "storage"):
    module = importlib.import_module(f"landform.{name}")
    for inner in pkgutil.walk_packages(getattr(module, "__path__", ()), f"landform.{name}."):
        try:
            importlib.import_module(inner.name)
        except ModuleNotFoundError as error:
            # What an extra brings, where it is not installed.
            if error.name not in ("prometheus_client", "psycopg", "defusedxml"):
                raise
same = before == [(logger.level, logger.handlers) for logger in loggers]
print(json.dumps({"done": done, "logging is as before": same, "needless": needless}))
"""


def test_importing_does_nothing_and_brings_no_server(tmp_path: Path) -> None:
    garbage = {f"LANDFORM_{name}": "%" for name in ("DATABASE_URL", "TIMEZONE", "LOG_LEVEL")}
    command = [sys.executable, "-B", "-c", SCRIPT]
    variables = {**os.environ, **garbage}
    ended = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, check=False)
    assert ended.returncode == 0, ended.stderr.decode()
    assert json.loads(ended.stdout) == {"done": [], "logging is as before": True, "needless": []}
    assert list(tmp_path.iterdir()) == []


def test_the_typed_host_runs() -> None:
    typed = runpy.run_path(str(Path(__file__).with_name("typed_host.py")))
    assert typed["make_host"]().test_client().get("/").text == " of 0"
