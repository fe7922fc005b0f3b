"""The progress of an import, and its exit code."""

import time
from typing import Any

import pytest
from moving_in import PAGES, move, recorded_site, server, small_site, stand_in


@pytest.mark.servers
def test_a_log_gets_lines_while_the_site_is_slow(move: Any, small_site: Any) -> None:
    def front(path: str) -> None:
        if "content.raw" in path:
            time.sleep(11)

    small_site.front = front
    with move.start(small_site.url, *PAGES) as started:
        output = started.communicate(timeout=120)[0].decode()
    assert started.returncode == 0, output
    assert "Looking for pages and feeds.\n" in output
    assert "\r" not in output


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


def test_a_conflict_counts_in_each_import(move: Any, small_site: Any) -> None:
    small_site.pages = small_site.pages[:2]
    move(small_site.url)
    rows = [line.replace("Start", "Here") for line in move.run("export").stdout.splitlines(True)]
    file = move.folder / "lines"
    file.write_text("".join(rows))
    assert move.run("import", str(file)).exit_code == 0
    small_site.pages[0]["edit"]["title"] = {"raw": "There"}
    assert [move(small_site.url).exit_code for _ in range(2)] == [3, 3]
    assert [row["id"] for row in move.report["conflicts"]] == [1]
