"""Failed attempts, counted for each address and minute, for all workers together."""

import time
from contextlib import suppress

from landform.storage.database import Store
from landform.storage.errors import StorageError
from landform.storage.models import FailedAttempt

SECONDS = 60


def failed(store: Store, address: str, limit: int) -> int:
    """Count a failed attempt; return the seconds to wait, 0 while it is within the limit.

    Beyond the limit nothing more is written, so that a flood costs a look-up each.
    """
    now = int(time.time())
    minute = now // SECONDS
    here = (FailedAttempt.address == address) & (FailedAttempt.minute == minute)
    rows = FailedAttempt.select(FailedAttempt.count).where(here).tuples()
    counted = next((count for (count,) in rows.execute(store.database)), 0)
    if counted >= limit:
        return SECONDS - now % SECONDS
    # A database that cannot be written to now must not turn a 401 into something else.
    with suppress(StorageError), store.connection(), store.transaction() as db:
        FailedAttempt.delete().where(FailedAttempt.minute < minute).execute(db)
        one_more = {"count": FailedAttempt.count + 1}
        if not FailedAttempt.update(one_more).where(here).execute(db):
            FailedAttempt.insert(address=address, minute=minute, count=1).execute(db)
    return 0
