"""The file of a database and the log of writes (`-wal`) beside it: which are there, and whose.

SQLite replays whatever log lies beside a file, and deletes the log of an empty one. So a file that
is served gets a mark, an extended attribute that copies made by `landform backup` and `cp` have
not, and its log the same one. A log with the mark of another file is never used: while it holds
something nothing is opened there. Where a file system knows no such attributes, nothing is checked.
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
# Give what is in a file a generation that it never had, and tell so.
RENEW = "UPDATE store SET generation = lower(hex(randomblob(5)))"
# The sequences tell whether the file ever held anything, and the last id of an event.
RESTORED = """
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


def file_id(path: str, *, least: int = 1) -> FileId | None:
    """Return which file has a path; None where there is none, or one of fewer bytes."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (found.st_dev, found.st_ino) if found.st_size >= least else None


class Connection(sqlite3.Connection):
    """A connection, and which file it leads to."""

    # All that are open in this process, of whichever store: SQLite shares what it knows of a log
    # among those to the same file.
    opened: ClassVar[WeakSet["Connection"]] = WeakSet()
    file: FileId | None = None
    # What was opened read-only stays so, even when the file may be written to again.
    is_writable = True
    # The path of the log that it has open, and which file that is.
    log: tuple[str, FileId | None] = ("", None)

    def has_its_log(self) -> bool:
        """Return whether the log in its place is the one that this connection writes to."""
        path, opened = self.log
        return opened is None or file_id(path, least=0) == opened

    def close(self) -> None:
        """Close it."""
        # In this order: a log that the last connection removes is not taken for a missing one.
        self.opened.discard(self)
        super().close()


def create(path: str) -> None:
    """Begin a private file where there is none, or an empty one; `DatabaseUnusable` elsewhere.

    A log without its database shows that the file was moved or emptied: then no new one is
    created, since SQLite would delete the log.
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
            # Without a journal, which would look like that of a file that was cut.
            database.execute("PRAGMA journal_mode = memory")
            database.execute("PRAGMA user_version = 1")
    except (OSError, sqlite3.Error) as error:
        if is_busy(error):
            raise Busy("Another process creates the database.") from error
        raise DatabaseUnusable(f"{path} cannot be created: {error}.") from error


def log_problem(path: str) -> str | None:
    """Return why a file must not be opened with the log beside it; None where it may.

    The log of another file is removed once that has taken in all of it: who still has it open
    shares it with nobody then.
    """
    place = os.path.realpath(path)
    own = f"{place}-wal"
    while (owner := _read(own)) and owner != _read(place):
        try:
            with open(own, "rb") as opened:
                # SQLite itself locks no log. Only who holds this lock removes one.
                fcntl.flock(opened, fcntl.LOCK_EX)
                if os.path.samestat(os.fstat(opened.fileno()), os.stat(own)):
                    if os.stat(own).st_size:
                        return FOREIGN
                    for suffix in ("-shm", "-wal"):
                        Path(place + suffix).unlink(missing_ok=True)
        except FileNotFoundError:
            continue
        except OSError:
            return FOREIGN
    return None


def renew(connection: sqlite3.Connection) -> None:
    """Give a file that may be a backup another generation, and tell so in its log of events.

    The event has the time in milliseconds as its id: no id is given out twice, though the file
    knows nothing of those after the backup.
    """
    connection.execute(RESTORED)
    connection.execute(RENEW)


def is_foreign(connection: sqlite3.Connection) -> bool:
    """Return whether a database holds something, but nothing that a migration has made."""
    tables = {name for (name,) in connection.execute("SELECT tbl_name FROM sqlite_master")}
    return bool(tables) and "schema_migration" not in tables


def is_new(path: str) -> bool:
    """Return whether a file was never served here, as its mark shows where there can be one."""
    return _read(path) == ""


def mark(path: str) -> None:
    """Mark a file as one that is served here, and its log."""
    _write(path, secrets.token_hex(8), getattr(os, "XATTR_CREATE", 0))
    mark_log(path)


def mark_log(path: str) -> None:
    """Mark the log beside a file as its own."""
    place = os.path.realpath(path)
    if (own := _read(place)) and _read(f"{place}-wal") != own:
        _write(f"{place}-wal", own)


def protect(path: str, *, group: bool) -> None:
    """Let nobody but the owner read a file and its logs, or the group on request.

    Files of another user, or on a read-only file system, stay as they are. The log says so.
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
    """Return a mode that lets only the owner read; the group where it is asked for, or may write.

    No umask lets a group write, so somebody wanted it.
    """
    owner = mode & OWNER_ONLY
    return owner | owner >> 3 if group or mode & stat.S_IWGRP else owner


def _read(path: str) -> str | None:
    """Return the mark of a file; None where there can be none, as where there is no file."""
    try:
        return os.getxattr(path, MARK).decode()
    except (OSError, AttributeError) as error:
        return "" if getattr(error, "errno", None) == errno.ENODATA else None


def _write(path: str, mark: str, flags: int = 0) -> None:
    with suppress(OSError, AttributeError):
        os.setxattr(path, MARK, mark.encode(), flags)


def is_busy(error: BaseException) -> bool:
    """Return whether an error means that another connection holds the lock."""
    return any(sign in str(error).lower() for sign in ("locked", "busy", "locking protocol"))
