"""Idempotency records: a create that is repeated with its key gets the reply of the first one."""

from typing import NamedTuple

from landform.storage.clock import DAY
from landform.storage.errors import KeyReused
from landform.storage.models import IdempotencyRecord
from landform.storage.store import Store, expired_before


class IdempotencyKey(NamedTuple):
    """The key of a create: whose it is, its text, and the digest of the body that it came with."""

    caller: str
    key: str
    digest: str


def find(store: Store, key: IdempotencyKey) -> str | None:
    """Return the reply that is stored for a key, None for a new one; delete old ones, a day late.

    Raises `KeyReused` where the key came with another body. Use in the create's transaction.
    """
    created = IdempotencyRecord.created
    old = expired_before(store, created, store.clock.now().utc, DAY)
    IdempotencyRecord.delete().where(created < old).execute(store.database)
    same_key = (IdempotencyRecord.caller == key.caller) & (
        IdempotencyRecord.idempotency_key == key.key
    )
    record: IdempotencyRecord | None
    record = IdempotencyRecord.select().where(same_key).first(store.database)
    if record is None:
        return None
    if record.body_digest != key.digest:
        raise KeyReused
    return str(record.answer)


def add(store: Store, key: IdempotencyKey, reply: str) -> None:
    """Store a reply, in the transaction of the create that it is the result of."""
    IdempotencyRecord.insert(
        caller=key.caller,
        idempotency_key=key.key,
        body_digest=key.digest,
        answer=reply,
        location="",
        created=store.clock.now().utc,
    ).execute(store.database)
