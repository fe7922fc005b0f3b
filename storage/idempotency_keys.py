"""Idempotency records: a create that is repeated with its key returns the row of the first one."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from landform.storage.clock import Clock
from landform.storage.errors import KeyReused
from landform.storage.models import IdempotencyRecord
from landform.storage.rows import Row
from landform.storage.store import Store, transactional

KEPT_FOR = timedelta(hours=24)


class IdempotencyKey(NamedTuple):
    """The key of a create: whose it is, its text, and the digest of the body that it came with."""

    caller: str
    key: str
    digest: str


class StoredResponse(NamedTuple):
    """What a response with 201 is made of, as JSON text, and its `Location`."""

    body: str
    location: str

    def content(self) -> dict[str, Any]:
        """Return the created `row` and the `public_url`; the body itself from earlier versions."""
        content: dict[str, Any] = json.loads(self.body)
        return content


@transactional
def create_once(
    store: Store, key: IdempotencyKey, create: Callable[[], Row], location: str, public_url: str
) -> StoredResponse:
    """Create a row unless the key was used already; return what was stored the first time.

    `location`: what the id follows in the URL of the row; `public_url`: what links begin with.
    Raises `KeyReused` where the key came with another body.
    """
    stored = find(store, *key)
    if stored is None:
        row = create()
        content = json.dumps({"row": row, "public_url": public_url}, ensure_ascii=False)
        stored = StoredResponse(content, f"{location}/{row['id']}")
        store_response(store, *key, stored)
    return stored


def find(store: Store, caller: str, key: str, digest: str) -> StoredResponse | None:
    """Return what is stored for a key, None for a new one; records older than a day are deleted.

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
    store: Store, caller: str, key: str, digest: str, response: StoredResponse
) -> None:
    """Store a record, in the transaction of the create that it belongs to."""
    IdempotencyRecord.insert(
        caller=caller, idempotency_key=key, body_digest=digest, answer=response.body,
        location=response.location, created=store.clock.now().utc,
    ).execute(store.database)  # fmt: skip
