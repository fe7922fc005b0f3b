"""Upgrades: a later migration is applied to a database that holds something, and a copy is kept."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from applications import service
from databases import check, run_sql
from files import command, dump

from landform.storage import Store, migrating

FILE_ONLY = pytest.mark.sqlite("it is about the file")
FEED = {"form_id": 3, "addon_slug": "a", "meta": {"big": 2**70}}
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
    assert client.post("/feeds", json=FEED).status_code == 201
    client.store.dispose()
    return new_database


@pytest.fixture
def next_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Make this version the next one, which has a second migration."""
    folder = shutil.copytree(migrating.MIGRATIONS, tmp_path / "migrations")
    (folder / f"{COLOUR_NAME}.py").write_text(COLOUR)
    return lambda: monkeypatch.setattr(migrating, "MIGRATIONS", folder)


@pytest.fixture
def pre_release(filled: str) -> str:
    """The URL of a database whose history is that of a pre-release."""
    run_sql(filled, "DELETE FROM schema_migration")
    for name in PRE_RELEASE:
        run_sql(filled, f"{APPLIED} ('{name}', '2026-01-01')")
    return filled


def test_a_second_migration_changes_the_schema_and_keeps_every_row(
    filled: str, next_version: Callable[[], None]
) -> None:
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


def test_commands_refuse_a_database_of_a_pre_release(pre_release: str, tmp_path: Path) -> None:
    file = tmp_path / "export.ndjson"
    file.touch()
    for line in LINES:
        words = line.format(file=file, url=pre_release, folder=tmp_path).split()
        refused = command(pre_release, *words)
        assert refused.exit_code == 1, refused.output
        assert f"Error: {Store(pre_release).database.name} {REFUSED}\n" in refused.output, line
    assert run_sql(pre_release, "SELECT name FROM schema_migration ORDER BY 1") == [
        (name,) for name in PRE_RELEASE
    ]
    assert run_sql(pre_release, "SELECT count(*) FROM page") == [(5,)]
