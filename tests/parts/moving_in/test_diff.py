"""`landform diff` names what differs, by resource and field; import and export report, too."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import PAGE as A_PAGE
from moving_in import move
from processes import python

from landform.storage import Store, feeds, pages
from landform.storage.maintenance import transfer

PAGE: dict[str, Any] = {**A_PAGE, "meta": {"form_id": "3"}}


@pytest.fixture
def lines(move: Any, tmp_path: Path) -> Path:
    """An export of five pages and a feed, which are in the store."""
    with move.store.connection():
        for _ in range(5):
            pages.create(move.store, PAGE)
        feeds.create(move.store, {"form_id": 1, "addon_slug": "a", "meta": {"x": 1}})
    file = tmp_path / "lines"
    assert move.run("export", str(file)).exit_code == 0
    return file


def test_the_same_are_the_same(move: Any, lines: Path) -> None:
    told = move.run("diff", str(lines))
    assert (told.exit_code, told.output.partition(",")[0]) == (0, "6 are the same")
    assert move.run("diff", move.store.url, str(lines)).exit_code == 0


def test_each_field_and_row_that_differs_is_named(move: Any, lines: Path, tmp_path: Path) -> None:
    with move.store.connection():
        pages.update(move.store, 2, {"password": "secret", "meta": {"form_id": "4"}})
        pages.delete(move.store, 3)
        feeds.update(move.store, 1, {"meta": {"x": True}})
        pages.create(move.store, PAGE)
    report = tmp_path / "report.json"
    told = move.run("diff", str(lines), "--report", str(report))
    assert told.exit_code == 1
    assert "page 2 password differs\n" in told.output
    assert "page 2 meta.form_id: '3' | '4'\n" in told.output
    assert "page 3 is only on the left" in told.output
    assert "page 6 is only on the right" in told.output
    assert "feed 1 meta.x: 1 | True" in told.output
    assert "3 are the same, 2 differ, 1 are only in" in told.output
    assert "secret" not in told.output + report.read_text()
    rows = json.loads(report.read_bytes())["differences"]
    assert {"resource": "page", "id": 3, "field": "", "only": "left"} in rows
    assert "6 are the same" not in move.run("diff", str(lines), "--only", "pages").output


@pytest.mark.parametrize("name", ["nowhere", "http://127.0.0.1:1", "sqlite:////nowhere/x.db"])
def test_what_cannot_be_compared_is_said(move: Any, name: str) -> None:
    told = move.run("diff", name)
    assert told.exit_code in (1, 2)
    assert "Error: " in told.output


def test_lines_in_another_order_are_refused(move: Any, lines: Path) -> None:
    text = lines.read_text().splitlines()
    lines.write_text("\n".join(reversed(text)))
    told = move.run("diff", str(lines))
    assert told.exit_code == 2
    assert "not in the order of an export" in told.output


def test_an_import_in_batches_leaves_out_what_is_refused_and_atomic_takes_nothing(
    move: Any, lines: Path, make_database: Callable[[], str], tmp_path: Path
) -> None:
    move.store.dispose()
    rows = [json.loads(line) for line in lines.read_text().splitlines()]
    lines.write_text("\n".join(map(json.dumps, [*rows, {**rows[0], "id": 99}])))
    move.store.url = make_database()
    report = tmp_path / "report.json"
    refused = move.run("import", str(lines), "--atomic")
    assert (refused.exit_code, move.rows()) == (1, [])
    told = move.run("import", str(lines), "--report", str(report))
    assert told.exit_code == 1
    assert told.output.startswith("6 created, 0 changed, 0 unchanged\nline 7: the slug t is that")
    assert move.rows() == rows
    assert json.loads(report.read_bytes()) == {
        "counts": {"created": 6},
        "refused": [{"line": 7, "text": "the slug t is that of page 1"}],
        "dry_run": False,
    }
    again = move.run("import", str(lines))
    assert "0 created, 0 changed, 6 unchanged" in again.output


def test_an_export_says_how_many_there_are(move: Any, lines: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    move.run("export", str(lines), "--force", "--report", str(report))
    assert json.loads(report.read_bytes()) == {"counts": {"page": 5, "feed": 1}}


@pytest.mark.servers
def test_without_the_extra_the_command_says_so(move: Any) -> None:
    blocked = "import sys; sys.modules['defusedxml'] = None; "
    run = "from landform.standalone.cli import main; main(sys.argv[1:])"
    told = python("-c", blocked + run, "import-wordpress", "--dry-run", __file__)
    assert (told.returncode, "the extra `wordpress`" in told.stderr) == (2, True)
