"""A part is deleted with its folder and its line: everything else works as before."""

import os
import re
from pathlib import Path

import pytest
from conftest import ROOT
from databases import check
from files import command
from without_parts import PARTS, copy_without, landform, run_python

from landform.storage import Store

pytestmark = [pytest.mark.servers, pytest.mark.all_parts, pytest.mark.timeout(1800)]
PROGRAM = """
import sys, landform.parts
from landform.app import create_app
client = create_app({"DATABASE_URL": sys.argv[1]}).test_client()
created = client.post("/pages", json={"title": "A page", "status": "publish"})
assert created.status_code == 201, created.text
assert client.get("/a-page/").status_code == 200
assert client.get("/").get_json()["name"] == "landform"
print(*landform.parts.all_parts())
"""
COMMANDS = """
import sys
from click.testing import CliRunner
from landform.standalone.cli import main

for line in sys.argv[1:]:
    result = CliRunner().invoke(main, line.split())
    print(line, result.output)
    assert result.exit_code == 0, result.exception
"""
# Each part alone, and all of them.
DELETED = [
    *(pytest.param((part,), id=part, marks=pytest.mark.each_part) for part in PARTS),
    pytest.param(tuple(PARTS), id="all"),
]


@pytest.fixture(scope="module", params=DELETED)
def deleted(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, tuple[str, ...]]:
    """A copy of the product and its tests, and the parts that it is without."""
    return copy_without(tmp_path_factory.mktemp("without"), *request.param), request.param


def test_every_part_has_a_folder_a_line_and_tests() -> None:
    folders = {file.parent.name for file in ROOT.glob("parts/*/__init__.py")}
    assert folders == set(PARTS)
    tested = {folder.name for folder in ROOT.glob("tests/parts/*") if folder.is_dir()}
    assert tested == folders


def test_landform_starts_and_serves_without_it(
    deleted: tuple[Path, tuple[str, ...]], tmp_path: Path
) -> None:
    copy, parts = deleted
    served = run_python(copy, "-c", PROGRAM, f"sqlite:///{tmp_path}/new.db")
    assert served.returncode == 0, served.stdout
    assert set(served.stdout.split()) == set(PARTS) - set(parts)


def test_commands_work_without_it(deleted: tuple[Path, tuple[str, ...]], tmp_path: Path) -> None:
    copy, _ = deleted
    url, other = f"sqlite:///{tmp_path}/one.db", f"sqlite:///{tmp_path}/other.db"
    run_python(copy, "-c", PROGRAM, url)
    lines = ["--help", "migrate", "verify", "routes", "settings", f"export {tmp_path}/all"]
    lines += [f"backup {tmp_path}/backup.db", "vacuum", f"copy {url} {other}"]
    done = run_python(copy, "-c", COMMANDS, *lines, LANDFORM_DATABASE_URL=url)
    assert (done.returncode, "Traceback" in done.stdout) == (0, False), done.stdout
    imported = landform(copy, other, "import", f"{tmp_path}/all")
    assert "0 created, 0 changed, 1 unchanged" in imported.stdout


def test_a_database_is_served_without_the_part_and_with_it_again(
    deleted: tuple[Path, tuple[str, ...]], tmp_path: Path
) -> None:
    copy, _ = deleted
    url = f"sqlite:///{tmp_path}/one.db"
    Store(url).migrate()
    served = run_python(copy, "-c", PROGRAM, url)
    assert served.returncode == 0, served.stdout
    assert landform(copy, url, "verify").stdout == "Nothing is wrong.\n"
    assert landform(copy, url, "vacuum").returncode == 0
    assert Store(url).migrate() == []
    assert check(url) == {"publish": 1}


def test_a_part_that_is_new_brings_its_tables(
    deleted: tuple[Path, tuple[str, ...]], tmp_path: Path
) -> None:
    copy, parts = deleted
    url = f"sqlite:///{tmp_path}/one.db"
    run_python(copy, "-c", PROGRAM, url)
    files = [file for part in parts for file in ROOT.glob(f"parts/{part}/migrations/0*.py")]
    pending = {file.stem for file in files}
    if pending:
        old = command(url, "verify")
        assert (old.exit_code, "run `landform migrate`" in old.output) == (1, True)
    applied = Store(url).migrate()
    assert {name.partition(".")[2] for name in applied} == pending
    assert check(url) == {"publish": 1}


@pytest.mark.slow
def test_every_test_is_collected_and_the_scenarios_and_the_architecture_hold_without_it(
    deleted: tuple[Path, tuple[str, ...]],
) -> None:
    options = ("-q", "-m", "not all_parts", "--tier", "process", "-p", "no:cacheprovider")
    chosen = ("-k", "conformance or architecture")
    ended = run_python(deleted[0], "-m", "pytest", *options, *chosen, "tests")
    assert ended.returncode == 0, ended.stdout[-5000:]
    assert int(re.findall(r"(\d+) passed", ended.stdout)[-1]) > 250


@pytest.mark.skipif("CORE_ALONE" not in os.environ, reason="it takes minutes: make test-core")
def test_the_suite_passes_in_process_without_any_part(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    copy = copy_without(tmp_path_factory.mktemp("core"), *PARTS)
    options = ("-q", "-m", "not all_parts", "--tier", "process", "--numprocesses", "2")
    ended = run_python(copy, "-m", "pytest", *options, "--dist", "worksteal")
    assert ended.returncode == 0, ended.stdout[-5000:]
