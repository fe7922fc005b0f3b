"""How an import says how far it is, and how it ends."""

import os
import pty
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from moving_in import move, stand_in
from test_other_sites import PAGES, own, small
from wxr import written


@pytest.mark.servers
def test_a_log_gets_a_line_while_the_site_is_slow(move: Any, own: Any) -> None:
    def front(rest: str) -> None:
        if "content.raw" in rest:
            time.sleep(11)

    own.front = front
    with move.start(own.url, *PAGES) as started:
        output = started.communicate(timeout=120)[0].decode()
    assert started.returncode == 0, output
    assert "Looking for what there is.\n" in output
    assert "\r" not in output


@pytest.mark.servers
def test_a_terminal_gets_a_bar(move: Any, tmp_path: Path) -> None:
    file = written(tmp_path, *({"id": n, "slug": f"p{n}"} for n in range(1, 251)))
    command = [sys.executable, "-m", "landform.standalone.cli", "import-wordpress", str(file)]
    main, terminal = pty.openpty()
    environment = os.environ | move.environment("")
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=terminal) as run:
        lines = run.communicate(timeout=120)[0].decode()
    os.close(terminal)
    bar = b""
    while part := os.read(main, 4096) if b"100%" not in bar else b"":
        bar += part
    os.close(main)
    assert (run.returncode, lines.splitlines()[0]) == (0, "Pages: 250 created")
    assert b"pages  [" in bar


def test_an_import_that_is_repeated_ends_with_what_is_new(move: Any, own: Any) -> None:
    own.pages = own.pages[:4]
    own.pages[1]["edit"]["status"] = "archived"
    ends = []
    for change in ({}, {}, {"title": {"raw": "Changed"}}, {}):
        own.pages[0]["edit"].update(change)
        ends += [move(own.url, *PAGES, "--dry-run").exit_code, move(own.url, *PAGES).exit_code]
    # 3 where something was, or would be, written, and something left out.
    assert ends == [3, 3, 0, 0, 3, 3, 0, 0]
    own.pages[1]["edit"]["status"] = "publish"
    assert (move(own.url, *PAGES).exit_code, move(own.url, *PAGES).exit_code) == (0, 0)


def test_a_conflict_is_left_out_each_time(move: Any, own: Any) -> None:
    own.pages = own.pages[:2]
    move(own.url, *PAGES)
    rows = [line.replace("Start", "Here") for line in move.run("export").stdout.splitlines(True)]
    file = move.folder / "lines"
    file.write_text("".join(rows))
    assert move.run("import", str(file)).exit_code == 0
    own.pages[0]["edit"]["title"] = {"raw": "There"}
    assert [move(own.url, *PAGES).exit_code for _ in range(2)] == [3, 3]
    assert [row["id"] for row in move.report["conflicts"]] == [1]
