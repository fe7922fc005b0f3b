"""Databases of every earlier schema: brought up to date whole, with a copy kept of what was."""

import gzip
from pathlib import Path

import pytest
from applications import service
from files import command, dump

from landform.storage import Store, migrating
from landform.storage.maintenance import verify

pytestmark = pytest.mark.sqlite("no database of PostgreSQL ever had an earlier schema")

FIXTURES = sorted((Path(__file__).parent / "fixtures").glob("schema-*.db.gz"))


@pytest.fixture(params=FIXTURES, ids=lambda file: file.name[:11])
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    file = tmp_path / "old.db"
    file.write_bytes(gzip.decompress(request.param.read_bytes()))
    file.chmod(0o600)
    return file


def test_there_is_a_file_of_every_schema_but_the_newest() -> None:
    migrations = sorted(file.stem[:4] for file in migrating.MIGRATIONS.glob("0*.py"))
    assert [file.name[7:11] for file in FIXTURES] == migrations[:-1]


def test_an_old_database_is_served_as_if_it_were_new(old: Path) -> None:
    client = service(f"sqlite:///{old}")
    pages = client.get("/pages?status=any,trash&orderby=id&order=asc")
    assert pages.headers["X-WP-Total"] == "5"
    assert [page["slug"] for page in pages.get_json()] == [
        "first", "", "kept", "gone__trashed", "later",
    ]  # fmt: skip
    assert client.anonymous.get("/pages?search=words").headers["X-WP-Total"] == "1"
    assert client.get("/pages?author=2&status=any").headers["X-WP-Total"] == "3"
    for query in ("form_id=3", "language=en", "form_id=3&language=EN"):
        assert client.anonymous.get(f"/pages?{query}").headers["X-WP-Total"] == "1"
        found = client.get(f"/pages?{query}&status=any,trash")
        assert [page["id"] for page in found.get_json()] == [5, 4, 3, 2, 1]
    feeds = client.get("/feeds").get_json()
    assert [(feed["is_active"], feed["meta"]["big"]) for feed in feeds] == [
        ("1", 2**70),
        ("0", 2**70),
    ]
    created = client.post("/pages", json={"title": "First"}).get_json()
    assert (created["id"], created["slug"]) == (6, "first-2")
    assert client.patch("/pages/1", json={"title": "Changed"}).status_code == 200
    assert list(verify.find_problems(Store(f"sqlite:///{old}"))) == []


def test_verify_of_an_old_database_says_what_to_do_and_nothing_of_damage(old: Path) -> None:
    told = command(old, "verify")
    assert (told.exit_code, told.output.count("\n")) == (1, 1), told.output
    assert "has the schema of an earlier version: run `landform migrate`." in told.output
    assert command(old, "migrate").exit_code == 0
    assert command(old, "verify").output == "Nothing is wrong.\n"


def test_a_restore_of_an_old_backup_claims_no_migration(old: Path, tmp_path: Path) -> None:
    target = tmp_path / "target.db"
    told = command(target, "restore", old)
    assert told.exit_code == 0, told.output
    assert "Applied" not in told.output
    assert "Its schema is that of an earlier version: run `landform migrate`." in told.output
    assert "run `landform migrate`" in command(target, "verify").output
    applied = command(target, "migrate").output
    assert "applied " in applied, applied
    command(target, "backup", tmp_path / "new.db")
    again = command(target, "restore", tmp_path / "new.db")
    assert again.exit_code == 0
    assert "earlier version" not in again.output


def test_a_copy_is_kept_of_what_was(old: Path) -> None:
    before = sorted(dump(old))
    pending = Store(f"sqlite:///{old}").migrate()
    kept = old.with_name(f"old.db.before-{pending[0][:4]}")
    assert sorted(dump(kept)) == before
    assert Store(f"sqlite:///{kept}").migrate() == pending
    again = set(old.parent.iterdir())
    assert Store(f"sqlite:///{old}").migrate() == []
    assert set(old.parent.iterdir()) - again <= {Path(f"{old}-wal"), Path(f"{old}-shm")}


def test_a_new_database_needs_no_copy(tmp_path: Path) -> None:
    Store(f"sqlite:///{tmp_path}/new.db").migrate()
    assert not list(tmp_path.glob("*before*"))
