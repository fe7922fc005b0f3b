"""What is on disk before anybody is told of it, and what long commands show (strace)."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from applications import basic
from conftest import Server, Start, needs
from databases import run_sql
from files import PAGE
from processes import children, until

from landform.storage import Store, feeds, pages

pytestmark = [pytest.mark.sqlite("the server syncs"), needs("strace")]

# Writes through the pool, and tells of each page once it is created.
WRITER = f"""
import os, sys
from landform.storage import Store, pages
store = Store(sys.argv[1], synchronous=sys.argv[2])
store.migrate()
with store.connection():
    for number in range(4):
        pages.create(store, {PAGE!r})
        os.write(1, b"acknowledged")
    pages.update(store, 1, dict(author=2))
    os.write(1, b"acknowledged")
store.try_write(lambda: pages.delete(store, 1))
os.write(1, b"acknowledged")
os._exit(0)
"""
WRITES = ("write", "pwrite64", "pwritev", "sendfile", "copy_file_range", "ftruncate")
SYNCS = ("fsync", "fdatasync")
TRACED = ",".join([*WRITES, *SYNCS, "rename"])
CALL = re.compile(r"\d+ +(\w+)\((.*)")
FILE = re.compile(r"\d+<([^>]*)>")


class Call(NamedTuple):
    """A call of a process: what it did, to which file, and, for a rename, what that became."""

    what: str
    file: str
    other: str = ""


@cache
def may_trace() -> bool:
    command = ["strace", "-o", "/dev/null", "true"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def traced(folder: Path, *arguments: str, **environment: str) -> Iterator[Call]:
    """Run Python with some arguments and yield what it wrote, synced and renamed, in order."""
    if not may_trace():
        pytest.skip("This machine lets strace trace nothing.")
    log = folder / "calls"
    command = ["strace", "-f", "-y", "-o", str(log), "-e", f"trace={TRACED}", sys.executable]
    kept = {k: v for k, v in os.environ.items() if not k.startswith("LANDFORM_")}
    ended = subprocess.run(
        [*command, *arguments], env=kept | environment, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    for line in log.read_text().splitlines():
        if not (call := CALL.match(line)):
            continue
        what, rest = call.groups()
        if what == "rename":
            yield Call(what, *re.findall(r'"([^"]*)"', rest))
        elif file := FILE.match(rest):
            told = what == "write" and '"acknowledged"' in rest
            yield Call("told" if told else what, file[1])


def unsynced(calls: Iterator[Call], log: str) -> tuple[int, int]:
    """Return how many writes were told of, and of how many before their log was on disk."""
    told, early, dirty, synced = 0, 0, False, False
    for call in calls:
        if call.what == "told":
            told += 1
            early += dirty or not synced
            synced = False
        elif call.file == log and call.what in WRITES:
            dirty = True
        elif call.file == log and call.what in SYNCS:
            dirty, synced = False, True
    return told, early


@pytest.mark.parametrize("synchronous", ["FULL", "NORMAL"])
def test_no_write_is_acknowledged_before_it_is_on_disk(tmp_path: Path, synchronous: str) -> None:
    file = tmp_path / "landform.db"
    calls = traced(tmp_path, "-c", WRITER, f"sqlite:///{file}", synchronous)
    # What NORMAL gives up, this has to see: else it would see nothing.
    assert unsynced(calls, f"{file}-wal") == {"FULL": (6, 0), "NORMAL": (6, 6)}[synchronous]


@pytest.mark.parametrize("command", ["backup copy.db.gz", "restore good.db", "export all.ndjson"])
def test_no_file_gets_its_name_before_it_is_on_disk(tmp_path: Path, command: str) -> None:
    """Where the power fails meanwhile there is the old file, or the whole new one."""
    file = tmp_path / "landform.db"
    store = Store(f"sqlite:///{file}")
    store.migrate()
    with store.connection():
        feeds.create(store, {"form_id": 1, "addon_slug": "a", "meta": {}})
    store.database.backup(tmp_path / "good.db", force=False)
    store.dispose()
    what, name = command.split()
    target = file if what == "restore" else tmp_path / name
    arguments = ("-m", "landform.standalone", what, str(tmp_path / name))
    calls = list(traced(tmp_path, *arguments, LANDFORM_DATABASE_URL=f"sqlite:///{file}"))
    (named,) = [
        place
        for place, call in enumerate(calls)
        if call.what == "rename" and call.other == str(target)
    ]
    part = calls[named].file
    done = [call.what for call in calls[:named] if call.file == part]
    assert set(done) & set(WRITES)
    assert done[-1] in SYNCS
    assert next(call.file for call in calls[named:] if call.what in SYNCS) == str(tmp_path)


@contextmanager
def failing_syncs(server: Server, folder: Path) -> Iterator[None]:
    """Let every sync of the workers fail, as on a disk that loses what it was sent."""
    if not may_trace():
        pytest.skip("This machine lets strace trace nothing.")
    inject = f"inject={','.join(SYNCS)}:error=EIO"
    log, workers = folder / "strace", children(server.process.pid)
    command = ["strace", "-f", "-e", f"trace={','.join(SYNCS)}", "-e", inject]
    for worker in workers:
        command += ["-p", str(worker)]
    with log.open("wb") as told:
        tracer = subprocess.Popen(command, stderr=told, start_new_session=True)
    try:
        until(lambda: log.read_text().count("attached") >= len(workers), "strace does not attach.")
        yield
    finally:
        tracer.send_signal(signal.SIGINT)
        tracer.wait(30)


def test_a_write_whose_sync_fails_may_be_repeated(start_server: Start, tmp_path: Path) -> None:
    server = start_server(LANDFORM_WORKERS="1")
    keys = [f"key-{number}" for number in range(20)]

    def create(key: str) -> tuple[int, dict[str, Any]]:
        headers = {**basic(), "Content-Type": "application/json", "Idempotency-Key": key}
        body = json.dumps({"title": key}).encode()
        status, _, raw = server.send("POST", "/pages", headers, body)
        return status, json.loads(raw)

    assert server.call("POST", "/pages", {"title": "Before"})[0] == 201
    with failing_syncs(server, tmp_path):
        for key in keys:
            status, body = create(key)
            assert (status, body["code"]) == (503, "storage_uncertain"), body
            assert "may have been stored" in body["message"]
            assert "Idempotency-Key" in body["message"]
        assert server.call("GET", "/pages")[0] == 200
    log = (tmp_path / "server.log").read_text()
    assert "disk I/O error" in log
    assert "no transaction is active" not in log
    assert {create(key)[0] for key in keys} == {201}
    titles = [title for (title,) in run_sql(server.database, "SELECT title_raw FROM page")]
    assert sorted(titles) == sorted(["Before", *keys])


def test_a_write_refused_by_syncs_never_appears_later(start_server: Start, tmp_path: Path) -> None:
    """With one thread the connection of a write is the only one of the process."""
    server = start_server(LANDFORM_WORKERS="1", LANDFORM_THREADS="1", LANDFORM_DELIVER="0")
    assert server.call("POST", "/pages", {"title": "Before"})[0] == 201
    with failing_syncs(server, tmp_path):
        for number in range(20):
            assert server.call("POST", "/pages", {"title": f"Refused {number}"})[0] == 503
    assert server.call("POST", "/pages", {"title": "After"})[0] == 201
    server.stop()
    titles = run_sql(server.database, "SELECT title_raw FROM page ORDER BY id")
    assert titles == [("Before",), ("After",)]


# Commands that take long show a bar on a terminal.
# Reads and syncs of files take a tenth of a second each, up to some of them.
SLOW = "inject=pread64,pwrite64,fsync,fdatasync:delay_enter=100000:when=1..{}"
BAR = re.compile(r"\w+  \[[-#]{36}\]")
COMMANDS = {
    "export": "export {folder}/new.ndjson",
    "import": "import {folder}/all.ndjson --database {folder}/target.db",
    "verify": "verify",
    "restore": "restore {folder}/good.db --database {folder}/restored.db",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database, a backup and an export of it, and an empty database."""
    tmp_path = tmp_path_factory.mktemp("progress")
    store = Store(f"sqlite:///{tmp_path}/landform.db")
    store.migrate()
    with store.connection():
        for _ in range(20):
            pages.create(store, {**PAGE, "content_raw": "words " * 5000})
    store.database.backup(tmp_path / "good.db", force=False)
    store.dispose()
    target = Store(f"sqlite:///{tmp_path}/target.db")
    target.migrate()
    target.dispose()
    subprocess.run(command_line(tmp_path, f"export {tmp_path}/all.ndjson"), check=True)
    return tmp_path


def command_line(folder: Path, line: str, slow: int = 0) -> list[str]:
    """Return a command_line on the database of a folder, whose first files accesses may be slow."""
    own = [] if "--database" in line or "copy" in line else [f"--database={folder}/landform.db"]
    inject = ["-f", "-o", "/dev/null", "-e", SLOW.format(slow)]
    tracer = ["strace", *inject] if slow else []
    return [*tracer, sys.executable, "-m", "landform.standalone", *line.split(), *own]


def need_tracing() -> None:
    if not may_trace():
        pytest.skip("This machine lets strace trace nothing.")


def on_terminal(arguments: list[str]) -> tuple[int, str]:
    """Run a command_line on a terminal of its own; return its exit code and all that it wrote."""
    ours, its = pty.openpty()
    process = subprocess.Popen(arguments, stdin=its, stdout=its, stderr=its)
    os.close(its)
    written = b""
    # Linux raises an error at the end of a terminal.
    with suppress(OSError):
        while part := os.read(ours, 65536):
            written += part
    os.close(ours)
    return process.wait(60), written.decode()


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_takes_long_shows_a_bar_on_a_terminal(folder: Path, name: str) -> None:
    need_tracing()
    code, written = on_terminal(command_line(folder, COMMANDS[name].format(folder=folder), slow=40))
    assert code == 0, written
    assert BAR.search(written), written
    # The cursor, which a bar hides, is there again.
    assert written.rfind("\x1b[?25h") > written.rfind("\x1b[?25l")


def test_a_command_that_takes_long_shows_no_bar_in_a_pipe(folder: Path) -> None:
    need_tracing()
    line = command_line(folder, "verify", slow=40)
    done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0, done.stderr
    assert "[" not in done.stdout + done.stderr


def test_a_command_that_takes_no_time_shows_no_bar(folder: Path) -> None:
    code, written = on_terminal(command_line(folder, "verify"))
    assert (code, written) == (0, "Nothing is wrong.\r\n")


def test_the_lines_of_an_export_to_a_terminal_are_not_disturbed(folder: Path) -> None:
    need_tracing()
    code, written = on_terminal(command_line(folder, "export", slow=40))
    assert code == 0
    assert [json.loads(line)["id"] for line in written.splitlines()] == list(range(1, 21))
