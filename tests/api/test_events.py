"""GET /events: whoever follows its links misses no event, whoever writes meanwhile."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
import requests
from applications import Client, Standing, next_path
from conftest import ROOT
from flask import Flask

from landform.storage import events

EVENTS = (ROOT / "docs/events.md").read_text()
HOST = f"https://{'a' * 60}.{'b' * 60}.example"


@pytest.fixture
def written(client: Client) -> None:
    """Six events: of pages 1, 2 and 3, of which one is a draft, and of feed 1."""
    for status in ("publish", "draft", "publish"):
        client.page(status=status)
    client.feed()


def test_pages_of_events_lead_to_the_end_and_on(client: Client, written: None) -> None:
    path, seen = "/events?per_page=4", []
    for length in (4, 2, 0, 0):
        answer = client.get(path)
        assert (answer.status_code, len(answer.get_json())) == (200, length)
        seen += answer.get_json()
        path = next_path(answer)
    assert path == "/events?per_page=4&after=6"
    assert [event["id"] for event in seen] == list(range(1, 7))
    assert seen[1]["type"] == "page.published"
    assert seen[1]["data"] == {
        "resource": "page", "id": 1, "version": 1, "slug": "a-page", "status": "publish",
        "link": "http://localhost/a-page/", "changed": seen[0]["data"]["changed"],
    }  # fmt: skip
    client.page(status="draft")
    assert [event["id"] for event in client.get(path).get_json()] == [7]


FILTERS = {
    "after=0": [1, 2, 3, 4, 5, 6], "after=4": [5, 6], "type=*": [1, 2, 3, 4, 5, 6],
    "type=page.*": [1, 2, 3, 4, 5], "type=page.published,feed.created": [2, 5, 6],
    "type[]=feed.*&type[]=page.published&after=2": [5, 6], "type=store.*": [],
    "resource_id=1": [1, 2, 6], "resource_id=1,3&type=page.*": [1, 2, 4, 5],
    f"resource_id={2**70}": [], "per_page=1": [1], "resource_id=1&per_page=2": [1, 2],
}  # fmt: skip


def test_filters_narrow_the_list(client: Client, written: None) -> None:
    for query, ids in FILTERS.items():
        answer = client.get(f"/events?{query}")
        assert (query, [event["id"] for event in answer.get_json()]) == (query, ids)
        # Where nothing more was found it goes on after what was looked at.
        last = ids[-1] if f"per_page={len(ids)}" in query else 6
        assert next_path(answer).endswith(f"after={last}")


def test_an_etag_holds_until_something_happens(client: Client) -> None:
    client.page()
    tags = {path: client.get(path).headers["ETag"] for path in ("/events", "/events?after=2")}
    assert len(set(tags.values())) == 2
    for path, tag in tags.items():
        assert client.get(path, headers={"If-None-Match": tag}).status_code == 304
    client.page()
    for path, tag in tags.items():
        assert client.get(path, headers={"If-None-Match": tag}).status_code == 200


def test_an_id_that_is_not_kept_is_a_410_and_without_one_it_begins_with_the_first_kept(
    client: Client, written: None
) -> None:
    store = client.store
    with store.connection() as db, store.transaction():
        events.Event.delete().where(events.Event.id <= 3).execute(db)
        events.EventState.insert(name=events.EXPIRED, number=3, holder="").execute(db)
    for after in (0, 2, 7, 2**62):
        gone = client.get(f"/events?after={after}")
        assert (gone.status_code, gone.get_json()["code"]) == (410, "rest_events_expired")
    for path in ("/events", "/events?after=3"):
        assert [event["id"] for event in client.get(path).get_json()] == [4, 5, 6]
    assert client.get("/events?after=6").get_json() == []


def test_a_due_page_is_published_by_whoever_delivers_and_by_no_reader(client: Client) -> None:
    clock = client.store.clock = Standing()
    client.page(date="2030-05-01T12:00:30")
    path = next_path(client.get("/events"))
    clock.at += timedelta(hours=1)
    assert client.get("/pages/1").get_json()["status"] == "publish"
    assert client.get("/pages").headers["X-WP-Total"] == "1"
    assert client.get(path).get_json() == []
    landing: Any = client.application.blueprints["landform"]
    assert landing.deliver() is None
    (event,) = client.get(path).get_json()
    assert (event["type"], event["timestamp"]) == ("page.published", "2030-05-01T12:00:30Z")


def test_the_newest_events_come_first_in_descending_order(client: Client, written: None) -> None:
    everything = [event["id"] for event in client.get("/events").get_json()]
    path, read = "/events?order=desc&per_page=2&resource_id=1,2", list[int]()
    for _ in range(9):
        answer = client.get(path)
        read += [event["id"] for event in answer.get_json()]
        if "Link" not in answer.headers:
            break
        path = next_path(answer)
    shown = {event["id"] for event in client.get("/events?resource_id=1,2").get_json()}
    assert read == [one for one in reversed(everything) if one in shown]
    assert client.get("/events?order=desc&before=1").get_json() == []


def test_no_event_has_more_than_4_kib(app: Flask, client: Client) -> None:
    names = {"title": "é" * 300, "slug": "é" * 300}
    assert client.post("/pages", json=names, base_url=HOST).status_code == 201
    assert client.put("/pages/1", json={"slug": "à" * 300}, base_url=HOST).status_code == 200
    feed = {"form_id": 2**53, "addon_slug": "\U0001d54f" * 2000, "meta": {"k": "v"}}
    assert client.post("/feeds", json=feed, base_url=HOST).status_code == 201
    for number in range(4):
        answer = client.get(f"/events?per_page=1&after={number}", base_url=HOST)
        assert 300 < len(answer.data) < 4096
    assert answer.get_json()[0]["type"] == "feed.created"


def test_the_documented_loop_misses_none_while_four_write_and_begins_anew_after_a_410(
    start_server: Callable[..., Any],
) -> None:
    (block,) = re.findall(r"```python\n([^`]*def follow.*?)```", EVENTS, re.DOTALL)
    names: dict[str, Any] = {}
    exec(block, names)
    server, handled, anew = start_server(), list[int](), list[str]()
    session = requests.Session()
    session.auth = ("admin", "secret")
    with ThreadPoolExecutor(4) as pool:
        answers = pool.map(lambda _: server.call("POST", "/pages", {"title": "T"}), range(60))

        def handle(event: dict[str, Any]) -> None:
            handled.append(event["id"])
            _ = event["id"] == 120 and 1 / 0

        for after, times in (("?per_page=7", 0), ("?after=99999", 1)):
            handled.clear()
            url = f"{server.url}/events{after}"
            with pytest.raises(ZeroDivisionError):
                names["follow"](session, url, handle, lambda: anew.append("read"))
            assert handled == list(range(1, 121))
            assert len(anew) == times
        assert {status for status, _ in answers} == {201}
