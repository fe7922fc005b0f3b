"""A reload (SIGHUP) with settings that cannot be used keeps those from before, and says so."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Server
from processes import children, reload, until

from landform.storage import Store

pytestmark = pytest.mark.servers
KEPT = "The settings and templates stay."
URL = 'public_url = "https://{}.example"\n'


def link(server: Server) -> str:
    return str(server.call("GET", "/pages/1")[1]["link"])


# What is wrong with a settings file, None for one that is missing, and what the log says of it.
WRONG = {
    None: "/settings.toml cannot be read",
    URL.format("b") + "workers =": "is not valid TOML",
    URL.format("b") + "timezoen = 'UTC'\n": "did you mean timezone?",
    URL.format("b") + "threads = 0\n": "threads must be a whole number from 1",
    URL.format("b") + "templates = '/nowhere'\n": "templates",
    URL.format("b") + "templates = 'broken'\n": "page.html, line 1: Expected an expression",
    URL.format("b") + "database_url = 'sqlite:///elsewhere.db'\n": "There is no database",
    URL.format("b") + "database_url = 'sqlite:///other.db'\n": "Another file lies in the place",
    URL.format("b") + "database_url = 'sqlite:///spoilt.db'\n": "cannot be opened as a database",
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    other = Store(f"sqlite:///{tmp_path}/other.db")
    other.migrate()
    other.close()
    (tmp_path / "spoilt.db").write_bytes(b"no database" * 5000)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken/page.html").write_text("{% if %}")
    file = tmp_path / "settings.toml"
    file.write_text(URL.format("a"))
    file.chmod(0o600)
    return file


def start(start_server: Callable[..., Server], file: Path) -> Server:
    server = start_server(LANDFORM_CONFIG=str(file), LANDFORM_WORKERS="1")
    server.call("POST", "/pages", {"title": "One"})
    assert link(server) == "https://a.example/one/"
    return server


def log_of(server: Server) -> str:
    return (server.folder / "server.log").read_text()


def test_a_reload_with_wrong_settings_keeps_those_from_before(
    start_server: Callable[..., Server], file: Path
) -> None:
    server = start(start_server, file)
    for text, why in WRONG.items():
        file.unlink() if text is None else file.write_text(text)
        before = len(log_of(server))
        reload(server)
        until(lambda: link(server) == "https://a.example/one/", "It is not served.")
        told = log_of(server)[before:]
        assert why in told, text
        assert KEPT in told
        assert "Traceback" not in told
        assert server.process.poll() is None
    file.write_text(URL.format("b"))
    reload(server)
    until(lambda: link(server) == "https://b.example/one/", "It is not reloaded.")


def test_a_new_worker_has_the_settings_and_templates_of_the_others(
    start_server: Callable[..., Server], file: Path
) -> None:
    own = file.parent / "own"
    own.mkdir()
    file.write_text(URL.format("a") + "templates = 'own'\n")
    server = start(start_server, file)
    own.rmdir()
    reload(server)
    assert "templates must be a folder that is there" in log_of(server)
    for text in ("workers =", URL.format("b")):
        file.write_text(text)
        workers = children(server.process.pid)
        os.kill(workers[0], signal.SIGKILL)
        until(lambda old=workers: children(server.process.pid) not in ([], old), "No worker comes.")
        until(lambda: link(server) == "https://a.example/one/", "It is not served.")


class Serve(Server):
    """The service as `landform serve` starts it."""

    def command(self) -> list[str]:
        """Return the module that is run, and its arguments."""
        return ["landform.standalone", "serve", "--bind", f"127.0.0.1:{self.port}"]


def test_the_command_serve_keeps_its_settings_too(tmp_path: Path, file: Path) -> None:
    server = Serve(tmp_path, LANDFORM_CONFIG=str(file), LANDFORM_WORKERS="1")
    try:
        start(lambda **_: server.start(), file)
        file.write_text("workers =")
        reload(server)
        until(lambda: link(server) == "https://a.example/one/", "It is not served.")
        assert KEPT in log_of(server)
    finally:
        server.stop(signal.SIGKILL)
