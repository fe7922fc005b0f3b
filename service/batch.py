"""The operation that carries out several others, whose writes share one commit."""

from collections.abc import Iterable
from io import BytesIO
from urllib.parse import unquote, urlsplit

from flask import Response
from werkzeug.exceptions import NotFound
from werkzeug.routing import Map, MapAdapter, Rule

from landform.schemas import batch as schemas
from landform.service.errors import (
    INVALID,
    ApiError,
    from_known,
    no_route,
    refusal,
    wrong_method,
)
from landform.service.http.contract import API, NAMESPACES, Resource, all_routes, path_variables
from landform.service.http.input import wsgi_text
from landform.service.http.request import ApiRequest
from landform.service.http.routing import envelope, numbers, run_operation
from landform.service.json_codec import JsonObject, dumps
from landform.storage import StorageError

BATCH, RESPONSES = schemas.Batch(), schemas.BatchResponses()
PATH = "/batch/v1"
EXAMPLE = {"requests": [{"path": "/pages", "body": {"title": "Summer sale"}}]}
# What a request of a batch has of its own, and what of the batch is not that of its requests.
OF_ITS_OWN = ("HTTP_IF_MATCH", "HTTP_IDEMPOTENCY_KEY", "HTTP_PREFER")
NOT_ITS_OWN = (*OF_ITS_OWN, "HTTP_IF_NONE_MATCH", "HTTP_TRANSFER_ENCODING", "wsgi.input_terminated")
TOO_LARGE = "The responses have more than {} bytes: send fewer requests, or _fields in their paths."


class _Undone(Exception):
    """A request of the batch cannot be carried out, so that none is."""


def resource(others: Iterable[Resource]) -> Resource:
    """Return the resource of batches, which hold operations of others that write."""
    mine = Resource(API)

    @mine.operation(
        "POST", PATH, RESPONSES, status=207, body=BATCH, batch=False, example=EXAMPLE,
        errors=("rest_missing_callback_param", "rest_batch_not_allowed"),
    )  # fmt: skip
    def batch(request: ApiRequest) -> Response:
        """Carry out requests that write, each authorized and validated by itself, in one commit."""
        given, found = request.values(), list[JsonObject]()
        try:
            with request.store.transaction():
                left = request.service.options.max_response_bytes
                for item in given["requests"]:
                    response = _respond(request, routes, item)
                    left -= response.content_length or 0
                    found.append(envelope(response))
                    if left < 0:
                        text = TOO_LARGE.format(request.service.options.max_response_bytes)
                        raise ApiError(400, INVALID, text, {"params": {"requests": text}})
                if given["validation"] == schemas.ALL and any(map(_is_error, found)):
                    raise _Undone
        except _Undone:
            errors = [one if _is_error(one) else None for one in found]
            return request.json_response({"failed": "validation", "responses": errors})
        return request.json_response({"responses": found})

    found = all_routes((*others, mine))
    rules = [Rule(rule, endpoint=route) for route in found for rule in route.rules]
    routes = Map(rules, strict_slashes=False, merge_slashes=False).bind("")
    return mine


def _respond(outer: ApiRequest, routes: MapAdapter, item: JsonObject) -> Response:
    """Return the response to a request of a batch, undone where that is an error."""
    try:
        with outer.store.transaction():
            return _carry_out(outer, routes, item)
    except Exception as error:
        known = from_known(error)
        if known is None or (isinstance(error, StorageError) and known.status >= 500):
            # It is no fault of this request, and ends the batch.
            raise
        return known.response()


def _carry_out(outer: ApiRequest, routes: MapAdapter, item: JsonObject) -> Response:
    parts = urlsplit(item["path"])
    path = unquote(parts.path)
    if path.startswith(tuple(f"/{name}/" for name in NAMESPACES)):
        path = API + path
    if path.startswith(API) and not outer.service.options.wp_json_paths:
        raise no_route()
    try:
        route, ids = routes.match(path)
    except NotFound:
        raise no_route() from None
    operation = route.operations.get(item["method"])
    if operation is None:
        raise wrong_method(route.allowed())
    if not (operation.contract.is_write and operation.contract.batch):
        raise refusal("rest_batch_not_allowed")
    environ = {
        name: value for name, value in outer.http.environ.items()
        if name not in NOT_ITS_OWN and not name.startswith(("landform.", "werkzeug."))
    }  # fmt: skip
    for name, value in item["headers"].items():
        key = "HTTP_" + name.upper().replace("-", "_")
        if key in OF_ITS_OWN:
            environ[key] = value if isinstance(value, str) else ", ".join(value)
    body = dumps(item["body"]) if "body" in item else b""
    base = outer.http.path.rstrip("/").removesuffix(PATH).removesuffix(API)
    environ |= {
        "REQUEST_METHOD": item["method"],
        "PATH_INFO": wsgi_text(base + path), "QUERY_STRING": wsgi_text(parts.query),
        "CONTENT_TYPE": "application/json" if body else "",
        "CONTENT_LENGTH": str(len(body)), "wsgi.input": BytesIO(body),
    }  # fmt: skip
    request = ApiRequest(type(outer.http)(environ), outer.service, operation.contract)
    request.access = outer.access
    response = run_operation(operation, request, numbers(ids, path_variables(route.path)))
    response.headers.update(request.told)
    return response


def _is_error(response: JsonObject) -> bool:
    return bool(response["status"] >= 400)
