"""The file of a database and the log of writes (`-wal`) beside it: their identity and their marks.

SQLite replays any log beside a file, and deletes the log of an empty file. So a file that is served
gets a mark, an extended attribute that copies by `landform backup` and `cp` do not have, and its
log gets the same one. A log with the mark of another file is never used: while it is not empty, the
database is not opened. File systems without such attributes are not checked.
"""

import errno
import fcntl
import logging
import os
import secrets
import sqlite3
import stat
from contextlib import closing, suppress
from pathlib import Path
from typing import ClassVar
from weakref import WeakSet

from landform.storage.atomic_file import LOGS
from landform.storage.errors import Busy, DatabaseUnusable

log = logging.getLogger("landform")
# The device and the inode of a file.
FileId = tuple[int, int]
MARK = "user.landform.mark"
RENEW_GENERATION = "UPDATE store SET generation = lower(hex(randomblob(5)))"
# The sequences show whether the file ever had a row, and the last id of an event.
ADD_EVENT = """
    INSERT INTO event (id, type, created_utc, data)
    SELECT max(last + 1, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)),
        'store.restored', strftime('%Y-%m-%dT%H:%M:%S', 'now'), '{"resource":"store","id":null}'
    FROM (SELECT max((name = 'event') * seq) AS last, max(seq) AS highest FROM sqlite_sequence)
    WHERE highest > 0
"""
OWNER_ONLY = 0o600
FOREIGN = (
    "Beside the database lies the log of writes (-wal) of another file, which was moved or "
    "replaced. Put that back, or move the log away together with it, and restart the service."
)


def file_id(path: str, *, min_size: int = 1) -> FileId | None:
    """Return the identity of a file; None without a file of at least so many bytes."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return (status.st_dev, status.st_ino) if status.st_size >= min_size else None


class Connection(sqlite3.Connection):
    """A connection that knows its file and its log."""

    # All open connections of this process, to any store: SQLite shares the state of a log among
    # connections to the same file.
    opened: ClassVar[WeakSet["Connection"]] = WeakSet()
    file: FileId | None = None
    # A connection that was opened read-only stays so, even if the file becomes writable.
    is_writable = True
    # The path and the identity of the log that it has open.
    log: tuple[str, FileId | None] = ("", None)

    def has_its_log(self) -> bool:
        """Return whether the log beside the file is the one that this connection writes to."""
        path, opened = self.log
        return opened is None or file_id(path, min_size=0) == opened

    def close(self) -> None:
        """Close the connection."""
        # In this order: the last connection removes the log, which would be missing to others.
        self.opened.discard(self)
        super().close()


def create(path: str) -> None:
    """Create the file of a database, readable for its owner only, unless it exists.

    Raises `DatabaseUnusable`, also beside a log, of which the file was moved or emptied: SQLite
    would delete it.
    """
    place = os.path.realpath(path)
    logs = [name for name in (f"{place}-wal", f"{place}-journal") if file_id(name)]
    # In this order: another process may be creating it.
    if file_id(path) is not None:
        return
    if logs:
        raise DatabaseUnusable(
            f"{path} is gone or empty, and its log {logs[0]} is there: the file was moved, or cut. "
            "Put it back, or `landform restore` a backup; to begin a new database move the log "
            "away."
        )
    try:
        os.close(os.open(place, os.O_CREAT | os.O_RDWR, OWNER_ONLY))
        with closing(sqlite3.connect(place, isolation_level=None)) as database:
            # Without a journal, which would look like that of a file that was emptied.
            database.execute("PRAGMA journal_mode = memory")
            database.execute("PRAGMA user_version = 1")
    except (OSError, sqlite3.Error) as error:
        if is_busy(error):
            raise Busy("Another process creates the database.") from error
        raise DatabaseUnusable(f"{path} cannot be created: {error}.") from error


def log_problem(path: str) -> str | None:
    """Return why a file must not be opened with the log beside it, or None.

    An empty log of another file is removed: a process that still has it open does not share it.
    """
    place = os.path.realpath(path)
    wal = f"{place}-wal"
    while (owner := _read(wal)) and owner != _read(place):
        try:
            with open(wal, "rb") as opened:
                # Nothing else locks the log, and nothing removes it without this lock.
                fcntl.flock(opened, fcntl.LOCK_EX)
                if os.path.samestat(os.fstat(opened.fileno()), os.stat(wal)):
                    if os.stat(wal).st_size:
                        return FOREIGN
                    for suffix in ("-shm", "-wal"):
                        Path(place + suffix).unlink(missing_ok=True)
        except FileNotFoundError:
            continue
        except OSError:
            return FOREIGN
    return None


def renew(connection: sqlite3.Connection) -> None:
    """Give a file that may be a backup another generation, and the event `store.restored`.

    The id of the event is the time in milliseconds, higher than any that was assigned after the
    backup.
    """
    connection.execute(ADD_EVENT)
    connection.execute(RENEW_GENERATION)


def is_foreign(connection: sqlite3.Connection) -> bool:
    """Return whether a database has tables, but none of landform's."""
    tables = {name for (name,) in connection.execute("SELECT tbl_name FROM sqlite_master")}
    return bool(tables) and "schema_migration" not in tables


def is_new(path: str) -> bool:
    """Return whether a file was never served here, if it can have a mark."""
    return _read(path) == ""


def mark(path: str) -> None:
    """Mark a file as one that is served here, and its log."""
    _write(path, secrets.token_hex(8), getattr(os, "XATTR_CREATE", 0))
    mark_log(path)


def mark_log(path: str) -> None:
    """Mark the log beside a file as the log of that file."""
    place = os.path.realpath(path)
    if (text := _read(place)) and _read(f"{place}-wal") != text:
        _write(f"{place}-wal", text)


def protect(path: str, *, group: bool) -> None:
    """Let only the owner read a file and its logs, or also the group.

    A warning is logged for files that cannot be changed, as on a read-only file system.
    """
    place = os.path.realpath(path)
    for name in (place + suffix for suffix in ("", *LOGS)):
        with suppress(FileNotFoundError):
            mode = stat.S_IMODE(os.stat(name).st_mode)
            try:
                os.chmod(name, private_mode(mode, group))
            except OSError as error:
                if mode & stat.S_IROTH:
                    log.warning("Every user can read %s: %s.", path, error.strerror)


def private_mode(mode: int, group: bool = False) -> int:
    """Return the mode of a file without the rights of others, and of its group.

    The group has the rights of the owner with `group`, or if it may write: no umask lets it, so
    that was set on purpose.
    """
    owner = mode & OWNER_ONLY
    return owner | owner >> 3 if group or mode & stat.S_IWGRP else owner


def _read(path: str) -> str | None:
    """Return the mark of a file, empty without one; None if it cannot have one."""
    try:
        return os.getxattr(path, MARK).decode()
    except (OSError, AttributeError) as error:
        return "" if getattr(error, "errno", None) == errno.ENODATA else None


def _write(path: str, mark: str, flags: int = 0) -> None:
    with suppress(OSError, AttributeError):
        os.setxattr(path, MARK, mark.encode(), flags)


def is_busy(error: BaseException) -> bool:
    """Return whether an error means that another connection holds the lock."""
    return any(word in str(error).lower() for word in ("locked", "busy", "locking protocol"))
