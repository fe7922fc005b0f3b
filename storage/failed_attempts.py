"""Failed logins, counted for each IP address and minute, for all workers together.

Nothing here waits for another writer. A failure that cannot be stored at once is counted in
memory, and stored with the next one.
"""

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from ipaddress import IPv6Address, IPv6Network
from threading import Lock

from peewee import EXCLUDED

from landform.storage.clock import epoch
from landform.storage.errors import StorageError
from landform.storage.models import FailedAttempt
from landform.storage.store import Store

SECONDS = 60
LONGEST = 100
# How many addresses have failures in memory at most; those of all others are counted together.
MOST_ADDRESSES = 1000
OTHERS = "others"


def address_key(address: str) -> str:
    """Return what an IP address is counted as: for IPv6 that is its network of 64 bits."""
    try:
        found = IPv6Address(address)
    except ValueError:
        # Whatever a proxy calls an address, no more of it than an index holds.
        return address[:LONGEST]
    return str(found.ipv4_mapped or IPv6Network((found, 64), strict=False))


class Attempts:
    """The failures that a store counts, `limit` a minute for each address, or part of one."""

    def __init__(self, store: Store, limit: int) -> None:
        self._store, self._limit = store, limit
        self._lock = Lock()
        # By address and minute.
        self._unstored: Counter[tuple[str, int]] = Counter()

    def retry_after(self, address: str, more: int = 0) -> int:
        """Return the seconds until an address may fail again, 0 within the limit and some more."""
        now = self._now()
        here = (FailedAttempt.address == address) & (FailedAttempt.minute == now // SECONDS)
        rows = FailedAttempt.select(FailedAttempt.count).where(here).tuples()
        counted = next((count for (count,) in rows.execute(self._store.database)), 0)
        with self._lock:
            counted += self._unstored[self._key(address, now // SECONDS)]
        return SECONDS - now % SECONDS if counted >= self._limit + more else 0

    def record_failure(self, address: str) -> int:
        """Count a failure, in any case; return the seconds to wait, 0 while within the limit.

        Beyond the limit nothing more is written, so that a flood costs a look-up each.
        """
        if seconds := self.retry_after(address):
            return seconds
        minute = self._now() // SECONDS
        with self._lock:
            for key in [key for key in self._unstored if key[1] < minute]:
                del self._unstored[key]
            self._unstored[self._key(address, minute)] += 1
            with suppress(StorageError):
                self._store.try_write(lambda: self._add(self._unstored, minute))
                self._unstored.clear()
        # Others may have come to the limit meanwhile.
        return self.retry_after(address, more=1)

    def _add(self, counts: Mapping[tuple[str, int], int], minute: int) -> None:
        db = self._store.database
        FailedAttempt.delete().where(FailedAttempt.minute < minute).execute(db)
        rows = [{"address": name, "minute": when, "count": n} for (name, when), n in counts.items()]
        key = [FailedAttempt.address, FailedAttempt.minute]
        more = {FailedAttempt.count: FailedAttempt.count + EXCLUDED.count}
        FailedAttempt.insert_many(rows).on_conflict(conflict_target=key, update=more).execute(db)

    def _now(self) -> int:
        return int(epoch(self._store.clock.now().utc))

    def _key(self, address: str, minute: int) -> tuple[str, int]:
        """Return what a failure is counted under in memory; use with the lock."""
        fits = (address, minute) in self._unstored or len(self._unstored) < MOST_ADDRESSES
        return (address if fits else OTHERS), minute
