"""Feeds: what each write makes of one, the shapes they are answered in, and their order."""

import json
from typing import Any

import pytest
from applications import Client, store_of
from flask import Flask

MAILCHIMP, ZAPIER = "gravityformsmailchimp", "gravityformszapier"
FULL = {"form_id": 2, "addon_slug": ZAPIER, "meta": {"new": [1]}}


def ids(client: Client, path: str) -> list[int]:
    answer = client.get(path)
    assert answer.status_code == 200, answer.text
    return [int(feed["id"]) for feed in answer.get_json()]


@pytest.mark.parametrize("path", ["/feeds", "/forms/7/feeds", "/wp-json/gf/v2/forms/7/feeds"])
def test_a_created_feed_is_where_location_says(client: Client, path: str) -> None:
    body = {**FULL, "form_id": 7, "is_active": "false", "feed_order": "3", "id": 99, "more": 1}
    answer = client.post(path, json={**body, "event_type": "ignored"})
    created = answer.get_json()
    assert answer.status_code == 201
    assert created == {"id": 1, "form_id": 7, "addon_slug": ZAPIER, "meta": {"new": [1]}}
    root = "http://localhost" + ("/wp-json/gf/v2" if path.startswith("/wp-json") else "")
    assert answer.headers["Location"] == f"{root}/feeds/1"
    strings = {"id": "1", "form_id": "7", "is_active": "0", "feed_order": "3"}
    expected = {**created, **strings, "event_type": None}
    assert client.get(answer.headers["Location"]).get_json() == expected
    assert client.get("/feeds").get_json() == [expected]
    assert client.delete(answer.headers["Location"]).get_json() == {**expected, "deleted": True}


def test_lists_are_in_feed_order_then_by_id_and_filters_combine(client: Client) -> None:
    for form_id, order, addon, active in [
        *((1, 5, MAILCHIMP, True), (0, 0, ZAPIER, True), (1, 0, ZAPIER, False)),
        *((2, 2**63 - 1, MAILCHIMP, True), (1, 5, "ä b,c", True), (1, 0, MAILCHIMP, False)),
    ]:
        client.feed(form_id=form_id, feed_order=order, addon_slug=addon, is_active=active)
    for path, found in {
        "/feeds": [2, 3, 6, 1, 5, 4],
        "/forms/1/feeds": [3, 6, 1, 5],
        "/forms/0/feeds": [2],
        "/forms/001/feeds": [3, 6, 1, 5],
        "/forms/99999999999999999999999/feeds": [],
        "/feeds?form_id=0": [2],
        "/feeds?form_id=2,0": [2, 4],
        "/feeds?form_id[]=1&form_id[]=2": [3, 6, 1, 5, 4],
        "/feeds?form_id=": [2, 3, 6, 1, 5, 4],
        "/feeds?is_active=0": [3, 6],
        "/feeds?is_active=true&form_id=1": [1, 5],
        "/feeds?is_active=false&addon=gravityformszapier&include=1,2,3": [3],
        "/feeds?form_id=1&addon=gravityformsmailchimp&is_active=1&include[]=1&include[]=5": [1],
        "/feeds?addon=%C3%A4%20b,c": [5],
        "/feeds?addon=GravityFormsZapier": [],
    }.items():
        assert (path, ids(client, path)) == (path, found)
    assert client.patch("/feeds/4", json={"feed_order": 0}).status_code == 200
    assert client.put("/feeds/6/properties", json={"feed_order": 1}).status_code == 200
    assert ids(client, "/feeds") == [2, 3, 4, 6, 1, 5]


@pytest.mark.parametrize("path", ["POST /feeds", "PUT /feeds/1", "POST /forms/1/feeds"])
def test_a_missing_addon_slug_has_a_code_of_its_own(client: Client, path: str) -> None:
    feed, (method, path) = client.feed(), path.split()
    absent = {key: value for key, value in FULL.items() if key != "addon_slug"}
    for body in (absent, {**FULL, "addon_slug": None}, {**FULL, "addon_slug": ""}):
        error = client.open(path, method=method, json=body).get_json()
        assert (error["code"], error["data"]["status"]) == ("missing_addon_slug", 400)
        assert list(error["data"]["params"]) == ["addon_slug"]
    assert client.get("/feeds").get_json() == [feed]


BAD = {"form_id": "9" * 5000, "addon_slug": "a\0b", "meta": ["x"], "is_active": "yes"}
BAD |= {"feed_order": 2**63}
WRITES = ["POST /feeds", "POST /forms/1/feeds", "PUT /feeds/1", "PATCH /feeds/1"]


@pytest.mark.parametrize("path", [*WRITES, "PUT /feeds/1/properties"])
def test_a_refused_write_changes_nothing_and_names_all_errors(client: Client, path: str) -> None:
    feed, (method, path) = client.feed(is_active=False, feed_order=3), path.split()
    error = client.open(path, method=method, json=BAD).get_json()
    assert set(error["data"]["params"]) == BAD.keys() - ({"form_id"} if "forms" in path else set())
    for name, value in {} if method == "POST" else {"event_type": "a\0b", "colour": "red"}.items():
        answer = client.open(path, method=method, json={**FULL, name: value})
        assert (answer.status_code, list(answer.get_json()["data"]["params"])) == (400, [name])
    assert client.post(f"/forms/{2**63}/feeds", json=FULL).status_code == 400
    assert client.get("/feeds").get_json() == [feed]


def test_fields_are_chosen_on_every_answer(client: Client) -> None:
    client.feed(meta={"a": {"b": 1, "c": 2}, "d": [{"b": 3, "c": 4}]})
    chosen = {"id": "1", "meta": {"a": {"b": 1}, "d": [{"b": 3}]}}
    query = "_fields=id,meta.a.b,meta.d.b"
    assert client.get(f"/feeds?{query}").get_json() == [chosen]
    assert client.get(f"/feeds/1?{query}").get_json() == chosen
    assert client.get("/forms/1/feeds?_fields=none").get_json() == [{}]
    assert client.get("/feeds?_fields[]=is_active").get_json() == [{"is_active": "1"}]
    assert client.patch("/feeds/1?_fields=form_id", json={"form_id": 3}).get_json() == {
        "form_id": 3
    }
    assert client.delete("/feeds/1?_fields=deleted,none").get_json() == {"deleted": True}


@pytest.fixture
def three(client: Client) -> None:
    """Three feeds of form 1, and one of form 2."""
    for form_id in (1, 1, 1, 2):
        client.feed(form_id=form_id)


def orders(client: Client) -> list[tuple[str, str]]:
    return [(feed["id"], feed["feed_order"]) for feed in client.get("/forms/1/feeds").get_json()]


def test_an_order_sets_feed_order_and_partial_keeps_the_others(client: Client, three: None) -> None:
    for body in ([3, 1, 2], {"feeds": [3, 1, 2]}, {"feeds": ["3", 1, 2.0]}):
        answer = client.put("/forms/1/feeds/order", json=body)
        assert answer.status_code == 200
        assert answer.get_json() == client.get("/forms/1/feeds").get_json()
        assert orders(client) == [("3", "1"), ("1", "2"), ("2", "3")]
    client.put("/forms/1/feeds/order?partial=true", json=[2])
    assert orders(client) == [("2", "1"), ("3", "2"), ("1", "3")]
    client.put("/forms/1/feeds/order", json={"feeds": [1], "partial": True})
    assert orders(client) == [("1", "1"), ("2", "2"), ("3", "3")]


def test_an_order_changes_only_feeds_that_move(client: Client, app: Flask, three: None) -> None:
    client.put("/forms/1/feeds/order", json=[1, 2, 3])
    tags = {number: client.get(f"/feeds/{number}").headers["ETag"] for number in (1, 2, 3)}
    told: list[Any] = []
    store_of(app).on_commit(told.append)
    client.put("/forms/1/feeds/order", json=[1, 3, 2])
    assert [one["type"] for one in told] == ["feed.reordered"]
    changed = [n for n in tags if client.get(f"/feeds/{n}").headers["ETag"] != tags[n]]
    assert changed == [2, 3]


# Another list than that of the form: what of it is missing, and what is unknown.
DIFFERENCES: dict[str, tuple[list[int], list[int]]] = {
    "[1, 2]": ([3], []), "[1, 2, 3, 4]": ([], [4]), "[9]": ([1, 2, 3], [9]), "[]": ([1, 2, 3], []),
    f"[{2**63 - 1}, 1, 2, 3]": ([], [2**63 - 1]),
    '{"feeds": [4], "partial": true}': ([1, 2, 3], [4]),
}  # fmt: skip


def test_an_order_of_other_feeds_is_a_409_with_the_difference(client: Client, three: None) -> None:
    before = orders(client)
    for body, (missing, unknown) in DIFFERENCES.items():
        error = client.put("/forms/1/feeds/order", json=json.loads(body)).get_json()
        assert (error["code"], error["data"]["status"]) == ("rest_order_incomplete", 409)
        assert error["data"]["details"] == {"missing": missing, "unknown": unknown}
    assert orders(client) == before


def test_if_match_names_the_list_that_was_read(client: Client, three: None) -> None:
    tag = client.get("/forms/1/feeds").headers["ETag"]
    done = client.put("/forms/1/feeds/order", json=[3, 2, 1], headers={"If-Match": tag})
    assert done.status_code == 200
    late = client.put("/forms/1/feeds/order", json=[1, 2, 3], headers={"If-Match": tag})
    assert (late.status_code, orders(client)[0]) == (412, ("3", "1"))
    again = {"If-Match": done.headers["ETag"]}
    assert client.put("/forms/1/feeds/order", json=[1, 2, 3], headers=again).status_code == 200
    other = {"If-Match": client.get("/feeds/1").headers["ETag"]}
    assert client.put("/forms/1/feeds/order", json=[3, 2, 1], headers=other).status_code == 412


# What a feed that is there says to these bodies is recorded.
def test_a_feed_that_is_not_there_is_a_404_before_what_its_body_lacks(client: Client) -> None:
    for method, bodies in (
        ("PUT", ({}, None, {"meta": {"a": 1}}, {**FULL, "meta": {}})),
        ("PATCH", ({}, None, {"name": "Mine"})),
    ):
        for body in bodies:
            answer = client.open("/feeds/9", method=method, json=body)
            assert (answer.status_code, answer.get_json()["code"]) == (404, "gf_feed_invalid_id")
    client.feed()
    assert client.patch("/feeds/1", json={}).get_json()["code"] == "missing_properties"
    # A wrong value comes first, as in WordPress.
    assert client.put("/feeds/9", json={**FULL, "is_active": "x"}).status_code == 400


def test_a_copy_is_inactive_and_its_name_ends_with_copy(client: Client) -> None:
    meta = {"feedName": "News", "list": [1.0, 2**70, None]}
    client.feed(form_id=3, feed_order=4, addon_slug="crm", meta=meta)
    client.patch("/feeds/1", json={"event_type": "refund"})
    answer = client.post("/feeds/1/duplicate")
    copied = {**meta, "feedName": "News (copy)"}
    shown = {"id": 2, "form_id": 3, "addon_slug": "crm", "meta": copied}
    assert (answer.status_code, answer.get_json()) == (201, shown)
    assert answer.headers["Location"] == "http://localhost/feeds/2"
    read = client.get("/feeds/2")
    assert read.get_json() == {
        "id": "2", "form_id": "3", "is_active": "0", "feed_order": "4", "addon_slug": "crm",
        "event_type": "refund", "meta": copied,
    }  # fmt: skip
    assert client.get("/feeds/1").get_json()["meta"] == meta
    missing = client.post("/feeds/9/duplicate")
    assert (missing.status_code, missing.get_json()["code"]) == (404, "gf_feed_invalid_id")
    for body in ({"form_id": -1}, {"form_id": "x"}, {"name": "Mine"}):
        assert client.post("/feeds/1/duplicate", json=body).status_code == 400
    assert len(client.get("/feeds").get_json()) == 2


def test_a_copy_goes_to_another_form_once_for_each_key(client: Client) -> None:
    client.feed(meta={"k": "no name"})
    headers = {"Idempotency-Key": "k"}
    for _ in range(2):
        answer = client.post("/feeds/1/duplicate", json={"form_id": 5}, headers=headers)
        assert (answer.status_code, answer.get_json()["id"]) == (201, 2)
    assert answer.get_json()["meta"] == {"k": "no name"}
    assert client.post("/feeds/2/duplicate", json={}, headers=headers).get_json()["id"] == 3
    assert [feed["id"] for feed in client.get("/forms/5/feeds").get_json()] == ["2", "3"]


EMPTYING = [{"only": None}, {"only": None, "other": None}]


@pytest.mark.parametrize("path", ["/feeds/1", "/wp-json/gf/v2/feeds/1"])
@pytest.mark.parametrize("patch", EMPTYING)
def test_a_patch_that_would_remove_every_setting_is_refused(
    client: Client, path: str, patch: dict[str, None]
) -> None:
    before = client.feed(meta={"only": {"a": 1}})
    refused = client.patch(path, json={"meta": patch, "feed_order": 7})
    assert (refused.status_code, refused.get_json()["code"]) == (400, "missing_feed_meta")
    assert client.get(path).get_json() == before
    for kept in ({"only": {"a": None}}, {}, {"only": None, "new": 0}):
        assert client.patch(path, json={"meta": kept}).status_code == 200
