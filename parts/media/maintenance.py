"""The files of pictures in the commands that look after a database."""

from collections.abc import Callable, Iterator
from pathlib import Path
from time import time
from typing import Any

from peewee import SQL

from landform.parts.media.files import Files, FolderFiles, folder_beside
from landform.parts.media.models import Media
from landform.parts.media.storage import paths_of
from landform.storage.engines.database import EngineDatabase
from landform.storage.maintenance.tables import read_rows
from landform.storage.store import Store

# A file that no picture has is left for so many seconds: it may be that of one that is being made.
GRACE_SECONDS = 3600
MOST_LISTED = 5
Task = Callable[[Store, Files, Any], Iterator[str]]


def verify(store: Store, files: Files, _: object) -> Iterator[str]:
    """Yield that pictures lack files, and that files have no picture."""
    stored_files = dict(files.list())
    lacking, used_paths = list[int](), set[str]()
    with store.connection() as db, db.snapshot():
        for row in _rows(db):
            paths = paths_of(row)
            used_paths.update(paths)
            if not stored_files.keys() >= {*paths}:
                lacking.append(row["id"])
    if lacking:
        listed = ", ".join(map(str, lacking[:MOST_LISTED]))
        ellipsis = ", ..." * (len(lacking) > MOST_LISTED)
        yield (
            f"There are {len(lacking)} pictures whose files are missing: {listed}{ellipsis}. "
            "Put the files of a backup in their place, or delete these pictures."
        )
    if unused := _unused(stored_files, used_paths):
        yield f"There are {len(unused)} files that no picture has. `landform vacuum` removes them."


def vacuum(store: Store, files: Files, _: object) -> Iterator[str]:
    """Remove files that no picture has."""
    # Files first: the row of a file that is listed is stored by now, or is an hour late.
    stored_files = dict(files.list())
    with store.connection() as db, db.snapshot():
        used_paths = {path for row in _rows(db) for path in paths_of(row)}
    if unused := _unused(stored_files, used_paths):
        files.delete(unused)
        yield f"{len(unused)} files that no picture had were removed."


def _rows(db: EngineDatabase) -> Iterator[dict[str, Any]]:
    names = ("id", "folder", "file", "sizes")
    return read_rows(db, Media, without=[name for name in Media._meta.fields if name not in names])


def _unused(stored_files: dict[str, float], used_paths: set[str]) -> list[str]:
    before = time() - GRACE_SECONDS
    return [
        path for path, stored in stored_files.items() if path not in used_paths and stored < before
    ]


def back_up(store: Store, files: Files, file: Path) -> Iterator[str]:
    """Copy the files to the folder beside a backup, unless they are in the database."""
    return export(store, files, file) if isinstance(files, FolderFiles) else iter(())


def export(store: Store, files: Files, file: Path) -> Iterator[str]:
    """Copy the files to the folder beside an export; what is there stays."""
    target = FolderFiles(folder_beside(file))
    if count := _copy(files, target):
        yield f"{target.folder}: {count:,} files of pictures"


def load(store: Store, files: Files, file: Path) -> Iterator[str]:
    """Copy the files from the folder beside a backup or an export, if there is one."""
    source = FolderFiles(folder_beside(file))
    is_missing = not source.folder.is_dir() and isinstance(files, FolderFiles)
    if is_missing and _has_pictures(store):
        yield f"There is no folder {source.folder}: `landform verify` names what is missing."
    if count := _copy(source, files):
        yield f"{count:,} files of pictures were copied from {source.folder}."


def copy(store: Store, files: Files, target: Files) -> Iterator[str]:
    """Copy the files to those of another store."""
    if files != target and (count := _copy(files, target)):
        yield f"{count:,} files of pictures were copied."


def _copy(source: Files, target: Files) -> int:
    count, stored_files = 0, dict(target.list())
    for path, _ in source.list():
        if path not in stored_files and (file := source.get(path)):
            target.put(path, b"".join(file[1]))
            count += 1
    return count


def _has_pictures(store: Store) -> bool:
    """Return whether there are pictures; False in a database of an earlier version."""
    with store.connection() as db:
        return bool(db.table_exists(Media) and Media.select(SQL("1")).limit(1).count(db))


TASKS: dict[str, Task] = {
    "verify": verify, "vacuum": vacuum, "backup": back_up, "restore": load, "copy": copy,
    "export": export, "import": load,
}  # fmt: skip
