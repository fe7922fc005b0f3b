"""Copies of a SQLite database: taken while it is written to, checked, and put back."""

import gzip
import os
import secrets
import shutil
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, cast

from landform.storage.engines.base import Progress
from landform.storage.errors import BackupRefused

# How many pages of the file are copied between two looks at the progress.
STEP = 1024
CHUNK = 1024 * 1024
# Of gzip: a tenth larger than its best, in a fifth of the time.
LEVEL = 3
HEADER = b"SQLite format 3\0"


def backup(
    path: str, target: Path, *, force: bool = False, progress: Progress = lambda *_: None
) -> None:
    """Copy the database at `path` to a file of mode 600, compressed where it ends in .gz or .zst.

    Writers go on meanwhile; the copy is what was committed when it began. Nothing has the target's
    name before it is whole and on disk. `progress` is told pages done and pages in all. Raises
    `BackupRefused`.
    """
    if not Path(path).is_file():
        raise BackupRefused(f"There is no database {path}.")
    if target.is_dir() or (target.exists() and not force):
        raise BackupRefused(f"{target} is there already.")
    try:
        with beside(target) as unfinished:
            _copy(path, unfinished, progress)
            if target.suffix in PACKERS:
                with beside(target) as packed:
                    _pour(unfinished, packed, pack=target.suffix)
                    put_in_place(packed, target)
            else:
                put_in_place(unfinished, target)
    except (OSError, sqlite3.Error) as error:
        raise BackupRefused(f"{target} could not be written: {_reason(error)}.") from error


def restore(source: Path, path: str, check: Callable[[str], None]) -> Path | None:
    """Put a backup in the place of the database at `path`.

    `check` is called with the path of the unpacked copy, and raises where it is not fit to be
    served. Returns where the database that was there is kept. Raises `BackupRefused`, and then
    nothing has changed.
    """
    place = Path(path)
    if not source.is_file():
        raise BackupRefused(f"There is no file {source}.")
    try:
        with beside(place) as unpacked:
            _pour(source, unpacked, unpack=source.suffix)
            _examine(source, unpacked)
            check(str(unpacked))
            _forget_log(unpacked)
            kept = _set_aside(place, unpacked) if place.exists() else None
            put_in_place(unpacked, place)
            return kept
    except (OSError, EOFError, sqlite3.Error) as error:
        raise BackupRefused(f"{source} could not be restored: {_reason(error)}.") from error


def _copy(path: str, target: Path, progress: Progress) -> None:
    with (
        closing(sqlite3.connect(f"file:{path}?mode=rw", uri=True, isolation_level=None)) as source,
        closing(sqlite3.connect(target, isolation_level=None)) as copy,
    ):
        # What is read stays what it was: otherwise each write would begin the copy anew.
        source.execute("BEGIN")
        source.execute("SELECT COUNT(*) FROM sqlite_master")
        source.backup(
            copy, pages=STEP, progress=lambda _, left, total: progress(total - left, total)
        )
        # One file by itself, with no log beside it.
        copy.execute("PRAGMA journal_mode = DELETE")


def _examine(source: Path, unpacked: Path) -> None:
    """Refuse what is no database, or is damaged anywhere."""
    with open(unpacked, "rb") as opened:
        if opened.read(len(HEADER)) != HEADER:
            raise BackupRefused(f"{source} holds no database.")
    with closing(sqlite3.connect(unpacked)) as database:
        found = database.execute("PRAGMA integrity_check").fetchone()[0]
    if found != "ok":
        raise BackupRefused(f"{source} is damaged: {found}.")


def _set_aside(place: Path, unpacked: Path) -> Path:
    """Keep the database that is there under another name, its log included."""
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    kept = place.with_name(f"{place.name}.before-restore-{moment}")
    try:
        with closing(sqlite3.connect(place, isolation_level=None, timeout=2)) as database:
            # Nobody else may have it open when its log is taken in.
            database.execute("PRAGMA locking_mode = EXCLUSIVE")
            database.execute("BEGIN EXCLUSIVE")
            database.execute("COMMIT")
            database.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.OperationalError as error:
        raise BackupRefused("The database is in use: stop the service first.") from error
    except sqlite3.DatabaseError:
        # What cannot be read is kept as it is, with its log.
        for suffix in ("-wal", "-shm"):
            with suppress(FileNotFoundError):
                os.replace(f"{place}{suffix}", f"{kept}{suffix}")
    before = place.stat()
    os.chmod(unpacked, stat.S_IMODE(before.st_mode))
    with suppress(PermissionError):
        os.chown(unpacked, before.st_uid, before.st_gid)
    os.link(place, kept)
    return kept


def _forget_log(database: Path) -> None:
    for suffix in ("-wal", "-shm", "-journal"):
        database.with_name(database.name + suffix).unlink(missing_ok=True)


@contextmanager
def beside(target: Path) -> Iterator[Path]:
    """Lend the name of a new file of mode 600 in the folder of another; gone in the end."""
    name = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        yield name
    finally:
        name.unlink(missing_ok=True)
        _forget_log(name)


def put_in_place(unfinished: Path, target: Path) -> None:
    """Give a file its name once it is on disk, and see to it that the name is too."""
    for place, name in ((unfinished, None), (target.parent, target)):
        if name:
            os.replace(unfinished, name)
        opened = os.open(place, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def _pour(source: Path, target: Path, unpack: str = "", pack: str = "") -> None:
    with _opened(source, "rb", unpack) as full, _opened(target, "wb", pack) as empty:
        shutil.copyfileobj(full, empty, CHUNK)


def _gzip(path: Path, mode: str) -> IO[bytes]:
    return cast("IO[bytes]", gzip.open(path, mode, LEVEL))


def _zstandard(path: Path, mode: str) -> IO[bytes]:
    try:
        import zstandard  # noqa: PLC0415
    except ImportError:
        raise BackupRefused("For .zst install landform[zstd], or take .gz.") from None
    opened: Any = zstandard.open(path, mode)
    return cast("IO[bytes]", opened)


PACKERS = {".gz": _gzip, ".zst": _zstandard}


def _opened(path: Path, mode: str, suffix: str) -> IO[bytes]:
    pack = PACKERS.get(suffix)
    return pack(path, mode) if pack else cast("IO[bytes]", open(path, mode))


def _reason(error: BaseException) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)
