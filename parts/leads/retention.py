"""Entries that are kept no longer: deleted with their values and runs, some hundred at a time."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from time import monotonic

from peewee import Expression

from landform.parts.leads.models import Entry, Form
from landform.parts.leads.storage.entries import ACTIVE, SPAM, TRASH, remove_entries
from landform.service.planning.entries import text_of
from landform.storage.clock import DAY, earlier, utc_text
from landform.storage.models import EventState
from landform.storage.store import Store, transactional

# The key of a form, in days, and the days that spam and the trash are kept.
RETENTION, UNWANTED_DAYS = "retention_days", 30
# In seconds, how often old entries are looked for; how many are deleted in a transaction.
REFERENCE, MOST_DAYS = "retention", 36_500
INTERVAL, MOST_DELETED = 600.0, 200


class Retention:
    """Deletes the old entries of a store; `days`: how long entries are kept, 0: for ever."""

    def __init__(self, store: Store, days: int) -> None:
        self._store, self._days = store, days
        self._resume_at = 0.0

    def work(self) -> float | None:
        """Delete some old entries; return 0 if there may be more, else None."""
        if monotonic() < self._resume_at:
            return None
        with self._store.connection():
            now = _reference_time(self._store)
            for is_old in _conditions(self._store, self._days, now):
                if _delete_some(self._store, is_old):
                    return 0.0
        self._resume_at = monotonic() + INTERVAL
        return None


@transactional
def _reference_time(store: Store) -> str:
    """Return the time from which ages are counted, as UTC text.

    It is at most a day later than the last time: a clock that is ahead for a while deletes little.
    """
    row = EventState.select(EventState.number).where(EventState.name == REFERENCE)
    last, now = row.scalar(store.database), store.clock.seconds()
    reference = now if last is None else min(now, last + DAY.total_seconds())
    query = EventState.insert(name=REFERENCE, number=reference, holder="")
    query.on_conflict(conflict_target=[EventState.name], preserve=[EventState.number]).execute(
        store.database
    )
    return utc_text(datetime.fromtimestamp(reference, UTC))


def _conditions(store: Store, days: int, now: str) -> Iterator[Expression]:
    """Yield the conditions of entries to delete, each with an index."""

    def is_before(days: int) -> Expression:
        return Entry.created_utc < earlier(now, timedelta(days=days))

    for status in (SPAM, TRASH):
        unchanged = Entry.modified_utc < earlier(now, timedelta(days=UNWANTED_DAYS))
        yield (Entry.status == status) & is_before(UNWANTED_DAYS) & unchanged
    any_status = Entry.status.in_((ACTIVE, SPAM, TRASH))
    if days:
        yield any_status & is_before(days)
    with_days = Form.select(Form.id, Form.meta).where(Form.meta.contains(RETENTION))
    for form_id, meta in with_days.tuples().execute(store.database):
        form_days = text_of(json.loads(meta).get(RETENTION))
        if form_days.isascii() and form_days.isdecimal() and 0 < int(form_days) <= MOST_DAYS:
            yield (Entry.form_id == form_id) & any_status & is_before(int(form_days))


@transactional
def _delete_some(store: Store, is_old: Expression) -> int:
    """Delete some of the entries for which a condition holds; return how many."""
    columns = Entry.id, Entry.version, Entry.form_id, Entry.status
    rows = [
        *Entry.select(*columns).where(is_old).limit(MOST_DELETED).dicts().execute(store.database)
    ]
    if rows:
        remove_entries(store, rows)
    return len(rows)
