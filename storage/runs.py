"""Runs of feeds: each feed runs once for each entry, whoever runs it, however often it is tried.

A claim lasts for a lease. Where the lease lapses, or the run failed in a way that may pass, it is
due again, and whoever comes first claims it. Writers take turns (see `transactions.py`), so what a
write reads here no other one changes. Times are those of the database's clock.
"""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import blake2b

from peewee import Select

from landform.storage.engines import expressions
from landform.storage.errors import (
    FeedNotFound,
    RunNotClaimed,
    RunNotDue,
    RunNotFinished,
    RunNotFound,
)
from landform.storage.models import Feed, FeedRun
from landform.storage.rows import Row
from landform.storage.sql import identity, versions
from landform.storage.sql.numbers import MAX_INTEGER
from landform.storage.sql.prepared import Parameter, Prepared
from landform.storage.sql.versions import Versions
from landform.storage.store import Store, transactional

CLAIMED, PENDING, FAILED = "claimed", "pending", "failed"
STATES = (CLAIMED, PENDING, "success", "skipped", FAILED)
# How many old runs a claim deletes at most, so that none takes long.
MOST_EXPIRED = 100
KEY_BYTES = 16

COLUMNS = tuple(field.name for field in FeedRun._meta.sorted_fields)
CLAIM = {
    "state": CLAIMED, "attempt": 1, "code": "", "message": "", "retryable": False, "version": 1,
}  # fmt: skip
NOW = Prepared(Select(columns=[expressions.utc_now()]))
FORM = Prepared(Feed.select(Feed.form_id).where(Feed.id == Parameter("id")))
BY_ID = Prepared(
    FeedRun.select().where(FeedRun.id == Parameter("id"), FeedRun.feed_id == Parameter("feed_id"))
)
BY_ENTRY = Prepared(
    FeedRun.select().where(
        FeedRun.entry_id == Parameter("entry_id"), FeedRun.feed_id == Parameter("feed_id")
    )
)
OF_ENTRY = Prepared(
    FeedRun.select(FeedRun.feed_id, FeedRun.due_utc <= expressions.utc_now()).where(
        FeedRun.entry_id == Parameter("entry_id")
    )
)
INSERT = Prepared(
    FeedRun.insert({name: Parameter(name) for name in COLUMNS if name != "id"}).returning(
        FeedRun.id
    )
)
IS_OLD = (FeedRun.modified_utc < Parameter("old")) & (
    FeedRun.due_utc.is_null() | (FeedRun.due_utc < Parameter("old"))
)
EXPIRE = Prepared(
    FeedRun.delete().where(
        FeedRun.id.in_(
            FeedRun.select(FeedRun.id).where(IS_OLD).order_by(FeedRun.modified_utc, FeedRun.id)
            .limit(MOST_EXPIRED)
        )
    )
)  # fmt: skip


def run_key(store: Store, feed_id: int, entry_id: str) -> str:
    """Return what names the run of a feed for an entry, in this store and its backups only."""
    text = f"{identity.identity(store)}\0{feed_id}\0{entry_id}"
    return blake2b(text.encode(), digest_size=KEY_BYTES).hexdigest()


def get(store: Store, feed_id: int, run_id: int) -> Row:
    """Return a run of a feed; `RunNotFound` where there is none."""
    known = max(feed_id, run_id) <= MAX_INTEGER
    found = BY_ID.rows(store, {"id": run_id, "feed_id": feed_id}) if known else []
    if not found:
        raise RunNotFound
    return found[0]


def of_entry(store: Store, entry_id: str) -> dict[int, bool]:
    """Return, for each feed that was run for an entry, whether it may be claimed again now."""
    found = OF_ENTRY.run(store, {"entry_id": entry_id}).fetchall()
    return {feed_id: bool(is_due) for feed_id, is_due in found}


@transactional
def claim(store: Store, feed_id: int, entry_id: str, lease: int, keep_days: int) -> Row:
    """Claim the run of a feed for an entry, for a lease in seconds, and return it.

    Runs that nothing was written to for so many days are deleted. Raises `FeedNotFound`, and
    `RunNotDue` where the run is done, claimed, or waits after a failure.
    """
    form_id, now = _form_of(store, feed_id), _now(store)
    EXPIRE.run(store, {"old": _text(now - timedelta(days=keep_days))})
    # A second more than asked for, since fractions of it are not stored.
    claimed = {**CLAIM, "form_id": form_id, "due_utc": _text(now + timedelta(seconds=lease + 1))}
    found = BY_ENTRY.rows(store, {"feed_id": feed_id, "entry_id": entry_id})
    if found:
        (run,) = found
        if run["due_utc"] is None or run["due_utc"] > _text(now):
            raise RunNotDue(_state_of(run))
        return _update(store, run, now, {**claimed, "attempt": run["attempt"] + 1})
    stamps = dict.fromkeys(("created_utc", "modified_utc"), _text(now))
    run = {**claimed, **stamps, "feed_id": feed_id, "entry_id": entry_id}
    return {"id": INSERT.row(store, run)[0], **run}


@transactional
def end(
    store: Store,
    feed_id: int,
    run_id: int,
    attempt: int,
    outcome: Row,
    *,
    expected: Versions = None,
) -> Row:
    """End the claim `attempt` of a run with an outcome, and return the run.

    `outcome` holds `state`, `code`, `message` and `retryable`; where it is `retryable` it may hold
    `retry_at`, a datetime, without which the run is due at once. If the claim has ended in the
    same way already, nothing changes. Raises `RunNotFound`, `RunNotClaimed`, `VersionConflict`.
    """
    run = get(store, feed_id, run_id)
    versions.check_version(store, run, expected)
    is_current = attempt == run["attempt"]
    values = {name: value for name, value in outcome.items() if name != "retry_at"}
    if is_current and values.items() <= run.items():
        return run
    if run["state"] != CLAIMED or not is_current:
        raise RunNotClaimed(_state_of(run))
    now, retry_at = _now(store), outcome.get("retry_at")
    again = store.clock.moment(retry_at).utc if retry_at else _text(now)
    return _update(store, run, now, {**values, "due_utc": again if values["retryable"] else None})


@transactional
def replay(store: Store, feed_id: int, run_id: int, expected: Versions = None) -> Row:
    """Let a run that has ended, or whose lease has lapsed, be claimed once more, and return it.

    Raises `RunNotFound`, `RunNotFinished`, and `VersionConflict`.
    """
    run, now = get(store, feed_id, run_id), _now(store)
    versions.check_version(store, run, expected)
    if run["state"] == CLAIMED and run["due_utc"] > _text(now):
        raise RunNotFinished(_state_of(run))
    ready = {**CLAIM, "state": PENDING, "attempt": run["attempt"], "due_utc": _text(now)}
    return _update(store, run, now, ready)


def _form_of(store: Store, feed_id: int) -> int:
    found = FORM.row(store, {"id": feed_id}) if feed_id <= MAX_INTEGER else None
    if found is None:
        raise FeedNotFound
    return int(found[0])


def _update(store: Store, run: Row, now: datetime, values: Row) -> Row:
    changes = {**values, "modified_utc": _text(now), "version": run["version"] + 1}
    _write(tuple(sorted(changes))).run(store, {**changes, "run": run["id"]})
    return {**run, **changes}


@lru_cache(16)
def _write(columns: tuple[str, ...]) -> Prepared:
    changes = {name: Parameter(name) for name in columns}
    return Prepared(FeedRun.update(changes).where(FeedRun.id == Parameter("run")))


def _state_of(run: Row) -> Row:
    """Return what tells a caller why a run is not theirs."""
    due = run["due_utc"] and f"{run['due_utc']}Z"
    return {**{name: run[name] for name in ("id", "state", "attempt")}, "due": due}


def _now(store: Store) -> datetime:
    return datetime.fromisoformat(NOW.row(store)[0]).replace(tzinfo=UTC)


def _text(moment: datetime) -> str:
    return moment.replace(tzinfo=None).isoformat()
