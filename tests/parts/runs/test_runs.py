"""Runs over HTTP: claims, how they end, their events, replays, lists, and plans after them."""

import json
from typing import Any

import pytest
from applications import Client
from databases import run_sql

pytestmark = pytest.mark.usefixtures("feed")


@pytest.fixture
def feed(client: Client) -> int:
    return int(client.feed(form_id=3)["id"])


def claim(client: Client, entry: Any = "e", feed: int = 1, **body: Any) -> dict[str, Any]:
    answer = client.post(f"/feeds/{feed}/runs", json={"entry_id": entry, **body})
    assert answer.status_code == 201, answer.text
    return answer.get_json()


def test_a_claim_says_which_attempt_it_is_and_until_when(client: Client) -> None:
    answer = client.post("/feeds/1/runs", json={"entry_id": 17, "lease": 60})
    run = answer.get_json()
    assert answer.status_code == 201
    assert answer.headers["Location"] == "http://localhost/feeds/1/runs/1"
    shown = {name: run[name] for name in ("id", "feed_id", "form_id", "entry_id", "state")}
    assert shown == {"id": 1, "feed_id": 1, "form_id": 3, "entry_id": "17", "state": "claimed"}
    assert (run["attempt"], run["retry_at"], run["retryable"]) == (1, None, False)
    assert run["created"] < run["until"]
    assert run["until"].endswith("Z")
    assert client.get(answer.headers["Location"]).get_json() == run
    planned = client.post("/forms/3/feeds/plan", json={"entry": {}, "entry_id": "18"}).get_json()
    assert claim(client, "18")["run_key"] == planned["feeds"][0]["run_key"]


def test_a_second_claim_is_a_409_that_says_why(client: Client) -> None:
    run = claim(client)
    again = {"json": {"entry_id": "e"}, "headers": {"Idempotency-Key": "none is taken"}}
    refused = client.post("/feeds/1/runs", **again)
    assert (refused.status_code, refused.get_json()["code"]) == (409, "rest_run_not_due")
    details = {"id": 1, "state": "claimed", "attempt": 1, "due": run["until"]}
    assert refused.get_json()["data"]["details"] == details
    refused = client.post("/feeds/1/runs/1/replay")
    assert (refused.status_code, refused.get_json()["code"]) == (409, "rest_run_not_finished")
    client.patch("/feeds/1/runs/1", json={"state": "success", "attempt": 1})
    refused = client.post("/feeds/1/runs", json={"entry_id": "e"})
    assert refused.get_json()["data"]["details"]["state"] == "success"


def test_a_run_fails_for_now_or_for_good(client: Client) -> None:
    claim(client)
    body = {"state": "failed", "code": "timeout", "message": "No answer.", "retryable": True}
    run = client.patch("/feeds/1/runs/1", json={**body, "attempt": 1}).get_json()
    assert {name: run[name] for name in body} == body
    assert (run["until"], run["retry_at"]) == (None, run["modified"])
    assert [one["id"] for one in client.get("/runs/due").get_json()] == [1]
    assert claim(client)["attempt"] == 2
    later = "2099-01-01T00:00:00+01:00"
    again = {**body, "attempt": 2, "retry_at": later}
    run = client.patch("/feeds/1/runs/1", json=again).get_json()
    assert run["retry_at"] == "2098-12-31T23:00:00Z"
    assert client.get("/runs/due").get_json() == []
    assert client.post("/feeds/1/runs", json={"entry_id": "e"}).status_code == 409
    assert client.post("/feeds/1/runs/1/replay").get_json()["state"] == "pending"
    assert claim(client)["attempt"] == 3
    last = {**body, "attempt": 3, "retryable": False}
    run = client.patch("/feeds/1/runs/1", json=last).get_json()
    assert (run["state"], run["retry_at"]) == ("failed", None)
    assert client.get("/runs/due").get_json() == []


def test_a_run_of_a_deleted_feed_can_be_ended_and_has_no_next_time(client: Client) -> None:
    claim(client)
    claim(client, "late")
    failure = {"state": "failed", "retryable": True, "attempt": 1}
    before = client.patch("/feeds/1/runs/1", json=failure)
    assert client.delete("/feeds/1").status_code == 200
    known = {"If-None-Match": before.headers["ETag"]}
    run = client.get("/feeds/1/runs/1", headers=known).get_json()
    assert run == {**before.get_json(), "retry_at": None}
    assert client.get("/runs?entry_id=e").get_json() == [run]
    assert client.get("/runs/due").get_json() == []
    replayed = client.post("/feeds/1/runs/1/replay")
    assert (replayed.status_code, replayed.get_json()["code"]) == (404, "gf_feed_invalid_id")
    assert client.get("/runs?entry_id=e").get_json() == [run]
    ended = {"state": "success", "attempt": 1}
    assert client.patch("/feeds/1/runs/2", json=ended).status_code == 200


def test_a_worker_whose_claim_went_to_another_is_told(client: Client, database_url: str) -> None:
    first = client.post("/feeds/1/runs", json={"entry_id": "e"})
    run_sql(database_url, "UPDATE feed_run SET due_utc = '2026-01-01T00:00:00'")
    assert claim(client)["attempt"] == 2
    headers = {"If-Match": first.headers["ETag"]}
    late = client.patch("/feeds/1/runs/1", json={"state": "success", "attempt": 2}, headers=headers)
    assert (late.status_code, late.get_json()["code"]) == (412, "rest_precondition_failed")
    done = {"state": "success", "attempt": 2}
    ended = client.patch("/feeds/1/runs/1", json=done)
    assert ended.status_code == 200
    assert client.patch("/feeds/1/runs/1", json=done).get_json() == ended.get_json()
    headers = {"If-Match": ended.headers["ETag"]}
    assert client.post("/feeds/1/runs/1/replay", headers=headers).status_code == 200
    assert client.post("/feeds/1/runs/1/replay", headers=headers).status_code == 412


ENDS: list[dict[str, Any]] = [
    {"state": "success"}, {"state": "skipped"}, {"state": "failed"},
    {"state": "failed", "retryable": True},
    {"state": "failed", "retryable": True, "retry_at": "2099-01-01T00:00:00"},
]  # fmt: skip


@pytest.mark.parametrize("state", ["claimed", "failed", "success", "pending"])
def test_only_a_claiming_attempt_ends_a_run(client: Client, database_url: str, state: str) -> None:
    """Whatever became of the second attempt, the worker of the first one changes nothing."""
    for attempt in (1, 2):
        assert claim(client)["attempt"] == attempt
        if attempt == 1:
            run_sql(database_url, "UPDATE feed_run SET due_utc = '2026-01-01T00:00:00'")
    if state != "claimed":
        body = {"state": "success" if state == "pending" else state, "attempt": 2, "code": "mine"}
        assert client.patch("/feeds/1/runs/1", json=body).status_code == 200
    if state == "pending":
        assert client.post("/feeds/1/runs/1/replay").get_json()["state"] == "pending"
    before = client.get("/feeds/1/runs/1").get_json()
    for outcome in ENDS:
        for attempt, status in ((1, 409), (99, 409), (10**30, 400), (None, 400)):
            body = {**outcome, "attempt": attempt}
            late = client.patch("/feeds/1/runs/1", json=body, headers={"If-Match": "*"})
            assert late.status_code == status, (body, late.text)
            assert status == 400 or late.get_json()["code"] == "rest_run_not_claimed"
        late = client.patch("/feeds/1/runs/1", json=outcome)
        assert (late.status_code, late.get_json()["data"]["params"]) == (400, ["attempt"])
    assert client.get("/feeds/1/runs/1").get_json() == before
    taken = client.post("/feeds/1/runs", json={"entry_id": "e"})
    assert taken.status_code == (201 if state == "pending" else 409)


def test_runs_are_listed_in_pages_of_results(client: Client) -> None:
    for number in range(5):
        claim(client, number)
    skipped = {"state": "skipped", "attempt": 1, "message": "Nothing to do."}
    client.patch("/feeds/1/runs/2", json=skipped)
    listed = client.get("/runs?per_page=2&page=2&form_id=3")
    assert [run["id"] for run in listed.get_json()] == [3, 2]
    assert (listed.headers["X-WP-Total"], listed.headers["X-WP-TotalPages"]) == ("5", "3")
    assert listed.headers["Link"] == (
        '<http://localhost/runs?per_page=2&form_id=3&page=1>; rel="prev", '
        '<http://localhost/runs?per_page=2&form_id=3&page=3>; rel="next"'
    )
    for query, found in (
        ("order=asc&state=skipped,failed", [2]), ("entry_id=4&feed_id=1", [5]), ("form_id=4", []),
        ("form_id=3,4&feed_id=1,2", [5, 4, 3, 2, 1]), ("entry_id=9", []),
        ("state=claimed&entry_id=1", []), ("after=2000-01-01T00:00:00", [5, 4, 3, 2, 1]),
        ("before=2000-01-01T00:00:00", []), ("modified_after=2099-01-01T00:00:00Z", []),
        (f"form_id={2**70}", []), ("after=2099-01-01T00:00:00", []),
        ("modified_before=2099-01-01T00:00:00", [5, 4, 3, 2, 1]),
    ):  # fmt: skip
        assert [run["id"] for run in client.get(f"/runs?{query}").get_json()] == found, query
    assert client.get("/runs?page=2").get_json()["code"] == "rest_post_invalid_page_number"
    due = client.get("/runs/due?per_page=1&addon=crm&feed_id=1&form_id=3")
    assert (due.get_json(), due.headers["X-WP-Total"]) == ([], "0")
    assert client.get("/wp-json/gf/v2/runs?_fields=id").get_json()[0] == {"id": 5}


def test_what_is_not_there_is_a_404(client: Client) -> None:
    claim(client)
    missing = client.post("/feeds/9/runs", json={"entry_id": "e"})
    assert (missing.status_code, missing.get_json()["code"]) == (404, "gf_feed_invalid_id")
    for path in ("/feeds/1/runs/2", "/feeds/2/runs/1", f"/feeds/1/runs/{10**30}"):
        for answer in (
            client.get(path), client.patch(path, json={"state": "success", "attempt": 1}),
            client.post(f"{path}/replay"),
        ):  # fmt: skip
            assert (answer.status_code, answer.get_json()["code"]) == (404, "rest_run_invalid_id")


# Events.
def test_each_end_has_one_event_without_what_was_reported(client: Client) -> None:
    reported = {"code": "no-code", "message": "no-message"}
    for number, outcome in enumerate(ENDS[:2] + ENDS[3:4], 1):
        claim(client, f"e{number}")
        for _ in range(2):
            body = {**outcome, **reported, "attempt": 1}
            assert client.patch(f"/feeds/1/runs/{number}", json=body).status_code == 200
    events = client.get("/events?type=run.*").get_json()
    assert [event["type"] for event in events] == ["run.succeeded", "run.failed"]
    ids = {"id": 3, "version": 2, "feed_id": 1, "form_id": 3, "entry_id": "e3", "attempt": 1}
    assert events[1]["data"] == {"resource": "run", **ids, "retryable": True, "status": "failed"}
    assert not [text for text in reported.values() if text in json.dumps(events)]


def test_the_event_of_a_run_has_at_most_4_kib(client: Client) -> None:
    feed = client.feed(form_id=2**53, addon_slug="a")["id"]
    run = claim(client, "\U0001d54f" * 100, feed)
    client.patch(f"/feeds/{feed}/runs/{run['id']}", json={"state": "success", "attempt": 1})
    assert 200 < len(client.get("/events?type=run.succeeded").data) < 4096


# Plans.
def plan(client: Client, **body: Any) -> tuple[list[int], dict[int, str]]:
    """Return the feeds of form 3 in its plan, and why the others are not."""
    answer = client.post("/forms/3/feeds/plan", json={"entry": {}, "explain": True, **body})
    assert answer.status_code == 200, answer.text
    body = answer.get_json()
    reasons = {feed["id"]: feed["reason"] for feed in body["skipped"]}
    return [feed["id"] for feed in body["feeds"]], reasons


def test_a_feed_that_was_run_for_the_entry_does_not_run_again(client: Client) -> None:
    for _ in range(4):
        client.feed(form_id=3)
    for feed, outcome in ((1, ENDS[0]), (2, ENDS[2]), (4, None), (5, ENDS[3])):
        path = f"/feeds/{feed}/runs/{claim(client, '17', feed)['id']}"
        assert not outcome or client.patch(path, json={**outcome, "attempt": 1}).status_code == 200
    assert plan(client, entry_id="17") == ([3, 5], dict.fromkeys((1, 2, 4), "already_run"))
    assert plan(client, entry_id=17)[0] == [3, 5]
    assert plan(client, entry_id="18")[0] == plan(client)[0] == [1, 2, 3, 4, 5]


def test_with_first_only_the_feed_that_was_run_stays_the_only_one(client: Client) -> None:
    client.delete("/feeds/1")
    for _ in range(3):
        client.feed(form_id=3, addon_slug="pay")
    path = f"/feeds/3/runs/{claim(client, feed=3)['id']}"
    feeds, reasons = plan(client, first_only=["pay"], entry_id="e")
    assert (feeds, reasons) == ([], {2: "first_only", 3: "already_run", 4: "first_only"})
    assert client.patch(path, json={**ENDS[3], "attempt": 1}).status_code == 200
    assert plan(client, first_only=["pay"], entry_id="e")[0] == [3]
    client.patch("/feeds/3", json={"is_active": False})
    assert plan(client, first_only=["pay"], entry_id="e")[0] == []
