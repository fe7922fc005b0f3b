"""Idempotency records: the replies of creates, for clients that repeat them with their key."""

from typing import NamedTuple

from landform.storage.clock import DAY, earlier
from landform.storage.errors import KeyReused
from landform.storage.models import IdempotencyRecord
from landform.storage.store import Store


class IdempotencyKey(NamedTuple):
    """The key of a create, with its caller and the digest of its body."""

    caller: str
    key: str
    digest: str


def find(store: Store, key: IdempotencyKey) -> str | None:
    """Return the stored reply for a key, or None; delete replies that are older than a day.

    Raises `KeyReused` for a key with another body. Use in the transaction of the create.
    """
    is_old = IdempotencyRecord.created < earlier(store.clock.now().utc, DAY)
    IdempotencyRecord.delete().where(is_old).execute(store.database)
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
    """Store the reply of a create, in its transaction."""
    IdempotencyRecord.insert(
        caller=key.caller,
        idempotency_key=key.key,
        body_digest=key.digest,
        answer=reply,
        location="",
        created=store.clock.now().utc,
    ).execute(store.database)
