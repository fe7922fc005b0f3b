"""The files of pictures in the commands that look after a database."""

from collections.abc import Callable, Iterator
from pathlib import Path
from time import time
from typing import Any

from landform.parts.media.files import Files, FolderFiles, folder_beside
from landform.parts.media.models import Media
from landform.parts.media.storage import paths_of
from landform.storage.store import Store

# A file that no picture has is left for so many seconds: it may be that of one that is being made.
GRACE_SECONDS = 3600
MOST_LISTED = 5
Task = Callable[[Store, Files, Any], Iterator[str]]


def verify(store: Store, files: Files, _: object) -> Iterator[str]:
    """Yield that pictures lack files, and that files have no picture."""
    lacking, unused = _compare(store, files)
    if lacking:
        listed = ", ".join(map(str, lacking[:MOST_LISTED]))
        ellipsis = ", ..." * (len(lacking) > MOST_LISTED)
        yield (
            f"There are {len(lacking)} pictures whose files are missing: {listed}{ellipsis}. "
            "Put the files of a backup in their place, or delete these pictures."
        )
    if unused:
        yield f"There are {len(unused)} files that no picture has. `landform vacuum` removes them."


def vacuum(store: Store, files: Files, _: object) -> Iterator[str]:
    """Remove files that no picture has."""
    _, unused = _compare(store, files)
    if unused:
        files.delete(unused)
        yield f"{len(unused)} files that no picture had were removed."


def _compare(store: Store, files: Files) -> tuple[list[int], list[str]]:
    """Return the ids of pictures that lack files, and the files that no picture has."""
    # Files first: the row of a file that is listed is stored by now, or is an hour late.
    stored_files, before = dict(files.list()), time() - GRACE_SECONDS
    lacking, used_paths = list[int](), set[str]()
    with store.connection() as db, db.snapshot():
        for row in (
            Media.select(Media.id, Media.folder, Media.file, Media.sizes).dicts().execute(db)
        ):
            paths = paths_of(row)
            used_paths.update(paths)
            if not stored_files.keys() >= {*paths}:
                lacking.append(row["id"])
    old = [path for path, stored in stored_files.items() if stored < before]
    return lacking, [path for path in old if path not in used_paths]


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
    with store.connection() as db:
        # A database of an earlier version has no table of them.
        has_pictures = db.table_exists(Media) and Media.select().limit(1).count(db)
    if has_pictures and isinstance(files, FolderFiles) and not source.folder.is_dir():
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


TASKS: dict[str, Task] = {
    "verify": verify, "vacuum": vacuum, "backup": back_up, "restore": load, "copy": copy,
    "export": export, "import": load,
}  # fmt: skip
