"""Backups: whole while writers go on, checked before they are put back, nothing ever half."""

import gzip
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from conftest import Server

from landform.cli import main
from landform.storage import Store, feeds, listing, pages

pytestmark = pytest.mark.sqlite("pg_dump is for PostgreSQL")

PAGE: dict[str, Any] = {
    "title_raw": "T", "title_rendered": "T", "content_raw": "some words", "content_rendered": "C",
    "block_version": 0, "status": "publish", "slug": "", "password": "", "author": 1,
    "date": None, "meta": {},
}  # fmt: skip
LIST = {"page": 1, "per_page": 10, "order": "desc", "orderby": "date"}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(f"sqlite:///{tmp_path}/test.db")
    store.migrate()
    with store.connection():
        for _ in range(3):
            pages.create(store, PAGE)
        feeds.create(store, {"form_id": 1, "addon_slug": "a", "meta": {"k": "v"}})
    store.dispose()
    return store


def run(store: Store, *arguments: Any) -> Result:
    environment = {"LANDFORM_DATABASE_URL": f"sqlite:///{store.engine.path}"}
    return CliRunner().invoke(main, [str(one) for one in arguments], env=environment)


def total(path: Path | str) -> int:
    store = Store(f"sqlite:///{path}")
    store.migrate()
    with store.connection():
        found = listing.find(store, LIST, ["id"]).total
    store.dispose()
    return found


def names(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}


@pytest.mark.parametrize("name", ["copy.db", "copy.db.gz", "copy.db.zst"])
def test_a_backup_is_restored_and_what_was_there_is_kept(
    store: Store, tmp_path: Path, name: str
) -> None:
    made = run(store, "backup", tmp_path / name)
    assert made.exit_code == 0, made.output
    assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    with store.connection():
        pages.create(store, PAGE)
    store.dispose()
    restored = run(store, "restore", tmp_path / name)
    assert restored.exit_code == 0, restored.output
    (kept,) = tmp_path.glob("test.db.before-restore-*")
    assert (total(store.engine.path), total(kept)) == (3, 4)
    assert run(store, "verify").output == "Nothing is wrong.\n"
    assert not [one for one in names(tmp_path) if "part" in one]


def test_a_backup_stands_alone_and_is_of_one_moment(
    start_server: Callable[..., Server], tmp_path: Path
) -> None:
    server = start_server(LANDFORM_DATABASE_URL=f"sqlite:///{tmp_path}/live.db")
    live, acknowledged, stopped = Store(f"sqlite:///{tmp_path}/live.db"), [0], threading.Event()

    def write() -> None:
        while not stopped.is_set():
            assert server.call("POST", "/pages", {"title": "Same", "content": "x " * 500})[0] == 201
            acknowledged[0] += 1

    writer = threading.Thread(target=write)
    writer.start()
    for number in range(5):
        before = acknowledged[0]
        assert run(live, "backup", tmp_path / f"{number}.db").exit_code == 0
        after = acknowledged[0]
        assert run(live, "verify").output == "Nothing is wrong.\n"
        moved = (tmp_path / f"{number}").with_suffix("")
        moved.mkdir()
        (tmp_path / f"{number}.db").rename(moved / "copy.db")
        copy = Store(f"sqlite:///{moved}/copy.db")
        assert before <= total(copy.engine.path) <= after + 1
        assert run(copy, "verify").exit_code == 0
    stopped.set()
    writer.join()


def test_an_old_backup_is_replaced_only_when_asked(store: Store, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    target.write_text("old")
    refused = run(store, "backup", target)
    assert (refused.exit_code, target.read_text()) == (1, "old")
    assert "there already" in refused.output
    assert run(store, "backup", target, "--force").exit_code == 0
    assert total(target) == 3


@pytest.mark.parametrize("name", ["missing/copy.db", "copy.db.zst/x", "."])
def test_a_place_that_is_none_is_said(store: Store, tmp_path: Path, name: str) -> None:
    before = names(tmp_path)
    refused = run(store, "backup", tmp_path / name)
    assert refused.exit_code in (1, 2)
    assert "Traceback" not in refused.output
    assert names(tmp_path) == before


def test_a_kill_in_the_middle_leaves_nothing_under_the_name(store: Store, tmp_path: Path) -> None:
    with store.connection() as db:
        db.execute_sql("CREATE TABLE large (x)")
        filled = "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) "
        db.execute_sql(f"INSERT INTO large {filled} SELECT randomblob(3000) FROM n")
    store.dispose()
    command = [sys.executable, "-m", "landform.cli", "backup", str(tmp_path / "copy.db.gz")]
    environment = {**os.environ, "LANDFORM_DATABASE_URL": f"sqlite:///{store.engine.path}"}
    process = subprocess.Popen(command, env=environment)
    while process.poll() is None and not list(tmp_path.glob(".copy.db.gz.*.part")):
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert "copy.db.gz" not in names(tmp_path)


def spoilt(folder: Path) -> dict[str, Path]:
    """Return files that are no backup, by what is wrong with them."""
    whole = (folder / "copy.db").read_bytes()
    middle = len(whole) // 2 // 4096 * 4096
    newer = folder / "newer.db"
    newer.write_bytes(whole)
    with sqlite3.connect(newer) as db:
        db.execute("INSERT INTO schema_migration (name, applied) VALUES ('9999_x', '2099-01-01')")
    db.close()
    other = folder / "other.db"
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE strange (x)")
    db.close()
    contents = {
        "empty": b"", "text": b"no database at all", "cut": whole[: len(whole) // 2],
        "damaged": whole[:middle] + b"\xff" * 4096 + whole[middle + 4096 :],
        "cut.gz": gzip.compress(whole)[:-2000], "text.gz": b"no gzip",
    }  # fmt: skip
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return {name: folder / name for name in contents} | {"newer": newer, "other": other,
            "missing": folder / "missing", "folder": folder}  # fmt: skip


def test_what_is_no_backup_is_refused_and_changes_nothing(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "spoilt"
    folder.mkdir()
    assert run(store, "backup", folder / "copy.db").exit_code == 0
    before = (Path(store.engine.path).read_bytes(), names(tmp_path))
    for what, file in spoilt(folder).items():
        refused = run(store, "restore", file)
        assert refused.exit_code in (1, 2), what
        assert "Traceback" not in refused.output
        assert isinstance(refused.exception, SystemExit), what
        assert (Path(store.engine.path).read_bytes(), names(tmp_path)) == before, what
    assert total(store.engine.path) == 3


def test_a_database_that_is_served_is_not_replaced(
    start_server: Callable[..., Server], store: Store, tmp_path: Path
) -> None:
    assert run(store, "backup", tmp_path / "copy.db").exit_code == 0
    server = start_server(LANDFORM_DATABASE_URL=f"sqlite:///{store.engine.path}")
    assert server.call("POST", "/pages", {"title": "Live"})[0] == 201
    refused = run(store, "restore", tmp_path / "copy.db")
    assert (refused.exit_code, "in use" in refused.output) == (1, True)
    assert len(server.call("GET", "/pages")[1]) == 4
    server.stop()
    assert run(store, "restore", tmp_path / "copy.db").exit_code == 0
    assert total(store.engine.path) == 3


def test_a_spoilt_database_is_replaced_and_kept(store: Store, tmp_path: Path) -> None:
    assert run(store, "backup", tmp_path / "copy.db").exit_code == 0
    Path(store.engine.path).write_bytes(b"spoilt" * 1000)
    refused = run(store, "verify")
    assert (refused.exit_code, "Traceback" in refused.output) == (1, False)
    assert run(store, "restore", tmp_path / "copy.db").exit_code == 0
    (kept,) = tmp_path.glob("test.db.before-restore-*")
    assert kept.read_bytes() == b"spoilt" * 1000
    assert total(store.engine.path) == 3


def test_a_restore_needs_no_database_to_be_there(store: Store, tmp_path: Path) -> None:
    assert run(store, "backup", tmp_path / "copy.db").exit_code == 0
    fresh = Store(f"sqlite:///{tmp_path}/fresh.db")
    assert run(fresh, "restore", tmp_path / "copy.db").exit_code == 0
    assert total(fresh.engine.path) == 3


WRONG = {
    "UPDATE page_text SET title = 'other' WHERE id = 1": "text for searching",
    "DELETE FROM page_text WHERE id = 2": "text for searching",
    "UPDATE page_count SET pages = pages + 1 WHERE counted = 'author'": "by author",
    "DELETE FROM page_count WHERE counted = 'status'": "by status",
    "UPDATE page SET meta = '[' WHERE id = 3": "no JSON object",
    "INSERT INTO page_index (page_index) VALUES ('delete-all')": "index of words",
    "DROP INDEX page_slug; UPDATE page SET slug = 'same'": "share a slug",
}


@pytest.mark.parametrize("statement", WRONG)
def test_verify_finds_what_is_wrong(store: Store, statement: str) -> None:
    assert run(store, "verify").exit_code == 0
    with store.connection() as db:
        for part in statement.split("; "):
            db.execute_sql(part)
    store.dispose()
    found = run(store, "verify")
    assert found.exit_code == 1
    assert WRONG[statement] in found.output


def test_vacuum_makes_the_index_and_the_file_anew(store: Store) -> None:
    with store.connection() as db:
        db.execute_sql("INSERT INTO page_index (page_index) VALUES ('delete-all')")
        large = [pages.create(store, {**PAGE, "content_raw": "y" * 9000}) for _ in range(100)]
        for page in large:
            pages.delete(store, page["id"])
    store.dispose()
    before = Path(store.engine.path).stat().st_size
    assert run(store, "vacuum").exit_code == 0
    assert Path(store.engine.path).stat().st_size < before / 4
    assert run(store, "verify").exit_code == 0
    with store.connection():
        assert listing.find(store, {**LIST, "search": "words"}, ["id"]).total == 3
