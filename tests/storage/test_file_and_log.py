"""A file and the log of writes beside it: each log goes into its own file only, or into none."""

import os
import shutil
from pathlib import Path

import pytest
from conftest import LIST
from files import PAGE, command, count_pages, crashed, new_file, opened

from landform.storage import Store, pages
from landform.storage.engines.sqlite import files as sqlite_files
from landform.storage.pages import listing

pytestmark = [pytest.mark.servers, pytest.mark.sqlite("the log is PostgreSQL's")]

# The first page, which has the stamp, is in a log with that; an update alone need not write it.
WRITE = "CREATE TABLE more (x)"


def total(store: Store) -> int:
    with store.connection():
        return listing.list_pages(store, LIST, ["id"]).total


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return new_file(tmp_path / "file.db")


def test_a_file_system_without_attributes_is_supported(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "setxattr", refuse)
    monkeypatch.setattr(os, "getxattr", refuse)
    store = opened(file)
    assert total(store) == 1
    shutil.copy(file, tmp_path / "copy.db").rename(file)
    assert total(store) == 1
    store.dispose()


def test_a_backup_in_a_process_that_serves_takes_no_lock_away(file: Path, tmp_path: Path) -> None:
    store = opened(file)
    with store.connection():
        pages.create(store, PAGE)
        store.database.backup(tmp_path / "copy.db", force=False)
        assert str(file.stat().st_ino) in Path("/proc/locks").read_text()
    store.dispose()
    assert count_pages(tmp_path / "copy.db") == 2


def test_a_restore_keeps_the_log_of_a_crash_with_the_old_file(file: Path, tmp_path: Path) -> None:
    assert command(file, "backup", tmp_path / "copy.db").exit_code == 0
    crashed(file, 0, "DELETE FROM page", WRITE)
    assert command(file, "restore", tmp_path / "copy.db").exit_code == 0
    (kept,) = tmp_path.glob("file.db.before-restore-*")
    assert (count_pages(file), count_pages(kept)) == (1, 0)
    assert command(file, "verify").output == "Nothing is wrong.\n"


def test_a_restore_replays_no_foreign_log_into_what_it_keeps(file: Path, tmp_path: Path) -> None:
    assert command(file, "backup", tmp_path / "copy.db").exit_code == 0
    before, log = file.read_bytes(), crashed(new_file(tmp_path / "other.db", 9), 0, WRITE)
    Path(f"{file}-wal").write_bytes(log)
    os.setxattr(f"{file}-wal", sqlite_files.MARK, b"of another file")
    assert command(file, "restore", tmp_path / "copy.db").exit_code == 0
    kept = {path.name[-4:]: path.read_bytes() for path in tmp_path.glob("*.before-restore-*")}
    assert kept.pop("-wal") == log
    assert list(kept.values()) == [before]
    assert command(file, "verify").output == "Nothing is wrong.\n"
