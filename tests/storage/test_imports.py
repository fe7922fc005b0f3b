"""An import in one transaction: all of it or nothing, with all that follows from its rows."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from conftest import LIST, migrated
from conftest import PAGE as A_PAGE
from databases import run_sql

from landform.storage import ImportRefused, Store, feeds, pages
from landform.storage.maintenance import transfer, verify
from landform.storage.pages import listing
from landform.storage.sql import versions


@pytest.fixture
def store(make_database: Callable[[], str]) -> Iterator[Store]:
    store = migrated(make_database())
    with store.connection():
        for number in range(10):
            title = f"Tïtle {number}"
            content = f"word{number} in common"
            meta = {"form_id": "3", "language": ["en"]}
            page = {**A_PAGE, "title_raw": title, "content_raw": content, "meta": meta}
            pages.create(store, page)
        for form in (1, 2):
            feeds.create(
                store, {"form_id": form, "addon_slug": "a", "meta": {"big": 2**80, "a": 1}}
            )
    yield store
    store.dispose()


@pytest.fixture
def other(make_database: Callable[[], str]) -> Iterator[Store]:
    store = migrated(make_database())
    yield store
    store.dispose()


def rows(store: Store) -> list[dict[str, Any]]:
    return list(transfer.rows(store, ["page", "feed"]))


def taken(store: Store, lines: list[dict[str, Any]], by: str = "id", **more: Any) -> dict[str, int]:
    importing = transfer.Import(store, by)
    importing.run(enumerate((dict(line) for line in lines), 1), whole=True, **more)
    return dict(importing.counts)


def found(store: Store, word: str) -> list[int]:
    with store.connection():
        listed = listing.list_pages(store, {**LIST, "search": word}, ("id",))
        assert listed.total == len(listed.rows)
        return sorted(row["id"] for row in listed.rows)


def schema_of(store: Store) -> dict[Any, str]:
    with store.connection() as db:
        return dict(db.schema())


def generation_of(store: Store) -> str:
    with store.connection():
        return versions.generation(store)


def test_search_totals_versions_and_schema_are_true_afterwards(store: Store, other: Store) -> None:
    before = schema_of(other)
    assert taken(other, rows(store)) == {"created": 12}
    assert (rows(other), list(verify.find_problems(other))) == (rows(store), [])
    changed = [{**row, "content_raw": "other words"} for row in rows(store)[:9]]
    generation = generation_of(other)
    assert taken(other, changed) == {"changed": 9}
    assert generation_of(other) != generation
    assert list(verify.find_problems(other)) == []
    assert schema_of(other) == before
    assert (found(other, "other"), found(other, "common")) == (list(range(1, 10)), [10])
    with other.connection():
        later = pages.create(other, {**A_PAGE, "content_raw": "new in common"})
        pages.update(other, 1, {"content_raw": "back in common"})
    assert found(other, "common") == [1, 10, later["id"]]
    assert list(verify.find_problems(other)) == []


def test_what_is_the_same_is_written_nowhere(store: Store) -> None:
    before = run_sql(store.url, "SELECT * FROM resource_version ORDER BY name")
    generation = generation_of(store)
    if not store.database.on_server:
        assert taken(store, rows(store)) == {"unchanged": 12}
        assert run_sql(store.url, "SELECT * FROM resource_version ORDER BY name") == before
    spelt = [{**row, "meta": dict(reversed(row["meta"].items()))} for row in rows(store)]
    assert taken(store, spelt) == {"unchanged": 12}
    assert generation_of(store) == generation


def test_new_ids_of_pages_found_by_slug_are_those_that_nobody_ever_had(
    store: Store, other: Store
) -> None:
    with other.connection():
        mine = pages.create(other, {**A_PAGE, "title_raw": "Tïtle 3"})
        gone = pages.create(other, A_PAGE)
        pages.delete(other, gone["id"])
    assert taken(other, rows(store), "slug") == {"created": 11, "changed": 1}
    ids = {row["slug"]: row["id"] for row in rows(other) if row["resource"] == "page"}
    assert ids[mine["slug"]] == mine["id"]
    assert sorted(ids.values()) == [1, *range(3, 12)]
    assert taken(other, rows(store), "slug") == {"unchanged": 12}
    with other.connection():
        assert pages.create(other, A_PAGE)["id"] == 12
    assert list(verify.find_problems(other)) == []


def test_a_slug_is_free_for_the_lines_after_the_one_that_gives_it_up(store: Store) -> None:
    one, two, *_ = rows(store)
    freed = [{**one, "slug": "elsewhere"}, {**two, "slug": one["slug"]}]
    with pytest.raises(ImportRefused, match=f"line 1: the slug {one['slug']} is that of page 1$"):
        taken(store, freed[::-1])
    assert rows(store)[:2] == [one, two]
    new = {**two, "id": 50}
    assert taken(store, [*freed, new]) == {"changed": 2, "created": 1}
    assert [row["slug"] for row in rows(store)[:2]] == ["elsewhere", one["slug"]]
    again = [{**one, "id": 60, "slug": "new"}, {**two, "id": 61, "slug": "new"}]
    with pytest.raises(ImportRefused, match=r"^line 2: the slug new is that of page 60$"):
        taken(store, again)


def test_every_line_that_is_refused_is_named_in_order(store: Store) -> None:
    before, schema = rows(store), schema_of(store)
    lines = [{**row, "content_raw": "other"} for row in before[:10]]
    lines[2]["slug"] = lines[8]["slug"] = before[0]["slug"]
    lines[7]["title_raw"] = "\ufdfa" * 50_000
    lines[6]["content_raw"] = "\ufdfa" * 50_000
    with pytest.raises(ImportRefused) as refused:
        taken(store, lines)
    numbers = [line.partition(":")[0] for line in str(refused.value).splitlines()]
    assert numbers == ["line 3", "line 7", "line 8", "line 9"]
    assert (rows(store), schema_of(store)) == (before, schema)
    assert list(verify.find_problems(store)) == []
    assert found(store, "common") == list(range(1, 11))
