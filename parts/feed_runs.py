"""Runs of feeds for entries: their table, and the queue of those that the service carries out.

The part `runs` creates the table, and has the operations with which outside workers claim runs;
without this part nothing runs. The queue has the runs with `queued`, for entries of this store.
Writers take turns (see `transactions.py`), so no other one changes the rows that a write reads.
Times are those of the clock of the database.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from functools import cache, lru_cache
from hashlib import blake2b
from typing import Any

from peewee import (
    JOIN,
    AutoField,
    BigIntegerField,
    BooleanField,
    ColumnBase,
    Select,
    TextField,
    fn,
)

from landform.storage import events
from landform.storage.clock import earlier
from landform.storage.engines import expressions
from landform.storage.models import Feed, Table, all_tables
from landform.storage.rows import Row, batches
from landform.storage.sql import IDENTITY, Parameter, Prepared, parameter_values, parameters
from landform.storage.store import Store, transactional

CLAIMED, PENDING, SUCCESS, FAILED = "claimed", "pending", "success", "failed"
# The bytes of a key; how many runs a statement adds or deletes.
KEY_BYTES, MOST_ADDED, MOST_DELETED = 16, 50, 500
# In seconds, the longest pause of a feed whose attempts fail, for all its runs. The first is a
# second.
LONGEST_PAUSE = 60.0
# The events of runs that have ended, and the columns that are their data.
EVENTS = {SUCCESS: "run.succeeded", FAILED: "run.failed"}
EVENT_COLUMNS = ("id", "version", "feed_id", "form_id", "entry_id", "attempt", "retryable")
# The columns of a run that nothing is reported of, and those of a new one in the queue.
UNREPORTED: Row = {"code": "", "message": "", "retryable": False}
QUEUED: Row = {**UNREPORTED, "state": PENDING, "attempt": 0, "version": 1, "queued": True}
DATABASE_TIME = Prepared(Select(columns=[expressions.utc_now()]))


class FeedRun(Table):
    """A run of a feed for an entry, of which only the caller's id is stored.

    `due_utc`: from when on it may be claimed, which is the end of a lease or of the wait after a
    failure; None where it is done. `attempt` counts the claims. `queued`: whether the service
    itself carries it out.
    """

    id = AutoField()
    feed_id = BigIntegerField()
    form_id = BigIntegerField()
    entry_id = TextField()
    state = TextField()
    attempt = BigIntegerField(default=1)
    due_utc = TextField(null=True)
    code = TextField(default="")
    message = TextField(default="")
    retryable = BooleanField(default=False)
    created_utc = TextField()
    modified_utc = TextField()
    version = BigIntegerField(default=1)
    queued = BooleanField(default=False)


class FailingFeed(Table):
    """A feed whose last attempts have failed: how many, and when the next one may be made."""

    feed_id = BigIntegerField(primary_key=True)
    failures = BigIntegerField()
    next_utc = TextField()


def are_stored() -> bool:
    """Return whether there is a table of runs."""
    return FeedRun in all_tables()


def run_key(store: Store, feed_id: int, entry_id: str) -> str:
    """Return the key of the run of a feed for an entry, the same in this store and its backups."""
    # A store that was only checked does not know its identity.
    identity = store.identity or IDENTITY.row(store)[0]
    text = f"{identity}\0{feed_id}\0{entry_id}"
    return blake2b(text.encode(), digest_size=KEY_BYTES).hexdigest()


def feeds_of_entry(store: Store, entry_id: str) -> dict[int, bool]:
    """Return, for each feed that was run for an entry, whether it may be claimed again now."""
    query = FeedRun.select(FeedRun.feed_id, is_due()).where(FeedRun.entry_id == entry_id)
    return {feed_id: bool(may_run) for feed_id, may_run in query.tuples().execute(store.database)}


def add(store: Store, form_id: int, feed_ids: Sequence[int], entry_id: str) -> None:
    """Add a run of each feed for an entry, due now, in the transaction of the caller.

    A run that is there already stays as it is.
    """
    for chosen in batches(feed_ids, MOST_ADDED):
        values = {**parameter_values({"feed": chosen}), "form": form_id, "entry": entry_id}
        _insert(len(chosen)).run(store, values)


@cache
def _insert(count: int) -> Prepared:
    """Return the insert of pending runs of several feeds."""
    times = dict.fromkeys(("due_utc", "created_utc", "modified_utc"), expressions.utc_now())
    run = {**QUEUED, **times, "form_id": Parameter("form"), "entry_id": Parameter("entry")}
    rows = [{**run, "feed_id": feed_id} for feed_id in parameters("feed", count)]
    return Prepared(FeedRun.insert_many(rows).on_conflict_ignore())


def delete(store: Store, entry_ids: Sequence[str]) -> None:
    """Delete the queued runs for entries, in the transaction of the caller."""
    for chosen in batches(entry_ids, MOST_DELETED):
        is_theirs = FeedRun.entry_id.in_(chosen) & FeedRun.queued
        FeedRun.delete().where(is_theirs).execute(store.database)


def due_feeds(store: Store, addon_slugs: Collection[str]) -> dict[int, float]:
    """Return in how many seconds a queued run of each active feed of these add-ons is due.

    One look-up in an index for each feed, however many runs wait; the longest due comes first.
    """
    rows = _first_times(len(addon_slugs)).run(store, parameter_values({"slug": [*addon_slugs]}))
    waiting = sorted((max(due, after or due), feed_id) for feed_id, due, after in rows if due)
    now = datetime.fromisoformat(database_time(store)) if waiting else datetime.min
    return {
        feed_id: max(0.0, (datetime.fromisoformat(due) - now).total_seconds())
        for due, feed_id in waiting
    }


@lru_cache
def _first_times(slugs: int) -> Prepared:
    """Return the query of feeds, each with the due time of its first run and that of its pause."""
    run = FeedRun.alias()
    first = run.select(fn.MIN(run.due_utc)).where(
        run.feed_id == Feed.id, run.queued, run.due_utc.is_null(False)
    )
    feeds = Feed.select(Feed.id, first, FailingFeed.next_utc)
    feeds = feeds.join(FailingFeed, JOIN.LEFT_OUTER, on=FailingFeed.feed_id == Feed.id)
    is_active = Feed.is_active == True  # noqa: E712 - a column
    return Prepared(feeds.where(is_active, Feed.addon_slug.in_(parameters("slug", slugs))))


@transactional
def claim_due(store: Store, feed_id: int, limit: int, lease: int) -> list[Row]:
    """Claim up to so many queued runs of a feed, the longest due first, for a lease in seconds.

    Until the lease is over nobody else can claim them; then they are due again.
    """
    is_waiting = FeedRun.queued & FeedRun.due_utc.is_null(False) & is_due()
    query = FeedRun.select().where(FeedRun.feed_id == feed_id, is_waiting)
    rows = query.order_by(FeedRun.due_utc, FeedRun.id).limit(limit).dicts()
    return [claim(store, row, row["form_id"], lease) for row in rows.execute(store.database)]


def claim(store: Store, run: Row, form_id: int, lease: int) -> Row:
    """Claim a run that is due, and return it. Use in a transaction."""
    now = database_time(store)
    claimed = {"state": CLAIMED, "form_id": form_id, "due_utc": later(now, lease)}
    return update(store, run, now, {**UNREPORTED, **claimed, "attempt": run["attempt"] + 1})


def withdraw(store: Store, run: Row) -> None:
    """Delete a claimed run, as if it was never added, unless the claim has ended."""
    FeedRun.delete().where(_is_same(run)).execute(store.database)


def _is_same(run: Row) -> Any:
    """Return the condition that a run was not written since it was claimed."""
    return (FeedRun.id == run["id"]) & (FeedRun.version == run["version"])


def end_claimed(
    store: Store,
    run: Row,
    state: str,
    message: str = "",
    retry_in: float | None = None,
    *,
    feed_pause: float = 0.0,
) -> None:
    """End a claimed run, unless the claim has ended. Use in a transaction.

    One that failed is due again in `retry_in` seconds, or never. Then its feed has a pause too, of
    `feed_pause` seconds or more.
    """
    if not FeedRun.select(FeedRun.id).where(_is_same(run)).first(store.database):
        return
    now, has_failed = database_time(store), retry_in is not None
    due = None if retry_in is None else later(now, retry_in)
    values = {"state": state, "message": message, "retryable": has_failed, "due_utc": due}
    end(store, run, now, {**UNREPORTED, **values})
    if has_failed or state == SUCCESS:
        _note(store, run["feed_id"], now, feed_pause if has_failed else None)


def _note(store: Store, feed_id: int, now: str, shortest_pause: float | None) -> None:
    """Note a failure of a feed, with its pause of at least so many seconds; None: a success.

    From the second failure in a row on the pause doubles.
    """
    is_feed = FailingFeed.feed_id == feed_id
    row = FailingFeed.select(FailingFeed.failures).where(is_feed).tuples().first(store.database)
    if shortest_pause is not None:
        failures = row[0] if row else 0
        doubled = min(2.0 ** min(failures - 1, 9), LONGEST_PAUSE) if failures else 0.0
        pause = max(doubled, shortest_pause)
        state = {"failures": failures + 1, "next_utc": later(now, pause) if pause else now}
        query = FailingFeed.insert(feed_id=feed_id, **state)
        key = [FailingFeed.feed_id]
        query.on_conflict(conflict_target=key, update=state).execute(store.database)
    elif row:
        FailingFeed.delete().where(is_feed).execute(store.database)


def end(store: Store, run: Row, now: str, values: Row) -> Row:
    """Write the end of a run, with its event, and return the run. Use in a transaction."""
    run = update(store, run, now, values)
    if run["state"] in EVENTS:
        data = {name: run[name] for name in EVENT_COLUMNS}
        data |= {"resource": "run", "status": run["state"]}
        events.write(store, [EVENTS[run["state"]]], data)
    return run


def update(store: Store, run: Row, now: str, values: Row) -> Row:
    """Write columns of a run, and return it. Use in a transaction."""
    changes = {**values, "modified_utc": now, "version": run["version"] + 1}
    FeedRun.update(changes).where(FeedRun.id == run["id"]).execute(store.database)
    return {**run, **changes}


def is_due() -> ColumnBase:
    """Return the condition that a run may be claimed."""
    return FeedRun.due_utc <= expressions.utc_now()


def later(now: str, seconds: float) -> str:
    """Return the UTC text after some seconds, and one more: fractions of it are not stored."""
    return earlier(now, -timedelta(seconds=seconds + 1))


def database_time(store: Store) -> str:
    """Return the time of the clock of the database, as UTC text."""
    return str(DATABASE_TIME.row(store)[0])
