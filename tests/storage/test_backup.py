"""Backups: whole while writers go on, checked before they are put back, no log in a wrong file."""

import gzip
import os
import shutil
import sqlite3
import stat
import threading
from contextlib import closing
from pathlib import Path

import pytest
from conftest import LIST, Start
from files import PAGE, command, count_pages, crashed, new_file, opened

from landform.storage import Store, api_keys, feeds, pages, signatures
from landform.storage.engines.sqlite import files as sqlite_files
from landform.storage.pages import listing
from landform.storage.sql import read_generation

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


def total(path: Path | str) -> int:
    return state(path)[0]


def state(path: Path | str) -> tuple[int, str]:
    """Return how many pages there are, and the generation that tags are of."""
    store = Store(f"sqlite:///{path}")
    store.migrate()
    with store.connection():
        found = listing.list_pages(store, LIST, ["id"]).total, read_generation(store)
    store.dispose()
    return found


def names(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}


@pytest.mark.parametrize("there", [None, b"spoilt" * 1000])
def test_a_restore_needs_no_database_to_be_there_and_keeps_a_spoilt_one(
    store: Store, tmp_path: Path, there: bytes | None
) -> None:
    with store.connection():
        secret = api_keys.create(store, "a", ["pages:read"], 1, None)
    assert command(store, "backup", tmp_path / "copy.db").exit_code == 0
    fresh = Store(f"sqlite:///{tmp_path}/fresh.db")
    if there:
        (tmp_path / "fresh.db").write_bytes(there)
        refused = command(fresh, "verify")
        assert (refused.exit_code, "Traceback" in refused.output) == (1, False)
    told = command(fresh, "restore", tmp_path / "copy.db", "--keep-revoked")
    assert told.exit_code == 0, told.output
    # Where it is not known which keys were revoked since, none is.
    assert ("keys were revoked since is not known" in told.output) is bool(there)
    assert "copy.db; its mode is" not in told.output
    with fresh.connection():
        assert api_keys.find(fresh, secret)
    fresh.dispose()
    assert total(tmp_path / "fresh.db") == 3
    kept = [file.read_bytes() for file in tmp_path.glob("fresh.db.before-restore-*")]
    assert kept == ([there] if there else [])


@pytest.mark.parametrize("name", ["copy.db", "copy.db.gz"])
def test_a_backup_is_restored_and_the_file_kept(store: Store, tmp_path: Path, name: str) -> None:
    made = command(store, "backup", tmp_path / name)
    assert made.exit_code == 0, made.output
    assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    with store.connection():
        pages.create(store, PAGE)
    store.dispose()
    restored = command(store, "restore", tmp_path / name)
    assert restored.exit_code == 0, restored.output
    (kept,) = tmp_path.glob("test.db.before-restore-*")
    (now, generation), (before, old) = state(store.database.path), state(kept)
    assert (now, before) == (3, 4)
    # A tag from before fits nothing afterwards.
    assert generation != old
    assert command(store, "verify").output == "Nothing is wrong.\n"
    assert not [one for one in names(tmp_path) if "part" in one]


def test_a_backup_stands_alone_and_is_of_one_moment(start_server: Start, tmp_path: Path) -> None:
    server = start_server(LANDFORM_DATABASE_URL=f"sqlite:///{tmp_path}/live.db")
    live, acknowledged, stopped = Store(f"sqlite:///{tmp_path}/live.db"), [0], threading.Event()

    def write() -> None:
        while not stopped.is_set():
            assert server.call("POST", "/pages", {"title": "Same", "content": "x " * 500})[0] == 201
            acknowledged[0] += 1

    writer = threading.Thread(target=write)
    writer.start()
    for number in range(3):
        before, copy = acknowledged[0], tmp_path / str(number) / "copy.db"
        copy.parent.mkdir()
        assert command(live, "backup", copy).exit_code == 0
        after = acknowledged[0]
        assert before <= total(copy) <= after + 1
        assert command(Store(f"sqlite:///{copy}"), "verify").exit_code == 0
    stopped.set()
    writer.join()


def test_a_backup_is_replaced_only_when_asked_a_pipe_never(store: Store, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    refused = command(store, "backup", tmp_path / "pipe", "--force")
    assert (refused.exit_code, "is not a file" in refused.output) == (1, True)
    target = tmp_path / "copy.db"
    target.write_text("old")
    refused = command(store, "backup", target)
    assert (refused.exit_code, target.read_text()) == (1, "old")
    assert "exists already" in refused.output
    assert command(store, "backup", target, "--force").exit_code == 0
    assert total(target) == 3


FOREIGN = {
    "CREATE TRIGGER mine AFTER INSERT ON page BEGIN DELETE FROM feed; END": "trigger mine is not",
    "CREATE VIEW mine AS SELECT * FROM feed": "view mine is not",
    "ALTER TABLE api_key RENAME TO gone; CREATE VIEW api_key AS SELECT * FROM gone": "table api_",
    "DROP TRIGGER page_version_update; CREATE TRIGGER page_version_update AFTER UPDATE ON page "
    "BEGIN DELETE FROM feed; END": "trigger page_version_update is not",
}


def spoilt(folder: Path) -> dict[str, Path]:
    """Return files that are no backup, by what is wrong with them."""
    whole = (folder / "copy.db").read_bytes()
    middle = len(whole) // 2 // 4096 * 4096
    for name, statement in {
        "newer": "INSERT INTO schema_migration (name, applied) VALUES ('9999_x', '2099-01-01')",
        "other": "CREATE TABLE strange (x)",
    }.items():
        (folder / name).write_bytes(whole if name == "newer" else b"")
        with closing(sqlite3.connect(folder / name)) as db:
            db.executescript(statement)
    contents = {
        "empty": b"", "text": b"no database at all", "cut": whole[: len(whole) // 2],
        "damaged": whole[:middle] + b"\xff" * 4096 + whole[middle + 4096 :],
        "cut.gz": gzip.compress(whole)[:-2000], "text.gz": b"no gzip",
        "short.gz": gzip.compress(b"short"),
        "bomb.gz": gzip.compress(whole[:4096] + bytes(110 << 20)),
    }  # fmt: skip
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    changed = [f"{problem} ({number})" for number, problem in enumerate(FOREIGN.values())]
    for name, statements in zip(changed, FOREIGN, strict=True):
        (folder / name).write_bytes(whole)
        with closing(sqlite3.connect(folder / name)) as db:
            db.executescript(statements)
    names = [*contents, *changed, "newer", "other", "missing", "."]
    return {name: folder / name for name in names}


REFUSED = {
    **dict.fromkeys(("text", "short.gz"), "file is not a database"), "empty": "nothing in it",
    "bomb.gz": "unpacks to more", "newer": "The backup has a newer schema (9999_x)",
}  # fmt: skip


def test_a_file_that_is_no_backup_changes_nothing(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "spoilt"
    folder.mkdir()
    assert command(store, "backup", folder / "copy.db").exit_code == 0
    before = (Path(store.database.path).read_bytes(), names(tmp_path))
    for what, file in spoilt(folder).items():
        refused = command(store, "restore", file)
        assert refused.exit_code in (1, 2), what
        assert "Traceback" not in refused.output
        assert isinstance(refused.exception, SystemExit), what
        assert (
            REFUSED.get(what, what.partition(" (")[0] if "(" in what else "") in refused.output
        ), what
        assert (Path(store.database.path).read_bytes(), names(tmp_path)) == before, what
    assert total(store.database.path) == 3


def test_another_programs_database_is_replaced_only_by_force(store: Store, tmp_path: Path) -> None:
    assert command(store, "backup", tmp_path / "copy.db").exit_code == 0
    other = Store(f"sqlite:///{tmp_path}/other.db")
    with closing(sqlite3.connect(tmp_path / "other.db")) as db:
        db.execute("CREATE TABLE note (text TEXT)")
    told = command(other, "migrate")
    assert (told.exit_code, "restore" in told.output) == (1, False)
    assert "is no database of landform, and is left as it is: name another one" in told.output
    before = (tmp_path / "other.db").read_bytes()
    refused = command(other, "restore", tmp_path / "copy.db")
    assert (refused.exit_code, "of another program" in refused.output) == (1, True)
    assert (tmp_path / "other.db").read_bytes() == before
    assert command(other, "restore", tmp_path / "copy.db", "--force").exit_code == 0
    assert total(tmp_path / "other.db") == 3


@pytest.mark.parametrize("option", ["", "--keep-revoked"])
def test_a_restore_names_the_keys_that_are_valid_again_or_ends_them_again(
    store: Store, tmp_path: Path, option: str
) -> None:
    with store.connection():
        secrets = {name: api_keys.create(store, name, ["pages:read"], 1, None) for name in "abc"}
        signed_with = signatures.secret(store)
        api_keys.revoke(store, "a")
    assert command(store, "backup", tmp_path / "copy.db").exit_code == 0
    with store.connection():
        api_keys.revoke(store, "b")
        signatures.rotate_secret(store)
    store.dispose()
    told = command(store, "restore", tmp_path / "copy.db", *option.split())
    assert told.exit_code == 0, told.output
    with store.connection():
        valid = [name for name in secrets if api_keys.find(store, secrets[name])]
        assert valid == (["c"] if option else ["b", "c"])
        assert (signatures.secret(store) == signed_with) is not bool(option)
    if option:
        assert "Ended again: previews, cookies, key b." in told.output
    else:
        assert "The key b (id 2) is valid again: see `landform key revoke`." in told.output
        assert "Previews and cookies that were ended since are valid again" in told.output
    assert "key c" not in told.output


def test_no_served_database_is_replaced(start_server: Start, store: Store, tmp_path: Path) -> None:
    assert command(store, "backup", tmp_path / "copy.db").exit_code == 0
    server = start_server(LANDFORM_DATABASE_URL=f"sqlite:///{store.database.path}")
    assert server.call("POST", "/pages", {"title": "Live"})[0] == 201
    refused = command(store, "restore", tmp_path / "copy.db")
    assert (refused.exit_code, "in use" in refused.output) == (1, True)
    assert len(server.call("GET", "/pages")[1]) == 4
    server.stop()
    assert command(store, "restore", tmp_path / "copy.db").exit_code == 0
    assert total(store.database.path) == 3


# A file and the log of writes beside it.
# The first page, which has the stamp, is in a log with that; an update alone need not write it.
WRITE = "CREATE TABLE more (x)"


def count(store: Store) -> int:
    with store.connection():
        return listing.list_pages(store, LIST, ["id"]).total


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return new_file(tmp_path / "file.db")


@pytest.mark.servers
def test_a_file_system_without_attributes_is_supported(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "setxattr", refuse)
    monkeypatch.setattr(os, "getxattr", refuse)
    store = opened(file)
    assert count(store) == 1
    shutil.copy(file, tmp_path / "copy.db").rename(file)
    assert count(store) == 1
    store.dispose()


@pytest.mark.servers
def test_a_backup_in_a_process_that_serves_takes_no_lock_away(file: Path, tmp_path: Path) -> None:
    store = opened(file)
    with store.connection():
        pages.create(store, PAGE)
        store.database.backup(tmp_path / "copy.db", force=False)
        assert str(file.stat().st_ino) in Path("/proc/locks").read_text()
    store.dispose()
    assert count_pages(tmp_path / "copy.db") == 2


@pytest.mark.servers
def test_a_restore_keeps_the_log_of_a_crash_with_the_old_file(file: Path, tmp_path: Path) -> None:
    assert command(file, "backup", tmp_path / "copy.db").exit_code == 0
    crashed(file, 0, "DELETE FROM page", WRITE)
    assert command(file, "restore", tmp_path / "copy.db").exit_code == 0
    (kept,) = tmp_path.glob("file.db.before-restore-*")
    assert (count_pages(file), count_pages(kept)) == (1, 0)
    assert command(file, "verify").output == "Nothing is wrong.\n"


@pytest.mark.servers
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
