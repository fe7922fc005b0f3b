"""The time from which the ages of rows are counted that are deleted when they are old.

It follows the clock by at most a day in ten minutes: so a wrong clock deletes few rows until it is
set right.
"""

from datetime import UTC, datetime, timedelta

from landform.storage.clock import DAY, earlier, utc_text
from landform.storage.models import EventState
from landform.storage.store import Store, transactional

# The name of its row, and how many seconds it stays the same.
REFERENCE, INTERVAL = "retention", 600.0


def expired_before(store: Store, lifetime: timedelta) -> str:
    """Return the UTC text of the time before which rows with this lifetime are deleted."""
    now, (reference, moved) = store.clock.seconds(), _stored(store)
    if abs(now - moved) >= INTERVAL:
        reference = _move(store, now)
    # A clock that was set back deletes less.
    return earlier(utc_text(datetime.fromtimestamp(min(now, reference), UTC)), lifetime)


def _stored(store: Store) -> tuple[float, float]:
    """Return the time, and when it was moved; without one it is the present time."""
    query = EventState.select(EventState.number, EventState.holder)
    row = query.where(EventState.name == REFERENCE).tuples().first(store.database)
    return (row[0], float(row[1] or 0)) if row else (store.clock.seconds(), 0.0)


@transactional
def _move(store: Store, now: float) -> float:
    """Move the time on by at most a day, unless another process just did; return it."""
    reference, moved = _stored(store)
    if abs(now - moved) >= INTERVAL:
        # A clock that is behind for a while does not set it back.
        reference = max(reference, min(now, reference + DAY.total_seconds()))
        query = EventState.insert(name=REFERENCE, number=reference, holder=str(now)).on_conflict(
            conflict_target=[EventState.name], preserve=[EventState.number, EventState.holder]
        )
        query.execute(store.database)
    return reference
