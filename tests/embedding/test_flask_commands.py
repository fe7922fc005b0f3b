"""`flask landform ...`: the commands of a blueprint, in the application that has it."""

import subprocess
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from time import sleep

import pytest
from processes import python

from landform.service import create_blueprint

pytestmark = pytest.mark.servers
HOST = """
from flask import Flask, current_app
from landform.service import create_blueprint, page_published

app = Flask(__name__)
landing = create_blueprint("sqlite:///site.db", timezone="Asia/Tokyo", public_url="http://h.example")
private = create_blueprint("sqlite:///private.db", name="private", authorizer=lambda request: None)
memory = create_blueprint("sqlite:///:memory:", name="memory")
for number, blueprint in enumerate((landing, private, memory)):
    app.register_blueprint(blueprint, url_prefix=f"/{number}")


@page_published.connect_via(landing)
def tell(sender, **event):
    print("published in", current_app.name)
"""
# Runs `flask`, and fails where it has imported what only the standalone service needs.
FLASK = """
import sys
from flask.cli import main
try:
    main()
finally:
    unneeded = {"gunicorn", "gunicorn_h1c", "uvloop"}
    unneeded |= {"landform.app", "landform.standalone.settings"}
    runs_command = {"landform", "private", "memory"} & {*sys.argv}
    unneeded |= set() if runs_command else {"landform.standalone"}
    assert not unneeded & sys.modules.keys(), unneeded & sys.modules.keys()
"""
OF_A_DATABASE = set(
    "backup copy deliver export import key migrate restore secret vacuum verify".split()
)
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def flask(tmp_path: Path) -> Run:
    """Run the `flask` command in the folder of a host."""
    (tmp_path / "app.py").write_text(HOST)
    # Settings of a standalone service, which are none of the host.
    settings = {"LANDFORM_DATABASE_URL": "sqlite:///other.db", "LANDFORM_TIMEZONE": "nowhere"}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return python("-c", FLASK, *arguments, folder=tmp_path, **settings)

    return run


def output(ended: subprocess.CompletedProcess[str]) -> str:
    """Return what a command printed that succeeded."""
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def commands_of(group: str, flask: Run) -> set[str]:
    listed = output(flask(group, "--help")).partition("Commands:\n")[2]
    return {line.split()[0] for line in listed.splitlines()}


def test_a_host_that_runs_no_command_of_landform_imports_none(flask: Run) -> None:
    assert "landform.get_page" in output(flask("routes"))


def test_a_host_has_the_commands_that_need_only_a_database(flask: Run) -> None:
    assert commands_of("landform", flask) == OF_A_DATABASE


def test_a_host_with_an_authorizer_has_no_keys(flask: Run) -> None:
    assert commands_of("private", flask) == OF_A_DATABASE - {"key"}


def test_a_backup_is_restored(flask: Run, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/site.db"
    with create_blueprint(url).api as api:
        api.create_page(title="Before")
    assert "bytes" in output(flask("landform", "backup", "site.gz"))
    with create_blueprint(url).api as api:
        api.create_page(title="After")
    assert "site.db is what site.gz held." in output(flask("landform", "restore", "site.gz"))
    assert output(flask("landform", "verify")) == "Nothing is wrong.\n"
    with create_blueprint(url).api as api:
        assert api.list_pages(status="any").total == 1
    assert not (tmp_path / "other.db").exists()


def test_due_pages_are_published_and_the_host_is_told(flask: Run, tmp_path: Path) -> None:
    due = datetime.now().astimezone() + timedelta(seconds=2)
    with create_blueprint(f"sqlite:///{tmp_path}/site.db").api as api:
        api.create_page(title="Later", content="Soon.", status="publish", date=due)
    sleep((due - datetime.now().astimezone()).total_seconds())
    assert output(flask("landform", "deliver", "--once")) == "published in app\n"
    with create_blueprint(f"sqlite:///{tmp_path}/site.db").api as api:
        assert api.list_events()[-1]["type"] == "page.published"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("landform", "backup", "site.db"), "site.db is also a file of the database"),
        (("landform", "restore", "nowhere.gz"), "There is no file nowhere.gz"),
        (("memory", "verify"), "cannot be a database in memory"),
        (("private", "key", "list"), "No such command 'key'"),
        (("landform", "serve"), "No such command 'serve'"),
    ],
)
def test_a_failure_is_a_sentence(flask: Run, arguments: tuple[str, ...], message: str) -> None:
    ended = flask(*arguments)
    assert ended.returncode in (1, 2)
    assert message in ended.stderr
    assert "Traceback" not in ended.stderr
