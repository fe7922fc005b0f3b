"""Files that move, shrink, break or are exchanged: nothing begins there, and nothing is lost."""

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Server, Start, basic
from databases import check
from files import command, count_pages, crashed, dump, new_file
from processes import children, python, reload, until

from landform.storage import DatabaseUnusable, Store
from landform.storage.migrating import MIGRATIONS

pytestmark = pytest.mark.sqlite("the file is PostgreSQL's")

PAGES = 50


def kill_workers(server: Server, some: int | None = None) -> None:
    before = children(server.process.pid)
    for worker in before[:some]:
        os.kill(worker, signal.SIGKILL)
    until(lambda: not {*before[:some]} & {*children(server.process.pid)}, "They do not end.")
    until(lambda: len(children(server.process.pid)) >= len(before), "No worker comes.")


def kill_worker(server: Server) -> None:
    kill_workers(server, 1)


def command_and_reload(server: Server) -> None:
    listed = command(server.folder / "landform.db", "key", "list")
    assert (listed.exit_code, "Traceback" in listed.stderr) == (1, False)
    reload(server)


def settle(server: Server) -> None:
    """Ask until every worker answers."""
    asked = range(8)
    until(lambda: {server.call("GET", "/feeds")[0] for _ in asked} == {200}, "It does not settle.")


@pytest.mark.parametrize("event", [command_and_reload, kill_workers])
def test_a_file_moved_aside_and_back_loses_nothing(
    start_server: Start, tmp_path: Path, event: Callable[[Server], None]
) -> None:
    server, file = start_server(), tmp_path / "landform.db"
    for number in range(PAGES):
        assert server.call("POST", "/pages", {"title": f"Page {number}"})[0] == 201
    file.rename(tmp_path / "aside.db")
    event(server)
    assert not file.exists()
    for _ in range(8):
        assert server.call("GET", "/pages")[0] in (200, 503)
        assert server.call("POST", "/pages", {"title": "Lost?"})[0] == 503
    assert not file.exists()
    (tmp_path / "aside.db").rename(file)
    settle(server)
    assert server.call("GET", "/pages?per_page=1&_fields=id")[1] == [{"id": PAGES}]
    assert server.call("POST", "/pages", {"title": "After"})[1]["id"] == PAGES + 1
    server.stop()
    assert count_pages(file) == PAGES + 1
    check(f"sqlite:///{file}")


@pytest.mark.parametrize("event", [kill_worker, reload])
def test_a_file_cut_to_nothing_is_a_503_and_nobody_gets_in(
    start_server: Start, tmp_path: Path, event: Callable[[Server], None]
) -> None:
    file = tmp_path / "landform.db"
    new_file(file, 3)
    made = command(file, "key", "create", "editor", "--scope", "pages:write")
    assert made.exit_code == 0, made.stderr
    assert command(file, "backup", tmp_path / "copy.db").exit_code == 0
    server = start_server(LANDFORM_CREDENTIALS="")
    # No credentials go along: in local mode this would be answered.
    anonymous = {"Content-Type": "application/json"}

    def create() -> int:
        return server.send("POST", "/pages", anonymous, b'{"title": "Mine"}')[0]

    assert create() == 401
    os.truncate(file, 0)
    event(server)
    assert {create() for _ in range(12)} <= {401, 503}
    assert file.stat().st_size == 0
    server.stop()
    assert command(file, "restore", tmp_path / "copy.db").exit_code == 0
    server = start_server(LANDFORM_CREDENTIALS="")
    assert create() == 401
    assert server.send("GET", "/pages/3", {}, None)[0] == 200


def test_a_store_moved_over_another_is_not_written(start_server: Start, tmp_path: Path) -> None:
    file, other = tmp_path / "landform.db", tmp_path / "whole.db"
    new_file(other, 7)
    server = start_server(LANDFORM_WORKERS="2")
    for number in range(PAGES):
        assert server.call("POST", "/pages", {"title": f"Page {number}", "content": "w " * 900})
    before = other.read_bytes()
    os.link(file, tmp_path / "kept.db")
    other.rename(file)
    listed = command(file, "key", "list")
    told = set()
    for _ in range(20):
        status, answer = server.call("GET", "/feeds")
        assert status == 503
        told.add(answer["message"])
    assert any("restart" in message for message in told)
    assert not any(str(tmp_path) in message for message in told)
    assert server.call("POST", "/pages", {"title": "Where?"})[0] == 503
    assert file.read_bytes() == before
    server.stop()
    assert listed.exit_code in (0, 1)
    assert (count_pages(file), count_pages(tmp_path / "kept.db")) == (7, PAGES)
    check(f"sqlite:///{file}")
    check(f"sqlite:///{tmp_path}/kept.db")


def test_a_backup_moved_over_a_served_file_is_served(start_server: Start, tmp_path: Path) -> None:
    file, copy = tmp_path / "landform.db", tmp_path / "copy.db"
    server = start_server(LANDFORM_WORKERS="2")
    assert server.call("POST", "/pages", {"title": "Kept"})[0] == 201
    tag = dict(server.send("GET", "/pages/1", {}, None)[1])["ETag"]
    assert command(file, "backup", copy).exit_code == 0
    for number in range(PAGES):
        server.call("POST", "/pages", {"title": f"Later {number}", "content": "w " * 900})
    copy.rename(file)
    settle(server)
    assert len(server.call("GET", "/pages?per_page=100")[1]) == 1
    # It has the page at the same version, and is another generation.
    assert server.send("GET", "/pages/1", {"If-None-Match": tag}, None)[0] == 200
    change = basic() | {"If-Match": tag, "Content-Type": "application/json"}
    assert server.send("PUT", "/pages/1", change, b'{"title": "Unseen"}')[0] == 412
    assert server.call("POST", "/pages", {"title": "After"})[1]["id"] == 2
    server.stop()
    assert count_pages(file) == 2
    check(f"sqlite:///{file}")


def test_a_log_that_a_crash_left_is_never_replayed_into_another_file(tmp_path: Path) -> None:
    file = tmp_path / "landform.db"
    new_file(tmp_path / "other.db", 4)
    log = crashed(file, 30)
    file.rename(tmp_path / "bad.db")
    for good in ("other.db", "copy.db"):
        if good == "copy.db":
            shutil.copy(tmp_path / "bad.db", tmp_path / "live.db")
            shutil.copy(f"{file}-wal", tmp_path / "live.db-wal")
            assert command(tmp_path / "live.db", "backup", tmp_path / good).exit_code == 0
        before = (tmp_path / good).read_bytes()
        shutil.copy(tmp_path / good, file)
        for arguments in (["key", "list"], ["migrate"], ["verify"], ["vacuum"]):
            refused = command(file, *arguments)
            assert refused.exit_code == 1, (good, arguments)
            assert "log of writes" in refused.output, (good, arguments)
        assert (file.read_bytes(), Path(f"{file}-wal").read_bytes()) == (before, log)
        file.unlink()
    (tmp_path / "bad.db").rename(file)
    assert command(file, "verify").stdout == "Nothing is wrong.\n"
    assert count_pages(file) == 30


@pytest.mark.parametrize("count", [1, 40])
def test_the_log_of_a_crash_is_replayed_into_its_own_file(tmp_path: Path, count: int) -> None:
    file = tmp_path / "landform.db"
    for again in (1, 2):
        crashed(file, count)
        new_file(file, 0)
        assert count_pages(file) == count * again
    check(f"sqlite:///{file}")


def test_who_may_not_create_a_database_waits_for_it(start_server: Start, tmp_path: Path) -> None:
    file = tmp_path / "landform.db"
    server = start_server(LANDFORM_CREATE_DATABASE="0", LANDFORM_STORE_IDENTITY="0" * 32)
    assert server.call("GET", "/pages")[0] == 503
    server.stop()
    server.arguments = ("-c", os.devnull)
    server.environment.pop("LANDFORM_STORE_IDENTITY")
    server.start()
    assert server.call("POST", "/pages", {"title": "Where?"})[0] == 503
    assert not file.exists()
    new_file(tmp_path / "made.db", 2)
    (tmp_path / "made.db").rename(file)
    assert server.call("POST", "/pages", {"title": "There"})[1]["id"] == 3


# Files that are broken, or half-way migrated.
MORE = """
def up(migrator, db):
    db.execute_sql("ALTER TABLE page ADD COLUMN extra TEXT NOT NULL DEFAULT ''")
    db.execute_sql("UPDATE page SET extra = title_raw, title_raw = 'half'")
    db.execute_sql("CREATE TABLE another (id INTEGER)")
    {event}
    db.execute_sql("INSERT INTO another VALUES (1)")
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A database with a hundred pages, closed, all of it in one file."""
    return new_file(tmp_path / "landform.db", 100)


@pytest.mark.parametrize("first", [0, 4096], ids=["all of it", "all but its beginning"])
def test_a_file_spoilt_while_it_is_served_is_a_503_until_it_is_whole_again(
    start_server: Start, file: Path, first: int
) -> None:
    server = start_server(LANDFORM_WORKERS="1", LANDFORM_BUSY_TIMEOUT="0.1")
    copy = shutil.copy(file, file.with_name("copy.db"))
    with file.open("r+b") as written:
        written.seek(first)
        written.write(b"\xff" * (file.stat().st_size - first))
    statuses = set()
    for number in range(1, 20):
        requests = [("GET", f"/pages/{number}", None), ("GET", f"/pages?page={number}", None)]
        requests.append(("GET", "/feeds", None))
        for request in requests:
            status, answer = server.call(*request)
            statuses.add(status)
            assert status in (200, 503), (request, answer)
            assert status == 200 or answer["data"] == {"status": status}
    assert 503 in statuses
    with file.open("r+b") as written:
        written.write(Path(copy).read_bytes())
    for _ in range(8):
        server.call("GET", "/pages")
    assert len(server.call("GET", "/pages?search=t&per_page=100")[1]) == 100
    assert server.call("POST", "/pages", {"title": "After"})[0] == 201
    check(f"sqlite:///{file}")


@pytest.mark.parametrize("event", ["import os; os.kill(os.getpid(), 9)", "raise ZeroDivisionError"])
def test_a_migration_that_breaks_off_changed_nothing_and_can_be_repeated(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, event: str
) -> None:
    folder = shutil.copytree(MIGRATIONS, tmp_path / "migrations")
    before = dump(file)
    (folder / "9998_more.py").write_text(MORE.format(event=event))
    script = "import pathlib; from landform.storage import Store, migrating; "
    script += (
        f"migrating.MIGRATIONS = pathlib.Path('{folder}'); Store('sqlite:///{file}').migrate()"
    )
    assert python("-c", script).returncode != 0
    assert dump(file) == before
    assert Store(f"sqlite:///{file}").migrate() == []
    (folder / "9998_more.py").write_text(MORE.format(event=""))
    assert python("-c", script).returncode == 0
    with pytest.raises(DatabaseUnusable, match="newer schema"):
        Store(f"sqlite:///{file}").migrate()
