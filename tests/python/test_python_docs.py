"""The documented examples of the Python API and of tests run, and print what the pages say."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT
from part_tables import PARTS

from landform.service.pipeline.operations import all_routes
from landform.service.resources import all_resources

BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
PYTHON, TESTING = ((ROOT / "docs" / name).read_text() for name in ("python.md", "testing.md"))


def test_the_examples_print_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall(PYTHON)
    assert len(blocks) == 7
    names: dict[str, object] = {"__name__": "documented"}
    for block in blocks:
        exec(block, names)
        promised = re.findall(r"print\(.*\)  # (.*)", block)
        assert capsys.readouterr().out.splitlines() == promised
    names["landing"].api.close()  # type: ignore[attr-defined]


def test_every_operation_is_on_the_page() -> None:
    for route in all_routes(all_resources(PARTS)):
        for operation in route.operations.values():
            assert f"`{operation.name}(" in PYTHON, operation.name


@pytest.mark.servers
def test_the_documented_tests_pass(tmp_path: Path) -> None:
    (block,) = BLOCK.findall(TESTING)
    (tmp_path / "test_host.py").write_text(block)
    command = [sys.executable, "-B", "-m", "pytest", "-W", "error", "-p", "no:cacheprovider"]
    ran = subprocess.run(
        [*command, "-p", "no:xdist"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout
    assert "2 passed" in ran.stdout
    assert [file.name for file in tmp_path.iterdir()] == ["test_host.py"]
