"""Idempotency records: a create that is repeated with its key returns the row of the first one."""

import json
from typing import NamedTuple

from landform.storage.clock import DAY
from landform.storage.errors import KeyReused
from landform.storage.models import IdempotencyRecord
from landform.storage.rows import Row
from landform.storage.store import Store, expired_before


class IdempotencyKey(NamedTuple):
    """The key of a create: whose it is, its text, and the digest of the body that it came with."""

    caller: str
    key: str
    digest: str


def find(store: Store, key: IdempotencyKey) -> IdempotencyRecord | None:
    """Return the record of a key, None for a new one; old ones are deleted, a day late.

    Raises `KeyReused` where the key came with another body. Use in the create's transaction.
    """
    created = IdempotencyRecord.created
    old = expired_before(store, created, store.clock.now().utc, DAY)
    IdempotencyRecord.delete().where(created < old).execute(store.database)
    mine = (IdempotencyRecord.caller == key.caller) & (IdempotencyRecord.idempotency_key == key.key)
    found: IdempotencyRecord | None = IdempotencyRecord.select().where(mine).first(store.database)
    if found and found.body_digest != key.digest:
        raise KeyReused
    return found


def add(
    store: Store, key: IdempotencyKey, row: Row, location: str, public_url: str
) -> IdempotencyRecord:
    """Store and return the record of a row that was created, in the transaction of that.

    `location`: the URL of the row; `public_url`: what links begin with.
    """
    content = json.dumps({"row": row, "public_url": public_url}, ensure_ascii=False)
    values = {
        "caller": key.caller, "idempotency_key": key.key, "body_digest": key.digest,
        "answer": content, "location": location, "created": store.clock.now().utc,
    }  # fmt: skip
    IdempotencyRecord.insert(values).execute(store.database)
    return IdempotencyRecord(**values)
