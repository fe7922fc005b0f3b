"""A plan leaves out feeds that were run for the entry, unless they may be run again."""

from typing import Any

from applications import Client

SUCCESS = {"state": "success", "attempt": 1}
FAILURE = {"state": "failed", "attempt": 1}


def plan(client: Client, **body: Any) -> tuple[list[int], dict[int, str]]:
    """Return the feeds of form 1 in its plan, and why the others are not."""
    answer = client.post("/forms/1/feeds/plan", json={"entry": {}, "explain": True, **body})
    assert answer.status_code == 200, answer.text
    body = answer.get_json()
    reasons = {feed["id"]: feed["reason"] for feed in body["skipped"]}
    return [feed["id"] for feed in body["feeds"]], reasons


def run(client: Client, feed: int, entry: str, outcome: Any = None) -> int:
    """Claim the run of a feed, and end it with an outcome."""
    claimed = client.post(f"/feeds/{feed}/runs", json={"entry_id": entry})
    assert claimed.status_code == 201, claimed.text
    path = f"/feeds/{feed}/runs/{claimed.get_json()['id']}"
    assert outcome is None or client.patch(path, json=outcome).status_code == 200
    return int(claimed.get_json()["id"])


def test_a_feed_that_was_run_for_the_entry_does_not_run_again(client: Client) -> None:
    for _ in range(5):
        client.feed()
    for feed, outcome in (
        (1, SUCCESS),
        (2, FAILURE),
        (4, None),
        (5, {**FAILURE, "retryable": True}),
    ):
        run(client, feed, "17", outcome)
    assert plan(client, entry_id="17") == ([3, 5], dict.fromkeys((1, 2, 4), "already_run"))
    assert plan(client, entry_id=17)[0] == [3, 5]
    assert plan(client, entry_id="18")[0] == plan(client)[0] == [1, 2, 3, 4, 5]


def test_with_first_only_the_feed_that_was_run_stays_the_only_one(client: Client) -> None:
    for _ in range(3):
        client.feed(addon_slug="pay")
    number = run(client, 2, "e")
    feeds, reasons = plan(client, first_only=["pay"], entry_id="e")
    assert (feeds, reasons) == ([], {1: "first_only", 2: "already_run", 3: "first_only"})
    ended = client.patch(f"/feeds/2/runs/{number}", json={**FAILURE, "retryable": True})
    assert ended.status_code == 200
    assert plan(client, first_only=["pay"], entry_id="e")[0] == [2]
    client.patch("/feeds/2", json={"is_active": False})
    assert plan(client, first_only=["pay"], entry_id="e")[0] == []
