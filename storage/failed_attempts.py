"""Failed logins and submitted forms, counted for each IP address and minute in all workers.

Counting never waits for another writer. A failure that cannot be stored at once is counted in
memory, and stored with the next one. What is counted in a write is stored, or undone, with it.
"""

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from ipaddress import IPv6Address, IPv6Network
from threading import Lock

from peewee import EXCLUDED

from landform.storage.errors import StorageError
from landform.storage.models import FailedAttempt
from landform.storage.sql import Parameter, Prepared
from landform.storage.store import Store

# An address, and a minute since 1970.
Key = tuple[str, int]
SECONDS = 60
LONGEST = 100
# The number of addresses with failures in memory; those of more are counted together.
MOST_ADDRESSES = 1000
MORE_ADDRESSES = "others"
PARAMETERS = {name: Parameter(name) for name in ("address", "minute", "count")}
COUNT = Prepared(
    FailedAttempt.select(FailedAttempt.count).where(
        FailedAttempt.address == PARAMETERS["address"], FailedAttempt.minute == PARAMETERS["minute"]
    )
)
ADD = Prepared(
    FailedAttempt.insert(PARAMETERS)
    .on_conflict(
        conflict_target=[FailedAttempt.address, FailedAttempt.minute],
        update={FailedAttempt.count: FailedAttempt.count + EXCLUDED.count},
    )
    .returning(FailedAttempt.count)
)
EXPIRE = Prepared(FailedAttempt.delete().where(FailedAttempt.minute < PARAMETERS["minute"]))


def address_key(address: str) -> str:
    """Return the key of an IP address, which for IPv6 is its network of 64 bits.

    Without the port that some proxies add: each connection would be counted for itself.
    """
    if address.startswith("["):
        address = address[1:].partition("]")[0]
    elif address.count(":") == 1:
        address = address.partition(":")[0]
    try:
        ipv6 = IPv6Address(address)
    except ValueError:
        # A proxy may send any text; an index takes no long ones.
        return address[:LONGEST]
    return str(ipv6.ipv4_mapped or IPv6Network((ipv6, 64), strict=False))


class Attempts:
    """The counts of failures and submissions, with a limit for each address and minute.

    An address may have a kind behind it, such as `192.0.2.1 forms`, which is counted for itself.
    """

    def __init__(self, store: Store, limit: int) -> None:
        self._store, self._limit = store, limit
        self._lock = Lock()
        self._unstored: Counter[Key] = Counter()
        # The minute of the last write, and the addresses that a transaction refused in it.
        self._last_minute, self._refused = 0, set[str]()

    def retry_after(self, address: str, limit: int | None = None) -> int:
        """Return the seconds until an address may fail again, 0 for now.

        `limit`: how many failures a minute are allowed, by default as many as of credentials.
        """
        limit = self._limit if limit is None else limit
        minute, seconds_left = self._now()
        row = COUNT.row(self._store, {"address": address, "minute": minute})
        count = row[0] if row else 0
        with self._lock:
            count += self._unstored[self._key(address, minute)]
        return seconds_left if count >= limit else 0

    def count(self, address: str, limit: int | None = None) -> int:
        """Count a failure or a submission; return the seconds to wait, 0 within the limit.

        Beyond the limit nothing is written, so that each failure of a flood costs one query.
        """
        limit = self._limit if limit is None else limit
        if self._store.database.in_transaction():
            return self._count_in_write(address, limit)
        if seconds := self.retry_after(address, limit):
            return seconds
        minute, seconds_left = self._now()

        def write() -> dict[Key, int]:
            EXPIRE.run(self._store, {"minute": minute})
            return self._add(self._unstored)

        with self._lock:
            for key in [key for key in self._unstored if key[1] < minute]:
                del self._unstored[key]
            key = self._key(address, minute)
            self._unstored[key] += 1
            with suppress(StorageError):
                counts = self._store.try_write(write)
                self._unstored.clear()
                # Other threads may have reached the limit meanwhile.
                return seconds_left if counts[key] > limit else 0
        return self.retry_after(address, limit + 1)

    def _count_in_write(self, address: str, limit: int) -> int:
        minute, seconds_left = self._now()
        if minute != self._last_minute:
            # In this order: no thread sees the new minute with addresses of the one before.
            self._refused = set()
            self._last_minute = minute
            EXPIRE.run(self._store, {"minute": minute})
        key = address, minute
        if self._add({key: 1})[key] + self._unstored[key] <= limit:
            return 0
        if len(self._refused) < MOST_ADDRESSES:
            self._refused.add(address)
        return seconds_left

    def seconds_refused(self, address: str) -> int:
        """Return the seconds until an address may go on that a write refused; 0 for now.

        Without a query: so a flood does not keep other writers waiting.
        """
        minute, seconds_left = self._now()
        return seconds_left if self._last_minute == minute and address in self._refused else 0

    def _add(self, added: Mapping[Key, int]) -> dict[Key, int]:
        """Add to the stored counts, and return these."""
        counts = {}
        for (address, when), count in added.items():
            values = {"address": address, "minute": when, "count": count}
            counts[address, when] = int(ADD.row(self._store, values)[0])
        return counts

    def _now(self) -> tuple[int, int]:
        """Return the present minute since 1970, and the seconds that are left of it."""
        minute, seconds = divmod(int(self._store.clock.seconds()), SECONDS)
        return minute, SECONDS - seconds

    def _key(self, address: str, minute: int) -> Key:
        """Return the key of a failure in memory. Use with the lock."""
        fits = (address, minute) in self._unstored or len(self._unstored) < MOST_ADDRESSES
        return (address if fits else MORE_ADDRESSES), minute
