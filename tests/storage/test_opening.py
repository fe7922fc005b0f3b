"""What opening a store creates, waits for, and does later."""

import gzip
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import PAGE, processes
from databases import run_sql

from landform.standalone.cli import main
from landform.storage import DatabaseUnusable, Store, Unavailable, feeds, migrating, pages

OLD = Path(__file__).parent / "fixtures" / "schema-0003.db.gz"
pytestmark = pytest.mark.sqlite("it is about the file")


def migrate(url: str) -> bool:
    Store(url).migrate()
    return True


def test_a_store_out_of_reach_at_the_start_is_brought_up_to_date_once_it_is_there(
    tmp_path: Path,
) -> None:
    file = tmp_path / "late.db"
    store = Store(f"sqlite:///{file}")
    store.open(create=False)
    with pytest.raises(Unavailable), store.connection():
        pages.get(store, 1)
    assert not file.exists()
    with gzip.open(OLD) as packed, file.open("wb") as opened:
        shutil.copyfileobj(packed, opened)
    with store.connection() as db:
        assert pages.get(store, 1)["id"] == 1
        assert db.table_exists("store")
    assert store.identity


def test_a_store_of_which_the_identity_is_known_is_never_created(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path}/gone.db", identity="0" * 32)
    with pytest.raises(DatabaseUnusable):
        store.migrate()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.servers
def test_processes_that_begin_one_database_at_the_same_time_wait_for_each_other(
    make_database: Callable[[], str],
) -> None:
    with processes(8) as pool:
        list(pool.map(str, range(8)))
        for _ in range(20):
            assert all(pool.map(migrate, [make_database()] * 8))


@pytest.mark.parametrize("table", ["other", "schema_migration", "page"])
def test_a_database_that_is_not_landforms_is_named_as_such(tmp_path: Path, table: str) -> None:
    file = tmp_path / "other.db"
    with closing(sqlite3.connect(file)) as database:
        database.execute(f"CREATE TABLE {table} (name TEXT)")
    with pytest.raises(DatabaseUnusable, match="is no database of landform"):
        Store(f"sqlite:///{file}").check()


COMMANDS = [
    "verify", "vacuum", "export", "key list", "backup copy.db", "migrate", "serve",
    "key create news --scope pages:read",
]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_changes_the_database_of_another_program(
    tmp_path: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "other.db"
    with closing(sqlite3.connect(file)) as database:
        database.execute("CREATE TABLE note (text TEXT)")
    file.chmod(0o644)
    before = file.read_bytes()
    monkeypatch.chdir(tmp_path)
    environment = {"LANDFORM_DATABASE_URL": f"sqlite:///{file}"}
    ended = CliRunner().invoke(main, command.split(), env=environment)
    assert ended.exit_code == 1, ended.output
    assert "Traceback" not in ended.output
    assert file.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["other.db"]
    assert file.stat().st_mode & 0o777 == 0o644


def test_a_store_that_was_migrated_holds_no_file_open(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path}/new.db")
    store.migrate()
    opened = [os.readlink(link) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
    assert not [name for name in opened if name.startswith(str(tmp_path))]


def test_who_finds_the_schema_brought_up_to_date_by_another_process_keeps_no_copy(
    tmp_path: Path,
) -> None:
    store = Store(f"sqlite:///{tmp_path}/new.db")
    store.migrate()
    with store.connection() as db:
        pages.create(store, PAGE)
        assert migrating._apply(db) == []
    store.dispose()
    assert [file.name for file in tmp_path.iterdir()] == ["new.db"]


def test_a_store_with_two_identities_is_not_opened(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path}/new.db")
    store.migrate()
    run_sql(f"sqlite:///{tmp_path}/new.db", "INSERT INTO store VALUES ('ab', 'cd')")
    with pytest.raises(DatabaseUnusable, match="landform vacuum"):
        Store(f"sqlite:///{tmp_path}/new.db").migrate()


def test_a_store_that_is_back_is_brought_up_to_date_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(f"sqlite:///{tmp_path}/late.db")
    store.open(create=False)
    migrate(f"sqlite:///{tmp_path}/late.db")
    with store.connection():
        pass
    monkeypatch.setattr(store, "migrate", lambda **_: 1 / 0)
    with store.connection():
        assert not feeds.exists(store, 1)
