"""Routing: one view for each path takes every method and finds the operation.

So a guest's responses keep their shape whatever the method, and an override or an envelope needs
no help of the host.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from time import time

import orjson
from flask import Request, Response
from flask.globals import request_ctx
from werkzeug.datastructures import Headers

from landform.service.auth.credentials import is_cross_site
from landform.service.errors import ApiError, from_exception, no_route, wrong_method
from landform.service.http.arguments import describe_route
from landform.service.http.contract import Operation, Route, path_variables
from landform.service.http.headers import ENVELOPE_HEADERS, render, set_headers
from landform.service.http.ignored import handle_ignored, tell
from landform.service.http.query import pairs
from landform.service.http.request import ApiRequest, ServiceContext
from landform.service.http.response_cache import (
    CACHE_UNTIL,
    MADE_OF,
    CachedResponse,
    cache_key,
)
from landform.service.json_codec import JsonObject


class RouteView:
    """The view of a route for every method.

    The variables of the path are ids, which come as text; one that is no number leads nowhere.
    """

    def __init__(self, service: ServiceContext, route: Route) -> None:
        self._service, self._route = service, route
        self._ids = path_variables(route.path)

    def __call__(self, **variables: str) -> Response:
        """Return the response to the request that Flask handles."""
        # The request itself: Flask's proxy of it finds it anew each time.
        return self.respond(request_ctx.request, variables)

    def respond(self, request: Request, variables: Mapping[str, str]) -> Response:
        """Return the response to a request, whichever way it came here."""
        try:
            ids = _numbers(variables, self._ids)
            response = _dispatch(request, self._service, self._route, ids)
        except Exception as error:
            response = tell(request, from_exception(error).response())
        origins = self._service.options.cors_origins
        return wrap_envelope(request, set_headers(request, response, origins))


def not_found_view(**path: str) -> Response:
    """Return the 404 for a URL below the prefix that is none of ours."""
    return not_found(request_ctx.request)


def not_found(request: Request, origins: Collection[str] = ()) -> Response:
    """Return the 404 for a request that no route leads to; `origins` may read it."""
    return wrap_envelope(request, set_headers(request, no_route().response(), origins))


def wrap_envelope(request: Request, response: Response) -> Response:
    """Wrap a response with its status and headers into a 200, where `_envelope` asks for it."""
    if b"_envelope" not in request.query_string or "_envelope" not in _query(request):
        return response
    if response.content_length and not response.is_json:
        return response
    body = orjson.Fragment(response.get_data()) if response.content_length else None
    envelope = {"body": body, "status": response.status_code, "headers": _plain(response.headers)}
    headers = {
        name: response.headers[name] for name in ENVELOPE_HEADERS if name in response.headers
    }
    return render(envelope, headers=headers)


def _dispatch(
    request: Request,
    service: ServiceContext,
    route: Route,
    path: Mapping[str, int],
) -> Response:
    method = _method(request)
    if method == "OPTIONS":
        return _describe(request, service, route)
    operation = route.operations.get("GET" if method == "HEAD" else method)
    if operation is None:
        raise wrong_method(route.allowed)
    if operation.contract.is_write and is_cross_site(request, service.options.cors_origins):
        message = "A cross-site browser request may not write; see LANDFORM_CORS_ORIGINS."
        raise ApiError(403, "rest_cross_site", message)
    api_request = ApiRequest(request, service, operation.contract)
    with service.store.connection():
        if method not in ("GET", "HEAD"):
            return run_operation(operation, api_request, path)
        read = partial(_read, route, operation, api_request, path)
        return respond_cached(api_request, read) if method == "GET" else read()


def _describe(request: Request, service: ServiceContext, route: Route) -> Response:
    """Return which methods of a route the caller may use, and the arguments of each.

    A browser asks for all of them, before it sends any credentials.
    """
    api_request = ApiRequest(request, service)
    with service.store.connection():
        mine = _allowed_to(api_request, route)
    is_preflight = "Access-Control-Request-Method" in request.headers
    headers = {"Allow": route.allowed if is_preflight else mine}
    return render(describe_route(route), headers=headers)


def _allowed_to(request: ApiRequest, route: Route) -> str:
    """Return the methods of a route that the caller may use, as `Allow` lists them."""
    return route.allow(
        method
        for method, operation in route.operations.items()
        if operation.contract.public or request.access.has_scope(operation.contract.scope)
    )


def _read(
    route: Route, operation: Operation, request: ApiRequest, path: Mapping[str, int]
) -> Response:
    """Return what a read responds; clients of WordPress learn from it what they may write."""
    response = run_operation(operation, request, path)
    if request.is_below_wp_json:
        response.headers.add("Allow", _allowed_to(request, route))
    return response


def run_operation(operation: Operation, request: ApiRequest, path: Mapping[str, int]) -> Response:
    """Return what an operation responds to a caller who may run it."""
    contract = operation.contract
    if contract.is_read:
        handle_ignored(request)
    request.authorize()
    if contract.if_match:
        request.expected = request.expected_versions(path)
    if not contract.is_read:
        handle_ignored(request)
    return tell(request.http, operation.view(request, **path))


def respond_cached(request: ApiRequest, operation: Callable[[], Response]) -> Response:
    """Return the cached response, or that of the operation, cached where the operation allows it.

    The caller is always identified first, so that any authorizer will do.
    """
    environ, cache = request.http.environ, request.service.cache
    if CACHE_UNTIL in environ:
        response = operation()
        environ[CACHE_UNTIL] = min(request.cache_until, request.access.valid_until)
        environ[MADE_OF] = (request.made_of, *request.access.made_of)
        return response
    # What a transaction has not committed yet nobody else may see, and it may be undone.
    is_shared = not (request.access.is_rejected or request.store.in_transaction)
    key = cache_key(environ, request.access.identity) if is_shared else None
    if key is None:
        return operation()
    versions, cached = cache.get(key)
    if cached is not None:
        return Response(cached.body, cached.status, cached.headers)
    response = operation()
    if request.cache_until > time():
        headers, body = list(response.headers), response.get_data()
        made = CachedResponse(
            response.status, headers, body, request.cache_until, (request.made_of,)
        )
        cache.put(key, versions, made)
    return response


def _method(request: Request) -> str:
    """Return the method that is meant: a POST may carry another one."""
    if request.method != "POST":
        return request.method
    override = _query(request).get("_method") or request.environ.get("HTTP_X_HTTP_METHOD_OVERRIDE")
    return override.strip().upper() if override else "POST"


def _query(request: Request) -> dict[str, str]:
    return dict(pairs(request.query_string)) if request.query_string else {}


def _numbers(path: Mapping[str, str], ids: Iterable[str]) -> dict[str, int]:
    # A host's prefix may have variables of its own.
    path = {name: path[name] for name in ids}
    if not all(part.isascii() and part.isdigit() for part in path.values()):
        raise no_route()
    # No column holds more than 19 digits, and Python reads only so many.
    return {name: int(part.lstrip("0")[:20] or "0") for name, part in path.items()}


def _plain(headers: Headers) -> JsonObject:
    skipped = ("Content-Type", "Content-Length")
    return {
        name: int(value) if value.isdigit() else value
        for name, value in headers.items()
        if name not in skipped
    }
