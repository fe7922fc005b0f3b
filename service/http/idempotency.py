"""`Idempotency-Key`: a create that is repeated, because its response was lost, happens once."""

from collections.abc import Callable
from hashlib import sha256
from json import loads

from flask import Response

from landform.service.errors import ApiError
from landform.service.http.request import ApiRequest
from landform.service.json_codec import JsonObject
from landform.storage import idempotency_keys
from landform.storage.idempotency_keys import IdempotencyKey
from landform.storage.rows import Row

LONGEST_KEY = 255


def create_idempotently(
    request: ApiRequest,
    resource: str,
    create: Callable[[], Row],
    dump: Callable[[Row, str], JsonObject],
    within: str = "",
) -> Response:
    """Return 201 for the row that `create` stores; if the key was used, for the row of that time.

    `dump` makes the body of a row and the public base URL, outside of the transaction. Keys belong
    to a caller and an operation, which is the `resource`, and what a route names beside that,
    `within`: a create may be repeated at any other URL that leads to the same operation on the same
    store.
    The same key with another body is a 422.
    """
    location, public_url = f"{request.api_base_url}/{resource}s", request.public_base_url
    key = _key(request, f"{resource}:{within}" if within else resource)
    if key is None:
        row = create()
        return _created(request, resource, dump(row, public_url), f"{location}/{row['id']}")
    with request.store.transaction():
        record = idempotency_keys.find(request.store, key)
        if record is None:
            row = create()
            of_row = f"{location}/{row['id']}"
            record = idempotency_keys.add(request.store, key, row, of_row, public_url)
    content = loads(record.answer)
    # Earlier versions stored the body itself.
    body = dump(content["row"], content["public_url"]) if "row" in content else content
    return _created(request, resource, body, record.location)


def _created(request: ApiRequest, resource: str, body: JsonObject, location: str) -> Response:
    request.set_etag(f"{resource}{body['id']}", 1)
    return request.json_response(body, {"Location": location})


def _key(request: ApiRequest, operation: str) -> IdempotencyKey | None:
    """Return the key that came with a request, None for no key; 400 for one that is no key."""
    key = request.http.environ.get("HTTP_IDEMPOTENCY_KEY")
    if key is None:
        return None
    if not key.isprintable() or not 0 < len(key) <= LONGEST_KEY:
        message = f"Idempotency-Key must be 1 to {LONGEST_KEY} printable characters."
        raise ApiError(400, "rest_invalid_param", message, {"params": {"Idempotency-Key": message}})
    # A key may have the name of a configured credential, which has no colon.
    kind = "key:" if request.caller.is_stored else ""
    owner = f"{kind}{request.caller.name} {operation}"
    if len(owner) > LONGEST_KEY:
        # An index holds no longer one, and nobody reads it.
        owner = sha256(owner.encode()).hexdigest()
    digest = sha256(request.http.mimetype.encode() + b"\n" + request.raw_body()).hexdigest()
    return IdempotencyKey(owner, key, digest)
