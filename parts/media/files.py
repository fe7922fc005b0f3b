"""The files of pictures: in a folder beside the database, or in the database.

What lies below a path never changes. Files are written before the row that has them, and removed
after it: an interruption leaves files without a row, which `landform vacuum` removes.
"""

import errno
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from landform.parts.media.models import MediaFile
from landform.storage.atomic_file import replace, sync, temporary_file
from landform.storage.clock import epoch
from landform.storage.errors import DiskFull, Unavailable
from landform.storage.sql import Parameter, Prepared
from landform.storage.store import Store

# The paths of files: a random folder, and a name in it.
FILE_PATH = re.compile(r"[0-9a-z]{16,64}/[0-9a-z][0-9a-z_-]{0,120}\.[a-z]{3,4}")
IN_DATABASE, SUFFIX = "database", ".media"
CHUNK_BYTES = 1 << 18
SELECT = Prepared(MediaFile.select(MediaFile.content).where(MediaFile.path == Parameter("path")))


@dataclass(frozen=True)
class FolderFiles:
    """Files in a folder, each in a folder of its picture."""

    folder: Path

    def put(self, path: str, content: bytes) -> None:
        """Store a file, complete and on disk, unless it is there; raises `DiskFull`."""
        target = self.folder / path
        if target.exists():
            return
        try:
            if not target.parent.is_dir():
                target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                sync(self.folder)
            with temporary_file(target) as unfinished:
                unfinished.write_bytes(content)
                replace(unfinished, target)
        except OSError as error:
            kind = DiskFull if error.errno in (errno.ENOSPC, errno.EDQUOT) else Unavailable
            raise kind from error

    def get(self, path: str) -> tuple[int, Iterator[bytes]] | None:
        """Return the size of a file and its bytes in pieces; None if it is missing."""
        file = self.folder / path

        def pieces() -> Iterator[bytes]:
            with file.open("rb") as opened:
                yield from iter(lambda: opened.read(CHUNK_BYTES), b"")

        try:
            return file.stat().st_size, pieces()
        except OSError:
            return None

    def delete(self, paths: Iterable[str]) -> None:
        """Remove files, and the folders that are empty then."""
        for path in paths:
            with suppress(OSError):
                (self.folder / path).unlink()
            with suppress(OSError):
                (self.folder / path).parent.rmdir()

    def list(self) -> Iterator[tuple[str, float]]:
        """Yield the path of each file, also of one that was not completed, and its time."""
        for file in self.folder.glob("*/*"):
            with suppress(OSError):
                yield file.relative_to(self.folder).as_posix(), file.stat().st_mtime


@dataclass(frozen=True)
class DatabaseFiles:
    """Files in a table, as all machines of a service need them."""

    store: Store

    def put(self, path: str, content: bytes) -> None:
        """Store a file in the transaction that is open, or in one of its own."""
        row = {"path": path, "content": content, "created_utc": self.store.clock.now().utc}
        with self.store.connection(), self.store.transaction() as db:
            MediaFile.insert(row).on_conflict_ignore().execute(db)

    def get(self, path: str) -> tuple[int, Iterator[bytes]] | None:
        """Return the size of a file and its bytes; None if it is missing."""
        with self.store.connection():
            row = SELECT.row(self.store, {"path": path})
        return (len(row[0]), iter([bytes(row[0])])) if row else None

    def delete(self, paths: Iterable[str]) -> None:
        """Remove files, where they are there."""
        with self.store.connection(), self.store.transaction() as db:
            for path in paths:
                MediaFile.delete().where(MediaFile.path == path).execute(db)

    def list(self) -> Iterator[tuple[str, float]]:
        """Yield the path of each file, and when it was stored in seconds since 1970."""
        files = MediaFile.select(MediaFile.path, MediaFile.created_utc).tuples()
        with self.store.connection() as db:
            rows = [*files.execute(db)]
        yield from ((path, epoch(created)) for path, created in rows)


Files = FolderFiles | DatabaseFiles


def open_files(store: Store, place: str = "") -> Files:
    """Return the files of a store: in a folder, or in the database.

    `place`: a folder, or `database`; empty for the folder beside a SQLite file, and the database
    elsewhere.
    """
    database = next(iter(store.database.files), None)
    if place and place != IN_DATABASE:
        return FolderFiles(Path(place))
    return FolderFiles(folder_beside(database)) if database and not place else DatabaseFiles(store)


def folder_beside(file: Path) -> Path:
    """Return the folder of the files that belong to a database in a file, or to its backup."""
    return Path(f"{os.path.realpath(file)}{SUFFIX}")
