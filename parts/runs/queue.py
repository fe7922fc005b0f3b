"""The runs that the service itself carries out: the queue that the core finds for other parts."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cache, lru_cache

from peewee import fn

from landform.parts.run_queue import RunQueue
from landform.parts.runs import storage
from landform.parts.runs.errors import RunNotClaimed, RunNotFound
from landform.parts.runs.models import FeedRun
from landform.parts.runs.storage import NEW, PENDING, database_time, later, rows_of
from landform.storage.engines import expressions
from landform.storage.models import Feed
from landform.storage.rows import Row, batches
from landform.storage.sql import Parameter, Prepared, parameter_values, parameters
from landform.storage.store import Store, transactional

# A run that is added, and how many a statement adds or deletes.
RUN: Row = {**NEW, "state": PENDING, "attempt": 0, "queued": True}
MOST_ADDED, MOST_DELETED = 50, 500
WAITS = FeedRun.queued & FeedRun.due_utc.is_null(False)


class Queue(RunQueue):
    """The runs with `queued`, which outside workers may claim too."""

    def add(self, store: Store, form_id: int, feed_ids: Sequence[int], entry_id: str) -> None:
        """Add a pending run of each feed for an entry, unless it is there."""
        for chosen in batches(feed_ids, MOST_ADDED):
            values = {**parameter_values({"feed": chosen}), "form": form_id, "entry": entry_id}
            _insert(len(chosen)).run(store, values)

    def seconds_until_due(
        self, store: Store, addon_slugs: Collection[str], busy_feeds: Collection[int] = ()
    ) -> float | None:
        """Return the seconds until a run is due."""
        _, seconds = _next_feed(store, addon_slugs, busy_feeds)
        return seconds

    def claim_due(
        self, store: Store, addon_slugs: Collection[str], lease: int, busy_feeds: Collection[int]
    ) -> Row | None:
        """Claim the run that is due for the longest; nothing is written if there is none."""
        feed_id, seconds = _next_feed(store, addon_slugs, busy_feeds)
        return _claim_first(store, feed_id, lease) if seconds == 0 else None

    def end(
        self, store: Store, run: Row, state: str, message: str = "", retry_in: float | None = None
    ) -> None:
        """End a claimed run, unless the claim has ended."""
        outcome: Row = {"attempt": run["attempt"], "state": state, "code": "", "message": message}
        outcome["retryable"] = retry_in is not None
        if retry_in is not None:
            outcome["retry_at"] = later(database_time(store), retry_in)
        with suppress(RunNotFound, RunNotClaimed):
            storage.end(store, run["feed_id"], run["id"], outcome)

    def withdraw(self, store: Store, run: Row) -> None:
        """Delete a run, unless the claim has ended."""
        is_same = (FeedRun.id == run["id"]) & (FeedRun.version == run["version"])
        store.write_queue.run(lambda: FeedRun.delete().where(is_same).execute(store.database))

    def delete(self, store: Store, entry_ids: Sequence[str]) -> None:
        """Delete the queued runs for entries."""
        for chosen in batches(entry_ids, MOST_DELETED):
            is_theirs = FeedRun.entry_id.in_(chosen) & FeedRun.queued
            FeedRun.delete().where(is_theirs).execute(store.database)


@cache
def _insert(count: int) -> Prepared:
    """Return the insert of pending runs of several feeds."""
    times = dict.fromkeys(("due_utc", "created_utc", "modified_utc"), expressions.utc_now())
    run = {**RUN, **times, "form_id": Parameter("form"), "entry_id": Parameter("entry")}
    rows = [{**run, "feed_id": feed_id} for feed_id in parameters("feed", count)]
    return Prepared(FeedRun.insert_many(rows).on_conflict_ignore())


def _next_feed(
    store: Store, addon_slugs: Collection[str], busy_feeds: Collection[int]
) -> tuple[int, float | None]:
    """Return the feed whose run is due first, and in how many seconds; 0 and None for none.

    One look-up in an index for each feed, however many runs wait.
    """
    now = database_time(store)
    values = parameter_values({"slug": list(addon_slugs), "busy": list(busy_feeds)})
    rows = _first_times(len(addon_slugs), len(busy_feeds)).run(store, values).fetchall()
    waiting = [(due, number) for number, due in rows if due]
    if not waiting:
        return 0, None
    due, feed_id = min(waiting)
    pause = datetime.fromisoformat(due) - datetime.fromisoformat(now)
    return feed_id, max(0.0, pause.total_seconds())


@lru_cache
def _first_times(slugs: int, busy: int) -> Prepared:
    """Return the query of feeds with the due time of their first run."""
    run = FeedRun.alias()
    first = run.select(fn.MIN(run.due_utc)).where(
        run.feed_id == Feed.id, run.queued, run.due_utc.is_null(False)
    )
    feeds = Feed.select(Feed.id, first).where(
        Feed.is_active == True,  # noqa: E712 - a column
        Feed.addon_slug.in_(parameters("slug", slugs)),
        Feed.id.not_in(parameters("busy", busy)),
    )
    return Prepared(feeds)


@transactional
def _claim_first(store: Store, feed_id: int, lease: int) -> Row | None:
    """Claim the run of a feed that is due for the longest; None if it was claimed meanwhile."""
    query = FeedRun.select().where(FeedRun.feed_id == feed_id, WAITS, storage.is_due())
    for row in rows_of(store, query.order_by(FeedRun.due_utc, FeedRun.id).limit(1)):
        run, is_claimed = storage.claim_stored(store, row, row["form_id"], lease)
        return run if is_claimed else None
    return None
