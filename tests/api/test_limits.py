"""Bounds: each is a setting, and what is beyond it is refused by name and changes nothing."""

import json
from dataclasses import fields
from typing import Any

import pytest
from conftest import SECRET, basic
from flask.testing import FlaskClient

from landform.app import create_app
from landform.service import Limits, create_blueprint
from landform.standalone.settings import SETTINGS, SettingError, read_settings

FEED = {"form_id": 3, "addon_slug": "mailer", "meta": {"a": "b"}}
JSON = {"Content-Type": "application/json"}
# The query at the bound and the one beyond it, with the parameter that is named.
QUERIES: dict[str, tuple[str, str, str]] = {
    "list_items": ("/pages?include=1,2,3,4", "/pages?include=1,2,3,4,5", "include"),
    "list_items ": ("/pages?slug[]=a&slug[]=b", "/pages?" + "slug[]=a&" * 5, "slug"),
    "list_items  ": ("/feeds?include=1 2 3 4", "/feeds?include=1 2 3 4 5", "include"),
    "list_items   ": ("/feeds?form_id[7]=1", "/feeds?form_id=1,1,1,1,1", "form_id"),
    "search_characters": (f"/pages?search={'a' * 12}", f"/pages?search={'a' * 13}", "search"),
    "search_words": ("/pages?search=a b c d", "/pages?search=a b c d e", "search"),
    "fields_characters": (f"/pages?_fields={'a' * 12}", f"/pages?_fields={'a' * 13}", "_fields"),
    "fields_characters ": ("/feeds?_fields[]=a", "/feeds?" + "_fields[]=abc&" * 5, "_fields"),
    "offset": ("/pages?offset=50", "/pages?offset=51", "offset"),
    "offset ": ("/pages?page=50", "/pages?page=51", "page"),
    "offset  ": ("/pages?page=1", f"/pages?page={'9' * 5000}", "page"),
    "password_characters": ("/pages?password=1234", "/pages?password=12345", "password"),
    "text_characters": ("/feeds?addon=mailer12", "/feeds?addon=mailer123", "addon"),
}
# The same for bodies.
BODIES: dict[str, tuple[str, dict[str, Any], dict[str, Any], str]] = {
    "title_characters": ("/pages", {"title": "é" * 12}, {"title": "é" * 13}, "title"),
    "title_characters ": (
        "/pages", {"title": {"raw": "a" * 12}}, {"title": {"raw": "a" * 13}}, "title",
    ),
    "content_characters": ("/pages", {"content": "a" * 12}, {"content": "a" * 13}, "content"),
    "slug_characters": ("/pages", {"slug": "a" * 8}, {"slug": "a" * 9}, "slug"),
    "password_characters": ("/pages", {"password": "1234"}, {"password": "12345"}, "password"),
    "text_characters": (
        "/pages", {"meta": {"starts_at": "a" * 8}}, {"meta": {"starts_at": "a" * 9}},
        "meta.starts_at",
    ),
    "text_characters ": (
        "/feeds", {"addon_slug": "a" * 8}, {"addon_slug": "a" * 9}, "addon_slug",
    ),
    "meta_keys": (
        "/feeds", {"meta": {"a": [{"b": 1}], "c": {"d": {"e": 1}}}},
        {"meta": {"a": [{"b": 1}], "c": {"d": {"e": 1, "f": 2}}}}, "meta",
    ),
    "meta_keys ": (
        "/pages", {"meta": {"gallery": [{"a": 1}]}},
        {"meta": {"gallery": [{"a": 1}, 2, 3, 4, 5]}}, "meta",
    ),
}  # fmt: skip
SMALL = Limits(
    json_depth=8, meta_keys=6, form_fields=9, title_characters=12, content_characters=12,
    slug_characters=8,
    password_characters=4, text_characters=8, list_items=4, search_characters=12, search_words=4,
    fields_characters=12, offset=50,
)  # fmt: skip


@pytest.fixture
def small(database_url: str) -> FlaskClient:
    """A client with every right of a service with small bounds, given as settings."""
    bounds = {f"MAX_{name.upper()}": value for name, value in vars(SMALL).items()}
    settings = {"DATABASE_URL": database_url, "CREDENTIALS": SECRET, **bounds}
    client = create_app(settings).test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = basic()["Authorization"]
    assert client.post("/pages", json={"title": "A"}).status_code == 201
    assert client.post("/feeds", json={**FEED, "meta": {"a": "b"}}).status_code == 201
    return client


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
    + [(f"{name}_characters", "data") for name in ("title", "content", "slug", "password")],
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
    for fields_, status in ((9, 201), (10, 413), (200_000, 413)):
        extra = [f"x{number % 100}=1" for number in range(fields_ - 1)]
        body = "&".join(["title=A", *extra])
        kind = "application/x-www-form-urlencoded"
        assert small.post("/pages", data=body, content_type=kind).status_code == status
        parts = ["title", *(f"x{number}" for number in range(min(fields_, 500) - 1))]
        sent = dict.fromkeys(parts, "A")
        answer = small.post("/pages", data=sent, content_type="multipart/form-data")
        assert answer.status_code == status
    assert small.get("/pages").headers["X-WP-Total"] == "3"


def test_an_event_type_has_a_bound(small: FlaskClient) -> None:
    assert named(small.patch("/feeds/1", json={"event_type": "a" * 9}), "event_type")
    answer = small.put("/feeds/1/properties", json={"event_type": "a" * 9})
    assert named(answer, "event_type")


def test_a_body_is_so_deep_and_no_deeper(small: FlaskClient) -> None:
    def nested(depth: int) -> bytes:
        start = json.dumps({**FEED, "meta": 0}).encode().removesuffix(b"0}")
        return start + b'{"a":' + b"[" * (depth - 2) + b"]" * (depth - 2) + b"}}"

    assert small.post("/feeds", data=nested(8), headers=JSON).status_code == 201
    for depth in (9, 100, 10_000, 1_000_000):
        refused = small.post("/feeds", data=nested(depth), headers=JSON)
        assert (refused.status_code, refused.get_json()["code"]) == (400, "rest_invalid_json")


def test_every_bad_parameter_is_named_at_once(small: FlaskClient) -> None:
    query = "/pages?search=a b c d e f g&include=1,2,3,4,5&offset=51&_fields=" + "a" * 13
    params = small.get(query).get_json()["data"]["params"]
    assert set(params) == {"search", "include", "offset", "_fields"}


def test_a_write_is_refused_before_it_is_done_where_its_query_is_wrong(small: FlaskClient) -> None:
    before, wrong = everything(small), f"_fields={'a' * 13}"
    sent = {"POST /pages": {"title": "B"}, "PUT /pages/1": {"title": "B"}, "DELETE /pages/1": None}
    sent |= {"POST /feeds": FEED, "DELETE /feeds/1": None, "PATCH /feeds/1": {"feed_order": 9}}
    for line, body in sent.items():
        method, path = line.split()
        assert named(small.open(f"{path}?{wrong}", method=method, json=body), "_fields")
    assert everything(small) == before


@pytest.mark.parametrize(
    ("patches", "changed"),
    [
        ([{"c": 1, "d": 2, "h": 0}, {"e": 1, "f": 2, "g": 3}], {"c": 1, "d": 2, "h": 0}),
        ([{"x": [1, 2, 3]}, {"y": [1]}], {"x": [1, 2, 3]}),
        ([{"n": {"m": {"l": {"k": {"j": {}}}}}}, {"z": 1}], {"n": {"m": {"l": {"k": {"j": {}}}}}}),
    ],
)
def test_a_merge_never_grows_a_meta_beyond_what_a_body_may_hold(
    small: FlaskClient, patches: list[Any], changed: Any
) -> None:
    first, beyond = patches
    assert small.patch("/feeds/1", json={"meta": first}).status_code == 200
    before = everything(small)
    assert before[1][0]["meta"] == {"a": "b", **changed}
    assert named(small.patch("/feeds/1", json={"meta": beyond, "is_active": False}), "meta")
    assert everything(small) == before
    # What makes it smaller is welcome.
    assert small.patch("/feeds/1", json={"meta": {"a": None}}).get_json()["meta"] == changed


def test_a_merge_never_grows_a_meta_beyond_the_bytes_of_a_body(database_url: str) -> None:
    settings = {"DATABASE_URL": database_url, "MAX_BODY_BYTES": 2000}
    client = create_app(settings).test_client()
    assert client.post("/feeds", json=FEED).status_code == 201
    assert client.post("/pages", json={"title": "A"}).status_code == 201
    assert client.patch("/feeds/1", json={"meta": {"x": "é" * 300}}).status_code == 200
    assert client.put("/pages/1", json={"meta": {"gallery": ["x" * 1500]}}).status_code == 200
    before = everything(client)
    assert named(client.patch("/feeds/1", json={"meta": {"y": "z" * 1500}}), "meta")
    for method in ("PUT", "PATCH", "POST"):
        sent = {"title": "B", "meta": {"language": ["x" * 1500]}}
        assert named(client.open("/pages/1", method=method, json=sent), "meta")
    assert everything(client) == before
    assert client.put("/pages/1", json={"meta": {"gallery": []}}).status_code == 200


def test_a_page_grows_no_meta_beyond_its_keys_bit_by_bit(small: FlaskClient) -> None:
    assert small.put("/pages/1", json={"meta": {"gallery": [1, 2, 3]}}).status_code == 200
    before = everything(small)
    assert named(small.put("/pages/1", json={"meta": {"language": [1, 2, 3]}}), "meta")
    assert everything(small) == before


def test_each_bound_is_a_setting_that_has_to_make_sense(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {f"MAX_{bound.name.upper()}": bound.name for bound in fields(Limits)}
    assert set(names) < set(SETTINGS)
    for name, field in names.items():
        for value in ("0", "-1", "many", "1.5", ""):
            monkeypatch.setenv(f"LANDFORM_{name}", value)
            with pytest.raises(SettingError, match=f"LANDFORM_{name} "):
                read_settings()
        monkeypatch.setenv(f"LANDFORM_{name}", "33")
        assert getattr(read_settings().limits, field) == 33
    monkeypatch.setenv("LANDFORM_MAX_JSON_DEPTH", "501")
    with pytest.raises(SettingError, match="at most 500"):
        read_settings()
    for wrong in ({"list_items": 0}, {"json_depth": 501}):
        with pytest.raises(ValueError, match="at least 1"):
            Limits(**wrong)


def test_a_host_may_set_bounds(database_url: str) -> None:
    assert create_blueprint(database_url, limits=SMALL, name="small")


def test_what_is_as_deep_as_may_be_comes_back_from_everywhere(database_url: str) -> None:
    settings = {"DATABASE_URL": database_url, "MAX_JSON_DEPTH": 500}
    client = create_app(settings).test_client()
    meta = json.loads('{"a":' * 498 + "{}" + "}" * 498)
    assert client.post("/feeds", json={**FEED, "meta": meta}).status_code == 201
    assert client.patch("/feeds/1", json={"meta": meta}).get_json()["meta"] == meta
    assert client.get("/feeds").get_json()[0]["meta"] == meta
    enveloped = client.get("/feeds?_envelope=1").get_json()
    assert enveloped["body"][0]["meta"] == meta


def test_a_body_that_is_too_deep_is_told_the_bound(client: FlaskClient) -> None:
    body = b'{"title": "A", "meta": ' + b"[" * 600 + b"]" * 600 + b"}"
    refused = client.post("/pages", data=body, content_type="application/json")
    assert (refused.status_code, refused.get_json()["code"]) == (400, "rest_invalid_json")
    assert "500 levels" in refused.get_json()["message"]
