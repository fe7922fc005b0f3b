"""Files that get their name once they are complete and on disk, and are removed otherwise."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LOGS = ("-wal", "-shm", "-journal")


@contextmanager
def temporary_file(target: Path) -> Iterator[Path]:
    """Yield the name of a new file of mode 600 beside the target, and remove it at the end."""
    name = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        yield name
    finally:
        for suffix in ("", *LOGS):
            name.with_name(name.name + suffix).unlink(missing_ok=True)


def replace(temporary: Path, target: Path) -> None:
    """Rename a file to its target, with both the content and the name on disk afterwards."""
    sync(temporary)
    os.replace(temporary, target)
    sync(target.parent)


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on disk."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
