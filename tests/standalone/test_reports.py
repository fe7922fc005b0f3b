"""Import and export write reports."""

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
