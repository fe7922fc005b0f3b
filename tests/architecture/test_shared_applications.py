"""Tests share applications, and none sees anything of another test."""

from pathlib import Path
from typing import Any

import pytest
from applications import Shared, store_of
from conftest import basic
from databases import SQLiteFile

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
