"""Runs of feeds: their keys, and the queue of those that the service itself carries out."""

from collections.abc import Collection, Sequence
from hashlib import blake2b
from typing import ClassVar, Protocol

from landform.parts import all_parts
from landform.storage.rows import Row
from landform.storage.sql import IDENTITY
from landform.storage.store import Store

KEY_BYTES = 16


class RunQueue(Protocol):
    """Runs of feeds for entries of this store, which a part stores until their entry is deleted.

    A run is a row with `id`, `feed_id`, `form_id`, `entry_id` and `attempt`.
    """

    # The outcomes of a run.
    SUCCESS: ClassVar[str] = "success"
    FAILED: ClassVar[str] = "failed"

    def add(self, store: Store, form_id: int, feed_ids: Sequence[int], entry_id: str) -> None:
        """Add a run of each feed for an entry, due now, in the transaction of the caller.

        A run that is there already stays as it is.
        """

    def seconds_until_due(
        self, store: Store, addon_slugs: Collection[str], busy_feeds: Collection[int] = ()
    ) -> float | None:
        """Return the seconds until a run is due, of active feeds of these add-ons; None: never.

        Runs of `busy_feeds`, which are ids, do not count.
        """

    def claim_due(
        self, store: Store, addon_slugs: Collection[str], lease: int, busy_feeds: Collection[int]
    ) -> Row | None:
        """Claim the run that is due for the longest, for a lease in seconds; None without any.

        Until the lease is over nobody else can claim it; then it is due again.
        """

    def end(
        self, store: Store, run: Row, state: str, message: str = "", retry_in: float | None = None
    ) -> None:
        """End a claimed run; one that failed is due again in so many seconds, or never.

        Nothing changes if the claim has ended meanwhile.
        """

    def withdraw(self, store: Store, run: Row) -> None:
        """Delete a claimed run, as if it was never added."""

    def delete(self, store: Store, entry_ids: Sequence[str]) -> None:
        """Delete the runs for entries, in the transaction of the caller."""


def find_run_queue() -> RunQueue | None:
    """Return the queue of the first part that has one; None without: then no feed runs here."""
    queues = (part.run_queue() for part in all_parts().values())
    return next((queue for queue in queues if queue), None)


def run_key(store: Store, feed_id: int, entry_id: str) -> str:
    """Return the key of the run of a feed for an entry, the same in this store and its backups."""
    # A store that was only checked does not know its identity.
    identity = store.identity or IDENTITY.row(store)[0]
    text = f"{identity}\0{feed_id}\0{entry_id}"
    return blake2b(text.encode(), digest_size=KEY_BYTES).hexdigest()
