"""Ctrl-C in the terminal of `make run`: everything ends at once, and nothing acknowledged is lost.

A Ctrl-C is a SIGINT for every process of the terminal: make, gunicorn's master and its workers.
"""

import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread

import pytest
from conftest import Server, basic, needs
from consistency import check
from figures import ROUNDS
from processes import children, is_running, ready, until
from writers import Client, Writers, holding_writes, problems

# As the first process of a session, take the terminal at standard input for one's own.
TAKE_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
    "os.write(1, b'Ready. '); os.execvp(sys.argv[1], sys.argv[1:])"
)
CTRL_C = b"\x03"
BAD = ("Traceback", "SIGKILL", "SIGALRM", "Perhaps", "Error: ", " ERROR ", " CRITICAL ")
# What make makes of it.
INTERRUPTED = (-signal.SIGINT, 2)
# Nothing may hang; how long it took is in the table of `make faults`.
HANG_SECONDS = 30


class Terminal:
    """A terminal in which a command runs, and what it has printed."""

    def __init__(self, folder: Path, *command: str, **environment: str) -> None:
        self.keyboard, screen = pty.openpty()
        kept = {k: v for k, v in os.environ.items() if not k.startswith("LANDFORM")}
        self.process = subprocess.Popen(
            [sys.executable, "-c", TAKE_TERMINAL, *command], cwd=folder, env=kept | environment,
            stdin=screen, stdout=screen, stderr=screen, start_new_session=True,
        )  # fmt: skip
        os.close(screen)
        self.printed = ""
        self._reader = Thread(target=self._read)
        self._reader.start()
        self.wait_for("Ready. ")

    def _read(self) -> None:
        # The end of a terminal that no process has open any more is an error of the system.
        with suppress(OSError):
            while piece := os.read(self.keyboard, 1 << 16):
                self.printed += piece.decode(errors="replace")

    def wait_for(self, text: str) -> None:
        until(lambda: text in self.printed, f"{text!r} is not printed: {self.printed}", 60)

    def press_ctrl_c(self) -> None:
        os.write(self.keyboard, CTRL_C)

    def end(self) -> int:
        """Return the exit code, once no process is left."""
        code = self.process.wait(HANG_SECONDS)
        # Also when it hangs: a reader comes to an end only once every process has.
        self._reader.join(HANG_SECONDS)
        assert not self._reader.is_alive(), self.printed
        os.close(self.keyboard)
        return code

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@contextmanager
def make_run(server: Server) -> Iterator[Terminal]:
    """Run what `make run` runs in a terminal, on the port and the database of a server."""
    serve = f"{sys.executable} -m landform.standalone serve --bind 127.0.0.1:{server.port}"
    (server.folder / "Makefile").write_text(f"run:\n\t{serve} --database {server.database}\n")
    settings = {"LANDFORM_WORKERS": "2", "LANDFORM_CREDENTIALS": "admin:secret"}
    terminal = Terminal(server.folder, "make", "run", **settings)
    try:
        yield terminal
    finally:
        terminal.kill()


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
        with make_run(server) as terminal:
            terminal.wait_for("/docs")
            with Client(server) as idle:
                until(lambda: _answers(idle), "It does not answer.")
                with writers.writing():
                    writers.wait_for(40 if under_load else 0)
                    terminal.press_ctrl_c()
                    code = terminal.end()
            assert (code in INTERRUPTED, bad(terminal.printed)) == (True, []), terminal.printed
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
    with make_run(server) as terminal:
        terminal.wait_for(text)
        terminal.press_ctrl_c()
        code = terminal.end()
        assert (code in INTERRUPTED, bad(terminal.printed)) == (True, []), terminal.printed


def hang(server: Server) -> HTTPConnection:
    """Keep a thread of a worker busy for as long as the test lasts: with a write that waits."""
    connection = HTTPConnection("127.0.0.1", server.port, timeout=HANG_SECONDS)
    headers = {"Content-Type": "application/json", **basic()}
    connection.request("POST", "/pages", '{"title": "Waits"}', headers)
    return connection


@pytest.mark.parametrize("signals", [["INT"], ["INT", "INT"], ["TERM", "INT"]])
def test_a_request_that_takes_long_holds_up_no_ctrl_c(
    start_server: Callable[..., Server], signals: list[str]
) -> None:
    server = ready(start_server(LANDFORM_BUSY_TIMEOUT="3600"))
    workers = children(server.process.pid)
    with holding_writes(server), closing(hang(server)) as waiting:
        time.sleep(0.2)
        for name in signals:
            os.killpg(server.process.pid, getattr(signal, f"SIG{name}"))
            time.sleep(0.1)
        assert server.process.wait(HANG_SECONDS) == 0
        with suppress(OSError):
            assert waiting.getresponse().status == 503
    assert not [worker for worker in workers if is_running(worker)]
    assert bad((server.folder / "server.log").read_text()) == []
    server.start()
    assert server.call("GET", "/pages?search=waits")[1] == []
