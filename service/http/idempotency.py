"""`Idempotency-Key`: a create that is repeated, because its answer was lost, happens once."""

import json
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from flask import Response

from landform.service.auth.credentials import Identity
from landform.service.errors import ApiError
from landform.service.http.json_codec import dumps
from landform.service.http.request import ApiRequest
from landform.storage import idempotency_keys

LONGEST_KEY = 255


def create_idempotently(
    request: ApiRequest,
    caller: Identity,
    resource: str,
    create: Callable[[], tuple[dict[str, Any], str]],
    form_id: int | None = None,
) -> Response:
    """Answer a create with 201: its object and its address, or those that were kept.

    Keys are each caller's own, and each operation's: that is the `resource`, and the form of a
    route that names one. A create may be repeated at any other URL that leads to the same
    operation on the same store. The same key with another body is a 422.
    """
    key = request.http.headers.get("Idempotency-Key")
    if key is None:
        return request.created_response(resource, *create())
    if not key.isprintable() or not 0 < len(key) <= LONGEST_KEY:
        message = f"Idempotency-Key must be 1 to {LONGEST_KEY} printable characters."
        raise ApiError(400, "rest_invalid_param", message, {"params": {"Idempotency-Key": message}})
    operation = resource if form_id is None else f"{resource}:{form_id}"
    whose = f"{caller.name} {operation}"
    if len(whose) > LONGEST_KEY:
        # An index holds no more, and nobody looks at it.
        whose = sha256(whose.encode()).hexdigest()
    digest = sha256(request.http.mimetype.encode() + b"\n" + request.raw_body()).hexdigest()

    def create_once() -> idempotency_keys.StoredResponse:
        kept = idempotency_keys.find(request.store, whose, key, digest)
        if kept is None:
            body, location = create()
            kept = idempotency_keys.StoredResponse(dumps(body).decode(), location)
            idempotency_keys.store_response(request.store, whose, key, digest, kept)
        return kept

    kept = request.store.write_queue.run(create_once)
    return request.created_response(resource, json.loads(kept.body), kept.location)
