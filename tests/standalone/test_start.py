"""The start: what it says, and what keeps it from happening, in one sentence."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Server
from processes import python

from landform.standalone.settings import read_settings
from landform.standalone.start import set_up
from landform.storage import Store, api_keys

pytestmark = pytest.mark.servers

SERVE = ["-m", "landform.standalone", "serve"]
GUNICORN = ["-m", "gunicorn", "-c", str(ROOT / "gunicorn.conf.py")]


def test_the_start_logs_database_access_address_and_docs(
    start_server: Callable[..., Server], tmp_path: Path
) -> None:
    server = start_server(LANDFORM_DATABSE_URL="x", LANDFORM_CREDENTIALS="admin:hunter2,editor:s")
    log = (tmp_path / "server.log").read_text()
    kind = "SQLite, /" if server.database.startswith("sqlite:") else "postgresql://"
    for said in (
        f"Database: {kind}",
        "Access: callers with credentials or a key; anyone may read published pages",
        f"Listening at: {server.url}",
        f"Docs: {server.url}/docs",
        "LANDFORM_DATABSE_URL is not a setting of landform; did you mean",
    ):
        assert said in log
    assert "hunter2" not in log


def test_the_start_says_who_has_access(database_url: str, caplog: pytest.LogCaptureFixture) -> None:
    def access(**settings: Any) -> str:
        set_up(read_settings({"DATABASE_URL": database_url, **settings}))
        return caplog.messages[-1].removeprefix("Access: ")

    assert access().startswith("local mode")
    assert "others get a 401" in access()
    assert access(TRUSTED_PROXIES=1).startswith("nobody")
    assert access(CREDENTIALS="a:hunter2").startswith("callers with")
    store = Store(database_url)
    with store.connection():
        api_keys.create(store, "first", ["feeds:read"], 1, None)
    store.dispose()
    assert access().startswith("callers with")


def refused(command: list[str], folder: Path, **environment: str) -> str:
    """Return the one sentence with which a command ends that cannot work."""
    ran = python(*command, folder=folder, **environment)
    assert (ran.returncode, ran.stdout) == (1, ""), ran.stderr
    assert "Traceback" not in ran.stderr
    told = [line for line in ran.stderr.splitlines() if line and not line.startswith("20")]
    assert len(told) == 1, ran.stderr
    assert told[0].startswith("Error: ")
    return told[0]


BINDS = {
    "127.0.0.1:99999": "is no address with a port",
    "::1:8000": "is not a valid port number",
    "unix:file": "is not a socket", "fd://99": "Bad file descriptor",
    "": "no address to listen at",
}  # fmt: skip


@pytest.mark.parametrize("bind", BINDS)
def test_an_address_that_cannot_be_used_is_an_error_in_a_sentence(
    tmp_path: Path, bind: str
) -> None:
    (tmp_path / "file").touch()
    told = refused([*SERVE, "--bind", bind], tmp_path, LANDFORM_CREDENTIALS="a:b")
    assert BINDS[bind] in told
    assert " port" not in told or not list(tmp_path.glob("*.db"))


WRONG = {
    "LANDFORM_WORKERS=0": "Error: LANDFORM_WORKERS must be a whole number from 1.",
    "LANDFORM_TEMPLATES=.": "Error: templates: page.html, line 2: Expected an expression",
    "LANDFORM_METRICS=1": "LANDFORM_METRICS needs the package prometheus-client",
    "LANDFORM_DATABASE_URL=sqlite:///:memory:": "cannot be a database in memory: each process",
    "LANDFORM_DATABASE_URL=sqlite:///spoilt": "spoilt cannot be opened as a database",
}


@pytest.mark.parametrize(
    ("setting", "command"),
    [*((setting, SERVE) for setting in WRONG), *((setting, GUNICORN) for setting in [*WRONG][:2])],
)
def test_a_setting_that_cannot_be_used_is_an_error_in_a_sentence_and_begins_nothing(
    tmp_path: Path, setting: str, command: list[str]
) -> None:
    (tmp_path / "page.html").write_text("<p>\n{% if %}")
    (tmp_path / "spoilt").write_bytes(b"no database" * 5000)
    # Python runs a module of this name at its start.
    hidden = "import sys; sys.modules['prometheus_client'] = None"
    (tmp_path / "sitecustomize.py").write_text(hidden)
    given = dict([setting.split("=")], PYTHONPATH=str(tmp_path))
    told = refused(command, tmp_path, **given)
    assert WRONG[setting] in told
    assert ("`landform restore`" in told) == ("spoilt" in setting)
    assert (tmp_path / "spoilt").read_bytes() == b"no database" * 5000
    assert not list(tmp_path.glob("*.db"))
