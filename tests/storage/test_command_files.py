"""No command writes to the database, to what it reads, or twice to the same file."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from runpy import run_path

import click
import pytest
from click.testing import CliRunner, Result
from conftest import PAGE, ROOT, migrated

from landform.parts import all_parts
from landform.standalone import cli
from landform.standalone.commands.tools import File
from landform.storage import Store, pages

# A complete command line for each parameter that may name a file, which is {}.
LINES = {
    "backup file": "backup {} --force", "copy source": "copy {} sqlite:///new.db",
    "copy target": "copy sqlite:///old.db {}",
    "export file": "export {}", "export report_file": "export new.nd --report {}",
    "import file": "import {}", "import report_file": "import old.nd --report {}",
    "restore file": "restore {}",
}  # fmt: skip
# A file that one parameter writes, and another one names: which lines these are.
PAIRS = [
    "export {} --report {}", "import {} --report {}",
    "export {} --config {}", "backup {} --force --config {}",
]  # fmt: skip
for part in all_parts():
    if (file := ROOT / f"tests/parts/{part}/command_files.py").exists():
        lines = run_path(str(file))
        LINES |= lines["LINES"]
        PAIRS += lines["PAIRS"]


@pytest.fixture
def store(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """A store that is served, so that its log is there, in a folder with links to its files."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LANDFORM_DATABASE_URL", database_url)
    for name in ("old.nd", "old.xml", "settings.toml"):
        Path(name).write_text("")
    store = migrated(database_url)
    with store.connection():
        pages.create(store, PAGE)
        for file in store.database.files[:3]:
            Path(f"symbolic{file.suffix}").symlink_to(file)
            os.link(file, f"hard{file.suffix}")
        yield store
    store.dispose()


def run(line: str) -> Result:
    return CliRunner().invoke(cli.main, line.split())


def content() -> dict[str, tuple[int, bytes]]:
    """Return every file of the folder: which one it is, and what is in it."""
    return {
        str(file): (file.lstat().st_ino, file.read_bytes())
        for file in Path.cwd().rglob("*") if file.is_file()
    }  # fmt: skip


def test_every_parameter_that_names_a_file_is_among_those_that_are_tried() -> None:
    found = set()
    for name, command in cli.main.commands.items():
        for one in getattr(command, "commands", {"": command}).values():
            of_files = [each for each in one.params if isinstance(each.type, (File, click.Path))]
            found |= {f"{name} {each.name}" for each in of_files if each.name != "config"}
    assert found == LINES.keys()


@pytest.mark.parametrize("called", LINES)
def test_commands_refuse_the_files_of_the_database_as_arguments(store: Store, called: str) -> None:
    before = content()
    for file in store.database.files[:3]:
        names = [str(file), f"{file.parent}/../{file.parent.name}/{file.name}",
                 f"symbolic{file.suffix}", f"hard{file.suffix}"]  # fmt: skip
        for name in names:
            refused = run(LINES[called].format(name))
            assert refused.exit_code == 2, (name, refused.output)
            assert "a file of the database" in refused.stderr
            if option := re.search(r"(--\S+) (unix:)?{}", LINES[called]):
                assert f"for '{option[1]}'" in refused.stderr
    assert content() == before


@pytest.mark.parametrize("line", PAIRS)
def test_commands_refuse_the_same_file_for_two_arguments(store: Store, line: str) -> None:
    Path("used").write_text("" if "config" in line else "secret")
    os.link("used", "hard")
    Path("symbolic").symlink_to("used")
    before = content()
    for name in ("used", "./used", "symbolic", "hard"):
        for given in ((name, "used"), ("used", name)):
            refused = run(line.format(*given))
            assert refused.exit_code == 2, (given, refused.output)
            assert " is also " in refused.stderr
    if "report {} --redirects {}" in line or line.startswith("export {} --report"):
        assert run(line.format("new", "./new")).exit_code == 2
    assert content() == before
