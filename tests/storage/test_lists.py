"""Lists of pages: whatever was written, they are what looking at every page finds."""

import json
import random
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import product
from typing import Any

import pytest
from conftest import LIST, PAGE, migrated

from landform.storage import Store, pages
from landform.storage.pages import listing

START = datetime(2026, 1, 1)
MIDDLE = START + timedelta(hours=100)
LATER = MIDDLE.isoformat()
LANGUAGES = [
    [], ["en"], ["de"], ["EN", "de"], [{"code": "fr", "slug": "french", "value": "fr-FR"}],
    [{"code": "en", "name": "English"}, "is"], ["en", "en", None, 3, ["de"], {"name": "de"}],
]  # fmt: skip
FORMS = ["", "3", " 03 ", "7", "0", "contact"]
COLUMNS = ("id", "status", "author", "date", "modified", "title_key", "meta", "slug", "password")
Row = dict[str, Any]


def fill(store: Store, many: int = 120) -> list[Row]:
    """Write pages of every kind, some of them several times, and return what is there."""
    chance = random.Random(6)
    for number in range(many):
        meta = {"form_id": chance.choice(FORMS), "language": chance.choice(LANGUAGES)}
        bounds = [("", ""), ("", ""), (LATER, ""), ("", f"{LATER}Z"), ("2025-01-01", "2027-01-01")]
        meta["starts_at"], meta["ends_at"] = chance.choice(bounds)
        pages.create(store, {
            **PAGE, "title_raw": f"T{chance.randrange(many)}", "meta": meta,
            "author": number % 3 + 1, "password": "x" if number % 7 == 0 else "",
            "status": chance.choice(["publish"] * 3 + ["draft", "private"]),
            "date": START + timedelta(hours=chance.randrange(200)),
        })  # fmt: skip
    changes: list[Row] = [
        {"meta": {"language": LANGUAGES[3]}}, {"meta": {"form_id": "7"}}, {"status": "draft"},
        {"date": START}, {"title_raw": "Changed"}, {"meta": {}},
    ]  # fmt: skip
    for number in range(1, many, 4):
        pages.update(store, number, chance.choice(changes))
    for number in range(2, many, 11):
        pages.trash(store, number)
    for number in range(3, many, 13):
        pages.delete(store, number)
    # They would all be modified in the same second.
    moved = "UPDATE page SET modified = date, date = modified WHERE id % 3 = 0"
    store.database.execute_sql(moved.replace("%", "%%") if store.database.on_server else moved)
    every = {**LIST, "per_page": 100, "orderby": "id", "status": ["any", "trash"]}
    found = [listing.list_pages(store, {**every, "page": page}, COLUMNS) for page in (1, 2)]
    return [{**row, **json.loads(row["meta"])} for part in found for row in part.rows]


def form(page: Row) -> str:
    return {" 03 ": "3"}.get(page.get("form_id", ""), page.get("form_id", ""))


def languages(page: Row) -> set[str]:
    """Return the languages of a page, by looking at its meta."""
    found: set[str] = set()
    for item in page.get("language", []):
        named = [item] if not isinstance(item, dict) else map(item.get, ("code", "slug", "value"))
        found |= {str(one).lower() for one in named if isinstance(one, (str, int))}
    return found


def is_open(page: Row, at: str) -> bool:
    starts, ends = page.get("starts_at") or "", (page.get("ends_at") or "~").rstrip("Z")
    return starts <= at < ends


# Each filter with a value, and what it keeps.
FILTERS: list[tuple[Row, Callable[[Row], bool]]] = [
    ({}, lambda page: True),
    ({"include": [1, 4, 5, 9, 30, 31, 999]}, lambda page: page["id"] in (1, 4, 5, 9, 30, 31)),
    ({"exclude": [1, 5, 2**64]}, lambda page: page["id"] not in (1, 5)),
    ({"author": [1]}, lambda page: page["author"] == 1),
    ({"author": [1, 2]}, lambda page: page["author"] != 3),
    ({"author_exclude": [1]}, lambda page: page["author"] != 1),
    ({"after": MIDDLE}, lambda page: page["date"] > LATER),
    ({"before": MIDDLE}, lambda page: page["date"] < LATER),
    ({"modified_after": MIDDLE}, lambda page: page["modified"] > LATER),
    ({"modified_before": MIDDLE}, lambda page: page["modified"] < LATER),
    ({"slug": ["t1", "T2", "no such", "t5"]}, lambda page: page["slug"] in ("t1", "t2", "t5")),
    ({"form_id": ["3"]}, lambda page: form(page) == "3"),
    ({"form_id": ["0", "contact"]}, lambda page: form(page) in ("0", "contact")),
    ({"form_id": ["99"]}, lambda page: False),
    ({"language": ["en"]}, lambda page: "en" in languages(page)),
    ({"language": ["fr-fr", "is", "xx"]}, lambda page: bool({"fr-fr", "is"} & languages(page))),
    ({"open_at": MIDDLE - timedelta(hours=1)}, lambda page: is_open(page, "2026-01-05T03:00:00")),
    ({"open_at": MIDDLE}, lambda page: is_open(page, LATER)),
    ({"search": "t1"}, lambda page: "t1" in page["title_key"]),
    ({"search": "words -t1"}, lambda page: "t1" not in page["title_key"]),
    ({"search": "t1", "unprotected_only": True},
     lambda page: "t1" in page["title_key"] and not page["password"]),
]  # fmt: skip
STATUSES: list[tuple[list[str], Callable[[Row], bool]]] = [
    ([], lambda page: page["status"] == "publish"),
    (["any"], lambda page: page["status"] != "trash"),
    (["draft", "trash"], lambda page: page["status"] in ("draft", "trash")),
]
ORDERS: dict[str, Callable[[Row], Any]] = {
    **dict.fromkeys(("date", "include_slugs", "relevance"), lambda page: page["date"]),
    **{name: lambda page, name=name: page[name] for name in ("author", "modified", "slug")},
    "title": lambda page: page["title_key"],
    **dict.fromkeys(("id", "parent"), lambda page: 0),
}


@pytest.fixture(scope="module")
def filled(module_database_url: str) -> Iterator[tuple[Store, list[Row]]]:
    store = migrated(module_database_url)
    with store.connection():
        yield store, fill(store)
    store.dispose()


# The beginning and a later part.
PARTS = (("asc", 0), ("desc", 7))
# Each alone, and with another one.
PAIRS = [
    (one, other)
    for place, one in enumerate(FILTERS)
    for other in [FILTERS[0], *(FILTERS[(place + step) % len(FILTERS)] for step in (7,))]
    if not one[0].keys() & other[0].keys()
]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: " ".join(pair[0][0] | pair[1][0]))
def test_every_filter_in_every_order_finds_the_same_as_reading_each_page(
    filled: tuple[Store, list[Row]], pair: Any
) -> None:
    store, rows = filled
    (one, keeps), (other, also_keeps) = pair
    for (status, shown), by, (order, offset) in product(STATUSES, ORDERS, PARTS):
        query = {**LIST, **one, **other, "status": status, "orderby": by, "order": order}
        if by == "include_slugs" and "slug" in query:
            continue
        found = [row for row in rows if shown(row) and also_keeps(row) and keeps(row)]
        if by != "relevance" or "search" not in query:
            found.sort(key=lambda row: (ORDERS[by](row), row["id"]), reverse=order == "desc")
        result = listing.list_pages(store, {**query, "offset": offset}, ("id",))
        assert result.total == len(found), query
        ids = [row["id"] for row in result.rows]
        if by == "relevance" and "search" in query:
            assert len(ids) == min(10, max(0, len(found) - offset))
            assert set(ids) <= {row["id"] for row in found}
        else:
            assert ids == [row["id"] for row in found[offset : offset + 10]], query
