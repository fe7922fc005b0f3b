"""Ctrl-C in the terminal of `make run`: everything ends at once, and nothing acknowledged is lost.

A Ctrl-C is a SIGINT for every process of the terminal: make, gunicorn's master and its workers.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path

import pytest
from conftest import Server, Start, basic, needs
from databases import check
from figures import HANGS_AFTER_SECONDS, ROUNDS
from processes import children, is_running, ready, until
from writers import Client, Writers, holding_writes, problems

BAD = ("Traceback", "SIGKILL", "SIGALRM", "Perhaps", "Error: ", " ERROR ", " CRITICAL ")
# What make makes of it.
INTERRUPTED = (-signal.SIGINT, 2)


@contextmanager
def running(server: Server) -> Iterator["subprocess.Popen[bytes]"]:
    """Run what `make run` runs, on the port and the database of a server."""
    serve = f"{sys.executable} -m landform.standalone serve --bind 127.0.0.1:{server.port}"
    makefile = f"run:\n\t{serve} --database {server.database}\n"
    (server.folder / "Makefile").write_text(makefile)
    kept = {k: v for k, v in os.environ.items() if not k.startswith("LANDFORM")}
    settings = {"LANDFORM_WORKERS": "2", "LANDFORM_CREDENTIALS": "admin:secret"}
    with (server.folder / "screen").open("wb") as screen, subprocess.Popen(
        ["make", "run"], cwd=server.folder, env=kept | settings,
        stdout=screen, stderr=screen, start_new_session=True,
    ) as process:  # fmt: skip
        try:
            yield process
        finally:
            kill(process, signal.SIGKILL)


def kill(process: "subprocess.Popen[bytes]", sign: int) -> bool:
    """Send a signal to everything that `make` has started; return whether there was anything."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, sign)
        return True
    return False


def printed(server: Server) -> str:
    return (server.folder / "screen").read_text()


def end(server: Server, process: "subprocess.Popen[bytes]") -> None:
    """Press Ctrl-C, and wait until no process is left."""
    kill(process, signal.SIGINT)
    code = process.wait(HANGS_AFTER_SECONDS)
    until(lambda: not kill(process, 0), "A process is left.", HANGS_AFTER_SECONDS)
    told = printed(server)
    assert (code in INTERRUPTED, bad(told)) == (True, []), told


def bad(printed: str) -> list[str]:
    return [word for word in BAD if word in printed]


@pytest.fixture
def server(tmp_path: Path, database_url: str) -> Iterator[Server]:
    """A server that is not started, for its port and its database."""
    server = Server(tmp_path, LANDFORM_DATABASE_URL=database_url)
    yield server
    server.stop(signal.SIGKILL)


@needs("make")
@pytest.mark.parametrize("under_load", [False, True], ids=["idle", "under load"])
def test_ctrl_c_ends_everything_and_loses_nothing(server: Server, under_load: bool) -> None:
    lost = []
    for number in range(max(1, ROUNDS // 4)):
        writers = Writers(server, f"c{number}", clients=8 if under_load else 0)
        with running(server) as process, Client(server) as idle:
            until(lambda: _answers(idle), "It does not answer.", 60)
            with writers.writing():
                writers.wait_for(40 if under_load else 0)
                end(server, process)
        assert writers.refused == []
        server.start()
        with Client(server) as client:
            lost += problems(client, writers.things)
        server.stop()
    check(server.database)
    assert lost == []


def _answers(client: Client) -> bool:
    with suppress(OSError):
        return client.call("GET", "/pages")[0] == 200
    return False


@needs("make")
@pytest.mark.parametrize("text", ["Starting", "Booting"])
def test_ctrl_c_during_the_start_ends_it_without_a_traceback(server: Server, text: str) -> None:
    with running(server) as process:
        until(lambda: text in printed(server), f"{text!r} is not printed.", 60)
        end(server, process)


@pytest.mark.parametrize("signals", [["INT"], ["INT", "INT"], ["TERM", "INT"]])
def test_a_long_request_does_not_delay_ctrl_c(start_server: Start, signals: list[str]) -> None:
    server = ready(start_server(LANDFORM_BUSY_TIMEOUT="3600"))
    workers = children(server.process.pid)
    waiting = HTTPConnection("127.0.0.1", server.port, timeout=HANGS_AFTER_SECONDS)
    headers = {"Content-Type": "application/json", **basic()}
    with holding_writes(server), closing(waiting):
        # A thread of a worker is busy with a write that waits.
        waiting.request("POST", "/pages", '{"title": "Waits"}', headers)
        time.sleep(0.2)
        for name in signals:
            os.killpg(server.process.pid, getattr(signal, f"SIG{name}"))
            time.sleep(0.1)
        assert server.process.wait(HANGS_AFTER_SECONDS) == 0
        with suppress(OSError):
            assert waiting.getresponse().status == 503
    assert not [worker for worker in workers if is_running(worker)]
    assert bad((server.folder / "server.log").read_text()) == []
    server.start()
    assert server.call("GET", "/pages?search=waits")[1] == []
