"""The stored state of imports, and writers beside an import."""

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Server
from databases import run_sql
from moving_in import write_export
from without_parts import copy_without, landform
from writers import Writers, run_beside

from landform.parts.moving_in import origins
from landform.standalone.settings import warnings
from landform.storage import Store
from landform.storage.maintenance import verify

# Higher ids than those of the rows that writers create before the import begins.
FIRST, PAGES = 2_000, 500


@pytest.mark.parametrize("value", ["", "[1]", "{"])
@pytest.mark.parametrize("column", ["import_origin.notes", "import_run.state"])
def test_verify_reports_damaged_json_of_an_import(
    store: Store, database_url: str, column: str, value: str
) -> None:
    with store.connection():
        run = origins.begin(store, "shop.example", "")
        with store.transaction():
            origins.save(store, run, [origins.Origin("page", 1, 1, outcome="created")])
    assert list(verify.find_problems(store)) == []
    table, name = column.split(".")
    run_sql(database_url, f"UPDATE {table} SET {name} = '{value}'")
    (problem,) = verify.find_problems(store)
    assert f"rows of {table} whose {name} is not the JSON that it has to be" in problem


def test_the_variable_of_the_password_causes_no_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANDFORM_WORDPRESS_PASSWORD", "x")
    assert list(warnings()) == []
    monkeypatch.setenv("LANDFORM_WORDPRESS_PASSWORT", "x")
    (warning,) = warnings()
    assert "did you mean LANDFORM_WORDPRESS_PASSWORD?" in warning


@pytest.mark.servers
@pytest.mark.all_parts
@pytest.mark.sqlite("it copies files")
def test_copy_without_the_part_refuses_its_rows(
    store: Store, database_url: str, tmp_path: Path
) -> None:
    (tmp_path / "without").mkdir()
    product = copy_without(tmp_path / "without", "moving_in")
    target = f"sqlite:///{tmp_path}/target.db"
    with store.connection():
        run = origins.begin(store, "shop.example", "")
    refused = landform(product, database_url, "copy", database_url, target)
    assert refused.returncode == 1
    assert "has rows in import_run, and was used with parts that are not there: moving_in" in (
        refused.stdout
    )
    run_sql(database_url, f"DELETE FROM import_run WHERE source = '{run.source}'")
    copied = landform(product, database_url, "copy", database_url, target)
    assert copied.returncode == 0, copied.stdout


@pytest.mark.faults
@pytest.mark.parametrize(("option", "times"), [("--force", 1), ("--new-ids", 2)])
def test_an_import_replaces_no_rows_that_are_created_meanwhile(
    start_server: Callable[..., Server], tmp_path: Path, option: str, times: int
) -> None:
    server, ids = start_server(), range(FIRST, FIRST + PAGES)
    file = write_export(tmp_path, *({"id": number, "slug": f"old-{number}"} for number in ids))
    run_beside(Writers(server, "moving"), server, "import-wordpress", file, option, times=times)
