"""`GET /whoami`: who is calling, and what they may do."""

from flask import Response

from landform.schemas.whoami import Caller
from landform.service.http.headers import set_no_store
from landform.service.http.request import ApiRequest

CALLER = Caller()


def whoami(request: ApiRequest) -> Response:
    """Return the caller's name, author id and scopes; 401 for a stranger."""
    caller = request.require_scope()
    scopes = sorted(caller.scopes)
    answer = {"name": caller.name, "author": caller.author, "scopes": scopes}
    return set_no_store(request.json_response(CALLER.dump(answer)))
