"""Upgrades keep every row and a copy, and no process writes to the schema of another version."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from applications import FEED, Client, service
from databases import check, run_sql
from files import command, dump
from part_tables import tables

from landform.storage import Store, migrating
from landform.storage.models import all_tables

FILE_ONLY = pytest.mark.sqlite("it is about the file")
COLOUR = '''
def up(migrator, db):
    """Give each page a colour, and find pages by it."""
    db.execute_sql(f"ALTER TABLE page ADD COLUMN colour {db.dialect.types['text']} DEFAULT ''")
    db.execute_sql("UPDATE page SET colour = 'of ' || title_raw")
    db.execute_sql("CREATE INDEX page_colour ON page (colour, id)")
'''
# It follows the last migration that there is.
NEXT = f"{len([*migrating.MIGRATIONS.glob('[0-9]*.py')]) + 1:04}"
COLOUR_NAME = f"{NEXT}_colour"
# What the history of a database of a pre-release says.
PRE_RELEASE = ("0001_pages_and_feeds", "0002_keys_and_versions")
APPLIED = "INSERT INTO schema_migration (name, applied) VALUES"
REFUSED = (
    "was made by a pre-release of landform: export it with that version, and import the export "
    "into a new database with this one."
)


@pytest.fixture
def filled(new_database: str) -> str:
    """The URL of a database of its own with five pages and a feed."""
    client = service(new_database)
    for number in range(5):
        client.page(title=f"Page {number}", meta={"form_id": "3", "language": ["en"]})
    assert client.post("/feeds", json={**FEED, "meta": {"big": 2**70}}).status_code == 201
    client.store.dispose()
    return new_database


@pytest.fixture
def next_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Make this version the next one, which has a second migration."""
    folder = shutil.copytree(migrating.MIGRATIONS, tmp_path / "migrations")
    (folder / f"{COLOUR_NAME}.py").write_text(COLOUR)
    return lambda: monkeypatch.setattr(migrating, "MIGRATIONS", folder)


def test_a_second_migration_keeps_every_row(filled: str, next_version: Callable[[], None]) -> None:
    before = run_sql(filled, "SELECT id, title_raw, version FROM page ORDER BY id")
    next_version()
    assert Store(filled).migrate() == [COLOUR_NAME]
    assert run_sql(filled, "SELECT id, title_raw, version FROM page ORDER BY id") == before
    assert run_sql(filled, "SELECT colour FROM page WHERE id = 2") == [("of Page 1",)]
    assert Store(filled).migrate() == []
    assert check(filled) == {"publish": 5}


def test_verify_of_an_old_database_says_what_to_do_and_nothing_of_damage(
    filled: str, next_version: Callable[[], None]
) -> None:
    next_version()
    old = command(filled, "verify")
    assert (old.exit_code, old.output.count("\n")) == (1, 1), old.output
    assert "has the schema of an earlier version: run `landform migrate`." in old.output
    assert command(filled, "migrate").exit_code == 0
    assert command(filled, "verify").output == "Nothing is wrong.\n"


@FILE_ONLY
def test_a_restore_of_an_old_backup_claims_no_migration(
    filled: str, tmp_path: Path, next_version: Callable[[], None]
) -> None:
    backup, target = tmp_path / "backup.db", tmp_path / "target.db"
    assert command(filled, "backup", backup).exit_code == 0
    next_version()
    restored = command(target, "restore", backup)
    assert restored.exit_code == 0, restored.output
    assert "Applied" not in restored.output
    assert "Its schema is that of an earlier version: run `landform migrate`." in restored.output
    assert f"applied {COLOUR_NAME}" in command(target, "migrate").output
    command(target, "backup", tmp_path / "later.db")
    again = command(target, "restore", tmp_path / "later.db")
    assert again.exit_code == 0
    assert "earlier version" not in again.output


@FILE_ONLY
def test_a_copy_is_kept_before_an_upgrade(filled: str, next_version: Callable[[], None]) -> None:
    file = Path(filled.removeprefix("sqlite:///"))
    before = sorted(dump(file))
    next_version()
    Store(filled).migrate()
    copy = Path(f"{file}.before-{NEXT}")
    assert sorted(dump(copy)) == before
    assert Store(f"sqlite:///{copy}").migrate() == [COLOUR_NAME]
    names = set(file.parent.iterdir())
    assert Store(filled).migrate() == []
    assert set(file.parent.iterdir()) - names <= {Path(f"{file}-wal"), Path(f"{file}-shm")}


LINES = ["migrate", "verify", "vacuum", "export", "import {file}", "key list", "serve", "routes",
         "copy {url} sqlite:///{folder}/copy.db"]  # fmt: skip


def test_commands_refuse_a_database_of_a_pre_release(filled: str, tmp_path: Path) -> None:
    run_sql(filled, "DELETE FROM schema_migration")
    for name in PRE_RELEASE:
        run_sql(filled, f"{APPLIED} ('{name}', '2026-01-01')")
    file = tmp_path / "export.ndjson"
    file.touch()
    for line in LINES:
        words = line.format(file=file, url=filled, folder=tmp_path).split()
        refused = command(filled, *words)
        assert refused.exit_code == 1, refused.output
        assert f"Error: {Store(filled).database.name} {REFUSED}\n" in refused.output, line
    assert run_sql(filled, "SELECT name FROM schema_migration ORDER BY 1") == [
        (name,) for name in PRE_RELEASE
    ]
    assert run_sql(filled, "SELECT count(*) FROM page") == [(5,)]


# The schema of another version.
NEWER = "INSERT INTO schema_migration (name, applied) VALUES ('9999_later', '2030-01-01')"
BACK = "DELETE FROM schema_migration WHERE name = '9999_later'"
LAST = "SELECT max(name), max(applied) FROM schema_migration"
# One write of each kind.
WRITES: list[tuple[str, str, Any]] = [
    ("POST", "/pages", {"title": "T"}), ("PATCH", "/pages/1", {"title": "T"}),
    ("DELETE", "/pages/1?force=true", None), ("POST", "/feeds", FEED), ("PUT", "/feeds/1", FEED),
    ("PUT", "/feeds/1/properties", {"is_active": False}), ("DELETE", "/feeds/1", None),
    ("DELETE", "/pages/1/preview", None),
    *(write for writes in tables("WRITES") for write in writes),
]  # fmt: skip


@pytest.fixture
def stored(client: Client) -> Client:
    client.page(title="Page")
    client.feed()
    return client


def rows(url: str) -> list[list[tuple[Any, ...]]]:
    names = [model._meta.table_name for model in all_tables()]
    return [run_sql(url, f"SELECT * FROM {name} ORDER BY 1") for name in names]


def send(client: Client, method: str, path: str, body: Any, **headers: str) -> tuple[int, str]:
    answer = client.open(path, method=method, json=body, headers=headers)
    return answer.status_code, (answer.get_json() or {}).get("code", "")


@pytest.mark.parametrize("is_newer", [True, False], ids=["newer", "older"])
def test_writes_are_refused_reads_go_on(stored: Client, database_url: str, is_newer: bool) -> None:
    before = rows(database_url)
    ((name, applied),) = run_sql(database_url, LAST)
    older = f"DELETE FROM schema_migration WHERE name = '{name}'"
    run_sql(database_url, NEWER if is_newer else older)
    for method, path, body in WRITES:
        assert send(stored, method, path, body) == (503, "storage_unavailable"), path
        keyed = send(stored, method, path, body, **{"Idempotency-Key": "key"})
        assert keyed == (503, "storage_unavailable"), path
    assert rows(database_url) == before
    for path in ("/pages", "/pages/1", "/feeds", "/feeds/1", "/events"):
        assert stored.get(path).status_code == 200, path
    told = stored.post("/pages", json={"title": "T"}).get_json()["message"]
    assert "schema of another version of landform" in told
    again = f"INSERT INTO schema_migration (name, applied) VALUES ('{name}', '{applied}')"
    run_sql(database_url, BACK if is_newer else again)
    assert stored.post("/pages", json={"title": "After"}).status_code == 201


def test_a_read_that_another_schema_forbids_is_a_503(stored: Client, database_url: str) -> None:
    run_sql(database_url, NEWER)
    run_sql(database_url, "ALTER TABLE page RENAME COLUMN content_rendered TO something")
    answer = stored.get("/pages/1?context=edit")
    assert (answer.status_code, answer.get_json()["code"]) == (503, "storage_unavailable")
    assert "schema of another version" in answer.get_json()["message"]
    # Databases on a server are lent again.
    run_sql(database_url, "ALTER TABLE page RENAME COLUMN something TO content_rendered")
    run_sql(database_url, BACK)
