"""The queries of runs for outside workers: a feed runs once for an entry, also if several try it.

A claim lasts for a lease. If the lease ends, or the run fails temporarily, the run is due again for
the first worker that claims it.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from typing import Any

from peewee import BaseQuery, ColumnBase, ModelSelect, fn

from landform.parts import feed_runs
from landform.parts.feed_runs import (
    CLAIMED,
    FAILED,
    PENDING,
    UNREPORTED,
    FeedRun,
    database_time,
    is_due,
    later,
)
from landform.parts.runs.errors import RunNotClaimed, RunNotDue, RunNotFinished, RunNotFound
from landform.storage import feeds
from landform.storage.clock import Clock
from landform.storage.engines import expressions
from landform.storage.expiry import expired_before
from landform.storage.models import Feed
from landform.storage.rows import Row, storable
from landform.storage.sql import Precondition, check_version
from landform.storage.store import Store, transactional

UNFINISHED = (PENDING, CLAIMED, FAILED)
# How many old runs a claim deletes at most, so that none takes long.
MOST_EXPIRED = 100
# The columns of a run that is new.
NEW: Row = {**UNREPORTED, "state": CLAIMED, "attempt": 1, "version": 1}
# The conditions that filters make of the site's clock and their values.
FILTERS: Mapping[str, Callable[[Clock, Any], ColumnBase]] = {
    "form_id": lambda _, ids: FeedRun.form_id.in_(storable(ids)),
    "feed_id": lambda _, ids: FeedRun.feed_id.in_(storable(ids)),
    "state": lambda _, states: FeedRun.state.in_(states),
    "entry_id": lambda _, entry_id: FeedRun.entry_id == entry_id,
    "addon": lambda _, slug: expressions.same(Feed.addon_slug, slug),
    "after": lambda clock, date: FeedRun.created_utc > clock.moment(date).utc,
    "before": lambda clock, date: FeedRun.created_utc < clock.moment(date).utc,
    "modified_after": lambda clock, date: FeedRun.modified_utc > clock.moment(date).utc,
    "modified_before": lambda clock, date: FeedRun.modified_utc < clock.moment(date).utc,
}


def list_runs(store: Store, query: Mapping[str, Any]) -> tuple[list[Row], int]:
    """Return the runs of a page of results, newest first or with `order` asc, and their total."""
    order = FeedRun.id.asc() if query["order"] == "asc" else FeedRun.id.desc()
    return _list(store, query, FeedRun.select(), order)


def list_due(store: Store, query: Mapping[str, Any]) -> tuple[list[Row], int]:
    """Return the runs of active feeds that may be claimed now, the longest due first."""
    runs = FeedRun.select().join(Feed, on=Feed.id == FeedRun.feed_id)
    runs = runs.where(is_due(), Feed.is_active == True)  # noqa: E712 - a column
    return _list(store, query, runs, FeedRun.due_utc.asc(), FeedRun.id.asc())


def _list(
    store: Store, query: Mapping[str, Any], runs: "ModelSelect[FeedRun]", *order: ColumnBase
) -> tuple[list[Row], int]:
    for name in FILTERS.keys() & query.keys():
        if query[name]:
            runs = runs.where(FILTERS[name](store.clock, query[name]))
    selected = runs.order_by(*order).paginate(query["page"], query["per_page"])

    return store.bounded(lambda: (rows_of(store, selected), runs.count(store.database)))


def rows_of(store: Store, query: BaseQuery) -> list[Row]:
    """Return the rows of a query."""
    return list(query.dicts().execute(store.database))


def get(store: Store, feed_id: int, run_id: int) -> Row:
    """Return a run of a feed; raises `RunNotFound`."""
    is_run = FeedRun.id.in_(storable([run_id])), FeedRun.feed_id.in_(storable([feed_id]))
    run: Row | None = FeedRun.select().where(*is_run).dicts().first(store.database)
    if run is None:
        raise RunNotFound
    return run


def existing_feeds(store: Store, runs: Iterable[Row]) -> set[int]:
    """Return the ids of the feeds of some runs that are not deleted."""
    chosen = Feed.id.in_({run["feed_id"] for run in runs})
    return {row["id"] for row in rows_of(store, Feed.select(Feed.id).where(chosen))}


def count_unfinished(store: Store) -> dict[str, int]:
    """Return how many runs there are in each state before and beside success.

    Those of deleted feeds are left out: they stay as they are.
    """
    query = FeedRun.select(FeedRun.state, fn.COUNT(FeedRun.id)).group_by(FeedRun.state)
    query = query.where(FeedRun.state.in_(UNFINISHED), FeedRun.feed_id.in_(Feed.select(Feed.id)))
    rows = query.tuples().execute(store.database)
    return {**dict.fromkeys(UNFINISHED, 0), **dict(rows)}


def claim(store: Store, feed_id: int, entry_id: str, lease: int, keep_days: int) -> Row:
    """Claim the run of a feed for an entry, for a lease in seconds, and return it.

    Runs that nothing was written to for so many days are deleted. Raises `FeedNotFound`, and
    `RunNotDue` where the run is done, claimed, or waits after a failure.
    """
    run, is_claimed = _claim(store, feed_id, entry_id, lease, keep_days)
    if not is_claimed:
        raise RunNotDue(_state_of(run))
    return run


@transactional
def _claim(
    store: Store, feed_id: int, entry_id: str, lease: int, keep_days: int
) -> tuple[Row, bool]:
    form_id, now = feeds.get(store, feed_id)["form_id"], database_time(store)
    _expire(store, timedelta(days=keep_days))
    query = FeedRun.select().where((FeedRun.entry_id == entry_id) & (FeedRun.feed_id == feed_id))
    for row in rows_of(store, query):
        if row["due_utc"] is None or row["due_utc"] > now:
            return row, False
        return feed_runs.claim(store, row, form_id, lease), True
    run = {**NEW, "form_id": form_id, "feed_id": feed_id, "entry_id": entry_id}
    run |= {"due_utc": later(now, lease), "created_utc": now, "modified_utc": now}
    return {"id": FeedRun.insert(run).execute(store.database), **run}, True


def _expire(store: Store, keep: timedelta) -> None:
    """Delete runs that were not written to for so long, and do not wait; not queued ones."""
    old = expired_before(store, keep)
    waits = FeedRun.due_utc.is_null(False) & (FeedRun.due_utc >= old)
    expired = FeedRun.select(FeedRun.id).where(FeedRun.modified_utc < old, ~waits, ~FeedRun.queued)
    expired = expired.order_by(FeedRun.modified_utc, FeedRun.id).limit(MOST_EXPIRED)
    FeedRun.delete().where(FeedRun.id.in_(expired)).execute(store.database)


@transactional
def end(
    store: Store, feed_id: int, run_id: int, outcome: Row, if_match: Precondition | None = None
) -> Row:
    """End a claimed run with an outcome, and return the run.

    `outcome`: the `attempt` of the claim, `state`, `code`, `message` and `retryable`, with
    `retry_at` (UTC text) if the run is not due at once. If the claim has ended in the same way
    already, nothing changes. Raises `RunNotFound`, `RunNotClaimed`, `VersionConflict`.
    """
    run, now = get(store, feed_id, run_id), database_time(store)
    check_version(store, run["version"], if_match)
    values = {name: value for name, value in outcome.items() if name != "retry_at"}
    if values.items() <= run.items():
        return run
    if run["state"] != CLAIMED or run["attempt"] != values["attempt"]:
        raise RunNotClaimed(_state_of(run))
    due = outcome.get("retry_at", now) if values["retryable"] else None
    return feed_runs.end(store, run, now, {**values, "due_utc": due})


@transactional
def replay(store: Store, feed_id: int, run_id: int, if_match: Precondition | None = None) -> Row:
    """Let a run that has ended, or whose lease has lapsed, be claimed once more, and return it.

    Raises `RunNotFound`, `FeedNotFound`, `RunNotFinished`, and `VersionConflict`.
    """
    run, now = get(store, feed_id, run_id), database_time(store)
    feeds.get(store, feed_id)
    check_version(store, run["version"], if_match)
    if run["state"] == CLAIMED and run["due_utc"] > now:
        raise RunNotFinished(_state_of(run))
    changes = {**UNREPORTED, "state": PENDING, "due_utc": now}
    return feed_runs.update(store, run, now, changes)


def _state_of(run: Row) -> Row:
    """Return the details for a caller that may not have a run."""
    due = run["due_utc"] and f"{run['due_utc']}Z"
    return {**{name: run[name] for name in ("id", "state", "attempt")}, "due": due}
