"""The run of a feed for an entry, also from the queue: claimed by one at a time, done once."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from landform.parts import feed_runs
from landform.parts.feed_runs import FeedRun
from landform.parts.runs import storage as runs
from landform.storage import Store, feeds
from landform.storage.clock import earlier, utc_text

SUCCESS = {"attempt": 1, "state": "success", "code": "", "message": "", "retryable": False}
FAILURE = {**SUCCESS, "state": "failed", "code": "timeout", "retryable": True}
PART = {"page": 1, "per_page": 100, "order": "asc"}
# The service itself runs the first two.
SLUGS = ("mine", "other")


@pytest.fixture(autouse=True)
def three_feeds(store: Store) -> Iterator[None]:
    with store.connection():
        for number, slug in enumerate((*SLUGS, "outside")):
            feeds.create(store, {"form_id": number + 1, "addon_slug": slug, "meta": {}})
        yield


def claim(store: Store, feed_id: int = 1, entry_id: str = "e", lease: int = 60) -> dict[str, Any]:
    return runs.claim(store, feed_id, entry_id, lease, 30)


def add(store: Store, entry_id: str, *feed_ids: int) -> None:
    with store.transaction():
        feed_runs.add(store, 3, feed_ids, entry_id)


def claim_queued(store: Store) -> dict[str, Any]:
    """Claim what is due for the longest in the queue; return an empty dict for nothing."""
    due = [feed for feed, wait in feed_runs.due_feeds(store, SLUGS).items() if not wait]
    return feed_runs.claim_due(store, due[0], 1, 60)[0] if due else {}


def change(store: Store, run_id: int, **columns: Any) -> None:
    """Let a run have other values, such as a time that is past."""
    FeedRun.update(columns).where(FeedRun.id == run_id).execute(store.database)


def past(**ago: int) -> str:
    return utc_text(datetime.now(UTC) - timedelta(**ago))


def states(store: Store) -> list[tuple[int, str, str, int]]:
    rows, _ = runs.list_runs(store, PART)
    return [(row["feed_id"], row["entry_id"], row["state"], row["attempt"]) for row in rows]


def test_a_lapsed_run_is_replayed_or_ended_where_nobody_else_has_claimed_it(store: Store) -> None:
    run = claim(store)
    change(store, run["id"], due_utc=past(hours=1))
    assert runs.replay(store, 1, run["id"])["state"] == "pending"
    assert claim(store)["attempt"] == 2
    change(store, run["id"], due_utc=past(hours=1))
    assert runs.end(store, 1, run["id"], {**SUCCESS, "attempt": 2})["state"] == "success"
    assert feed_runs.feeds_of_entry(store, "e") == {1: False}


def test_old_runs_are_deleted_unless_they_wait(store: Store) -> None:
    for number, (written, due) in enumerate([
        (past(days=32), None), (past(days=32), past(days=32)), (past(days=29), None),
        (past(days=32), past(days=-1)),
    ]):  # fmt: skip
        change(store, claim(store, 1, str(number))["id"], modified_utc=written, due_utc=due)
    claim(store, 1, "new")
    assert [run[1] for run in states(store)] == ["2", "3", "new"]


def test_due_are_those_that_may_be_claimed_now_the_oldest_first(store: Store) -> None:
    lapsed, failed, waiting = (claim(store, 1, entry) for entry in ("lapsed", "failed", "waiting"))
    pending, done = claim(store, 2, "pending"), claim(store, 2, "done")
    claim(store, 2, "claimed")
    runs.end(store, 1, failed["id"], FAILURE)
    runs.end(store, 1, waiting["id"], {**FAILURE, "retry_at": past(days=-1)})
    for run in (pending, done):
        runs.end(store, 2, run["id"], SUCCESS)
    runs.replay(store, 2, pending["id"])
    change(store, lapsed["id"], due_utc=past(minutes=5))
    change(store, failed["id"], due_utc=past(minutes=9))

    def due(**query: Any) -> list[str]:
        return [run["entry_id"] for run in runs.list_due(store, {**PART, **query})[0]]

    assert due() == ["failed", "lapsed", "pending"]
    assert due(form_id=[2]) == ["pending"]
    assert due(feed_id=[1]) == ["failed", "lapsed"]
    assert due(addon="other") == ["pending"]
    feeds.update(store, 1, {"is_active": False})
    assert due() == ["pending"]
    for run_id in (lapsed["id"], failed["id"]):
        assert runs.get(store, 1, run_id)["state"] in ("claimed", "failed")


# The queue of runs that the service itself carries out.
def test_a_failure_waits_and_a_lost_claim_ends_nothing(store: Store) -> None:
    add(store, "7", 1)
    run = claim_queued(store)
    feed_runs.end_claimed(store, run, "failed", "No answer.", retry_in=100)
    assert (claim_queued(store), states(store)) == ({}, [(1, "7", "failed", 1)])
    assert 90 < feed_runs.due_feeds(store, SLUGS)[1] <= 101
    change(store, run["id"], due_utc=past(seconds=1))
    again = claim_queued(store)
    assert again["attempt"] == 2
    # The first claim is over: neither its end nor its withdrawal counts.
    feed_runs.end_claimed(store, run, "success")
    feed_runs.withdraw(store, run)
    assert states(store) == [(1, "7", "claimed", 2)]
    feed_runs.end_claimed(store, again, "success")
    assert states(store) == [(1, "7", "success", 2)]
    assert feed_runs.due_feeds(store, SLUGS) == {}


def test_the_feed_that_waits_longest_comes_first_and_inactive_ones_wait(store: Store) -> None:
    add(store, "7", 1, 2)
    add(store, "8", 1)
    change(store, 2, due_utc=past(hours=1))
    change(store, 3, due_utc=past(minutes=1))
    feeds.update(store, 1, {"is_active": False})
    assert claim_queued(store)["id"] == 2
    assert not claim_queued(store)
    feeds.update(store, 1, {"is_active": True})
    assert [claim_queued(store)["id"] for _ in range(2)] == [3, 1]


def test_a_queued_run_goes_with_its_entry_and_not_by_its_age(store: Store) -> None:
    add(store, "7", 1, 2)
    claim(store, 3, "7")
    old = past(days=400)
    for number in (1, 2):
        change(store, number, state="success", due_utc=None, modified_utc=old)
    change(store, 3, state="success", due_utc=None, modified_utc=past(days=500))
    claim(store, 3, "8")
    assert [run[:2] for run in states(store)] == [(1, "7"), (2, "7"), (3, "8")]
    with store.transaction():
        feed_runs.delete(store, ["7", "8"])
    assert [run[:2] for run in states(store)] == [(3, "8")]
    add(store, "9", 1)
    run = claim_queued(store)
    feed_runs.withdraw(store, run)
    assert [run[1] for run in states(store)] == ["8"]


@pytest.mark.sqlite("its plans are read")
def test_a_look_into_the_queue_reads_indexes_however_many_runs_wait(store: Store) -> None:
    statements: list[str] = []
    store.database.connection().set_trace_callback(statements.append)
    add(store, "7", 1, 2, 3)
    assert claim_queued(store)
    claim(store, 1, "theirs")
    store.database.connection().set_trace_callback(None)
    texts = [text for text in statements if re.match("(SELECT|DELETE) .*feed_run", text)]
    plans = [store.database.execute_sql(f"EXPLAIN QUERY PLAN {text}").fetchall() for text in texts]
    steps = [str(step[-1]) for plan in plans for step in plan]
    assert [step for step in steps if "SCAN" in step] == []
    assert {"feed_run_queue", "feed_run_expiring"} <= set(" ".join(steps).split())
