"""What a search may cost: a budget of time, short words in number, and texts that are ranked."""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any
from urllib.parse import quote

import pytest
from applications import store_of
from conftest import LIST, PAGE, SECRET, basic, migrated
from databases import run_sql
from flask.testing import FlaskClient

from landform.app import create_app
from landform.storage import pages
from landform.storage.pages import listing

LONG, CHARACTERS = 60, 1_000_000
# Trigrams that all pages have, in an order that none has.
PHRASE = "abc" * 300
EXPENSIVE = {
    "a scan of all texts": "search=-xq -qx -zq",
    "a scan in order of relevance": "search=-xq zz&orderby=relevance",
    "ranks": "search=aa zz&orderby=relevance",
    "a phrase of common trigrams": f"search={PHRASE}",
}


def lengthened(url: str) -> None:
    """Write long texts, which the full-text index would take half a minute for."""
    if url.startswith("sqlite"):
        run_sql(url, "DROP TRIGGER page_text_update")
        text = f"replace(hex(zeroblob({CHARACTERS // 2})), '0', 'a')"
    else:
        text = f"repeat('a', {CHARACTERS})"
    run_sql(url, f"UPDATE page_text SET content = 'zz' || {text} WHERE id <= {LONG}")


@pytest.fixture(scope="module")
def long_url(module_database_url: str) -> str:
    """A database of long pages, and of one that is not."""
    store = migrated(module_database_url)
    with store.connection(), store.transaction():
        for number in range(LONG + 1):
            text = "abcab " * 2000 if number < LONG else "needle"
            pages.create(store, {**PAGE, "slug": f"page-n{number}", "content_raw": text,
                                 "content_rendered": text})  # fmt: skip
    store.dispose()
    lengthened(module_database_url)
    return module_database_url


@pytest.fixture
def serve(long_url: str) -> Iterator[Callable[..., FlaskClient]]:
    """Serve the long pages with settings."""
    stores = []

    def client(**settings: Any) -> FlaskClient:
        app = create_app(
            {"DATABASE_URL": long_url, "CREDENTIALS": SECRET, "CACHE_BYTES": 0, **settings}
        )
        stores.append(store_of(app))
        return app.test_client()

    yield client
    for store in stores:
        store.dispose()


def asked(query: str) -> str:
    return "/pages?" + quote(query, safe="=&")


@pytest.mark.parametrize("kind", EXPENSIVE)
def test_a_search_beyond_its_budget_is_a_503_that_says_what_to_change(
    serve: Callable[..., FlaskClient], kind: str, request: pytest.FixtureRequest
) -> None:
    if "phrase" in kind and request.config.getoption("--database") != "sqlite":
        pytest.skip("its index holds no positions")
    client = serve(SEARCH_TIMEOUT=0.02)
    database = store_of(client.application).database
    for _ in range(2):
        refused = client.get(asked(EXPENSIVE[kind]))
        error = refused.get_json()
        assert (refused.status_code, error["code"]) == (503, "rest_search_too_expensive")
        assert "longer words" in error["message"]
        assert error["data"] == {"status": 503}
        assert "Retry-After" not in refused.headers
        # The next requests, on the same connection: no write is interrupted.
        for number in range(10):
            body = {"title": f"N {number}"}
            written = client.patch("/pages/61", json=body, headers=basic())
            assert written.status_code == 200
        assert len(database._idle) == 1


def test_only_one_list_at_a_time_takes_long(serve: Callable[..., FlaskClient]) -> None:
    client = serve(SEARCH_TIMEOUT=60)
    permit = store_of(client.application)._long_list
    assert permit.acquire(blocking=False)
    refused = client.get(asked("search=-xq -qx -zq"))
    assert (refused.status_code, refused.get_json()["code"]) == (503, "rest_search_too_expensive")
    assert client.get("/pages?include=61").status_code == 200
    permit.release()
    assert client.get(asked("search=-xq -qx -zq")).status_code == 200
    # And it is released, whatever came of the search.
    assert not permit.locked()


def test_words_too_short_for_the_index_are_bounded_in_number(client: FlaskClient) -> None:
    for search in ("ab cd ef", "ab -cd -ef longer", '"a b" cd ef', "a ab ab ab cd the ef",
                   "no zu ab is a sentence of more than nine ordinary words ok"):  # fmt: skip
        assert client.get(asked(f"search={search}")).status_code == 200, search
    for search in ("ab cd ef gh", "-ab -cd -ef -gh", "ab -cd ef -gh longer", "日本 東京 大阪 京都"):
        refused = client.get(asked(f"search={search}")).get_json()
        assert refused["code"] == "rest_invalid_param"
        assert "fewer than 3 characters" in refused["data"]["params"]["search"]


@pytest.mark.parametrize(("most", "found"), [
    (5, [4, 1, 3, 2, 5]), (4, [5, 4, 3, 2, 1]),
])  # fmt: skip
def test_a_search_that_finds_too_many_pages_to_rank_is_ordered_by_date(
    database_url: str, monkeypatch: pytest.MonkeyPatch, most: int, found: list[int]
) -> None:
    monkeypatch.setattr(listing, "MOST_RANKED", most)
    store = migrated(database_url)
    with store.connection():
        for day, title in enumerate(["red apple", "red", "apple red", "red apple", "x"], 1):
            texts = {"title_raw": title, "content_raw": "apple and red"}
            pages.create(store, {**PAGE, **texts, "date": datetime(2020, 1, day)})
        for order, ids in (("desc", found), ("asc", [1, 4, 3, 2, 5] if most == 5 else found[::-1])):
            query = {**LIST, "search": "red apple", "orderby": "relevance", "order": order}
            listed = listing.list_pages(store, query, ["id"])
            assert [row["id"] for row in listed.rows] == ids
    store.dispose()
