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
# The result is a tenth larger than with the best level, in a fifth of the time.
LEVEL = 3
# Even a database of nothing but equal pages packs into a hundredth of its size; a file that
# unpacks to much more is an attack on the disk.
MOST_UNPACKED, ALWAYS_UNPACKED = 250, 64 * 1024 * 1024
FOREIGN = "{} is the database of another program; with --force it is replaced."
IN_USE = "The database is in use: stop the service first."


def backup(path: str, target: Path, *, force: bool) -> None:
    """Copy a database to a file of mode 600, compressed if its name ends in .gz.

    Writers go on meanwhile; the copy has all commits before it began. The file gets its name once
    it is complete and on disk. Raises `CopyRefused`.
    """
    if files.file_id(path) is None:
        raise CopyRefused(f"There is no database {path}.")
    if target.exists() and not (force and target.is_file()):
        raise CopyRefused(f"{target} exists already, or is not a file.")
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
    """Replace a database by a backup, and return the new path of the old file, if any.

    `check` is called with the path of the unpacked copy, and raises if it cannot be served.
    `force`: also replace the database of another program. `group`: the group of the file may read
    and write it. A symbolic link is followed. Raises `CopyRefused`, and then nothing has changed.
    """
    place = Path(os.path.realpath(path))
    if not source.is_file() or not source.stat().st_size:
        raise CopyRefused(f"There is no file {source}, or nothing in it.")
    try:
        with temporary_file(place) as unpacked:
            _unpack(source, unpacked)
            check(str(unpacked))
            with closing(sqlite3.connect(unpacked, isolation_level=None)) as database:
                # So that no entity tag from before is valid.
                files.renew(database)
            with _locked(place, force) as logs:
                old = _set_aside(place, unpacked, logs)
                os.chmod(unpacked, files.private_mode(unpacked.stat().st_mode, group))
                replace(unpacked, place)
                files.mark(str(place))
            return old
    except (OSError, EOFError, zlib.error, sqlite3.Error) as error:
        raise CopyRefused(f"{source} could not be restored: {error}.") from error


def _copy(path: str, target: Path) -> None:
    if problem := files.log_problem(path):
        raise CopyRefused(problem)
    uri = f"file:{quote(path)}?mode=rw"
    with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as source:
        source.execute("VACUUM INTO ?", (str(target),))


def _unpack(source: Path, target: Path) -> None:
    """Copy a backup to a file; `CopyRefused` for a damaged one."""
    if source.suffix == ".gz":
        limit = source.stat().st_size * MOST_UNPACKED + ALWAYS_UNPACKED
        with gzip.open(source, "rb") as full, target.open("wb") as empty:
            while chunk := full.read(CHUNK):
                if empty.tell() + len(chunk) > limit:
                    raise CopyRefused(f"{source} unpacks to more than {limit:,} bytes.")
                empty.write(chunk)
    elif files.file_id(f"{source}-wal"):
        # The log has the last writes.
        _copy(str(source), target)
    else:
        shutil.copyfile(source, target)
    with closing(sqlite3.connect(target, isolation_level=None)) as database:
        result = database.execute("PRAGMA integrity_check").fetchone()[0]
        if result != "ok":
            raise CopyRefused(f"{source} is damaged: {result}.")
        database.execute("PRAGMA journal_mode = DELETE")


@contextmanager
def _locked(place: Path, force: bool) -> Iterator[Iterable[str]]:
    """Lock the database in a place, with its log written into it.

    Yields the logs that it still needs, which are those of a file that cannot be read.
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
            # This fails if another process has it open.
            database.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.OperationalError as error:
            raise CopyRefused(IN_USE) from error
        except sqlite3.DatabaseError:
            database.close()
            yield LOGS
        else:
            yield ()


def _set_aside(place: Path, unpacked: Path, logs: Iterable[str]) -> Path | None:
    """Give the old file, with some of its logs, another name, and return that."""
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    old = place.with_name(f"{place.name}.before-restore-{moment}")
    suffixes = [suffix for suffix in logs if os.path.exists(f"{place}{suffix}")]
    for suffix in suffixes:
        os.replace(f"{place}{suffix}", f"{old}{suffix}")
    if not place.exists():
        return Path(f"{old}{suffixes[0]}") if suffixes else None
    files.protect(str(place), group=False)
    before = place.stat()
    os.chmod(unpacked, stat.S_IMODE(before.st_mode))
    with suppress(PermissionError):
        os.chown(unpacked, before.st_uid, before.st_gid)
    os.link(place, old)
    return old
