"""`landform diff` reports differences by resource and field; import and export write reports."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from conftest import PAGE as PLAIN_PAGE

from landform.parts import all_parts
from landform.standalone.cli import main
from landform.storage import Store, feeds, pages

PAGE: dict[str, Any] = {**PLAIN_PAGE, "meta": {"form_id": "3"}}


def run(database: str, *arguments: object) -> Result:
    result = CliRunner().invoke(
        main, [*map(str, arguments)], env={"LANDFORM_DATABASE_URL": database}
    )
    assert result.exception is None or isinstance(result.exception, SystemExit), result
    return result


@pytest.fixture
def export(store: Store, database_url: str, tmp_path: Path) -> Path:
    """An export of five pages and a feed, which are in the store."""
    with store.connection():
        for _ in range(5):
            pages.create(store, PAGE)
        feeds.create(store, {"form_id": 1, "addon_slug": "a", "meta": {"x": 1}})
    file = tmp_path / "export.ndjson"
    assert run(database_url, "export", file).exit_code == 0
    return file


def test_equal_rows_are_counted(database_url: str, export: Path) -> None:
    result = run(database_url, "diff", export)
    assert (result.exit_code, result.output.partition(",")[0]) == (0, "6 are the same")
    assert run(database_url, "diff", database_url, export).exit_code == 0


def test_each_different_field_and_row_is_reported(
    store: Store, database_url: str, export: Path, tmp_path: Path
) -> None:
    with store.connection():
        pages.update(store, 2, {"password": "secret", "meta": {"form_id": "4"}})
        pages.delete(store, 3)
        feeds.update(store, 1, {"meta": {"x": True}})
        pages.create(store, PAGE)
    report = tmp_path / "report.json"
    result = run(database_url, "diff", export, "--report", report)
    assert result.exit_code == 1
    for text in (
        "page 2 password differs\n", "page 2 meta.form_id: '3' | '4'\n",
        "page 3 is only on the left", "page 6 is only on the right", "feed 1 meta.x: 1 | True",
        "3 are the same, 2 differ, 1 are only in",
    ):  # fmt: skip
        assert text in result.output
    assert "secret" not in result.output + report.read_text()
    rows = json.loads(report.read_bytes())["differences"]
    assert {"resource": "page", "id": 3, "field": "", "only": "left"} in rows
    assert "6 are the same" not in run(database_url, "diff", export, "--only", "pages").output


@pytest.mark.parametrize("name", ["nowhere", "http://127.0.0.1:1", "sqlite:////nowhere/x.db"])
def test_a_source_that_cannot_be_compared_is_an_error(
    store: Store, database_url: str, name: str
) -> None:
    result = run(database_url, "diff", name)
    assert result.exit_code in (1, 2)
    assert "Error: " in result.output


def test_lines_in_another_order_are_refused(database_url: str, export: Path) -> None:
    export.write_text("\n".join(reversed(export.read_text().splitlines())))
    result = run(database_url, "diff", export)
    assert result.exit_code == 2
    assert "not in the order of an export" in result.output


def test_an_import_leaves_out_refused_rows_and_an_atomic_one_writes_none(
    export: Path, make_database: Callable[[], str], tmp_path: Path
) -> None:
    rows = [json.loads(line) for line in export.read_text().splitlines()]
    export.write_text("\n".join(map(json.dumps, [*rows, {**rows[0], "id": 99}])))
    url, report = make_database(), tmp_path / "report.json"
    refused = run(url, "import", export, "--atomic")
    assert (refused.exit_code, run(url, "export").stdout) == (1, "")
    result = run(url, "import", export, "--report", report)
    assert result.exit_code == 1
    assert result.output.startswith("6 created, 0 changed, 0 unchanged\nline 7: the slug t is that")
    assert [json.loads(line) for line in run(url, "export").stdout.splitlines()] == rows
    assert json.loads(report.read_bytes()) == {
        "counts": {"created": 6},
        "refused": [{"line": 7, "text": "the slug t is that of page 1"}],
        "dry_run": False,
    }
    assert "0 created, 0 changed, 6 unchanged" in run(url, "import", export).output


def test_an_export_reports_the_number_of_rows(
    database_url: str, export: Path, tmp_path: Path
) -> None:
    report = tmp_path / "report.json"
    run(database_url, "export", export, "--force", "--report", report)
    forms = {"form": 0} if "leads" in all_parts() else {}
    assert json.loads(report.read_bytes()) == {"counts": {**forms, "page": 5, "feed": 1}}
