"""Commands that take longer than two seconds show a bar on a terminal, and nothing elsewhere."""

import json
import os
import pty
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from conftest import PAGE, needs
from test_syncs import may_trace

from landform.storage import Store, pages

pytestmark = [pytest.mark.sqlite("the files are slowed down"), needs("strace")]
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
    subprocess.run(command(tmp_path, f"export {tmp_path}/all.ndjson"), check=True)
    return tmp_path


def command(folder: Path, line: str, slow: int = 0) -> list[str]:
    """Return a command on the database of a folder, whose first files accesses may be slow."""
    own = [] if "--database" in line or "copy" in line else [f"--database={folder}/landform.db"]
    inject = ["-f", "-o", "/dev/null", "-e", SLOW.format(slow)]
    tracer = ["strace", *inject] if slow else []
    return [*tracer, sys.executable, "-m", "landform.standalone", *line.split(), *own]


def need_tracing() -> None:
    if not may_trace():
        pytest.skip("This machine lets strace trace nothing.")


def on_terminal(arguments: list[str]) -> tuple[int, str]:
    """Run a command on a terminal of its own; return its exit code and all that it wrote."""
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
    code, written = on_terminal(command(folder, COMMANDS[name].format(folder=folder), slow=40))
    assert code == 0, written
    assert BAR.search(written), written
    # The cursor, which a bar hides, is there again.
    assert written.rfind("\x1b[?25h") > written.rfind("\x1b[?25l")


def test_a_command_that_takes_long_shows_no_bar_in_a_pipe(folder: Path) -> None:
    need_tracing()
    line = command(folder, "verify", slow=40)
    done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0, done.stderr
    assert "[" not in done.stdout + done.stderr


def test_a_command_that_takes_no_time_shows_no_bar(folder: Path) -> None:
    code, written = on_terminal(command(folder, "verify"))
    assert (code, written) == (0, "Nothing is wrong.\r\n")


def test_the_lines_of_an_export_to_a_terminal_are_not_disturbed(folder: Path) -> None:
    need_tracing()
    code, written = on_terminal(command(folder, "export", slow=40))
    assert code == 0
    assert [json.loads(line)["id"] for line in written.splitlines()] == list(range(1, 21))
