"""Storage: opening, migrating, refusing, locking, and giving connections back."""

import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from conftest import migrated, processes
from databases import run_sql
from files import command

from landform.storage import DatabaseUnusable, Store
from landform.storage.models import all_tables, numbered_tables


def test_a_database_newer_than_the_code_is_refused_untouched(new_database: str) -> None:
    migrated(new_database)
    later = "INSERT INTO schema_migration (name, applied) VALUES ('9999_later', '2099-01-01')"
    run_sql(new_database, later)
    before = run_sql(new_database, "SELECT * FROM schema_migration")
    for look in (Store.migrate, Store.check):
        with pytest.raises(DatabaseUnusable, match=r"newer schema \(9999_later\)"):
            look(Store(new_database))
    assert run_sql(new_database, "SELECT * FROM schema_migration") == before


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("sqlite:///{folder}/missing/x.db", "cannot be created: .*No such file"),
        ("sqlite:///{folder}", "cannot be opened as a database"),
        ("sqlite:///", "needs a file"),
        ("sqlite://x.db", "must look like"),
        ("mysql:///x", "must look like"),
        ("landform.db", "must look like"),
    ],
)
def test_a_place_that_holds_no_database_is_refused(tmp_path: Path, url: str, reason: str) -> None:
    with pytest.raises(DatabaseUnusable, match=reason):
        Store(url.format(folder=tmp_path)).migrate()
    assert list(tmp_path.iterdir()) == []


def test_postgresql_without_its_driver_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [one for one in sys.modules if one.startswith("landform.storage.engines.postgres")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(DatabaseUnusable, match="install the extra `postgres`"):
        Store("postgresql://user:hush@127.0.0.1/x")


def migrate(url: str) -> bool:
    Store(url).migrate()
    return True


@pytest.mark.sqlite("it is about the file")
@pytest.mark.servers
def test_processes_that_begin_one_database_take_turns(make_database: Callable[[], str]) -> None:
    with processes(8) as pool:
        list(pool.map(str, range(8)))
        for _ in range(8):
            assert all(pool.map(migrate, [make_database()] * 8))


READING = ["verify", "vacuum", "export", "key list", "key revoke k", "key rotate k", "routes",
           "backup copy.db"]  # fmt: skip
BEGINNING = ["migrate", "serve", "key create news --scope pages:read"]


@pytest.mark.parametrize("there", ["nothing", "an empty file", "other"])
def test_no_command_begins_a_database_that_it_reads_or_changes_that_of_another_program(
    tmp_path: Path, there: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "other.db"
    if there != "nothing":
        file.touch(0o644)
    if there == "other":
        with closing(sqlite3.connect(file)) as database:
            database.execute("CREATE TABLE note (text TEXT)")
    before = [(one.read_bytes(), one.stat().st_mode) for one in tmp_path.iterdir()]
    monkeypatch.chdir(tmp_path)
    for line in READING + (BEGINNING if there == "other" else []):
        ended = command(file, *line.split())
        assert ended.exit_code == 1, (line, ended.output)
        assert "Traceback" not in ended.output
        assert there != "nothing" or "There is no database" in ended.stderr, line
        after = [(one.read_bytes(), one.stat().st_mode) for one in tmp_path.iterdir()]
        assert after == before, line


def test_the_models_are_the_tables_that_the_migrations_create(new_database: str) -> None:
    store = migrated(new_database)
    with store.connection() as db:
        tables = set(db.get_tables())
        versions = db.execute_sql("SELECT name FROM resource_version").fetchall()
        given = db.last_ids()
        columns = {
            model._meta.table_name: {
                (column.name, column.null and not column.primary_key)
                for column in db.get_columns(model._meta.table_name)
            }
            for model in all_tables()
        }
    own = {name for name in tables if not name.startswith("page_index")}
    assert own - {"schema_migration", "sqlite_sequence"} == columns.keys()
    for model in all_tables():
        fields = {(field.column_name, field.null) for field in model._meta.sorted_fields}
        assert columns[model._meta.table_name] == fields, model
    assert {name for (name,) in versions} == store.database.versioned
    assert set(given) == set(numbered_tables())
