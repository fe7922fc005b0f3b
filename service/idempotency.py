"""`Idempotency-Key`: a create that is repeated, because its answer was lost, happens once."""

import json
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from flask import Response

from landform.service.access import Identity
from landform.service.call import Call
from landform.service.encoding import dumps
from landform.service.errors import ApiError
from landform.storage import answers

LONGEST_KEY = 255


def once(
    call: Call,
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
    key = call.request.headers.get("Idempotency-Key")
    if key is None:
        return call.created(resource, *create())
    if not key.isprintable() or not 0 < len(key) <= LONGEST_KEY:
        message = f"Idempotency-Key must be 1 to {LONGEST_KEY} printable characters."
        raise ApiError(400, "rest_invalid_param", message, {"params": {"Idempotency-Key": message}})
    operation = resource if form_id is None else f"{resource}:{form_id}"
    whose = f"{caller.name} {operation}"
    if len(whose) > LONGEST_KEY:
        # An index holds no more, and nobody looks at it.
        whose = sha256(whose.encode()).hexdigest()
    digest = sha256(call.request.mimetype.encode() + b"\n" + call.raw_body()).hexdigest()

    def create_once() -> answers.Answer:
        kept = answers.find(call.store, whose, key, digest)
        if kept is None:
            body, location = create()
            kept = answers.Answer(dumps(body).decode(), location)
            answers.keep(call.store, whose, key, digest, kept)
        return kept

    kept = call.store.writer.run(create_once)
    return call.created(resource, json.loads(kept.body), kept.location)
