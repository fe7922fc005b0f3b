"""`Idempotency-Key`: a repeated create happens once.

The first reply is stored in the same transaction, and returned again for a day.
"""

import json
from collections.abc import Callable, Mapping
from functools import partial

from werkzeug.datastructures import Headers

from landform.service.pipeline.call import Call
from landform.service.pipeline.errors import ApiError
from landform.service.pipeline.json_codec import dumps
from landform.service.pipeline.reply import Reply
from landform.storage import idempotency_keys
from landform.storage.idempotency_keys import IdempotencyKey
from landform.storage.rows import digest_of

KEY_HEADER = "Idempotency-Key"
LONGEST_KEY = 255
MESSAGE = f"{KEY_HEADER} must be 1 to {LONGEST_KEY} printable characters."


def once(call: Call, write: Callable[[], Reply] | None = None) -> Reply:
    """Return the reply of the view, or the stored reply for the key of the call.

    Keys belong to a caller and an operation. The same key with another body is a 422. A view that
    works long before it writes calls this itself, with the function that writes (`reads_key`).
    """
    view = write or partial(call.operation.view, call, **call.ids)
    key = _key(call)
    if key is None:
        return view()
    with call.store.transaction():
        stored = idempotency_keys.find(call.store, key)
        if stored is None:
            reply = view()
            content = {"body": reply.body, "headers": {**reply.headers}, "etag": reply.etag}
            idempotency_keys.add(call.store, key, dumps(content).decode())
            return reply
    return Reply(**json.loads(stored))


def find_reply(call: Call) -> Reply | None:
    """Return the stored reply for the key of the call, if there is one."""
    key = _key(call)
    with call.store.transaction():
        stored = key and idempotency_keys.find(call.store, key)
    return Reply(**json.loads(stored)) if stored else None


def read_key(headers: Headers | Mapping[str, str]) -> str | None:
    """Return the key in the headers, or None; raises a 400 for an invalid one."""
    key = headers.get(KEY_HEADER)
    if key is not None and not (key.isprintable() and 0 < len(key) <= LONGEST_KEY):
        raise ApiError(400, "rest_invalid_param", MESSAGE, {"params": {KEY_HEADER: MESSAGE}})
    return key


def _key(call: Call) -> IdempotencyKey | None:
    """Return the key of a call with its caller and operation, or None."""
    key = read_key(call.incoming.headers)
    if key is None:
        return None
    # A key may have the name of a configured credential, which has no colon.
    kind = "key:" if call.caller.is_stored else ""
    target = " ".join([call.operation.name, *map(str, call.ids.values())])
    owner = f"{kind}{call.caller.name} {target}"
    if len(owner) > LONGEST_KEY:
        # The column is not longer.
        owner = digest_of(owner)
    # The parsed body is compared: white space, boundaries and the order of names do not matter.
    sent = json.dumps(call.sent_body, sort_keys=True)
    if file := call.incoming.file:
        sent += json.dumps(call.sent_query, sort_keys=True) + file.digest().hex()
    return IdempotencyKey(owner, key, digest_of(sent))
