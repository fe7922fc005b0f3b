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
from landform.service.http.contract import Contract, Resource
from landform.service.http.request import ApiRequest
from landform.storage import AlreadyTrashed, Store, pages, signatures
from landform.storage.clock import epoch
from landform.storage.rows import Row

RESOURCE = Resource()
WRITE = schemas.PreviewWrite()
PREVIEW, REVOKED = schemas.PagePreview(), schemas.PreviewsRevoked()
PATH = "/pages/<page_id>/preview"
UNLOCKED_SECONDS = 24 * 60 * 60
LONGEST = 500


@RESOURCE.operation(
    Contract(
        "POST", PATH, PREVIEW, scope="pages:read", body=WRITE, example={"expires_in": 86400},
        errors=("rest_post_invalid_id", "rest_already_trashed"),
    )
)  # fmt: skip
def create_preview(request: ApiRequest, page_id: int) -> Response:
    """Return a signed address that shows the page as it is, whatever its status and window."""
    until = _now(request.store) + request.values()["expires_in"]
    if pages.get(request.store, page_id, ("status",))["status"] == "trash":
        raise AlreadyTrashed
    content = [page_id, signatures.revocations(request.store, page_id), until]
    token = _serializer(request.store, "preview").dumps(content)
    request.forbid_storing()
    ends = request.store.clock.moment(datetime.fromtimestamp(until, UTC))
    address = f"{request.public_base_url}/?page_id={page_id}&preview={token}"
    shown = {"link": address, "expires": ends.local, "expires_gmt": ends.utc}
    return request.json_response({"id": page_id, "token": token, **shown})


@RESOURCE.operation(
    Contract("DELETE", PATH, REVOKED, scope="pages:read", errors=("rest_post_invalid_id",))
)
def revoke_previews(request: ApiRequest, page_id: int) -> Response:
    """End every preview of the page at once."""
    pages.get(request.store, page_id, ("id",))
    signatures.revoke_previews(request.store, page_id)
    return request.json_response({"revoked": True})


def preview_until(store: Store, page_id: int, token: str) -> int | None:
    """Return until when a token shows a page, in seconds since 1970; None where it does not."""
    content = _read(_serializer(store, "preview"), token, 3)
    if content is None or content[0] != page_id or content[2] <= _now(store):
        return None
    return content[2] if content[1] == signatures.revocations(store, page_id) else None


def sign_unlocked(store: Store, page: Row) -> str:
    """Return what says that somebody knew the password of a page, for a day."""
    return _password_serializer(store, page).dumps([page["id"], _now(store) + UNLOCKED_SECONDS])


def is_unlocked(store: Store, page: Row, signed: str) -> bool:
    """Return whether a text says that of a page and the password that it has now."""
    content = _read(_password_serializer(store, page), signed, 2)
    return content is not None and content[0] == page["id"] and content[1] > _now(store)


def _password_serializer(store: Store, page: Row) -> URLSafeSerializer:
    # The password is a part of the key: what was signed is valid while the page has that one.
    return _serializer(store, "password", page["password"])


def _serializer(store: Store, purpose: str, more: str = "") -> URLSafeSerializer:
    key = hmac.digest(signatures.secret(store).encode(), more.encode(), "sha256")
    return URLSafeSerializer(
        key,
        salt=f"landform.{purpose}",
        signer_kwargs={"key_derivation": "hmac", "digest_method": sha256},
    )


def _read(serializer: URLSafeSerializer, text: str, length: int) -> list[int] | None:
    """Return the numbers of a signed text; None for any other."""
    content: object = None
    # Whatever else may be raised for what is no signed text is not worth a 500.
    with suppress(BadData, ValueError, TypeError, RecursionError):
        content = serializer.loads(text[: LONGEST + 1]) if len(text) <= LONGEST else None
    if not isinstance(content, list) or len(content) != length:
        return None
    return content if all(type(number) is int for number in content) else None


def _now(store: Store) -> int:
    return int(epoch(store.clock.now().utc))
