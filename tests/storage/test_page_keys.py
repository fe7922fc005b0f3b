"""Pages are found by the form and the languages in their meta, whatever was written to them."""

from collections.abc import Iterator

import pytest
from conftest import LIST, PAGE, migrated
from databases import run_sql

from landform.storage import Store, pages
from landform.storage.pages import listing
from landform.storage.pages.meta_keys import (
    form_key,
    language_key,
    stored_meta_columns,
)


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    store = migrated(database_url)
    yield store
    store.dispose()


@pytest.mark.parametrize(
    ("value", "key"),
    [
        ("3", "3"), (3, "3"), (3.0, "3"), (" 3\t", "3"), ("03", "3"), ("+3", "3"), ("000", "0"),
        (0, "0"), ("-3", "-3"), ("-0", "0"), ("", ""), ("  ", ""), (None, ""), (True, ""),
        ([3], ""), ({"id": 3}, ""), (float("nan"), ""), (float("inf"), ""), (2.5, ""),
        ("contact", "contact"), ("Contact", "Contact"), ("٣", "٣"), ("3a", "3a"),
        ("9" * 64, "9" * 64),
    ],
    ids=repr,
)  # fmt: skip
def test_a_form_has_one_key_however_it_is_written(value: object, key: str) -> None:
    assert form_key(value) == key


@pytest.mark.parametrize(
    "text", ["x" * 65, "9" * 65, 'a"b', "a\\b", "a\nb", "\x7f", "\ud800", "#" + "0" * 64]
)
def test_what_no_index_takes_has_a_key_of_its_own(text: str) -> None:
    keys = {form_key(text), language_key(text)}
    assert all(key.startswith("#") and len(key) == 65 and key != text for key in keys)
    assert form_key(text) != form_key(text + "x")


@pytest.mark.parametrize(
    "meta",
    [
        None, 7, b"{}", "", "[]", "{", '{"language": "en"}', '{"language": {"code": "en"}}',
        '{"form_id": null, "language": null}', '{"language": [null, NaN, [["en"]], 1.5]}',
        "[" * 100_000,
    ],
    ids=lambda meta: repr(meta)[:20],
)  # fmt: skip
def test_meta_that_names_nothing_or_is_damaged_has_no_keys(meta: object) -> None:
    keys = stored_meta_columns(meta)
    assert (keys["form"], keys["languages"]) == ("", "")


@pytest.mark.sqlite("PostgreSQL refuses such a text where it is compared")
def test_a_damaged_key_stops_no_list(store: Store) -> None:
    with store.connection():
        for _ in range(3):
            pages.create(store, {**PAGE, "meta": {"language": ["en"]}})
        run_sql(store.url, "UPDATE page SET languages = '[' WHERE id = 2")  # type: ignore[attr-defined]
        found = listing.list_pages(store, {**LIST, "language": ["en"]}, ("id",))
    assert [row["id"] for row in found.rows] == [3, 1]
