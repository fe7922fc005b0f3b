"""The Flask views: they convert requests to calls, and replies to responses.

Each operation has an endpoint with its name and its methods, such as `landform.get_page`. Each path
has one more for all other methods, so that these errors are in JSON too.
"""

import logging
from collections.abc import Callable, Mapping
from functools import cached_property
from time import time
from typing import Any
from urllib.parse import quote

from flask import Flask, Request, Response, current_app, got_request_exception
from flask.globals import request_ctx
from werkzeug.exceptions import HTTPException

from landform.service.auth.credentials import Access, Identity, is_cross_site
from landform.service.http.body import (
    FORM_TYPES,
    JSON_START,
    MULTIPART,
    read_body,
    read_bytes,
    read_file,
    read_form_fields,
    wrong_type,
)
from landform.service.http.cache import (
    CACHE_LOOKUP,
    CALLER,
    NO_LOOKUP,
    CachedResponse,
    Lookup,
    ResponseCache,
    cache_key,
    has_body,
)
from landform.service.http.headers import (
    ALLOW_HEADERS,
    CORS_HEADERS,
    error_response,
    finish_response,
)
from landform.service.pipeline.call import Incoming, Service
from landform.service.pipeline.errors import (
    ApiError,
    from_known,
    internal_error,
    no_route,
    wrong_method,
)
from landform.service.pipeline.json_codec import JsonObject, dumps
from landform.service.pipeline.loading import accepts_html, check_size, nested
from landform.service.pipeline.operations import Operation, Route, describe_route, path_variables
from landform.service.pipeline.reply import Caching, Finished
from landform.service.pipeline.run import complete, load, read_variables

log = logging.getLogger("landform")
# A view of Flask, beside the view of an operation.
FlaskView = Callable[..., Response]
NOT_LISTED = (
    "A browser may not call the service for a page of another site: its origin is not in "
    "LANDFORM_CORS_ORIGINS (cors_origins)."
)
CROSS_SITE = "A cross-site browser request may not write; see LANDFORM_CORS_ORIGINS."


class HttpIncoming(Incoming):
    """A call by HTTP; `path` is the one of its route."""

    def __init__(self, http: Request, service: Service, path: str) -> None:
        self.http, self._service = http, service
        # Not Werkzeug's base_url, which fails on a Host that is not Punycode.
        host, full_path = quote(http.host, safe=":[]"), (http.root_path + http.path).lstrip("/")
        url = f"{http.scheme}://{host}/{quote(full_path)}"
        root_url = url.rstrip("/").rsplit("/", path.rstrip("/").count("/"))[0]
        access = Access(
            self._identify,
            service.attempts,
            http.remote_addr or "",
            is_by_host=service.is_host_authorized,
        )
        query = http.query_string
        super().__init__(http.method, url, root_url, http.headers, access, query_string=query)
        # One byte more than is allowed: Flask silently cuts a body without a length there.
        http.max_content_length = http.max_form_memory_size = service.options.max_body_bytes + 1

    def _identify(self) -> Identity | None:
        identity, environ = self._service.authorizer(self.http), self.http.environ
        # For the log.
        environ[CALLER] = identity.name if identity else None
        return identity

    @cached_property
    def _raw_body(self) -> bytes:
        return read_bytes(self.http, self._service.options.max_body_bytes)

    def read_query(self, operation: Operation) -> JsonObject:
        """Return the query; without a schema for the body, also the parameters in the body."""
        lists = () if self.is_wordpress else operation.list_parameters
        query = nested(self.query_pairs, lists)
        may_be_in_body = operation.body is None and operation.checks_names
        if not (may_be_in_body and has_body(self.http.environ)):
            return query
        if operation.form or self.http.is_json:
            return {**self.read_body(operation), **query}
        if JSON_START.match(self._raw_body):
            raise wrong_type(self._raw_body)
        return query

    def read_body(self, operation: Operation) -> JsonObject:
        """Return the JSON object in the body, or the form if the operation accepts one."""
        # Also a picture that an update does not want, as clients of WordPress send it.
        is_file = operation.is_raw or self.http.mimetype.startswith((MULTIPART, "image/"))
        if operation.file and is_file:
            fields, self.file = read_file(self.http, operation)
            return fields
        return read_body(self.http, self._checked_body(operation), operation)

    def read_form(self, operation: Operation) -> list[tuple[str, str]]:
        """Return the names and values of a form in the body; empty for other bodies."""
        raw, is_form = self._checked_body(operation), self.http.mimetype in FORM_TYPES
        return [*read_form_fields(self.http, raw)] if is_form else []

    def _checked_body(self, operation: Operation) -> bytes:
        """Return the body; raises a 413 for more bytes than the operation takes."""
        if operation.most_bytes:
            check_size(len(self._raw_body), operation.most_bytes)
        return self._raw_body


class HttpViews:
    """The views of one blueprint."""

    def __init__(self, service: Service, cache: ResponseCache) -> None:
        self.service, self.cache = service, cache
        self.origins = service.options.cors_origins

    def view(self, route: Route, operation: Operation | None = None) -> FlaskView:
        """Return the view of an operation, or of all other methods of a route."""

        def view(**variables: str) -> Response:
            return self.respond(request_ctx.request, route, variables)

        view.__name__ = view.__qualname__ = operation.name if operation else "other_methods"
        view.__module__ = operation.view.__module__ if operation else __name__
        view.__doc__ = operation.view.__doc__ if operation else "Respond to all other methods."
        return view

    def respond(self, http: Request, route: Route, variables: Mapping[str, str]) -> Response:
        """Return the response to a request at a route."""
        incoming = HttpIncoming(http, self.service, route.path)
        try:
            # The prefix of a host may have variables too.
            ids = read_variables({name: variables[name] for name in path_variables(route.path)})
            method = http.method
            if method == "POST":
                override = dict(incoming.query_pairs).get("_method")
                override = override or incoming.headers.get("X-HTTP-Method-Override")
                method = override.strip().upper() if override else "POST"
            if method == "OPTIONS":
                return finish_response(http, self._describe(incoming, route), self.origins)
            operation = route.operations.get("GET" if method == "HEAD" else method)
            if operation is None:
                raise wrong_method(route.allowed())
            if operation.is_write and is_cross_site(
                http, self.origins, compare_hosts=self.service.is_host_authorized
            ):
                raise ApiError(403, "rest_cross_site", CROSS_SITE)

            def finish(finished: Finished) -> Response:
                if incoming.is_wordpress and operation.is_read:
                    # Clients of WordPress read their rights from it.
                    finished.headers["Allow"] = _allowed_methods(incoming, route)
                return finish_response(http, finished, self.origins)

            return self.carry_out(incoming, operation, ids, finish)
        except Exception as error:
            # No variable here may hold the error, whose frames hold large bodies.
            return self._error_response(http, route, from_exception(error))
        finally:
            if incoming.file:
                incoming.file.stream.close()

    def _error_response(self, http: Request, route: Route, error: ApiError) -> Response:
        """Return an error in JSON, or as a page to a visitor who sent the form of one."""
        operation = route.operations.get(http.method)
        is_form = operation and operation.is_form_of_visitors
        if not (is_form and accepts_html(http.headers)):
            return error_response(http, error, self.origins)
        site = self.service.site
        response: Response = site.finish(http, site.error_page(error))
        return response

    def carry_out(
        self,
        incoming: HttpIncoming,
        operation: Operation,
        ids: Mapping[str, Any],
        finish: Callable[[Finished], Response],
    ) -> Response:
        """Return the cached response, or carry out the operation and cache its response."""
        environ = incoming.http.environ
        with self.service.store.connection():
            lookup = NO_LOOKUP
            if incoming.method == "GET":
                # The standalone service has looked before it called Flask; a host never does.
                lookup = environ.get(CACHE_LOOKUP) or self._look_up_in_host(incoming)
            if lookup.cached:
                return Response(lookup.cached.body, lookup.cached.status, lookup.cached.headers)
            finished = complete(load(self.service, operation, incoming, ids))
            response = finish(finished)
            if lookup.key is not None and finished.caching.until:
                self._cache(lookup, incoming, response, finished.caching)
            return response

    def _look_up_in_host(self, incoming: HttpIncoming) -> Lookup:
        """Look in the cache after the caller was identified, by any authorizer."""
        # Uncommitted data of a transaction must not be cached.
        access, in_transaction = incoming.access, self.service.store.database.in_transaction()
        is_shared = not (access.is_rejected or in_transaction)
        key = cache_key(incoming.http.environ, access.identity) if is_shared else None
        return self.cache.look_up(key)

    def _cache(
        self, lookup: Lookup, incoming: HttpIncoming, response: Response, caching: Caching
    ) -> None:
        """Cache a response, at most as long as the credentials of the caller are valid."""
        environ, identity = incoming.http.environ, incoming.access.identity
        tables, until = [caching.table, *caching.other_tables], caching.until
        if identity:
            until = min(until, identity.valid_until)
            tables += ["api_key"] if identity.is_stored else []
        if until > time():
            headers = response.get_wsgi_headers(environ).to_wsgi_list()
            body, caller = response.get_data(), environ.get(CALLER)
            cached = CachedResponse(response.status, headers, body, until, (*tables,), caller)
            self.cache.put(lookup, cached)

    def _describe(self, incoming: HttpIncoming, route: Route) -> Finished:
        """Return the methods that the caller may use, with their arguments.

        A preflight has no credentials, and gets all methods.
        """
        with self.service.store.connection():
            allowed = _allowed_methods(incoming, route)
        is_preflight = "Access-Control-Request-Method" in incoming.headers
        headers = {"Allow": route.allowed() if is_preflight else allowed}
        if is_preflight and incoming.headers.get("Origin") not in self.origins:
            log.warning(NOT_LISTED)
        elif is_preflight:
            headers[ALLOW_HEADERS] = ", ".join(CORS_HEADERS)
        return Finished(dumps(describe_route(route)), 200, headers)


def _allowed_methods(incoming: Incoming, route: Route) -> str:
    """Return the header `Allow` with the methods that the caller may use."""
    return route.allowed(lambda item: item.public or incoming.access.has_scope(item.scope))


def not_found_view(**variables: str) -> Response:
    """Return the 404 for a URL below the prefix without a route."""
    http = request_ctx.request
    return error_response(http, no_route())


def from_exception(error: Exception) -> ApiError:
    """Return the API error for an exception, and log an unexpected one."""
    if (known := from_known(error)) is not None:
        return known
    http = request_ctx.request
    if isinstance(error, HTTPException):
        # Raised by Werkzeug, or by an authorizer of the host.
        if error.code == 404:
            return no_route()
        if error.code == 405:
            return wrong_method(", ".join(getattr(error, "valid_methods", None) or ()))
        if error.code == 413:
            return ApiError(413, "rest_body_too_large", "The body is too large.")
        return ApiError(error.code or 500, "rest_bad_request", "The request was not understood.")
    rule = http.url_rule
    log.error("An unexpected error caused a 500 at %s.", rule or "no route", exc_info=error)
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]
    got_request_exception.send(app, _async_wrapper=app.ensure_sync, exception=error)
    return internal_error()
