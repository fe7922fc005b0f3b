"""`GET /whoami`: who is calling, and what they may do."""

from flask import Response

from landform.schemas.callers import Caller
from landform.service.call import Call
from landform.service.headers import forbid_storing

CALLER = Caller()


def whoami(call: Call) -> Response:
    """Return the caller's name, author id and scopes; 401 for a stranger."""
    caller = call.require()
    scopes = sorted(caller.scopes)
    answer = {"name": caller.name, "author": caller.author, "scopes": scopes}
    return forbid_storing(call.answer(CALLER.dump(answer)))
