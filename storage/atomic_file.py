"""Files that get their name once they are complete and on disk; otherwise nothing is left."""

import fcntl
import glob
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

LOGS = ("-wal", "-shm", "-journal")


@contextmanager
def temporary_file(target: Path) -> Iterator[Path]:
    """Yield the name of a new file of mode 600 beside the target, and remove it in the end.

    What killed processes have left there for the same target is removed first.
    """
    _remove_abandoned(target)
    name = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    # The lock shows that a process uses it; it ends with that process at the latest.
    lock = os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield name
    finally:
        _remove(name)
        os.close(lock)


def replace(temporary: Path, target: Path) -> None:
    """Rename a file to its target, with both the content and the name on disk afterwards."""
    _sync(temporary)
    os.replace(temporary, target)
    _sync(target.parent)


def _sync(path: Path) -> None:
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _remove_abandoned(target: Path) -> None:
    for left in target.parent.glob(f".{glob.escape(target.name)}.????????.part"):
        with suppress(OSError):
            lock = os.open(left, os.O_WRONLY)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _remove(left)
            finally:
                os.close(lock)


def _remove(file: Path) -> None:
    for suffix in ("", *LOGS):
        file.with_name(file.name + suffix).unlink(missing_ok=True)
