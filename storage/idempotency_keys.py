"""Kept answers: a create repeated with its idempotency key is answered as the first time."""

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from landform.storage.clock import Clock
from landform.storage.errors import KeyReused
from landform.storage.models import IdempotencyRecord
from landform.storage.store import Store

KEPT_FOR = timedelta(hours=24)


class StoredResponse(NamedTuple):
    """The body (JSON text) and the `Location` of an answer with 201."""

    body: str
    location: str


def find(store: Store, caller: str, key: str, digest: str) -> StoredResponse | None:
    """Return the answer that was kept, None for a key that is new.

    Raises `KeyReused` where the key came with another body. Use in the create's transaction.
    """
    old = Clock().moment(datetime.now(UTC) - KEPT_FOR).utc
    IdempotencyRecord.delete().where(IdempotencyRecord.created < old).execute(store.database)
    mine = (IdempotencyRecord.caller == caller) & (IdempotencyRecord.idempotency_key == key)
    rows = list(IdempotencyRecord.select().where(mine).execute(store.database))
    if not rows:
        return None
    if rows[0].body_digest != digest:
        raise KeyReused
    return StoredResponse(rows[0].answer, rows[0].location)


def store_response(
    store: Store, caller: str, key: str, digest: str, answer: StoredResponse
) -> None:
    """Keep an answer, in the transaction of the create that it belongs to."""
    IdempotencyRecord.insert(
        caller=caller, idempotency_key=key, body_digest=digest, answer=answer.body,
        location=answer.location, created=store.clock.now().utc,
    ).execute(store.database)  # fmt: skip
