"""Copies of the product and its tests without some parts, and programs that run on them."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from landform import parts as landform_parts

ROOT = Path(__file__).parents[1]
LEFT_OUT = shutil.ignore_patterns(
    ".*", "*.pyc.*", "node_modules", "build", "dist", "*.egg-info", "*.db*"
)
PARTS = [name.partition(".")[0] for name in landform_parts.PARTS]


def copy_without(folder: Path, *parts: str) -> Path:
    """Copy the product into a folder and delete parts, as docs/architecture.md says."""
    copy = shutil.copytree(ROOT, folder / "landform", ignore=LEFT_OUT)
    names = copy / "parts/__init__.py"
    for part in parts:
        shutil.rmtree(copy / "parts" / part)
        text, count = re.subn(rf'\n    "{part}\.\w+",', "", names.read_text())
        assert count == 1, part
        names.write_text(text)
    return copy


def copy_with(folder: Path, source: Path, kind: str) -> Path:
    """Copy the product into a folder, and add the part that another folder has."""
    copy = copy_without(folder)
    shutil.copytree(source, copy / "parts" / source.name)
    names = copy / "parts/__init__.py"
    line = f'PARTS = (\n    "{source.name}.{kind}",'
    names.write_text(names.read_text().replace("PARTS = (", line, 1))
    return copy


def run_python(copy: Path, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    """Run Python with a copy as `landform`, for half an hour at most."""
    others = {name: text for name, text in os.environ.items() if not name.startswith("LANDFORM_")}
    return subprocess.run(
        [sys.executable, *arguments], cwd=copy, check=False, text=True, timeout=1800,
        env={**others, "PYTHONPATH": str(copy.parent), **variables}, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )  # fmt: skip


def landform(copy: Path, database: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run the command on a database."""
    command = ("-m", "landform.standalone", *arguments)
    return run_python(copy, *command, LANDFORM_DATABASE_URL=database)
