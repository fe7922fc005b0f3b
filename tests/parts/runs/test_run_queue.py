"""The runs that the service itself carries out: each once, the longest waiting first."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from landform.parts.runs import storage as runs
from landform.parts.runs.models import FeedRun
from landform.parts.runs.queue import Queue
from landform.storage import Store, feeds
from landform.storage.clock import utc_text

QUEUE, SLUGS = Queue(), ("mine", "other")
PART = {"page": 1, "per_page": 100, "order": "asc"}


@pytest.fixture(autouse=True)
def feeds_of_form_3(store: Store) -> Iterator[None]:
    """Feeds 1 and 2 of add-ons that are run here, and 3 of another one."""
    with store.connection():
        for slug in (*SLUGS, "outside"):
            feeds.create(store, {"form_id": 3, "addon_slug": slug, "meta": {}})
        yield


def add(store: Store, entry_id: str, *feed_ids: int) -> None:
    with store.transaction():
        QUEUE.add(store, 3, feed_ids, entry_id)


def claim(store: Store, *busy: int) -> dict[str, Any] | None:
    return QUEUE.claim_due(store, SLUGS, 60, busy)


def change(store: Store, run_id: int, **columns: Any) -> None:
    FeedRun.update(columns).where(FeedRun.id == run_id).execute(store.database)


def ago(**passed: int) -> str:
    return utc_text(datetime.now(UTC) - timedelta(**passed))


def states(store: Store) -> list[tuple[int, str, str, int]]:
    rows, _ = runs.list_runs(store, PART)
    return [(row["feed_id"], row["entry_id"], row["state"], row["attempt"]) for row in rows]


def test_a_failure_waits_and_a_lost_claim_ends_nothing(store: Store) -> None:
    add(store, "7", 1)
    run = claim(store)
    assert run
    QUEUE.end(store, run, "failed", "No answer.", retry_in=100)
    assert (claim(store), states(store)) == (None, [(1, "7", "failed", 1)])
    assert 90 < (QUEUE.seconds_until_due(store, SLUGS) or 0) <= 101
    change(store, run["id"], due_utc=ago(seconds=1))
    assert QUEUE.seconds_until_due(store, SLUGS, [1]) is None
    assert claim(store, 1) is None
    again = claim(store)
    assert again
    assert again["attempt"] == 2
    # The first claim is over: neither its end nor its withdrawal counts.
    QUEUE.end(store, run, "success")
    QUEUE.withdraw(store, run)
    assert states(store) == [(1, "7", "claimed", 2)]
    QUEUE.end(store, again, "success")
    assert states(store) == [(1, "7", "success", 2)]
    assert QUEUE.seconds_until_due(store, SLUGS) is None


def test_the_feed_that_waits_for_the_longest_comes_first_and_inactive_ones_wait(
    store: Store,
) -> None:
    add(store, "7", 1, 2)
    add(store, "8", 1)
    change(store, 2, due_utc=ago(hours=1))
    change(store, 3, due_utc=ago(minutes=1))
    feeds.update(store, 1, {"is_active": False})
    assert (claim(store) or {})["id"] == 2
    assert claim(store) is None
    feeds.update(store, 1, {"is_active": True})
    assert [(claim(store) or {})["id"] for _ in range(2)] == [3, 1]


def test_a_clock_that_was_ahead_holds_no_run_up(store: Store) -> None:
    add(store, "7", 1)
    ahead = ago(days=-40)
    change(store, 1, due_utc=ahead, modified_utc=ahead)
    assert QUEUE.seconds_until_due(store, SLUGS) == 0
    assert (claim(store) or {})["id"] == 1


def test_a_queued_run_goes_with_its_entry_and_not_by_its_age(store: Store) -> None:
    add(store, "7", 1, 2)
    runs.claim(store, 3, "7", 60, 30)
    old = ago(days=400)
    for number in (1, 2):
        change(store, number, state="success", due_utc=None, modified_utc=old)
    change(store, 3, state="success", due_utc=None, modified_utc=ago(days=500))
    runs.claim(store, 3, "8", 60, 30)
    assert [run[:2] for run in states(store)] == [(1, "7"), (2, "7"), (3, "8")]
    with store.transaction():
        QUEUE.delete(store, ["7", "8"])
    assert [run[:2] for run in states(store)] == [(3, "8")]
    add(store, "9", 1)
    run = claim(store)
    assert run
    QUEUE.withdraw(store, run)
    assert [run[1] for run in states(store)] == ["8"]


@pytest.mark.sqlite("its plans are read")
def test_a_look_into_the_queue_reads_indexes_however_many_runs_wait(store: Store) -> None:
    statements: list[str] = []
    store.database.connection().set_trace_callback(statements.append)
    add(store, "7", 1, 2, 3)
    assert claim(store)
    runs.claim(store, 1, "theirs", 60, 30)
    store.database.connection().set_trace_callback(None)
    texts = [text for text in statements if re.match("(SELECT|DELETE) .*feed_run", text)]
    plans = [store.database.execute_sql(f"EXPLAIN QUERY PLAN {text}").fetchall() for text in texts]
    steps = [str(step[-1]) for plan in plans for step in plan]
    assert [step for step in steps if "SCAN" in step] == []
    assert {"feed_run_queue", "feed_run_expiring"} <= set(" ".join(steps).split())
