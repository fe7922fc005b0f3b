"""`landform copy`: a store moves to another engine and back, whole, whatever happens on the way."""

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from conftest import LIST, migrated
from conftest import PAGE as A_PAGE
from databases import run_sql

from landform.standalone.cli import main
from landform.storage import Store, api_keys, feeds, idempotency_keys, pages
from landform.storage.idempotency_keys import IdempotencyKey
from landform.storage.maintenance import tables, verify
from landform.storage.pages import listing
from landform.storage.part import all_tables
from landform.storage.sql import read_generation

PAGE = {**A_PAGE, "title_raw": "Ünï", "title_rendered": "Ünï", "content_raw": "some words \\ % _"}


def copy(source: str, target: str, *options: str) -> Result:
    return CliRunner().invoke(main, ["copy", *options, source, target])


def held(url: str) -> dict[str, list[Any]]:
    store = Store(url)
    with store.connection() as db:
        found = {
            model._meta.table_name: sorted(
                model.select(*model._meta.sorted_fields).tuples().execute(db), key=repr
            )
            for model in all_tables()
            if model.copied
        }
        found["last ids"] = sorted(db.last_ids().items())
    store.dispose()
    return found


@pytest.fixture
def source(tmp_path: Path) -> str:
    """The URL of a file with something of everything."""
    store = migrated(f"sqlite:///{tmp_path}/source.db")
    with store.connection():
        for status in ("publish", "draft", "private", "trash", "future"):
            date = datetime(2099, 1, 1) if status == "future" else None
            pages.create(store, {**PAGE, "status": status, "date": date, "password": "x"})
        for number in range(3):
            feeds.create(store, {"form_id": number, "addon_slug": "a", "meta": {"big": 2**80}})
        api_keys.create(store, "news", ["pages:read"], 7, None)
        for number in range(3 * tables.BATCH):
            key = IdempotencyKey(f"me{number % 2}", f"key {number}", "d" * 64)
            idempotency_keys.add(store, key, "{}")
        pages.create(store, PAGE)
        pages.delete(store, 6)
        feeds.delete(store, 3)
    store.dispose()
    return store.url


def test_a_store_goes_there_and_back_whole(source: str, new_database: str, tmp_path: Path) -> None:
    with (first := Store(source)).connection():
        generation = read_generation(first)
    first.dispose()
    there, back = copy(source, new_database), copy(new_database, f"sqlite:///{tmp_path}/back.db")
    assert (there.exit_code, back.exit_code) == (0, 0), there.output + back.output
    assert "holds the 177 rows of" in there.output
    whole = held(source)
    assert held(new_database) == whole
    assert held(f"sqlite:///{tmp_path}/back.db") == whole
    for url in (new_database, f"sqlite:///{tmp_path}/back.db"):
        store = Store(url)
        assert list(verify.find_problems(store)) == []
        with store.connection():
            # The same version of the same page may be another one in a store that goes on.
            assert read_generation(store) != generation
            found = listing.list_pages(store, {**LIST, "search": "words"}, ["id"])
            assert found.total == 1
            # No id that was ever given out is given out again.
            assert pages.create(store, PAGE)["id"] == 7
            assert feeds.create(store, {"form_id": 1, "addon_slug": "a", "meta": {}})["id"] == 4
        store.dispose()


NO_TEXT = "UPDATE page_text SET content = CAST(x'ff' AS TEXT) WHERE id = 2"
NUL = "UPDATE page SET title_raw = 'a' || char(0) WHERE id = 2"


@pytest.mark.parametrize(
    ("url", "sql", "complaint"),
    [
        ("sqlite:////none.db", "", "There is no database"),
        ("mysql://x", "", "must look like"),
        ("", NO_TEXT, "Not every row of page_text can be copied"),
        pytest.param("", NUL, "can be copied, the last read is 2", marks=pytest.mark.postgresql),
    ],
)
def test_a_store_that_cannot_be_copied_is_an_error_in_a_sentence(
    source: str, database_url: str, url: str, sql: str, complaint: str
) -> None:
    if sql:
        run_sql(source, sql)
    refused = copy(url or source, database_url)
    assert (refused.exit_code, complaint in refused.output) == (1, True), refused.output
    assert isinstance(refused.exception, SystemExit)
