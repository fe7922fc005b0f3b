"""The run of a feed for an entry: claimed by one at a time, done once, tried again as it may be."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from landform.parts.runs import storage as runs
from landform.parts.runs.errors import RunNotDue
from landform.parts.runs.models import FeedRun
from landform.storage import FeedNotFound, Store, feeds
from landform.storage.clock import earlier, utc_text

SUCCESS = {"attempt": 1, "state": "success", "code": "", "message": "", "retryable": False}
FAILURE = {**SUCCESS, "state": "failed", "code": "timeout", "retryable": True}
PART = {"page": 1, "per_page": 100, "order": "desc"}


@pytest.fixture(autouse=True)
def three_feeds(store: Store) -> Iterator[None]:
    with store.connection():
        for number in range(3):
            feeds.create(store, {"form_id": number + 1, "addon_slug": f"a{number}", "meta": {}})
        yield


def claim(store: Store, feed_id: int = 1, entry_id: str = "e", lease: int = 60) -> dict[str, Any]:
    return runs.claim(store, feed_id, entry_id, lease, 30)


def change(store: Store, run: dict[str, Any], **columns: Any) -> None:
    """Let a run have other values, such as a time that is past."""
    FeedRun.update(columns).where(FeedRun.id == run["id"]).execute(store.database)


def past(**ago: int) -> str:
    return utc_text(datetime.now(UTC) - timedelta(**ago))


def test_a_lapsed_run_is_replayed_or_ended_where_nobody_else_has_claimed_it(store: Store) -> None:
    run = claim(store)
    change(store, run, due_utc=past(hours=1))
    assert runs.replay(store, 1, run["id"])["state"] == "pending"
    assert claim(store)["attempt"] == 2
    change(store, run, due_utc=past(hours=1))
    assert runs.end(store, 1, run["id"], {**SUCCESS, "attempt": 2})["state"] == "success"
    assert runs.feeds_of_entry(store, "e") == {1: False}


def test_a_run_outlives_its_feed_and_no_new_feed_gets_it(store: Store) -> None:
    run = claim(store, 3)
    feeds.delete(store, 3)
    assert runs.end(store, 3, run["id"], FAILURE)["state"] == "failed"
    with pytest.raises(FeedNotFound):
        claim(store, 3)
    assert feeds.create(store, {"form_id": 1, "addon_slug": "a", "meta": {}})["id"] == 4
    assert runs.list_due(store, PART) == ([], 0)


def test_old_runs_are_deleted_unless_they_wait(store: Store) -> None:
    for number, (written, due) in enumerate([
        (past(days=32), None), (past(days=32), past(days=32)), (past(days=29), None),
        (past(days=32), past(days=-1)),
    ]):  # fmt: skip
        change(store, claim(store, 1, str(number)), modified_utc=written, due_utc=due)
    # They are deleted a day late.
    change(store, claim(store, 1, "yesterday"), modified_utc=past(days=1))
    claim(store, 1, "new")
    found, total = runs.list_runs(store, PART)
    assert ([run["entry_id"] for run in found], total) == (["new", "yesterday", "3", "2"], 4)


def test_a_clock_that_jumps_ahead_and_back_neither_forgets_a_run_nor_keeps_a_lease(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs.end(store, 1, claim(store, 1, "done")["id"], SUCCESS)
    future = earlier(runs.database_time(store), -timedelta(days=40))
    with monkeypatch.context() as jump:
        jump.setattr(runs, "database_time", lambda _: future)
        claim(store, 1, "leased")
        failed = claim(store, 1, "failed")
        runs.end(store, 1, failed["id"], FAILURE)
    with pytest.raises(RunNotDue):
        claim(store, 1, "done")
    assert {run["entry_id"] for run in runs.list_due(store, PART)[0]} == {"leased", "failed"}
    with pytest.raises(RunNotDue) as refused:
        claim(store, 1, "leased")
    bound = refused.value.details["due"]
    assert past(seconds=0) < str(bound) <= past(seconds=-63)
    assert runs.feeds_of_entry(store, "leased") == {1: False}
    assert claim(store, 1, "failed")["attempt"] == 2


def test_due_are_those_that_may_be_claimed_now_the_oldest_first(store: Store) -> None:
    lapsed, failed, waiting = (claim(store, 1, entry) for entry in ("lapsed", "failed", "waiting"))
    pending, done = claim(store, 2, "pending"), claim(store, 2, "done")
    claim(store, 2, "claimed")
    runs.end(store, 1, failed["id"], FAILURE)
    runs.end(store, 1, waiting["id"], {**FAILURE, "retry_at": past(days=-1)})
    for run in (pending, done):
        runs.end(store, 2, run["id"], SUCCESS)
    runs.replay(store, 2, pending["id"])
    change(store, lapsed, due_utc=past(minutes=5))
    change(store, failed, due_utc=past(minutes=9))

    def due(**query: Any) -> list[str]:
        return [run["entry_id"] for run in runs.list_due(store, {**PART, **query})[0]]

    assert due() == ["failed", "lapsed", "pending"]
    assert due(form_id=[2]) == ["pending"]
    assert due(feed_id=[1]) == ["failed", "lapsed"]
    assert due(addon="a1") == ["pending"]
    feeds.update(store, 1, {"is_active": False})
    assert due() == ["pending"]
    for run_id in (lapsed["id"], failed["id"]):
        assert runs.get(store, 1, run_id)["state"] in ("claimed", "failed")
