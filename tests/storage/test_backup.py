"""Backups: whole while writers go on, checked before they are put back, nothing ever half."""

import fcntl
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
from conftest import LIST, PAGE, SECRET, Server, basic
from flask.testing import FlaskClient

from landform.app import create_app
from landform.standalone.cli import main
from landform.storage import Store, feeds, pages
from landform.storage.atomic_file import temporary_file
from landform.storage.pages import listing

pytestmark = pytest.mark.sqlite("pg_dump is for PostgreSQL")


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
    environment = {"LANDFORM_DATABASE_URL": f"sqlite:///{store.database.path}"}
    return CliRunner().invoke(main, [str(one) for one in arguments], env=environment)


def total(path: Path | str) -> int:
    store = Store(f"sqlite:///{path}")
    store.migrate()
    with store.connection():
        found = listing.list_pages(store, LIST, ["id"]).total
    store.dispose()
    return found


def names(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}


def test_a_device_or_a_pipe_is_not_replaced(store: Store, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    refused = run(store, "backup", tmp_path / "pipe", "--force")
    assert (refused.exit_code, "is no file" in refused.output) == (1, True)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


@pytest.mark.parametrize("name", ["copy.db", "copy.db.gz"])
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
    assert (total(store.database.path), total(kept)) == (3, 4)
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
        assert before <= total(copy.database.path) <= after + 1
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


@pytest.mark.parametrize("name", ["missing/copy.db", "copy.db.gz/x", "."])
def test_a_place_that_is_none_is_said(store: Store, tmp_path: Path, name: str) -> None:
    before = names(tmp_path)
    refused = run(store, "backup", tmp_path / name)
    assert refused.exit_code in (1, 2)
    assert "Traceback" not in refused.output
    assert names(tmp_path) == before


@pytest.mark.servers
def test_a_kill_in_the_middle_leaves_nothing_under_the_name(store: Store, tmp_path: Path) -> None:
    with store.connection() as db:
        db.execute_sql("CREATE TABLE large (x)")
        filled = "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) "
        db.execute_sql(f"INSERT INTO large {filled} SELECT randomblob(3000) FROM n")
    store.dispose()
    command = [
        sys.executable,
        "-m",
        "landform.standalone.cli",
        "backup",
        str(tmp_path / "copy.db.gz"),
    ]
    environment = {**os.environ, "LANDFORM_DATABASE_URL": f"sqlite:///{store.database.path}"}
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
    lost = folder / "lost.db"
    lost.write_bytes(whole)
    with sqlite3.connect(lost) as db:
        query = "SELECT rootpage FROM sqlite_master WHERE name = 'page_by_title'"
        root = db.execute(query).fetchone()[0]
    db.close()
    # An index without any of its rows.
    with lost.open("r+b") as opened:
        opened.seek((root - 1) * 4096)
        opened.write(bytes([10, 0, 0, 0, 0, 16, 0, 0]))
    contents = {
        "empty": b"", "text": b"no database at all", "cut": whole[: len(whole) // 2],
        "damaged": whole[:middle] + b"\xff" * 4096 + whole[middle + 4096 :],
        "cut.gz": gzip.compress(whole)[:-2000], "text.gz": b"no gzip",
        "short.gz": gzip.compress(b"short"), "long.gz": gzip.compress(b"no database " * 999),
    }  # fmt: skip
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return {name: folder / name for name in contents} | {"newer": newer, "other": other,
            "lost": lost, "missing": folder / "missing", "folder": folder}  # fmt: skip


def test_what_is_no_backup_is_refused_and_changes_nothing(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "spoilt"
    folder.mkdir()
    assert run(store, "backup", folder / "copy.db").exit_code == 0
    before = (Path(store.database.path).read_bytes(), names(tmp_path))
    for what, file in spoilt(folder).items():
        refused = run(store, "restore", file)
        assert refused.exit_code in (1, 2), what
        assert "Traceback" not in refused.output
        assert isinstance(refused.exception, SystemExit), what
        if what in ("empty", "text", "short.gz", "long.gz"):
            assert "holds no database" in refused.output, what
        assert (Path(store.database.path).read_bytes(), names(tmp_path)) == before, what
    assert total(store.database.path) == 3


def test_a_database_that_is_served_is_not_replaced(
    start_server: Callable[..., Server], store: Store, tmp_path: Path
) -> None:
    assert run(store, "backup", tmp_path / "copy.db").exit_code == 0
    server = start_server(LANDFORM_DATABASE_URL=f"sqlite:///{store.database.path}")
    assert server.call("POST", "/pages", {"title": "Live"})[0] == 201
    refused = run(store, "restore", tmp_path / "copy.db")
    assert (refused.exit_code, "in use" in refused.output) == (1, True)
    assert len(server.call("GET", "/pages")[1]) == 4
    server.stop()
    assert run(store, "restore", tmp_path / "copy.db").exit_code == 0
    assert total(store.database.path) == 3


def test_a_spoilt_database_is_replaced_and_kept(store: Store, tmp_path: Path) -> None:
    assert run(store, "backup", tmp_path / "copy.db").exit_code == 0
    Path(store.database.path).write_bytes(b"spoilt" * 1000)
    refused = run(store, "verify")
    assert (refused.exit_code, "Traceback" in refused.output) == (1, False)
    assert run(store, "restore", tmp_path / "copy.db").exit_code == 0
    (kept,) = tmp_path.glob("test.db.before-restore-*")
    assert kept.read_bytes() == b"spoilt" * 1000
    assert total(store.database.path) == 3


def test_a_restore_needs_no_database_to_be_there(store: Store, tmp_path: Path) -> None:
    assert run(store, "backup", tmp_path / "copy.db").exit_code == 0
    fresh = Store(f"sqlite:///{tmp_path}/fresh.db")
    assert run(fresh, "restore", tmp_path / "copy.db").exit_code == 0
    assert total(fresh.database.path) == 3
    assert not list(tmp_path.glob("*before-restore*"))


WRONG = {
    "UPDATE page_text SET title = 'other' WHERE id = 1": "text for searching",
    "DELETE FROM page_text WHERE id = 2": "text for searching",
    "UPDATE page_count SET pages = pages + 1": "by status",
    "DELETE FROM page_count": "by status",
    "UPDATE page SET meta = '[' WHERE id = 3": "whose meta is no JSON",
    "INSERT INTO page_index (page_index) VALUES ('delete-all')": "full-text index",
    "DROP INDEX page_slug; UPDATE page SET slug = 'same'": "index page_slug is missing",
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
    before = Path(store.database.path).stat().st_size
    assert run(store, "vacuum").exit_code == 0
    assert Path(store.database.path).stat().st_size < before / 4
    assert run(store, "verify").exit_code == 0
    with store.connection():
        assert listing.list_pages(store, {**LIST, "search": "words"}, ["id"]).total == 3


@pytest.mark.parametrize("name", ["50%.db", "%41.db", "a?mode=memory.db", "a#b.db", "ü b.db"])
def test_any_file_name_is_backed_up_and_restored(tmp_path: Path, name: str) -> None:
    store = Store(f"sqlite:///{tmp_path}/{name}")
    store.migrate()
    with store.connection():
        pages.create(store, PAGE)
    store.dispose()
    copy = tmp_path / f"copy of {name}"
    assert run(store, "backup", copy).exit_code == 0
    with store.connection():
        pages.create(store, PAGE)
    store.dispose()
    assert run(store, "restore", copy).exit_code == 0
    assert (total(store.database.path), total(copy)) == (1, 1)
    assert {n for n in names(tmp_path) if "before-restore" not in n} == {name, copy.name}


def test_writes_that_are_still_in_the_log_are_restored_too(store: Store, tmp_path: Path) -> None:
    source = tmp_path / "source.db"
    live = Store(f"sqlite:///{source}")
    live.migrate()
    with live.connection():
        for _ in range(7):
            pages.create(live, PAGE)
        with sqlite3.connect(source) as held:
            # Somebody has it open: its writes stay in the log.
            held.execute("SELECT count(*) FROM page").fetchone()
            live.dispose()
            assert Path(f"{source}-wal").stat().st_size
            assert run(store, "restore", source).exit_code == 0
            held.rollback()
        held.close()
    live.dispose()
    assert total(store.database.path) == 7
    assert run(store, "verify").exit_code == 0


@pytest.mark.parametrize("command", ["restore", "backup", "export"])
def test_a_symbolic_link_stays_one(store: Store, tmp_path: Path, command: str) -> None:
    assert run(store, "backup", tmp_path / "copy.db").exit_code == 0
    (tmp_path / "elsewhere").mkdir()
    link, real = tmp_path / "link", tmp_path / "elsewhere" / "real"
    real.write_bytes(b"" if command == "restore" else b"old")
    link.symlink_to(real)
    if command == "restore":
        done = run(Store(f"sqlite:///{link}"), "restore", tmp_path / "copy.db")
    else:
        done = run(store, command, link, *(["--force"] if command == "backup" else []))
    assert done.exit_code == 0, done.output
    assert link.is_symlink()
    assert real.stat().st_size > 1000
    assert {n for n in names(real.parent) if "before" not in n} == {"real"}


def test_what_a_kill_has_left_goes_with_the_next_one(store: Store, tmp_path: Path) -> None:
    left = tmp_path / ".copy.db.gz.0123abcd.part"
    for suffix in ("", "-journal"):
        Path(f"{left}{suffix}").write_bytes(b"half")
    busy = tmp_path / ".copy.db.gz.fedcba98.part"
    with busy.open("wb") as at_work:
        fcntl.flock(at_work, fcntl.LOCK_EX)
        assert run(store, "backup", tmp_path / "copy.db.gz").exit_code == 0
        assert names(tmp_path) == {"test.db", "copy.db.gz", busy.name}
    assert run(store, "backup", tmp_path / "copy.db.gz", "--force").exit_code == 0
    assert names(tmp_path) == {"test.db", "copy.db.gz"}


@pytest.mark.parametrize("name", ["copy.db", "[c]opy.db", "*.db"])
def test_what_somebody_is_at_work_on_stays_and_only_that(tmp_path: Path, name: str) -> None:
    target = tmp_path / name
    with temporary_file(target) as one:
        with temporary_file(target) as other:
            assert (one.exists(), other.exists()) == (True, True)
        assert (one.exists(), other.exists()) == (True, False)
    left, others = (tmp_path / f".{one}.01234567.part" for one in (name, "other.db"))
    left.write_bytes(b"half")
    others.write_bytes(b"half")
    with temporary_file(target):
        assert (left.exists(), others.exists()) == (False, True)


def test_a_packed_file_that_is_damaged_anywhere_is_refused(store: Store, tmp_path: Path) -> None:
    name = "copy.db.gz"
    assert run(store, "backup", tmp_path / name).exit_code == 0
    whole = (tmp_path / name).read_bytes()
    for place in (0, 5, 11, len(whole) // 3, len(whole) // 2, len(whole) - 9):
        spoilt = whole[:place] + bytes(255 - byte for byte in whole[place : place + 8])
        (tmp_path / name).write_bytes(spoilt + whole[place + 8 :])
        before = names(tmp_path)
        refused = run(store, "restore", tmp_path / name)
        if refused.exit_code:
            assert "Error: " in refused.output
            assert names(tmp_path) == before
        assert "Traceback" not in refused.output
        assert isinstance(refused.exception, (SystemExit, type(None))), place
    assert run(store, "verify").exit_code == 0


@pytest.mark.parametrize(("pages_said", "megabytes"), [(100, 150), (2**31, 150)])
def test_a_small_file_that_unpacks_to_much_is_refused_and_leaves_nothing(
    store: Store, tmp_path: Path, pages_said: int, megabytes: int
) -> None:
    bomb = tmp_path / "bomb.gz"
    header = bytearray(Path(store.database.path).read_bytes()[:4096])
    header[28:32] = pages_said.to_bytes(4, "big")
    with gzip.open(bomb, "wb", 6) as packed:
        packed.write(header)
        for _ in range(megabytes):
            packed.write(bytes(1024 * 1024))
    before = names(tmp_path)
    refused = run(store, "restore", bomb)
    assert (refused.exit_code, "unpacks to more" in refused.output) == (1, True)
    assert names(tmp_path) == before
    assert total(store.database.path) == 3


def test_a_tag_from_before_a_restore_fits_nothing_after_it(store: Store, tmp_path: Path) -> None:
    def served() -> FlaskClient:
        settings = {"DATABASE_URL": f"sqlite:///{store.database.path}", "CREDENTIALS": SECRET}
        client = create_app(settings).test_client()
        client.environ_base["HTTP_AUTHORIZATION"] = basic()["Authorization"]
        return client

    assert run(store, "backup", tmp_path / "copy.db").exit_code == 0
    client = served()
    lost = client.patch("/pages/1", json={"title": "Lost"}).headers["ETag"]
    lost_list = client.get("/pages").headers["ETag"]
    lost_feed = client.patch("/feeds/1", json={"feed_order": 7}).headers["ETag"]
    lost_feeds = client.get("/feeds").headers["ETag"]
    client.application.blueprints["landform"].service.store.dispose()
    assert run(store, "restore", tmp_path / "copy.db").exit_code == 0
    client = served()
    for path, body in (("/pages/1", {"title": "Other"}), ("/feeds/1", {"feed_order": 8})):
        tag = lost_feed if "feed" in path else lost
        assert client.patch(path, json=body).status_code == 200
        for read in (path, f"{path}?context=edit"):
            assert client.get(read, headers={"If-None-Match": tag}).status_code == 200
        refused = client.patch(path, json=body, headers={"If-Match": tag})
        assert refused.status_code == 412
    assert client.get("/pages", headers={"If-None-Match": lost_list}).status_code == 200
    assert client.get("/feeds", headers={"If-None-Match": lost_feeds}).status_code == 200
    assert client.get("/pages/1").get_json()["title"]["rendered"] == "Other"


def test_a_tag_from_before_an_import_fits_nothing_after_it(store: Store, tmp_path: Path) -> None:
    settings = {"DATABASE_URL": f"sqlite:///{store.database.path}", "CREDENTIALS": SECRET}
    client = create_app(settings).test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = basic()["Authorization"]
    assert run(store, "export", tmp_path / "all.ndjson").exit_code == 0
    tag = client.patch("/pages/1", json={"title": "Lost"}).headers["ETag"]
    assert client.delete("/pages/1?force=true").status_code == 200
    assert run(store, "import", tmp_path / "all.ndjson").exit_code == 0
    changed = client.patch("/pages/1", json={"title": "Other"})
    assert changed.headers["ETag"].split(".")[1] == tag.split(".")[1]
    again = client.patch("/pages/1", json={"title": "Unseen"}, headers={"If-Match": tag})
    assert again.status_code == 412
    unchanged = client.get("/pages/1?context=edit").headers["ETag"]
    assert run(store, "export", tmp_path / "same.ndjson").exit_code == 0
    assert run(store, "import", tmp_path / "same.ndjson").exit_code == 0
    assert client.get("/pages/1?context=edit").headers["ETag"] == unchanged
