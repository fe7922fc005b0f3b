"""Previews, and the cookie of who knew the password of a page: signed texts that open one.

They are signed with a secret of the store, so that every process knows them, and none once the
secret is rotated. Nothing secret is in them.
"""

import hmac
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha256

from flask import Response
from itsdangerous import BadData, URLSafeSerializer

from landform.schemas import pages as schemas
from landform.service.http.contract import Resource
from landform.service.http.request import ApiRequest
from landform.storage import AlreadyTrashed, Store, pages, signatures
from landform.storage.clock import epoch

RESOURCE = Resource()
WRITE = schemas.PreviewWrite()
PREVIEW, REVOKED = schemas.PagePreview(), schemas.PreviewsRevoked()
PATH = "/pages/<page_id>/preview"
LONGEST = 500


@RESOURCE.operation(
    "POST", PATH, PREVIEW, scope="pages:read", body=WRITE, example={"expires_in": 86400},
    errors=("rest_post_invalid_id", "rest_already_trashed"),
)  # fmt: skip
def create_preview(request: ApiRequest, page_id: int) -> Response:
    """Return a signed address that shows the page as it is, whatever its status and window."""
    until = now(request.store) + request.values()["expires_in"]
    if pages.get(request.store, page_id, ("status",))["status"] == "trash":
        raise AlreadyTrashed
    token = sign(request.store, page_id, until)
    request.forbid_storing()
    ends = request.store.clock.moment(datetime.fromtimestamp(until, UTC))
    address = f"{request.public_base_url}/?page_id={page_id}&preview={token}"
    shown = {"link": address, "expires": ends.local, "expires_gmt": ends.utc}
    return request.json_response({"id": page_id, "token": token, **shown})


@RESOURCE.operation("DELETE", PATH, REVOKED, scope="pages:read", errors=("rest_post_invalid_id",))
def revoke_previews(request: ApiRequest, page_id: int) -> Response:
    """End every preview of the page at once."""
    pages.get(request.store, page_id, ("id",))
    signatures.revoke(request.store, page_id)
    return request.json_response({"revoked": True})


def sign(store: Store, page_id: int, until: int, key: str = "") -> str:
    """Return what opens a page until a time: a preview or, with its password as `key`, a cookie."""
    content = [page_id, signatures.revocations(store, page_id), until]
    return _serializer(store, key).dumps(content)


def signed_until(store: Store, page_id: int, text: str, key: str = "") -> int | None:
    """Return until when a signed text opens a page (seconds since 1970); None where it does not."""
    content: object = None
    # Whatever else may be raised for what is no signed text is not worth a 500.
    with suppress(BadData, ValueError, TypeError, RecursionError):
        content = _serializer(store, key).loads(text if len(text) <= LONGEST else "")
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
    return int(epoch(store.clock.now().utc))
