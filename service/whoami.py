"""`GET /whoami`: who is calling, and what they may do."""

from flask import Response

from landform.schemas.wordpress import Caller
from landform.service.http.contract import Contract, Resource
from landform.service.http.headers import set_no_store
from landform.service.http.request import ApiRequest

RESOURCE = Resource()


@RESOURCE.operation(Contract("GET", "/whoami", Caller()))
def whoami(request: ApiRequest) -> Response:
    """Return the caller's name, author id and scopes."""
    caller = request.caller
    scopes = sorted(caller.scopes)
    body = {"name": caller.name, "author": caller.author, "scopes": scopes}
    return set_no_store(request.json_response(body))
