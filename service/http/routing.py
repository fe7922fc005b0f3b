"""Routing: one view for each path takes every method and finds the operation.

So a guest's responses keep their shape whatever the method, and an override or an envelope needs
no help of the host.
"""

from collections.abc import Callable, Iterable, Mapping
from time import time

import orjson
from flask import Request, Response
from flask.globals import request_ctx
from werkzeug.datastructures import Headers

from landform.service.auth.credentials import is_cross_site
from landform.service.context import ServiceContext
from landform.service.errors import ApiError, from_exception, no_route, wrong_method
from landform.service.http.headers import ENVELOPE_HEADERS, set_headers
from landform.service.http.json_codec import JsonObject, render
from landform.service.http.operations import Operation, Route, View, path_variables
from landform.service.http.parameters import pairs
from landform.service.http.request import ApiRequest
from landform.service.http.response_cache import CACHE_UNTIL, CachedResponse, cache_key


def make_view(service: ServiceContext, route: Route) -> View:
    """Return the view of a route for every method.

    The variables of the path are ids, which come as text; one that is no number leads nowhere.
    """
    ids = path_variables(route.path)

    def view(**variables: str) -> Response:
        # The request itself: Flask's proxy of it finds it anew each time.
        request = request_ctx.request
        try:
            response = _dispatch(request, service, route, _numbers(variables, ids))
        except Exception as error:
            response = from_exception(error).response()
        return wrap_envelope(request, set_headers(request, response, service.options.cors_origins))

    return view


def not_found_view(**path: str) -> Response:
    """Return the 404 for a URL below the prefix that is none of ours."""
    request = request_ctx.request
    return wrap_envelope(request, set_headers(request, no_route().response(), frozenset()))


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
        return render({"methods": list(route.operations)}, headers={"Allow": route.allowed})
    operation = route.operations.get("GET" if method == "HEAD" else method)
    if operation is None:
        raise wrong_method(route.allowed)
    if method not in ("GET", "HEAD") and is_cross_site(request, service.options.cors_origins):
        message = "A cross-site browser request may not write; see LANDFORM_CORS_ORIGINS."
        raise ApiError(403, "rest_cross_site", message)
    api_request = ApiRequest(request, service, operation.contract)
    with service.store.connection():
        if method != "GET":
            return _run(operation, api_request, path)
        return _respond_cached(api_request, lambda: _run(operation, api_request, path))


def _run(operation: Operation, request: ApiRequest, path: Mapping[str, int]) -> Response:
    """Return what an operation responds to a caller who may run it."""
    request.authorize()
    if operation.contract.if_match:
        request.expect_version(next(iter(path.values())))
    return operation.view(request, **path)


def _respond_cached(request: ApiRequest, operation: Callable[[], Response]) -> Response:
    """Return the cached response, or that of the operation, cached where the operation allows it.

    The caller is always identified first, so that any authorizer will do.
    """
    environ, cache = request.http.environ, request.service.cache
    if CACHE_UNTIL in environ:
        response = operation()
        environ[CACHE_UNTIL] = min(request.cache_until, request.caller_valid_until)
        return response
    key = None if request.is_rejected else cache_key(environ, request.identity)
    if key is None:
        return operation()
    version, cached = cache.get(key)
    if cached is not None:
        return Response(cached.body, cached.status, cached.headers)
    response = operation()
    if request.cache_until > time():
        headers = list(response.headers)
        made = CachedResponse(response.status, headers, response.get_data(), request.cache_until)
        cache.put(key, version, made)
    return response


def _method(request: Request) -> str:
    """Return the method that is meant: a POST may carry another one."""
    if request.method != "POST":
        return request.method
    override = _query(request).get("_method") or request.headers.get("X-HTTP-Method-Override")
    return (override or "POST").strip().upper()


def _query(request: Request) -> dict[str, str]:
    return dict(pairs(request.query_string))


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
