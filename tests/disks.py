"""A disk that can be full."""

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

PAGE_BYTES = 4096


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Callable[[], Path]]:
    """Mount a disk of three megabytes, where this machine lets us."""
    folder = tmp_path / "disk"

    def mount() -> Path:
        folder.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(folder)]
        if os.geteuid() or subprocess.run(command, capture_output=True, check=False).returncode:
            pytest.skip("A small disk cannot be mounted here.")
        return folder

    yield mount
    if os.path.ismount(folder):
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def filled(folder: Path) -> Iterator[Path]:
    """Fill the disk of a folder up; yield the file that does so."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"x" * PAGE_BYTES)
    yield filler
    filler.unlink()
