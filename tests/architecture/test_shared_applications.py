"""Tests share applications, and none sees anything of another test."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from applications import Shared, store_of
from conftest import basic
from databases import SQLiteFile, run_sql

from landform.storage import Unavailable
from landform.storage.clock import Clock


@pytest.fixture
def shared(tmp_path: Path) -> Shared:
    folder = tmp_path / "shared"
    folder.mkdir()
    return Shared(SQLiteFile(folder), {"FAILED_ATTEMPTS_PER_MINUTE": 3})


def use(shared: Shared) -> list[Any]:
    """Do what one test may do, and return what came of it."""
    client = shared.app.test_client()
    page = {"title": "A", "slug": "a"}
    seen: list[Any] = [client.post("/pages", json=page, headers=basic()).get_json()["id"]]
    seen += [client.get("/pages").headers["X-WP-Total"]]
    seen += [client.get("/feeds", headers=basic("admin:wrong")).status_code for _ in range(4)]
    return [*seen, client.get("/openapi.json").status_code]


def test_after_a_test_the_application_is_as_it_was(shared: Shared) -> None:
    first = use(shared)
    assert first == [1, "1", 401, 401, 401, 429, 200]
    for _ in range(2):
        assert shared.renew()
        assert use(shared) == first


def test_what_a_test_puts_in_the_place_of_a_part_is_gone_after_it(shared: Shared) -> None:
    store, writes = store_of(shared.app), list[Any]()
    clock, store.clock = store.clock, Clock("Asia/Kolkata")
    store.on_commit(writes.append)
    shared.app.config["TESTING"] = False
    assert shared.renew()
    use(shared)
    assert (store.clock, writes, shared.app.config["TESTING"]) == (clock, [], True)


def test_no_test_adds_a_route_or_a_hook_to_it(shared: Shared) -> None:
    with pytest.raises(AssertionError, match="setup method"):
        shared.app.before_request(lambda: None)


def test_another_schema_and_other_rows_are_gone_too(shared: Shared) -> None:
    statements = ("DROP INDEX page_slug", "CREATE TABLE other (id)", "DELETE FROM schema_migration")
    for statement in statements:
        run_sql(shared.database.url, statement)
    assert shared.renew()
    assert use(shared)[0] == 1
    with pytest.raises(Unavailable):
        run_sql(shared.database.url, "SELECT * FROM other")


def replace(file: Path) -> None:
    copy = file.with_suffix(".copy")
    copy.write_bytes(file.read_bytes())
    copy.replace(file)


def damage(file: Path) -> None:
    file.write_bytes(b"no database" * 1000)


@pytest.mark.parametrize("spoil", [Path.unlink, replace, damage, lambda file: file.chmod(0o640)])
def test_a_database_that_a_test_has_spoilt_is_used_by_no_other(
    shared: Shared, spoil: Callable[[Path], object]
) -> None:
    spoil(Path(shared.database.url.removeprefix("sqlite:///")))
    assert not shared.renew() or use(shared)[0] == 1


def test_a_database_in_which_somebody_writes_is_used_by_no_other(shared: Shared) -> None:
    with closing(sqlite3.connect(shared.database.url.removeprefix("sqlite:///"))) as other:
        other.execute("BEGIN IMMEDIATE")
        assert not shared.renew()
