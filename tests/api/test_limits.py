"""Bounds: of fields, of the bytes of a list, and of what a search may cost."""

import json
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from applications import FEED, store_of
from conftest import LIST, PAGE, SECRET, Start, basic, migrated
from databases import run_sql
from flask.testing import FlaskClient
from marshmallow import ValidationError
from part_tables import WORDPRESS_ROUTES
from processes import peak_of_workers

from landform.app import create_app
from landform.schemas.fields import ListOf, Text
from landform.schemas.wordpress import WordPressList
from landform.storage import pages
from landform.storage.models import Page
from landform.storage.pages import listing

JSON = {"Content-Type": "application/json"}
OPERATIONS = [one for route in WORDPRESS_ROUTES for one in route.operations.values()]
PARAMETERS = {
    f"{operation.name} {name}": field
    for operation in OPERATIONS
    if operation.query
    for name, field in operation.query.load_fields.items()
} | WordPressList().load_fields


# The parameter that is named, the bound, and the query of any size; below the same for bodies.
Sized = dict[str, tuple[int, Callable[[int], Any]]]
QUERIES: Sized = {
    "include": (1000, lambda n: f"/pages?include={'1,' * n}"),
    "form_id": (1000, lambda n: f"/feeds?form_id={'1,' * n}"),
    "search": (1000, lambda n: f"/pages?search={'a' * n}"),
    "words: search": (100, lambda n: f"/pages?search={'abc ' * n}"),
    "_fields": (4000, lambda n: f"/pages?_fields={'a' * n}"),
    "all: _fields": (1000, lambda n: "/feeds?" + "_fields[]=abcd&" * n),
    "offset": (10**9, lambda n: f"/pages?offset={n}"),
    "page": (10**9, lambda n: f"/pages?page={n}"),
    "password": (255, lambda n: f"/pages?password={'a' * n}"),
    "addon": (2000, lambda n: f"/feeds?addon={'a' * n}"),
}
BODIES: Sized = {
    "title": (2000, lambda n: {"title": "é" * n}),
    "content": (2_000_000, lambda n: {"content": "a" * n}),
    "slug": (2000, lambda n: {"slug": "a" * n}),
    "password": (255, lambda n: {"password": "a" * n}),
    "meta.starts_at": (2000, lambda n: {"meta": {"starts_at": "a" * n}}),
    "page: meta": (4999, lambda n: {"meta": {"gallery": [1] * n}}),
    "feed: addon_slug": (2000, lambda n: {"addon_slug": "a" * n}),
    "feed: meta": (4997, lambda n: {"meta": {"a": [{"b": [1] * n}]}}),
}


@pytest.fixture
def small(client: FlaskClient) -> FlaskClient:
    """A client of a service that has a page and a feed."""
    assert client.post("/pages", json={"title": "A"}).status_code == 201
    assert client.post("/feeds", json={**FEED, "meta": {"a": "b"}}).status_code == 201
    return client


def test_every_list_and_text_in_a_query_has_a_limit() -> None:
    for name, field in PARAMETERS.items():
        if isinstance(field, ListOf):
            with pytest.raises(ValidationError, match="must not have more than 1000 items"):
                field.deserialize(["1"] * 1001, name)
        elif isinstance(field, Text):
            with pytest.raises(ValidationError):
                field.deserialize("a" * 300_000, name)


def everything(client: FlaskClient) -> list[Any]:
    return [client.get(path).get_json() for path in ("/pages?context=edit", "/feeds")]


def named(answer: Any, name: str) -> bool:
    error = answer.get_json()
    assert (answer.status_code, error["code"]) == (400, "rest_invalid_param"), answer.text
    return list(error["data"]["params"]) == [name]


def test_a_query_has_bounds(small: FlaskClient) -> None:
    for bound, (most, query) in QUERIES.items():
        within = small.get(query(most))
        assert within.get_json().__class__ is list or "page_number" in within.text
        assert named(small.get(query(most + 1)), bound.rsplit(maxsplit=1)[-1])


@pytest.mark.parametrize(
    ("bound", "sort"),
    # A form is for pages.
    [*((bound, "json") for bound in BODIES), ("content", "data")],
)
def test_beyond_the_bounds_nothing_changes(small: FlaskClient, bound: str, sort: str) -> None:
    most, body = BODIES[bound]
    path, base = ("/feeds", FEED) if "feed" in bound else ("/pages", {"title": "A"})
    before = everything(small)
    for method, target in (("POST", path), ("PUT", f"{path}/1"), ("PATCH", f"{path}/1")):
        refused = small.open(target, method=method, **{sort: {**base, **body(most + 1)}})
        assert named(refused, bound.rsplit(maxsplit=1)[-1])
        assert everything(small) == before
    assert small.post(path, **{sort: {**base, **body(most)}}).status_code == 201
    assert small.put(f"{path}/1", **{sort: {**base, **body(most)}}).status_code == 200


def test_the_number_of_fields_of_a_form_is_limited(small: FlaskClient) -> None:
    for count, status in ((1000, 201), (1001, 413), (200_000, 413)):
        extra = [f"x{number % 100}=1" for number in range(count - 1)]
        kind = "application/x-www-form-urlencoded"
        body = "&".join(["title=A", *extra])
        assert small.post("/pages", data=body, content_type=kind).status_code == status
        sent = dict.fromkeys(["title", *(f"x{number}" for number in range(count % 2000 - 1))], "A")
        answer = small.post("/pages", data=sent, content_type="multipart/form-data")
        assert answer.status_code == (status if count < 2000 else 201)
    assert small.get("/pages").headers["X-WP-Total"] == "4"


@pytest.mark.parametrize(("first", "more"), [
    ([1] * 4000, [1] * 1000), ("x" * 2_200_000, "x" * 2_200_000),
], ids=["values", "bytes"])  # fmt: skip
def test_no_merge_makes_a_meta_too_large(small: FlaskClient, first: Any, more: Any) -> None:
    assert small.patch("/feeds/1", json={"meta": {"c": {"d": first}}}).status_code == 200
    assert small.put("/pages/1", json={"meta": {"gallery": [first]}}).status_code == 200
    before = everything(small)
    beyond = {"meta": {"c": {"e": more}}, "is_active": False}
    assert named(small.patch("/feeds/1", json=beyond), "meta")
    for method in ("PUT", "PATCH", "POST"):
        sent = {"title": "B", "meta": {"language": [more]}}
        assert named(small.open("/pages/1", method=method, json=sent), "meta")
    assert everything(small) == before
    # What makes it smaller is welcome.
    smaller = small.patch("/feeds/1", json={"meta": {"a": None}})
    assert smaller.get_json()["meta"] == {"c": {"d": first}}
    assert small.put("/pages/1", json={"meta": {"gallery": []}}).status_code == 200


# The bytes of a list.
BOUND = 20_000


def refused(answer: Any, name: str) -> bool:
    error = answer.get_json()
    assert (answer.status_code, error["code"]) == (400, "rest_invalid_param"), answer.text[:300]
    assert name in error["data"]["params"][name]
    assert "_fields" in error["data"]["params"][name]
    return list(error["data"]["params"]) == [name]


@pytest.mark.settings(MAX_RESPONSE_BYTES=BOUND)
def test_a_list_of_pages_of_many_bytes_is_refused(client: FlaskClient, database_url: str) -> None:
    page = {"title": "A", "content": '"\n\\é日\x01🎉' * 200}
    for _ in range(12):
        assert client.post("/pages", json=page).status_code == 201
    loose = create_app({"DATABASE_URL": database_url, "CREDENTIALS": SECRET}).test_client()
    outcomes = set()
    for query in ("", "&context=edit", "&orderby=include&include=3,1,2,4,5,6,7,8,9,10,11,12"):
        for per_page in range(1, 13):
            path = f"/pages?per_page={per_page}{query}"
            whole = loose.get(path, headers=basic())
            answer = client.get(path)
            outcomes.add(answer.status_code)
            if len(whole.get_data()) > BOUND:
                assert refused(answer, "per_page")
            else:
                assert answer.get_json() == whole.get_json()
    assert outcomes == {200, 400}
    for query in ("per_page=12&_fields=id,title", "per_page=12&context=embed"):
        assert client.get(f"/pages?{query}").status_code == 200


@pytest.mark.settings(MAX_RESPONSE_BYTES=BOUND)
def test_a_list_of_feeds_beyond_the_limit_of_bytes_is_refused(client: FlaskClient) -> None:
    for _ in range(15):
        assert client.post("/feeds", json={**FEED, "meta": {"note": "é" * 1000}}).status_code == 201
    for path in ("/feeds", "/forms/3/feeds"):
        assert refused(client.get(path), "include")
        assert len(client.get(f"{path}?_fields=id,form_id").get_json()) == 15
        assert len(client.get(f"{path}?include=1,2,3").get_json()) == 3
    assert client.get("/feeds/1").status_code == 200


def test_the_largest_list_uses_bounded_memory(start_server: Start) -> None:
    server = start_server(LANDFORM_WORKERS="1")
    headers = {"Content-Type": "application/json", **basic()}
    sent = {"title": "A", "content": "<!-- wp:html -->" + "x" * 1_999_900 + "🎉"}
    body = json.dumps(sent, ensure_ascii=False).encode()
    assert server.send("POST", "/pages", headers, body)[0] == 201
    columns = [name for name in Page._meta.columns if name not in ("id", "slug")]  # type: ignore[attr-defined]
    names = ", ".join(columns)
    for number in range(2, 21):
        run_sql(
            server.database,
            f"INSERT INTO page (slug, {names}) SELECT 'a-{number}', {names} FROM page WHERE id = 1",
        )
    asked = {"per_page=20": 400, "per_page=16": 200, "per_page=16&_envelope=1": 200}
    for query, status in asked.items():
        answered, _, raw = server.send("GET", f"/pages?{query}", {}, None)
        assert answered == status, raw[:300]
        assert (len(raw) > 31_000_000) is (status == 200)
    if Path("/proc/self/status").exists():
        assert peak_of_workers(server) < 300


# What a search may cost.
LONG, CHARACTERS = 60, 1_000_000
# Trigrams that all pages have, in an order that none has.
PHRASE = "abc" * 300
EXPENSIVE = {
    "a scan of all texts": "search=-xq -qx -zq",
    "a scan in order of relevance": "search=-xq zz&orderby=relevance",
    "ranks": "search=aa zz&orderby=relevance",
    "a phrase of common trigrams": f"search={PHRASE}",
}


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
    text = f"repeat('a', {CHARACTERS})"
    if module_database_url.startswith("sqlite"):
        # The full-text index would take half a minute for them.
        run_sql(module_database_url, "DROP TRIGGER page_text_update")
        text = f"replace(hex(zeroblob({CHARACTERS // 2})), '0', 'a')"
    longer = f"UPDATE page_text SET content = 'zz' || {text} WHERE id <= {LONG}"
    run_sql(module_database_url, longer)
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
