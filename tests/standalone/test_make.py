"""`make` on a fresh machine: what it says, and which Python it takes."""

import os
import platform
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT, needs

pytestmark = [pytest.mark.servers, needs("make")]

# A Python that says it is of another version.
OTHER = """#!/bin/sh
exec python3 -c 'import sys
sys.version_info, sys.version = ({0}, {1}, 9, "final", 0), "{0}.{1}.9 (main)"
exec(sys.argv[1])' "$2"
"""


def make(folder: Path, *arguments: str, version: str = "") -> "subprocess.CompletedProcess[str]":
    """Run make in a folder with nothing but what it reads, and perhaps with another Python."""
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy2(ROOT / name, folder)
    if version:
        (folder / "python").write_text(OTHER.format(*version.split(".")))
        (folder / "python").chmod(0o755)
        arguments = (f"PYTHON={folder}/python", *arguments)
    # The tests may be run by a make of their own.
    outside = {name: value for name, value in os.environ.items() if "MAKE" not in name}
    return subprocess.run(
        ["make", *arguments], cwd=folder, env=outside, capture_output=True, text=True, check=False,
        timeout=60,
    )  # fmt: skip


def test_a_python_that_is_too_old_is_refused_in_words_and_makes_nothing(tmp_path: Path) -> None:
    told = make(tmp_path, "run", version="3.9")
    assert told.returncode == 2
    assert "Error: landform needs Python 3.11 or newer, and " in told.stderr
    assert "is 3.9.9" in told.stderr
    assert not (tmp_path / ".venv").exists()


@pytest.mark.parametrize("version", ["3.9.2", platform.python_version()])
def test_an_environment_of_another_python_is_made_anew(tmp_path: Path, version: str) -> None:
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "pyvenv.cfg").write_text(f"home = /x\nversion = {version}\n")
    assert make(tmp_path).returncode == 0
    (tmp_path / ".venv" / ".installed").touch()
    planned = make(tmp_path, "-n", "run", "PORT=8123").stdout
    assert ("-m venv --clear .venv" in planned) == (version == "3.9.2")
    assert planned.splitlines()[-1].startswith(".venv/bin/landform serve --bind 127.0.0.1:8123")


def test_python_is_checked_without_npm(tmp_path: Path) -> None:
    assert "npm" not in make(tmp_path, "-n", "lint-python").stdout
