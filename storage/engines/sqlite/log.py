"""The log of writes (`-wal`) beside a SQLite file: whose it is.

SQLite replays a log into whatever file is beside it, and nothing in the two says that they belong
together. So the locks of other processes are checked, and a stamp that each copy of a file has.
Opening and closing a file would drop the locks that this process holds on it (POSIX), so that
nothing here opens a file that any process has in use.
"""

import os
import struct
import time
from pathlib import Path
from typing import NamedTuple

IN_USE = (
    "Another file lies in the place of the database, and the old one is still open. Put the right "
    "one back, or restart the service to serve this one."
)
FOREIGN = (
    "Beside the database lies a log of writes (-wal) of another database. Stop the service, move "
    "the log away or put it back beside its own database, and start again."
)
LINKED = (
    "The file of the database is open already by another name, a hard link. Open it by the same "
    "name, or stop whoever has it open."
)
# The seconds between checks of a file that another process may just be opening.
WAITS = (0.01, 0.02, 0.05, 0.1)
# https://www.sqlite.org/fileformat2.html: where the header of a file, a log, and a frame has what.
PAGE_SIZE, PAGES, STAMP, LOG_PAGE_SIZE, SALTS = 16, 28, 60, 8, slice(16, 24)
HEADER_BYTES, LOG_HEADER_BYTES, FRAME_BYTES = 100, 32, 24
LOCKS = Path("/proc/locks")
# It is read a page at a time: a lock may be missed while others come and go.
LOOKS = 4


class FileId(NamedTuple):
    """What identifies a file."""

    device: int
    inode: int


def file_id(path: str) -> FileId | None:
    """Return which file has a path; None where there is none, or an empty one."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return FileId(found.st_dev, found.st_ino) if found.st_size else None


def log_beside(path: str, *suffixes: str) -> str | None:
    """Return the path of the log beside a file, where there is one with something in it.

    SQLite looks for it where a symbolic link leads.
    """
    real = os.path.realpath(path)
    logs = (real + suffix for suffix in suffixes or ("-wal", "-journal"))
    return next((log for log in logs if file_id(log)), None)


def log_problem(path: str, file: FileId, *, replaced: bool) -> str | None:
    """Return why a file must not be opened with the log beside it; None where it may.

    `replaced`: whether another file was at this path before, so that the log may be of that one.
    """
    if _is_open_by_another_name(path, file):
        return LINKED
    log, locked = log_beside(path), _locked_files()
    if locked is None:
        return FOREIGN if log and replaced else None
    # Another process that follows these rules has the file open, and the log with it.
    if file in locked:
        return None
    # Also where the log is empty: who has the old file would move what is written to it there.
    if file_id(os.path.realpath(path) + "-shm") in locked:
        return IN_USE
    if log is None:
        return None
    return FOREIGN if replaced or _is_foreign(path, log) else None


def is_in_use(path: str) -> bool:
    """Return whether any process has a file or the log beside it open."""
    real = os.path.realpath(path)
    return bool((_locked_files() or set()) & {file_id(real), file_id(f"{real}-shm")})


def _is_open_by_another_name(path: str, file: FileId) -> bool:
    """Return whether a process has a file open by another name: then its log is beside that one.

    SQLite looks for the log beside the name that it was given; with two logs the file is soon
    damaged. A file that is just being opened may have no log for a moment.
    """
    try:
        if os.stat(path).st_nlink == 1:
            return False
    except OSError:
        return False
    for wait in (0.0, *WAITS):
        time.sleep(wait)
        locked = _locked_files() or set()
        if file not in locked or file_id(os.path.realpath(path) + "-shm") in locked:
            return False
    return True


def _locked_files() -> set[FileId | None] | None:
    """Return the files that some process has locked; None where the system does not show it.

    Every connection in WAL mode holds one on its file and one on the index (`-shm`) of its log.
    In a container, which shows the locks of its own processes, there may well be none.
    """
    try:
        rows = [line.split() for _ in range(LOOKS) for line in LOCKS.read_text().splitlines()]
    except OSError:
        return None
    # `1: POSIX  ADVISORY  READ 8445 fe:00:2146358 128 128`; the numbers of the device are in hex.
    places = [row[5].split(":") for row in rows if len(row) == 8]
    return {
        FileId(os.makedev(int(major, 16), int(minor, 16)), int(inode))
        for major, minor, inode in places
    }


def _is_foreign(path: str, log: str) -> bool:
    """Return whether the log that a crash left is certainly of another file, or another copy of it.

    Each copy has a stamp of its own in its first page (`user_version`), and so has the log where
    it holds that page. A log without it leaves the file as many pages as it had.
    """
    if not log.endswith("-wal"):
        return False
    try:
        with open(path, "rb") as opened:
            header = opened.read(HEADER_BYTES)
        if len(header) < HEADER_BYTES:
            return False
        stamp, found = number(header, STAMP), _read_log(log, page_size(header))
    except OSError:
        # The process that closes the file last deletes its log; anything else SQLite will report.
        return False
    if found is None:
        return True
    stamps, pages = found
    if not stamps:
        return pages not in (0, number(header, PAGES))
    return stamp != 0 and not stamps <= {stamp}


def _read_log(log: str, page_size: int) -> tuple[set[int], int] | None:
    """Return the stamps in a log, and how many pages the file has with it; 0 without a commit.

    None where it is of a file with pages of another size.
    """
    found, waiting, pages = set[int](), set[int](), 0
    with open(log, "rb") as opened:
        start = opened.read(LOG_HEADER_BYTES)
        if len(start) < LOG_HEADER_BYTES:
            return found, pages
        if number(start, LOG_PAGE_SIZE) != page_size:
            return None
        while len(frame := opened.read(FRAME_BYTES)) == FRAME_BYTES:
            if frame[8:16] != start[SALTS]:
                break
            page, committed = struct.unpack_from(">II", frame)
            if page == 1:
                waiting.add(number(opened.read(HEADER_BYTES).ljust(HEADER_BYTES, b"\0"), STAMP))
                opened.seek(page_size - HEADER_BYTES, os.SEEK_CUR)
            else:
                opened.seek(page_size, os.SEEK_CUR)
            if committed:
                found |= waiting
                pages = committed
    return found, pages


def page_size(header: bytes) -> int:
    """Return the bytes of a page, by the header of a file."""
    size = number(header, PAGE_SIZE, ">H")
    return 65536 if size == 1 else size


def number(raw: bytes, at: int, form: str = ">I") -> int:
    """Return a number in a header."""
    return int(struct.unpack_from(form, raw, at)[0])
