"""Keys of runs: the name of the run of a feed for an entry, in plans and in runs."""

from hashlib import blake2b

from landform.storage.sql import IDENTITY
from landform.storage.store import Store

KEY_BYTES = 16


def run_key(store: Store, feed_id: int, entry_id: str) -> str:
    """Return the key, which is the same in this store and its backups only."""
    # A store that was only checked does not know its identity.
    identity = store.identity or IDENTITY.row(store)[0]
    text = f"{identity}\0{feed_id}\0{entry_id}"
    return blake2b(text.encode(), digest_size=KEY_BYTES).hexdigest()
