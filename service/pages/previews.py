"""Previews of pages, and the signed tokens that open them.

Tokens are signed with a secret of the store, so every process can check them. They contain no
secret, and become invalid when the secret is rotated.
"""

import hmac
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha256

from itsdangerous import BadData, URLSafeSerializer

from landform.schemas import pages as schemas
from landform.service.pipeline.call import Call
from landform.service.pipeline.operations import Resource
from landform.service.pipeline.reply import NO_STORE, Reply
from landform.storage import AlreadyTrashed, Store, pages, signatures
from landform.storage.rows import Row

RESOURCE = Resource()
PREVIEW, REVOKED = schemas.PagePreview(), schemas.PreviewsRevoked()
ROUTE = "/pages/<page_id>/preview"
LONGEST_TOKEN = 500


@RESOURCE.get(
    ROUTE, response=PREVIEW, many=True, scope="pages:read", errors=("rest_post_invalid_id",)
)
def list_previews(call: Call, page_id: int) -> Reply:
    """Return the valid previews of the page, at most 100, by their end, the latest first."""
    status = pages.get(call.store, page_id, ("status",))["status"]
    times = signatures.previews_after(call.store, page_id, now(call.store))
    rows = [] if status == "trash" else [_preview(call, page_id, until) for until in times]
    return Reply(PREVIEW.dump(rows, many=True), caching=NO_STORE)


@RESOURCE.post(
    ROUTE,
    body=schemas.PreviewWrite(),
    response=PREVIEW,
    scope="pages:read",
    example={"expires_in": 86400},
    errors=("rest_post_invalid_id", "rest_already_trashed"),
)
def create_preview(call: Call, page_id: int) -> Reply:
    """Return a signed URL that shows the page with any status and window."""
    until = now(call.store) + call.body["expires_in"]
    if pages.get(call.store, page_id, ("status",))["status"] == "trash":
        raise AlreadyTrashed
    signatures.record_preview(call.store, page_id, until)
    return Reply(PREVIEW.dump(_preview(call, page_id, until)), caching=NO_STORE)


@RESOURCE.delete(ROUTE, response=REVOKED, scope="pages:write", errors=("rest_post_invalid_id",))
def revoke_previews(call: Call, page_id: int) -> Reply:
    """End every preview of the page at once."""
    pages.get(call.store, page_id, ("id",))
    signatures.revoke(call.store, page_id)
    return Reply(REVOKED.dump({}))


def _preview(call: Call, page_id: int, until: int) -> Row:
    token = sign(call.store, page_id, until)
    ends = call.store.clock.moment(datetime.fromtimestamp(until, UTC))
    link = f"{call.public_url}/?page_id={page_id}&preview={token}"
    times = {"expires": ends.local, "expires_gmt": ends.utc}
    return {"id": page_id, "token": token, "link": link, **times}


def sign(store: Store, page_id: int, until: int, key: str = "") -> str:
    """Return a token that opens a page until a time; `key`: its password, for cookies."""
    content = [page_id, signatures.revocations(store, page_id), until]
    return _serializer(store, key).dumps(content)


def signed_until(store: Store, page_id: int, token: str, key: str = "") -> int | None:
    """Return when a token for a page expires (Unix seconds); None if it is invalid."""
    content: object = None
    # Also the errors of itsdangerous for unusual texts.
    with suppress(BadData, ValueError, TypeError, RecursionError):
        content = _serializer(store, key).loads(token if len(token) <= LONGEST_TOKEN else "")
    if not isinstance(content, list) or not all(type(number) is int for number in content):
        return None
    if content[:-1] != [page_id, signatures.revocations(store, page_id)]:
        return None
    return content[-1] if content[-1] > now(store) else None


def _serializer(store: Store, key: str) -> URLSafeSerializer:
    secret = hmac.digest(signatures.secret(store).encode(), key.encode(), "sha256")
    purpose = "password" if key else "preview"
    signer = {"key_derivation": "hmac", "digest_method": sha256}
    return URLSafeSerializer(secret, salt=f"landform.{purpose}", signer_kwargs=signer)


def now(store: Store) -> int:
    """Return the seconds since 1970."""
    return int(store.clock.seconds())
