"""Batches: several write operations in one request and one commit."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TypeVar
from urllib.parse import quote, unquote

from landform.parts.batch import schemas
from landform.parts.batch.errors import BatchNotAllowed
from landform.service.pipeline.call import Call, Incoming
from landform.service.pipeline.errors import INVALID, ApiError, from_known, no_route, wrong_method
from landform.service.pipeline.json_codec import JsonObject, dumps
from landform.service.pipeline.loading import nested, pairs
from landform.service.pipeline.operations import (
    NAMESPACES,
    WP_JSON,
    Resource,
    RouteTable,
    all_routes,
)
from landform.service.pipeline.reply import Finished, Reply, envelope
from landform.service.pipeline.run import complete, load, read_variables
from landform.storage import Store
from landform.storage.sql import read_generation

RESPONSES = schemas.BatchResponses()
BATCH_PATH = "/batch/v1"
EXAMPLE = {"requests": [{"path": "/pages", "body": {"title": "Summer sale"}}]}
# Of all requests together: at most about three seconds of rendering.
MOST_BYTES = 1 << 20
TOO_MANY_BYTES = f"The requests have more than {MOST_BYTES} bytes together: send fewer at a time."
# The headers that each request of a batch may have.
REQUEST_HEADERS = ("If-Match", "Idempotency-Key", "Prefer")
TOO_LARGE = "The responses have more than {} bytes: send fewer requests, or _fields in their paths."
T = TypeVar("T")
# A loaded request, which is carried out when it is called.
Request = Callable[[], Finished]


class _RolledBack(Exception):
    """A request of the batch failed, so all are rolled back."""


def resource_over(resources: Iterable[Resource]) -> Resource:
    """Return the resource of batches of the write operations of others."""
    batches = Resource(WP_JSON)

    @batches.post(
        BATCH_PATH,
        body=schemas.Batch(),
        response=RESPONSES,
        status=207,
        batch=False,
        example=EXAMPLE,
        errors=("rest_missing_callback_param", BatchNotAllowed),
    )
    def batch(call: Call) -> Reply:
        """Carry out several writes in one commit; each is authorized and validated."""
        if len(dumps(call.body["requests"])) > MOST_BYTES:
            raise _wrong_size(TOO_MANY_BYTES)
        # Slow work is done before the transaction blocks other writes.
        items, generation = call.body["requests"], read_generation(call.store)
        loaded = [_attempt(partial(_load, call, routes, item, generation)) for item in items]
        responses: list[JsonObject] = []
        try:
            with call.store.transaction():
                bytes_left = call.options.max_response_bytes
                for request in loaded:
                    body, status, headers, *_ = _carry_out(call.store, request)
                    responses.append(envelope(body, status, headers))
                    bytes_left -= len(body)
                    if bytes_left < 0:
                        raise _wrong_size(TOO_LARGE.format(call.options.max_response_bytes))
                if call.body["validation"] == schemas.ALL and any(map(_is_error, responses)):
                    raise _RolledBack
        except _RolledBack:
            errors = [response if _is_error(response) else None for response in responses]
            return Reply(RESPONSES.dump({"failed": "validation", "responses": errors}))
        return Reply(RESPONSES.dump({"responses": responses}))

    routes = RouteTable(all_routes((*resources, batches)))
    return batches


def _wrong_size(message: str) -> ApiError:
    """Return the error for requests or responses that are too large together."""
    return ApiError(400, INVALID, message, {"params": {"requests": message}})


def _attempt(step: Callable[[], T]) -> T | Finished:
    """Return the result of a step of one request, or its error; a 5xx ends the whole batch."""
    try:
        return step()
    except Exception as error:
        known = from_known(error)
        if known is None or known.status >= 500:
            raise
        return known.finished()


def _carry_out(store: Store, request: Request | Finished) -> Finished:
    """Return the response to a request; the writes of a failed one are rolled back."""
    if isinstance(request, Finished):
        return request

    def in_transaction() -> Finished:
        with store.transaction():
            return request()

    return _attempt(in_transaction)


def _load(call: Call, routes: RouteTable, item: JsonObject, generation: str) -> Request:
    path, _, query_string = item["path"].partition("#")[0].partition("?")
    path = unquote(path)
    if path.startswith(tuple(f"/{name}/" for name in NAMESPACES)):
        path = WP_JSON + path
    is_known = call.options.wp_json_paths or not path.startswith(WP_JSON)
    match = routes.find(path) if is_known else None
    if match is None:
        raise no_route()
    route, variables = match
    operation = route.operations.get(item["method"])
    if operation is None:
        raise wrong_method(route.allowed())
    if not (operation.is_write and operation.batch):
        raise BatchNotAllowed
    root_url = call.root_url.removesuffix(WP_JSON)
    base = path.removesuffix("/").rsplit("/", route.path.count("/"))[0]
    urls = f"{root_url}{quote(path)}", f"{root_url}{quote(base)}"
    lists = () if path.startswith(WP_JSON) else operation.list_parameters
    query = nested(pairs(query_string.encode()), lists)
    body = item.get("body") or {}
    headers = _request_headers(item["headers"])
    method, access = item["method"], call.access
    incoming = Incoming(method, *urls, headers, access, query, body, generation=generation)
    ids = read_variables(variables)
    return partial(complete, load(call.service, operation, incoming, ids))


def _request_headers(sent: Mapping[str, str | list[str]]) -> Mapping[str, str]:
    """Return the headers that apply to a single request."""
    values = {name.lower().replace("_", "-"): value for name, value in sent.items()}
    headers = {name: values[name.lower()] for name in REQUEST_HEADERS if name.lower() in values}
    return {
        name: ", ".join([value] if isinstance(value, str) else value)
        for name, value in headers.items()
    }


def _is_error(response: JsonObject) -> bool:
    return bool(response["status"] >= 400)
