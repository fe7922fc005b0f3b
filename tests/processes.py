"""What Linux tells about the processes of a server."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conftest import Server


def python(
    *arguments: str | Path, folder: Path | None = None, **environment: str
) -> "subprocess.CompletedProcess[str]":
    """Run Python to its end, with no settings of landform but the given ones."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("LANDFORM")}
    return subprocess.run(
        [sys.executable, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        check=False, cwd=folder, env=kept | environment, timeout=120,
    )  # fmt: skip


def children(process: int) -> list[int]:
    """Return the processes that a process has started: the workers of a master."""
    file = Path(f"/proc/{process}/task/{process}/children")
    return [int(number) for number in file.read_text().split()]


def is_running(process: int) -> bool:
    """Return whether a process is there, and no zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")")[1].split()[0] != "Z"
    except OSError:
        return False


def memory_kib(process: int) -> int:
    """Return the resident memory of a process."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def peak_of_workers(server: "Server") -> float:
    """Return the most megabytes that a worker of a server has had in memory."""
    texts = [Path(f"/proc/{one}/status").read_text() for one in children(server.process.pid)]
    return max(int(text.partition("VmHWM:")[2].split()[0]) for text in texts) / 1024


def open_files(process: int) -> int:
    """Return the number of file descriptors of a process."""
    return len(os.listdir(f"/proc/{process}/fd"))


def until(condition: Callable[[], Any], what: str | Callable[[], str], seconds: float = 30) -> None:
    """Wait for a condition; `what` is the message, or makes it, when there was no success."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(what if isinstance(what, str) else what())
        time.sleep(0.02)


def reload(server: "Server") -> None:
    """Let a server replace its workers."""
    before = set(children(server.process.pid))
    os.kill(server.process.pid, signal.SIGHUP)
    until(lambda: not before & set(children(server.process.pid)), "It does not reload.", 60)


def ready(server: "Server", workers: int = 2) -> "Server":
    """Wait until each worker has answered a request: then it has a thread for that."""

    def have_answered() -> bool:
        server.call("GET", "/pages?per_page=1&_fields=id")
        tasks = [len(os.listdir(f"/proc/{worker}/task")) for worker in children(server.process.pid)]
        return len(tasks) == workers and min(tasks) > 1

    until(have_answered, "Not every worker answers.")
    return server
