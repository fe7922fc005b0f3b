"""Bounds: each is that of a field; what is beyond it is refused by name and changes nothing."""

from collections.abc import Callable
from typing import Any

import pytest
from applications import FEED
from flask.testing import FlaskClient
from marshmallow import ValidationError
from part_tables import WORDPRESS_ROUTES

from landform.schemas.fields import ListOf, Text
from landform.schemas.wordpress import WordPressList

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
                field.deserialize("a" * 2001, name)


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
