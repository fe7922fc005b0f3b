"""A run that ends has an event, in the transaction of its end."""

import json
from typing import Any

from applications import Client

HOST = {"base_url": "https://landing.example.com"}


def end(client: Client, entry: str, **outcome: Any) -> None:
    claimed = client.post("/feeds/1/runs", json={"entry_id": entry}, **HOST)
    assert claimed.status_code == 201, claimed.text
    path = f"/feeds/1/runs/{claimed.get_json()['id']}"
    for _ in range(2):
        ended = client.patch(path, json={"attempt": 1, **outcome}, **HOST)
        assert ended.status_code == 200, ended.text


def test_each_end_has_one_event_without_what_was_reported(client: Client) -> None:
    client.feed()
    reported = {"code": "no-code", "message": "no-message"}
    end(client, "e0", state="success", **reported)
    end(client, "e1", state="failed", retryable=True, **reported)
    end(client, "e2", state="skipped", **reported)
    events = client.get("/events?type=run.*").get_json()
    assert [event["type"] for event in events] == ["run.succeeded", "run.failed"]
    ids = {"id": 2, "version": 2, "feed_id": 1, "form_id": 1, "entry_id": "e1", "attempt": 1}
    assert events[1]["data"] == {"resource": "run", **ids, "retryable": True, "status": "failed"}
    assert not [text for text in reported.values() if text in json.dumps(events)]


def test_the_event_of_a_run_has_at_most_4_kib(client: Client) -> None:
    client.feed(form_id=2**53, addon_slug="a")
    end(client, "\U0001d54f" * 100, state="success")
    answer = client.get("/events?type=run.succeeded", **HOST)
    assert 200 < len(answer.data) < 4096
