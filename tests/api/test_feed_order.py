"""The order of a form's feeds as one act, and copies of feeds."""

from typing import Any

import pytest
from applications import store_of
from flask import Flask
from flask.testing import FlaskClient

from landform.storage.events import Happened


@pytest.fixture
def three(make_feed: Any) -> None:
    """Three feeds of form 1, and one of form 2."""
    for form_id in (1, 1, 1, 2):
        make_feed(form_id=form_id)


def orders(client: FlaskClient) -> list[tuple[str, str]]:
    return [(feed["id"], feed["feed_order"]) for feed in client.get("/forms/1/feeds").get_json()]


@pytest.mark.parametrize("body", [[3, 1, 2], {"feeds": [3, 1, 2]}, {"feeds": ["3", 1, 2.0]}])
def test_the_list_is_the_order(client: FlaskClient, three: None, body: Any) -> None:
    answer = client.put("/forms/1/feeds/order", json=body)
    assert answer.status_code == 200
    assert answer.get_json() == client.get("/forms/1/feeds").get_json()
    assert orders(client) == [("3", "1"), ("1", "2"), ("2", "3")]


def test_only_what_has_another_place_is_written(
    client: FlaskClient, app: Flask, three: None
) -> None:
    client.put("/forms/1/feeds/order", json=[1, 2, 3])
    tags = {number: client.get(f"/feeds/{number}").headers["ETag"] for number in (1, 2, 3)}
    told: list[Happened] = []
    store_of(app).on_commit(told.append)
    client.put("/forms/1/feeds/order", json=[1, 3, 2])
    assert [one.type for one in told] == ["feed.reordered"]
    changed = [n for n in tags if client.get(f"/feeds/{n}").headers["ETag"] != tags[n]]
    assert changed == [2, 3]


@pytest.mark.parametrize(("ids", "missing", "unknown"), [
    ([1, 2], [3], []), ([1, 2, 3, 4], [], [4]), ([9], [1, 2, 3], [9]), ([], [1, 2, 3], []),
    ([2**63 - 1, 1, 2, 3], [], [2**63 - 1]),
])  # fmt: skip
def test_another_list_than_that_of_the_form_is_a_409_with_the_difference(
    client: FlaskClient, three: None, ids: list[int], missing: list[int], unknown: list[int]
) -> None:
    before = orders(client)
    refused = client.put("/forms/1/feeds/order", json=ids)
    assert (refused.status_code, refused.get_json()["code"]) == (409, "rest_order_incomplete")
    assert refused.get_json()["data"]["details"] == {"missing": missing, "unknown": unknown}
    assert orders(client) == before


def test_with_partial_the_others_follow(client: FlaskClient, three: None) -> None:
    client.put("/forms/1/feeds/order?partial=true", json=[3])
    assert orders(client) == [("3", "1"), ("1", "2"), ("2", "3")]
    client.put("/forms/1/feeds/order", json={"feeds": [2], "partial": True})
    assert orders(client) == [("2", "1"), ("3", "2"), ("1", "3")]
    refused = client.put("/forms/1/feeds/order?partial=true", json=[4])
    assert refused.get_json()["data"]["details"] == {"missing": [2, 3, 1], "unknown": [4]}


def test_if_match_names_the_list_that_was_read(client: FlaskClient, three: None) -> None:
    tag = client.get("/forms/1/feeds").headers["ETag"]
    done = client.put("/forms/1/feeds/order", json=[3, 2, 1], headers={"If-Match": tag})
    assert done.status_code == 200
    late = client.put("/forms/1/feeds/order", json=[1, 2, 3], headers={"If-Match": tag})
    assert (late.status_code, orders(client)[0]) == (412, ("3", "1"))
    again = {"If-Match": done.headers["ETag"]}
    assert client.put("/forms/1/feeds/order", json=[1, 2, 3], headers=again).status_code == 200
    other = {"If-Match": client.get("/feeds/1").headers["ETag"]}
    assert client.put("/forms/1/feeds/order", json=[3, 2, 1], headers=other).status_code == 412


def test_wrong_lists_name_what_is_wrong(client: FlaskClient, three: None) -> None:
    before = orders(client)
    for body, named in (
        ({}, "feeds"), ([1, 1, 2], "feeds"), (["x"], "feeds"), ([0], "feeds"), ([None], "feeds"),
        ([1.5], "feeds"), ([[1]], "feeds"), ([2**63], "feeds"), ({"feeds": "3,1,2"}, "feeds"),
        ({"feeds": {"0": 1}}, "feeds"), ({"feeds": [1, 2, 3], "partial": 7}, "partial"),
        ({"feeds": [1, 2, 3], "form": 1}, "form"),
    ):  # fmt: skip
        answer = client.put("/forms/1/feeds/order", json=body)
        assert answer.status_code == 400, (body, answer.text)
        assert named in answer.get_json()["data"]["params"], body
    assert client.put("/forms/1/feeds/order", json="x").status_code == 400
    assert orders(client) == before


def test_a_copy_is_inactive_and_says_what_it_is(client: FlaskClient, make_feed: Any) -> None:
    meta = {"feedName": "News", "list": [1.0, 2**70, None]}
    make_feed(form_id=3, feed_order=4, addon_slug="crm", meta=meta)
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


def test_a_copy_goes_to_another_form_once_for_each_key(client: FlaskClient, make_feed: Any) -> None:
    make_feed(meta={"k": "no name"})
    headers = {"Idempotency-Key": "k"}
    for _ in range(2):
        answer = client.post("/feeds/1/duplicate", json={"form_id": 5}, headers=headers)
        assert (answer.status_code, answer.get_json()["id"]) == (201, 2)
    assert answer.get_json()["meta"] == {"k": "no name"}
    assert client.post("/feeds/2/duplicate", json={}, headers=headers).get_json()["id"] == 3
    assert [feed["id"] for feed in client.get("/forms/5/feeds").get_json()] == ["2", "3"]


def test_a_copy_of_nothing_is_a_404_and_a_wrong_form_a_400(
    client: FlaskClient, make_feed: Any
) -> None:
    make_feed()
    missing = client.post("/feeds/9/duplicate")
    assert (missing.status_code, missing.get_json()["code"]) == (404, "gf_feed_invalid_id")
    for body in ({"form_id": -1}, {"form_id": "x"}, {"name": "Mine"}):
        assert client.post("/feeds/1/duplicate", json=body).status_code == 400
    assert len(client.get("/feeds").get_json()) == 1
