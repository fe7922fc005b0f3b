"""The progress of an import, and its exit code."""

import os
import pty
import subprocess
import sys
import time
from contextlib import suppress
from typing import Any

import pytest
from moving_in import PAGES, move, recorded_site, server, small_site


@pytest.mark.servers
def test_a_log_gets_lines_while_the_site_is_slow(move: Any, small_site: Any) -> None:
    def front(path: str) -> None:
        if "content.raw" in path:
            time.sleep(11)

    small_site.front = front
    with move.start(small_site.url, *PAGES) as started:
        output = started.communicate(timeout=120)[0].decode()
    assert started.returncode == 0, output
    assert "Reading: 0\n" in output
    assert "\r" not in output


@pytest.mark.servers
def test_a_terminal_gets_a_bar_for_each_kind_of_rows(move: Any, small_site: Any) -> None:
    def front(path: str) -> None:
        if "content.raw" in path or "/gf/v2/feeds" in path:
            time.sleep(1)

    small_site.front, small_site.most = front, 5
    command = [sys.executable, "-m", "landform.standalone", "import-wordpress", small_site.url]
    command += ["--user", "admin", "--probe", "3", "--requests", "1"]
    main, terminal = pty.openpty()
    environment = os.environ | move.environment("admin-secret")
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=terminal) as run:
        lines = run.communicate(timeout=120)[0].decode()
    os.close(terminal)
    bar = b""
    with suppress(OSError):
        while part := os.read(main, 4096):
            bar += part
    os.close(main)
    assert (run.returncode, lines.splitlines()[0]) == (0, "Pages: 12 created")
    assert b"pages  [" in bar
    assert b"forms  [" in bar


def test_rows_that_are_always_left_out_count_only_beside_written_ones(
    move: Any, small_site: Any
) -> None:
    small_site.pages = small_site.pages[:4]
    small_site.pages[1]["edit"]["status"] = "archived"
    codes = []
    for change in ({}, {}, {"title": {"raw": "Changed"}}, {}):
        small_site.pages[0]["edit"].update(change)
        codes += [move(small_site.url, "--dry-run").exit_code, move(small_site.url).exit_code]
    # 3 if something is written, and something left out.
    assert codes == [3, 3, 0, 0, 3, 3, 0, 0]
    small_site.pages[1]["edit"]["status"] = "publish"
    assert (move(small_site.url).exit_code, move(small_site.url).exit_code) == (0, 0)
