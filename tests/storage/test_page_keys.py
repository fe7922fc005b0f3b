"""Pages are found by the form and the languages in their meta, whatever was written to them."""

import json
import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import product
from typing import Any

import pytest
from conftest import LIST, PAGE, migrated
from databases import run_sql

from landform.storage import Store, pages
from landform.storage.maintenance import copying, repair, transfer, verify
from landform.storage.pages import by_form, listing, totals
from landform.storage.pages.meta_keys import (
    form_key,
    language_key,
    meta_columns,
    stored_meta_columns,
)

START = datetime(2026, 1, 1)
LANGUAGES = [
    [], ["en"], ["de"], ["EN", "de"], [{"code": "fr", "slug": "french", "value": "fr-FR"}],
    [{"code": "en", "name": "English"}, "is"], ["en", "en", None, 3, ["de"], {"name": "de"}],
]  # fmt: skip
FORMS = ["", "3", " 03 ", "7", "0", "contact"]


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


def test_languages_are_texts_and_what_objects_name_in_any_case_each_once() -> None:
    found = [json.loads(meta_columns({"language": one})["languages"] or "[]") for one in LANGUAGES]
    assert found == [
        [], ["en"], ["de"], ["de", "en"], ["fr", "fr-fr", "french"], ["en", "is"], ["3", "en"]
    ]  # fmt: skip
    # Only ASCII: what else is a capital depends on the version of Unicode.
    assert language_key("ÄB") == "Äb"


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


def fill(store: Store, many: int = 90) -> list[dict[str, Any]]:
    """Create pages of every form, language, status and author, and change some of them."""
    chance = random.Random(6)
    for number in range(many):
        meta = {"form_id": chance.choice(FORMS), "language": chance.choice(LANGUAGES)}
        pages.create(store, {
            **PAGE, "title_raw": f"T{chance.randrange(many)}", "meta": meta,
            "author": number % 3 + 1,
            "status": chance.choice(["publish"] * 3 + ["draft", "private"]),
            "date": START + timedelta(hours=chance.randrange(200)),
        })  # fmt: skip
    for number in range(1, many, 4):
        changes: list[dict[str, Any]] = [
            {"meta": {"language": chance.choice(LANGUAGES)}}, {"meta": {"form_id": "7"}},
            {"status": "draft"}, {"date": START}, {"title_raw": "Changed"}, {"meta": {}},
        ]  # fmt: skip
        pages.update(store, number, chance.choice(changes))
    for number in range(2, many, 11):
        pages.trash(store, number)
    for number in range(3, many, 13):
        pages.delete(store, number)
    columns = ("id", "status", "author", "date", "modified", "title_key", "meta", "slug")
    every = {**LIST, "per_page": 100, "status": ["any", "trash"]}
    return listing.list_pages(store, every, columns).rows


def passes(page: dict[str, Any], query: dict[str, Any]) -> bool:
    """Return whether a page passes the filters, by looking at its meta."""
    meta = json.loads(page["meta"])
    languages: set[str] = set()
    for item in meta.get("language", []):
        named = [item] if not isinstance(item, dict) else map(item.get, ("code", "slug", "value"))
        languages |= {str(one).lower() for one in named if isinstance(one, (str, int))}
    form = {" 03 ": "3"}.get(meta.get("form_id", ""), meta.get("form_id", ""))
    statuses = query.get("status", ["publish"])
    return (
        (page["status"] in statuses or (statuses == ["any"] and page["status"] != "trash"))
        and ("form_id" not in query or form in {str(one) for one in query["form_id"]})
        and ("language" not in query or not languages.isdisjoint(query["language"]))
        and ("author" not in query or page["author"] in query["author"])
        and ("author_exclude" not in query or page["author"] not in query["author_exclude"])
        and ("exclude" not in query or page["id"] not in query["exclude"])
        and ("after" not in query or page["date"] > query["after"].isoformat())
        # Of those that are used here every page is modified later.
        and ("modified_after" not in query or page["modified"] > "2020")
        and ("search" not in query or query["search"] in page["title_key"])
    )  # fmt: skip


KEYS: list[dict[str, Any]] = [
    {"form_id": ["3"]}, {"form_id": ["3", "7"]}, {"form_id": ["contact"]}, {"form_id": ["0"]},
    {"form_id": ["99"]}, {"language": ["en"]}, {"language": ["en", "de"]}, {"language": ["xx"]},
    {"language": ["fr-fr", "is"]}, {"form_id": ["3"], "language": ["en"]},
    {"form_id": ["3", "7"], "language": ["en", "fr"]},
]  # fmt: skip
OTHERS: list[dict[str, Any]] = [
    {}, {"status": ["any"]}, {"status": ["draft", "publish", "trash"]}, {"author": [1]},
    {"author_exclude": [1]}, {"exclude": [1, 5]}, {"after": START + timedelta(hours=100)},
    {"modified_after": datetime(2020, 1, 1)}, {"search": "t1"},
    {"author": [1, 2], "after": START + timedelta(hours=20), "status": ["private", "publish"]},
]  # fmt: skip


@pytest.mark.parametrize("cost", [0, 1_000_000])
def test_every_list_is_what_looking_at_each_page_finds(
    store: Store, cost: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Whichever index leads.
    monkeypatch.setattr(totals, "READ_COST", cost)
    with store.connection():
        rows = fill(store)
        for keys, others in product(KEYS, OTHERS):
            query = {**keys, **others}
            found = [row for row in rows if passes(row, query)]
            for by, order, offset in (("date", "desc", 0), ("date", "asc", 7), ("title", "asc", 3)):
                column = {"title": "title_key"}.get(by, by)
                found.sort(key=lambda row: (row[column], row["id"]), reverse=order == "desc")
                asked = {**LIST, **query, "orderby": by, "order": order, "offset": offset}
                result = listing.list_pages(store, asked, ("id",))
                ids = [row["id"] for row in found[offset : offset + 10]]
                assert [row["id"] for row in result.rows] == ids, asked
                assert result.total == len(found), asked
    assert list(verify.find_problems(store)) == []


def test_named_pages_pass_these_filters_too(store: Store) -> None:
    with store.connection():
        rows = [row for row in fill(store, 30) if row["status"] == "publish"]
        ids, slugs = [row["id"] for row in rows], [row["slug"] for row in rows]
        for keys in KEYS:
            wanted = [row["id"] for row in rows if passes(row, keys)]
            for named in ({"include": ids, "orderby": "include"},
                          {"slug": slugs, "orderby": "include_slugs"}):  # fmt: skip
                asked = {**LIST, **keys, **named, "per_page": 100}
                found = listing.list_pages(store, asked, ("id",))
                assert [row["id"] for row in found.rows] == wanted


def test_a_page_that_is_due_is_found_by_its_form_and_language(store: Store) -> None:
    later = {**PAGE, "status": "publish", "meta": {"form_id": "3", "language": ["en"]}}
    with store.connection() as db:
        for _ in range(2):
            pages.create(store, {**later, "date": datetime(2999, 1, 1)})
        pages.create(store, {**later, "date": START})
        db.execute_sql("UPDATE page SET date_utc = '2000-01-01T00:00:00' WHERE id = 1")
        due = "2010-01-01T00:00:00"
        for keys in ({"form_id": ["3"]}, {"language": ["en"]}, {"language": ["en", "de"]}):
            for status, ids in (("publish", [1, 3]), ("future", [2])):
                asked = {**LIST, **keys, "status": [status]}
                found = listing.list_pages(store, asked, ("id",), due)
                assert (found.total, [row["id"] for row in found.rows]) == (len(ids), ids)


def test_a_page_in_more_languages_than_a_count_takes_is_counted(store: Store) -> None:
    many = [f"language-{number}" for number in range(200)]
    with store.connection():
        pages.create(store, {**PAGE, "meta": {"language": many}})
        for languages in (["language-7"], ["en"], []):
            pages.create(store, {**PAGE, "meta": {"language": languages}})
        for wanted, total in ((["language-7"], 2), (["language-7", "en"], 3), (["language-8"], 1)):
            found = listing.list_pages(store, {**LIST, "language": wanted}, ("id",))
            assert (found.total, len(found.rows)) == (total, total)
    assert list(verify.find_problems(store)) == []


def test_the_forms_of_pages_are_those_of_the_statuses_and_only_numbers(store: Store) -> None:
    with store.connection():
        pages.create(store, {**PAGE, "status": "draft", "meta": {"form_id": "3"}})
        for form in ("12", "0", "x", str(2**64), "-1", ""):
            pages.create(store, {**PAGE, "meta": {"form_id": form}})
        gone = pages.create(store, {**PAGE, "meta": {"form_id": "5"}})["id"]
        pages.delete(store, gone)
        assert by_form.list_forms(store, ["publish"]) == [12]
        assert by_form.list_forms(store, ["publish", "draft"]) == [3, 12]
        assert by_form.names_form(store, 3, ["draft"])
        for form in (3, 5, 0, 2**64):
            assert not by_form.names_form(store, form, ["publish"])


def test_an_import_finds_what_it_brings(make_database: Any) -> None:
    source, target = migrated(make_database()), migrated(make_database())
    with source.connection():
        fill(source, 30)
    with target.connection():
        pages.create(target, {**PAGE, "meta": {"form_id": "8", "language": ["xx"]}})
    lines = list(transfer.rows(source, ["page"]))
    assert not {"form", "languages"} & set(lines[0])
    transfer.Import(target).run(enumerate(lines))
    assert list(verify.find_problems(target)) == []
    assert by_language(target) == by_language(source)
    source.dispose()
    target.dispose()


def test_a_copy_finds_what_its_source_finds(make_database: Any) -> None:
    source, target = migrated(make_database()), migrated(make_database())
    with source.connection():
        fill(source, 30)
    copying.copy(source, target, lambda *_: None)
    assert list(verify.find_problems(target)) == []
    assert by_language(target) == by_language(source) != []
    source.dispose()
    target.dispose()


def by_language(store: Store) -> list[Any]:
    with store.connection() as db:
        return db.execute_sql("SELECT * FROM page_language ORDER BY 1, 2, 3, 4").fetchall()


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ("UPDATE page SET form = 'x' WHERE id = 2", "whose form is not that of the meta: 2"),
        ("UPDATE page SET languages = '[\"xx\"]' WHERE id = 2", "whose languages is not that"),
        ("DELETE FROM page_language WHERE page_id = 2", "not found by their languages: 2"),
        ("UPDATE page_language SET status = 'draft' WHERE page_id = 2", "not found by their"),
        ("INSERT INTO page_language VALUES ('xx', 'publish', '2026-01-01', 2)", "not found"),
        ("INSERT INTO page_language VALUES ('xx', 'publish', '2026-01-01', 99)",
         "that are gone, but still found by their languages: 99"),
        ("UPDATE page_count SET pages = 7 WHERE counted = 'form'", "pages by form are not"),
        ("UPDATE page_count SET pages = 7 WHERE counted = 'languages'", "pages by languages are"),
    ],
)  # fmt: skip
def test_what_is_not_that_of_the_meta_is_found_and_mended(
    store: Store, damage: str, told: str
) -> None:
    with store.connection():
        for _ in range(3):
            pages.create(store, {**PAGE, "meta": {"form_id": "3", "language": ["en", "de"]}})
    before = by_language(store)
    run_sql(store.url, damage)  # type: ignore[attr-defined]
    assert any(told in problem for problem in verify.find_problems(store))
    repair.repair(store)
    assert list(verify.find_problems(store)) == []
    assert by_language(store) == before
