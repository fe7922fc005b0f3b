"""Backups of a SQLite database: taken while it is written to, checked, and restored."""

import gzip
import os
import shutil
import sqlite3
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from landform.storage.atomic_file import LOGS, replace, temporary_file
from landform.storage.engines.sqlite import files
from landform.storage.errors import CopyRefused

CHUNK = 1024 * 1024
# A tenth larger than the best, in a fifth of the time.
LEVEL = 3
# Even a database of nothing but equal pages packs into a hundredth; what unpacks to much more is
# an attack on the disk.
MOST_UNPACKED, ALWAYS_UNPACKED = 250, 64 * 1024 * 1024
FOREIGN = "{} is the database of another program; with --force it is replaced."
IN_USE = "The database is in use: stop the service first."


def backup(path: str, target: Path, *, force: bool) -> None:
    """Copy a database to a file of mode 600, compressed where it ends in .gz.

    Writers go on meanwhile; the copy is what was committed when it began. It gets the target's name
    once it is complete and on disk. Raises `CopyRefused`.
    """
    if files.file_id(path) is None:
        raise CopyRefused(f"There is no database {path}.")
    if target.exists() and not (force and target.is_file()):
        raise CopyRefused(f"{target} is there already, or is no file.")
    try:
        target = target.resolve()
        with temporary_file(target) as unfinished:
            _copy(path, unfinished)
            if target.suffix == ".gz":
                with temporary_file(target) as packed:
                    with unfinished.open("rb") as full, gzip.open(packed, "wb", LEVEL) as empty:
                        shutil.copyfileobj(full, empty, CHUNK)
                    replace(packed, target)
            else:
                replace(unfinished, target)
    except (OSError, sqlite3.Error) as error:
        raise CopyRefused(f"{target} could not be written: {error}.") from error


def restore(
    path: str, source: Path, check: Callable[[str], None], *, force: bool, group: bool
) -> Path | None:
    """Replace a database, where a symbolic link leads, by a backup.

    `check` is called with the path of the unpacked copy, and raises where it cannot be served.
    `force`: also over the database of another program. `group`: the group of the file may read and
    write it. Returns where the database that was there is kept. Raises `CopyRefused`, and then
    nothing has changed.
    """
    place = Path(os.path.realpath(path))
    if not source.is_file() or not source.stat().st_size:
        raise CopyRefused(f"There is no file {source}, or nothing in it.")
    try:
        with temporary_file(place) as unpacked:
            _unpack(source, unpacked)
            _check_integrity(source, unpacked)
            check(str(unpacked))
            with closing(sqlite3.connect(unpacked, isolation_level=None)) as database:
                # No entity tag from before fits it.
                files.renew(database)
            with _closed_to_others(place, force) as logs:
                kept = _set_aside(place, unpacked, logs)
                os.chmod(unpacked, files.private_mode(unpacked.stat().st_mode, group))
                replace(unpacked, place)
                files.mark(str(place))
            return kept
    except (OSError, EOFError, zlib.error, sqlite3.Error) as error:
        raise CopyRefused(f"{source} could not be restored: {error}.") from error


def _copy(path: str, target: Path) -> None:
    if problem := files.log_problem(path):
        raise CopyRefused(problem)
    uri = f"file:{quote(path)}?mode=rw"
    with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as source:
        source.execute("VACUUM INTO ?", (str(target),))


def _unpack(source: Path, target: Path) -> None:
    if source.suffix == ".gz":
        most = source.stat().st_size * MOST_UNPACKED + ALWAYS_UNPACKED
        with gzip.open(source, "rb") as full, target.open("wb") as empty:
            while chunk := full.read(CHUNK):
                if empty.tell() + len(chunk) > most:
                    raise CopyRefused(f"{source} unpacks to more than {most:,} bytes.")
                empty.write(chunk)
    elif files.file_id(f"{source}-wal"):
        # What was written last is in the log.
        _copy(str(source), target)
    else:
        shutil.copyfile(source, target)


def _check_integrity(source: Path, unpacked: Path) -> None:
    """Raise `CopyRefused` where the copy is damaged anywhere."""
    with closing(sqlite3.connect(unpacked, isolation_level=None)) as database:
        found = database.execute("PRAGMA integrity_check").fetchone()[0]
        if found != "ok":
            raise CopyRefused(f"{source} is damaged: {found}.")
        database.execute("PRAGMA journal_mode = DELETE")


@contextmanager
def _closed_to_others(place: Path, force: bool) -> Iterator[Iterable[str]]:
    """Write the log of the database that is there into it, and lock it meanwhile.

    Yield the logs that it needs still: those of one that cannot be read.
    """
    if files.file_id(str(place)) is None or files.log_problem(str(place)):
        yield LOGS
        return
    with closing(sqlite3.connect(place, isolation_level=None, timeout=2)) as database:
        try:
            if not force and files.is_foreign(database):
                raise CopyRefused(FOREIGN.format(place))
            database.execute("PRAGMA locking_mode = EXCLUSIVE")
            database.execute("BEGIN EXCLUSIVE")
            database.execute("COMMIT")
            # Nobody else may have it open for that.
            database.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.OperationalError as error:
            raise CopyRefused(IN_USE) from error
        except sqlite3.DatabaseError:
            database.close()
            yield LOGS
        else:
            yield ()


def _set_aside(place: Path, unpacked: Path, logs: Iterable[str]) -> Path | None:
    """Give the file that is there, and logs beside it, another name, and return that."""
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    kept = place.with_name(f"{place.name}.before-restore-{moment}")
    found = [suffix for suffix in logs if os.path.exists(f"{place}{suffix}")]
    for suffix in found:
        os.replace(f"{place}{suffix}", f"{kept}{suffix}")
    if not place.exists():
        return Path(f"{kept}{found[0]}") if found else None
    files.protect(str(place), group=False)
    before = place.stat()
    os.chmod(unpacked, stat.S_IMODE(before.st_mode))
    with suppress(PermissionError):
        os.chown(unpacked, before.st_uid, before.st_gid)
    os.link(place, kept)
    return kept
