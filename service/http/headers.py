"""The headers of responses of the blueprint, and the optional envelope."""

from collections.abc import Collection, Mapping

from flask import Request, Response
from werkzeug.datastructures import Headers, HeaderSet

from landform.service.errors import ApiError
from landform.service.http.cache import Environ, is_cacheable, is_private
from landform.service.json_codec import dumps
from landform.service.loading import pairs
from landform.service.reply import JSON, Finished, envelope

# The headers of every response: of operations, pages, probes, metrics, and refused requests.
COMMON_HEADERS = {"X-Content-Type-Options": "nosniff"}
ALLOW_HEADERS = "Access-Control-Allow-Headers"
# The headers that pages of other origins may send; the last four are for tracing.
CORS_HEADERS = (
    "Authorization Content-Type Idempotency-Key If-Match If-None-Match Prefer X-API-Key "
    "X-HTTP-Method-Override X-Page-Password X-Request-ID X-WP-Nonce "
    "traceparent tracestate baggage sentry-trace"
).split()
# The headers that pages of other origins may read.
EXPOSED_HEADERS = HeaderSet(
    (
        "ETag Last-Modified Link Location Preference-Applied Retry-After X-Landform-Ignored "
        "X-Landform-Warning X-Request-ID X-WP-Total X-WP-TotalPages"
    ).split()
)
VARY = "Authorization, X-API-Key, X-Page-Password, Prefer"
PREFLIGHT_SECONDS = 600


def json_response(
    body: object, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Return a response with a value in JSON."""
    return Response(dumps(body), status, headers, mimetype=JSON)


class PlainResponse(Response):
    """A response with an unchanged `Location`, whose query Werkzeug would encode."""

    def get_wsgi_headers(self, environ: Environ) -> Headers:
        """Return the headers for a request."""
        headers = super().get_wsgi_headers(environ)
        if location := self.headers.get("Location"):
            headers["Location"] = location
        return headers


def to_response(finished: Finished) -> Response:
    """Return a Flask response for a reply."""
    body, status, headers, content_type, _, chunks = finished
    return PlainResponse(chunks or body, status, headers, content_type=content_type)


def set_headers(request: Request, response: Response, origins: Collection[str]) -> Response:
    """Add the common headers to a response. `origins`: the web origins that may read it."""
    for name, value in COMMON_HEADERS.items():
        response.headers[name] = value
    is_read = request.method in ("GET", "HEAD")
    if not is_read or response.status_code >= 400 or not is_cacheable(request.environ):
        response.headers["Cache-Control"] = "no-store"
    # Caches must revalidate a response, and shared caches must not store the response to a
    # caller with credentials.
    private = "private, " if is_private(request.environ) else ""
    response.headers.setdefault("Cache-Control", f"{private}no-cache")
    # Joined here, since `response.vary` would take 3 % of the time of a response.
    varies = [*response.headers.getlist("Vary"), VARY, *(["Origin"] if origins else [])]
    response.headers["Vary"] = ", ".join(varies)
    if request.origin in origins:
        _set_cors_headers(request, response)
    return response


def _set_cors_headers(request: Request, response: Response) -> None:
    response.access_control_allow_origin = request.origin
    # This is only called for listed origins.
    response.access_control_allow_credentials = True
    response.access_control_expose_headers = EXPOSED_HEADERS
    if request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers:
        response.access_control_allow_methods = response.allow
        response.access_control_max_age = PREFLIGHT_SECONDS


def finish_response(
    request: Request, response: Response, origins: Collection[str] = ()
) -> Response:
    """Add the common headers to a response, which pages of `origins` may read.

    With `_envelope` it is wrapped with its status and headers into a 200.
    """
    query, response = request.query_string, set_headers(request, response, origins)
    if b"_envelope" not in query or "_envelope" not in dict(pairs(query)):
        return response
    if (response.content_length or response.is_streamed) and not response.is_json:
        return response
    cached = {"Cache-Control": response.headers["Cache-Control"]}
    wrapped = envelope(response.get_data(), response.status_code, response.headers)
    return set_headers(request, json_response(wrapped, headers=cached), origins)


def error_response(request: Request, error: ApiError, origins: Collection[str] = ()) -> Response:
    """Return the finished response to an error."""
    return finish_response(request, to_response(error.finished()), origins)
