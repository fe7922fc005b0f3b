"""Bounds: each is that of a field; what is beyond it is refused by name and changes nothing."""

from typing import Any

import pytest
from flask.testing import FlaskClient
from marshmallow import ValidationError

from landform.schemas.fields import ListOf, Text
from landform.service.blueprint import WP_JSON_ROUTES
from landform.service.pages import WORDPRESS_LIST

FEED = {"form_id": 3, "addon_slug": "mailer", "meta": {"a": "b"}}
JSON = {"Content-Type": "application/json"}
OPERATIONS = [one for route in WP_JSON_ROUTES for one in route.operations.values()]
PARAMETERS = {
    f"{operation.name} {name}": field
    for operation in OPERATIONS
    if operation.contract.query
    for name, field in operation.contract.query.load_fields.items()
} | WORDPRESS_LIST.load_fields


def numbers(count: int) -> str:
    return ",".join(map(str, range(1, count + 1)))


# The query at the bound and the one beyond it, with the parameter that is named.
QUERIES: dict[str, tuple[str, str, str]] = {
    "items": (f"/pages?include={numbers(1000)}", f"/pages?include={numbers(1001)}", "include"),
    "items of texts": (
        f"/pages?language={numbers(1000)}", f"/pages?language={numbers(1001)}", "language",
    ),
    "items of PHP": ("/pages?" + "slug[]=a&" * 1000, "/pages?" + "slug[]=a&" * 1001, "slug"),
    "items with blanks": (
        f"/feeds?include={'1 ' * 1000}", f"/feeds?include={'1 ' * 1001}", "include",
    ),
    "items by key": ("/feeds?form_id[7]=1", f"/feeds?form_id={'1,' * 1001}", "form_id"),
    "characters of a search": (
        f"/pages?search={'a' * 1000}", f"/pages?search={'a' * 1001}", "search",
    ),
    "words of a search": (
        f"/pages?search={'abc ' * 100}", f"/pages?search={'abc ' * 101}", "search",
    ),
    "characters of _fields": (
        f"/pages?_fields={'a' * 4000}", f"/pages?_fields={'a' * 4001}", "_fields",
    ),
    "characters of all _fields": (
        "/feeds?" + "_fields[]=abcd&" * 999, "/feeds?" + "_fields[]=abcd&" * 1001, "_fields",
    ),
    "offset": ("/pages?offset=1000000000", "/pages?offset=1000000001", "offset"),
    "page": ("/pages?page=1", "/pages?page=1000000001", "page"),
    "digits of page": ("/pages?page=1", f"/pages?page={'9' * 5000}", "page"),
    "characters of a password": (
        f"/pages?password={'a' * 255}", f"/pages?password={'a' * 256}", "password",
    ),
    "characters of a text": (f"/feeds?addon={'a' * 2000}", f"/feeds?addon={'a' * 2001}", "addon"),
}  # fmt: skip
# The same for bodies.
BODIES: dict[str, tuple[str, dict[str, Any], dict[str, Any], str]] = {
    "title": ("/pages", {"title": "é" * 2000}, {"title": "é" * 2001}, "title"),
    "raw title": (
        "/pages", {"title": {"raw": "a" * 2000}}, {"title": {"raw": "a" * 2001}}, "title",
    ),
    "content": (
        "/pages", {"content": "a" * 2_000_000}, {"content": "a" * 2_000_001}, "content",
    ),
    "slug": ("/pages", {"slug": "a" * 2000}, {"slug": "a" * 2001}, "slug"),
    "password": ("/pages", {"password": "a" * 255}, {"password": "a" * 256}, "password"),
    "a text in meta": (
        "/pages", {"meta": {"starts_at": "a" * 2000}}, {"meta": {"starts_at": "a" * 2001}},
        "meta.starts_at",
    ),
    "addon_slug": (
        "/feeds", {"addon_slug": "a" * 2000}, {"addon_slug": "a" * 2001}, "addon_slug",
    ),
    "keys of settings": (
        "/feeds", {"meta": {"a": [{"b": [1] * 4997}]}}, {"meta": {"a": [{"b": [1] * 4998}]}},
        "meta",
    ),
    "keys of meta": (
        "/pages", {"meta": {"gallery": [1] * 4999}}, {"meta": {"gallery": [1] * 5000}}, "meta",
    ),
}  # fmt: skip


@pytest.fixture
def small(client: FlaskClient) -> FlaskClient:
    """A client of a service that has a page and a feed."""
    assert client.post("/pages", json={"title": "A"}).status_code == 201
    assert client.post("/feeds", json={**FEED, "meta": {"a": "b"}}).status_code == 201
    return client


def test_no_list_and_no_text_in_a_query_is_without_a_bound() -> None:
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


@pytest.mark.parametrize("bound", QUERIES)
def test_a_query_has_bounds(small: FlaskClient, bound: str) -> None:
    within, beyond, name = QUERIES[bound]
    assert small.get(within).get_json().__class__ is list or "page_number" in small.get(within).text
    assert named(small.get(beyond), name)


@pytest.mark.parametrize(
    ("bound", "sort"),
    # A form holds texts only, and is for pages.
    [(bound, "json") for bound in BODIES]
    + [(name, "data") for name in ("title", "content", "slug", "password")],
)
def test_a_body_has_bounds_and_beyond_them_nothing_changes(
    small: FlaskClient, bound: str, sort: str
) -> None:
    path, within, beyond, name = BODIES[bound]
    base = FEED if path == "/feeds" else {"title": "A"}
    before = everything(small)
    for method, target in (("POST", path), ("PUT", f"{path}/1"), ("PATCH", f"{path}/1")):
        assert named(small.open(target, method=method, **{sort: {**base, **beyond}}), name)
        assert everything(small) == before
    assert small.post(path, **{sort: {**base, **within}}).status_code == 201
    assert small.put(f"{path}/1", **{sort: {**base, **within}}).status_code == 200


def test_a_form_has_so_many_fields(small: FlaskClient) -> None:
    for count, status in ((1000, 201), (1001, 413), (200_000, 413)):
        extra = [f"x{number % 100}=1" for number in range(count - 1)]
        kind = "application/x-www-form-urlencoded"
        body = "&".join(["title=A", *extra])
        assert small.post("/pages", data=body, content_type=kind).status_code == status
        sent = dict.fromkeys(["title", *(f"x{number}" for number in range(count % 2000 - 1))], "A")
        answer = small.post("/pages", data=sent, content_type="multipart/form-data")
        assert answer.status_code == (status if count < 2000 else 201)
    assert small.get("/pages").headers["X-WP-Total"] == "4"


def test_a_merge_never_grows_a_meta_beyond_what_a_body_may_hold(small: FlaskClient) -> None:
    first = {"c": {"d": [1] * 4000}}
    assert small.patch("/feeds/1", json={"meta": first}).status_code == 200
    before = everything(small)
    assert before[1][0]["meta"] == {"a": "b", **first}
    beyond = {"meta": {"c": {"e": [1] * 1000}}, "is_active": False}
    assert named(small.patch("/feeds/1", json=beyond), "meta")
    assert everything(small) == before
    # What makes it smaller is welcome.
    assert small.patch("/feeds/1", json={"meta": {"a": None}}).get_json()["meta"] == first


def test_a_merge_never_grows_a_meta_beyond_4_mib(small: FlaskClient) -> None:
    half = "x" * 2_200_000
    assert small.patch("/feeds/1", json={"meta": {"x": half}}).status_code == 200
    assert small.put("/pages/1", json={"meta": {"gallery": [half]}}).status_code == 200
    before = everything(small)
    assert named(small.patch("/feeds/1", json={"meta": {"y": half}}), "meta")
    for method in ("PUT", "PATCH", "POST"):
        sent = {"title": "B", "meta": {"language": [half]}}
        assert named(small.open("/pages/1", method=method, json=sent), "meta")
    assert everything(small) == before
    assert small.put("/pages/1", json={"meta": {"gallery": []}}).status_code == 200
