"""A file and the log of writes beside it: each log goes into its own file only, or into none."""

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from conftest import LIST
from files import PAGE, command, count_pages, crashed, new_file, opened

from landform.storage import Store, Unavailable, pages
from landform.storage.engines.sqlite import backup as sqlite_backup
from landform.storage.engines.sqlite import files as sqlite_files
from landform.storage.pages import listing
from landform.storage.sql import read_generation

pytestmark = [
    pytest.mark.servers,
    pytest.mark.sqlite("the log is PostgreSQL's"),
]

# The first page, which has the stamp, is in a log with that; an update alone need not write it.
WRITE = "CREATE TABLE more (x)"


@contextmanager
def another_process(file: Path) -> Iterator[None]:
    """Let another process have a file open."""
    script = "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); "
    script += "print(*db.execute('SELECT count(*) FROM page').fetchone(), flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", script, file], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"1\n"  # type: ignore[union-attr]
        yield
        process.communicate(b"\n")


def total(store: Store) -> int:
    with store.connection():
        return listing.list_pages(store, LIST, ["id"]).total


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return new_file(tmp_path / "file.db")


def test_a_file_that_goes_between_the_look_and_the_opening_is_not_begun_anew(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opened(file)
    found = sqlite_files.file_id(str(file))
    monkeypatch.setattr(sqlite_files, "file_id", lambda _: file.unlink(missing_ok=True) or found)
    with pytest.raises(Unavailable), store.connection():
        pass
    assert not file.exists()


def test_a_file_that_is_back_after_another_is_served_with_one_log_only(
    file: Path, tmp_path: Path
) -> None:
    """Who has not noticed the other file still has the log that was there before."""
    idle, awake = opened(file), opened(file)
    assert [total(store) for store in (idle, awake)] == [1, 1]
    assert command(file, "backup", tmp_path / "copy.db").exit_code == 0
    os.link(file, tmp_path / "aside.db")
    (tmp_path / "copy.db").rename(file)
    assert total(awake) == 1
    (tmp_path / "aside.db").rename(file)
    awake.dispose()
    with another_process(file):
        for _ in range(2):
            with pytest.raises(Unavailable, match="Restart"), idle.connection():
                pass
        assert idle.watched_versions() is None
    idle.dispose()


def test_a_file_that_replaces_another_is_another_generation(file: Path, tmp_path: Path) -> None:
    def generation(store: Store) -> str:
        with store.connection():
            return read_generation(store)

    store = opened(file)
    before = generation(store)
    store.dispose()
    assert generation(store) == before
    assert command(file, "backup", tmp_path / "copy.db").exit_code == 0
    seen = [before]
    # By a backup, by a copy with all attributes, and by a backup while nobody serves it.
    shutil.copy2(file, tmp_path / "same.db")
    shutil.copy(tmp_path / "copy.db", tmp_path / "later.db")
    for name in ("copy.db", "same.db"):
        (tmp_path / name).rename(file)
        seen.append(generation(store))
    store.dispose()
    (tmp_path / "later.db").rename(file)
    later = opened(file)
    seen.append(generation(later))
    assert len(set(seen)) == 4
    later.dispose()


def test_where_files_have_no_attributes_they_are_served_all_the_same(
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


def test_a_restore_forgets_no_write_that_a_crash_left_and_brings_none_of_them_back(
    file: Path, tmp_path: Path
) -> None:
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


def test_nobody_opens_a_file_while_it_is_replaced(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert command(file, "backup", tmp_path / "copy.db").exit_code == 0
    set_aside, reasons = sqlite_backup._set_aside, []

    def write_meanwhile(*arguments: Any, **options: Any) -> Any:
        with closing(sqlite3.connect(file, timeout=0)) as db:
            try:
                db.execute(WRITE)
            except sqlite3.OperationalError as error:
                reasons.append(str(error))
        return set_aside(*arguments, **options)

    monkeypatch.setattr(sqlite_backup, "_set_aside", write_meanwhile)
    assert command(file, "restore", tmp_path / "copy.db").exit_code == 0
    assert reasons == ["database is locked"]
