"""Files that get their name once they are whole and on disk, and leave nothing behind otherwise."""

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
    """Lend the name of a new file of mode 600 in the folder of another; gone in the end.

    What processes that were killed have left there for the same target goes first.
    """
    _remove_abandoned(target)
    name = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    # The lock says that somebody is at work on it; it ends with the process at the latest.
    lock = os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield name
    finally:
        _remove(name)
        os.close(lock)


def replace(temporary: Path, target: Path) -> None:
    """Give a file its name once it is on disk, and see to it that the name is too."""
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
