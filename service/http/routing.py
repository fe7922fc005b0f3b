"""Routing: one view for each path takes every method and finds the operation.

So a guest's responses keep their shape whatever the method, and an override or an envelope needs
no help of the host.
"""

import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from time import time

import orjson
from flask import Request, Response
from flask.globals import request_ctx

from landform.service.auth.credentials import CALLER, is_cross_site
from landform.service.errors import INVALID, ApiError, from_exception, no_route, wrong_method
from landform.service.http.contract import Operation, Route, describe_route, path_variables
from landform.service.http.ignored import handle_ignored
from landform.service.http.input import pairs
from landform.service.http.request import ApiRequest, NotModified, ServiceContext
from landform.service.http.responses import (
    LOOKED_UP,
    CachedResponse,
    cache_key,
    render,
    set_headers,
)
from landform.service.json_codec import JsonObject
from landform.storage import TooLarge

log = logging.getLogger("landform")
NOT_LISTED = (
    "A browser may not call the service for a page of another site: its origin is not in "
    "LANDFORM_CORS_ORIGINS (cors_origins)."
)
# The parameter that makes a list smaller, of those that an operation takes.
SMALLER = ("per_page", "include", "addon")


class RouteView:
    """The view of a route for every method.

    The variables of the path are ids, which come as text; one that is no number leads nowhere.
    """

    def __init__(self, service: ServiceContext, route: Route) -> None:
        self._service, self._route = service, route
        self._ids = path_variables(route.path)

    def __call__(self, http: Request | None = None, /, **variables: str) -> Response:
        """Return the response to a request; to that which Flask handles if none is given."""
        # The request itself: Flask's proxy of it finds it anew each time.
        request = ApiRequest(http or request_ctx.request, self._service)
        try:
            return self._dispatch(request, numbers(variables, self._ids))
        except Exception as error:
            return _finish(request, from_exception(error).response())

    def _dispatch(self, request: ApiRequest, path: Mapping[str, int]) -> Response:
        method, options = _method(request), self._service.options
        if method == "OPTIONS":
            return _finish(request, self._describe(request))
        operation = self._route.operations.get("GET" if method == "HEAD" else method)
        if operation is None:
            raise wrong_method(self._route.allowed(), request.http.path)
        request.contract = operation.contract
        if operation.contract.is_write and is_cross_site(
            request.http, options.cors_origins, compare_hosts=request.access.is_by_host
        ):
            message = "A cross-site browser request may not write; see LANDFORM_CORS_ORIGINS."
            raise ApiError(403, "rest_cross_site", message)

        def respond() -> Response:
            response = run_operation(operation, request, path)
            if request.is_below_wp_json and method in ("GET", "HEAD"):
                # Clients of WordPress learn from it what they may write.
                response.headers.add("Allow", self._allowed_to(request))
            return _finish(request, response)

        with request.store.connection():
            return respond_cached(request, respond) if method == "GET" else respond()

    def _describe(self, request: ApiRequest) -> Response:
        """Return which methods the caller may use, and the arguments of each.

        A browser asks for all of them, before it sends any credentials.
        """
        with request.store.connection():
            mine = self._allowed_to(request)
        is_preflight = "Access-Control-Request-Method" in request.http.headers
        origins = self._service.options.cors_origins
        if is_preflight and request.http.headers.get("Origin") not in origins:
            log.warning(NOT_LISTED)
        headers = {"Allow": self._route.allowed() if is_preflight else mine}
        return render(describe_route(self._route), headers=headers)

    def _allowed_to(self, request: ApiRequest) -> str:
        """Return the methods that the caller may use, as `Allow` lists them."""
        return self._route.allowed(lambda one: one.public or request.access.has_scope(one.scope))


def not_found_view(**path: str) -> Response:
    """Return the 404 for a URL below the prefix that is none of ours."""
    http = request_ctx.request
    return finish(http, no_route(http.path).response())


def finish(request: Request, response: Response, origins: Collection[str] = ()) -> Response:
    """Return a response with what every one has; pages of `origins` may read it.

    Where `_envelope` asks for it, it is wrapped with its status and headers into a 200.
    """
    query, response = request.query_string, set_headers(request, response, origins)
    if b"_envelope" not in query or "_envelope" not in dict(pairs(query)):
        return response
    if response.content_length and not response.is_json:
        return response
    cached = {"Cache-Control": response.headers["Cache-Control"]}
    return set_headers(request, render(envelope(response), headers=cached), origins)


def envelope(response: Response) -> JsonObject:
    """Return a response as an object: its body, status and headers."""
    body = orjson.Fragment(response.get_data()) if response.content_length else None
    headers = {
        name: int(value) if value.isdigit() else value
        for name, value in response.headers.items()
        if name not in ("Content-Type", "Content-Length")
    }
    return {"body": body, "status": response.status_code, "headers": headers}


def _finish(request: ApiRequest, response: Response) -> Response:
    """Add to a response what every one has, and what is told of this request."""
    response.headers.update(request.told)
    return finish(request.http, response, request.service.options.cors_origins)


def run_operation(operation: Operation, request: ApiRequest, path: Mapping[str, int]) -> Response:
    """Return what an operation responds to a caller who may run it."""
    contract = operation.contract
    if contract.is_read:
        handle_ignored(request)
    if not contract.public:
        request.authorize()
    if contract.if_match:
        request.expected = request.expected_versions(path)
    if not contract.is_read:
        handle_ignored(request)
    most = request.service.options.max_response_bytes
    try:
        response = operation.view(request, **path)
        is_list = contract.safe or (contract.many and contract.is_read)
        if is_list and (response.content_length or 0) > most:
            raise TooLarge
    except NotModified:
        return Response(status=304, headers=request.headers)
    except TooLarge as error:
        known = contract.body or contract.query
        names = [*(name for name in SMALLER if known and name in known.load_fields), "_fields"]
        text = f"The response has more than {most} bytes: ask for less by {' or '.join(names)}."
        raise ApiError(400, INVALID, text, {"params": {names[0]: text}}) from error
    return response


def respond_cached(request: ApiRequest, respond: Callable[[], Response]) -> Response:
    """Return the cached response, or the one that is made now, cached where that is allowed.

    Where nobody has looked for it yet, the caller is identified first, so that any authorizer will
    do.
    """
    environ, cache, access = request.http.environ, request.service.cache, request.access
    found = environ.get(LOOKED_UP)
    if found is None:
        # What a transaction has not committed yet nobody else may see, and it may be undone.
        is_shared = not (access.is_rejected or request.store.database.in_transaction())
        found = cache.look_up(cache_key(environ, access.identity) if is_shared else None)
    if found.cached:
        return Response(found.cached.body, found.cached.status, found.cached.headers)
    response = respond()
    until, tables = request.cache_until, [request.made_of]
    if until and access.identity:
        until = min(until, access.identity.valid_until)
        tables += ["api_key"] if access.identity.is_stored else []
    if until > time():
        headers, body = response.get_wsgi_headers(environ), response.get_data()
        made = response.status, headers.to_wsgi_list(), body, until, (*tables,), environ.get(CALLER)
        cache.put(found, CachedResponse(*made))
    return response


def _method(request: ApiRequest) -> str:
    """Return the method that is meant: a POST may carry another one."""
    http = request.http
    if http.method != "POST":
        return http.method
    override = dict(request.query_pairs).get("_method")
    override = override or http.environ.get("HTTP_X_HTTP_METHOD_OVERRIDE")
    return override.strip().upper() if override else "POST"


def numbers(path: Mapping[str, str], ids: Iterable[str]) -> dict[str, int]:
    """Return the ids in a path; a host's prefix may have variables of its own."""
    found = {}
    for name in ids:
        part = path[name]
        if not (part.isascii() and part.isdigit()):
            raise ApiError(404, "rest_no_route", f"{name} must be a whole number from 0.")
        # No column holds more than 19 digits, and Python reads only so many.
        found[name] = int(part.lstrip("0")[:20] or "0")
    return found
