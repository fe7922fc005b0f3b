"""Failed attempts, counted for each address and minute, for all workers together."""

import time
from contextlib import suppress
from ipaddress import IPv6Address, IPv6Network

from landform.storage.database import Store
from landform.storage.errors import StorageError
from landform.storage.models import FailedAttempt
from landform.storage.writer import writing

SECONDS = 60
LONGEST = 100


def origin(address: str) -> str:
    """Return what an address is counted as: whoever has one of IPv6 has its network of 64 bits."""
    try:
        found = IPv6Address(address)
    except ValueError:
        # Whatever a proxy calls an address, no more of it than an index holds.
        return address[:LONGEST]
    return str(found.ipv4_mapped or IPv6Network((found, 64), strict=False))


def wait(store: Store, address: str, limit: int) -> int:
    """Return the seconds until an address may fail again, 0 while it is within the limit."""
    now = int(time.time())
    here = (FailedAttempt.address == address) & (FailedAttempt.minute == now // SECONDS)
    rows = FailedAttempt.select(FailedAttempt.count).where(here).tuples()
    counted = next((count for (count,) in rows.execute(store.database)), 0)
    return SECONDS - now % SECONDS if counted >= limit else 0


def failed(store: Store, address: str, limit: int) -> int:
    """Count a failed attempt; return the seconds to wait, 0 while it is within the limit.

    Beyond the limit nothing more is written, so that a flood costs a look-up each.
    """
    minute = int(time.time()) // SECONDS
    if seconds := wait(store, address, limit):
        return seconds
    # A database that cannot be written to now must not turn a 401 into something else.
    with suppress(StorageError), store.connection():
        _count(store, address, minute)
    return 0


@writing
def _count(store: Store, address: str, minute: int) -> None:
    here = (FailedAttempt.address == address) & (FailedAttempt.minute == minute)
    FailedAttempt.delete().where(FailedAttempt.minute < minute).execute(store.database)
    one_more = {"count": FailedAttempt.count + 1}
    if not FailedAttempt.update(one_more).where(here).execute(store.database):
        FailedAttempt.insert(address=address, minute=minute, count=1).execute(store.database)
