"""The headers of responses of the blueprint, and the optional envelope."""

from collections.abc import Collection

from flask import Request, Response
from werkzeug.datastructures import Headers, HeaderSet

from landform.service.http.cache import CALLER, Environ, is_cacheable
from landform.service.pipeline.errors import ApiError
from landform.service.pipeline.json_codec import dumps
from landform.service.pipeline.loading import pairs
from landform.service.pipeline.reply import JSON, Finished, envelope

# The headers of every response: of operations, pages, probes, metrics, and refused requests.
COMMON_HEADERS = {"X-Content-Type-Options": "nosniff"}
ALLOW_HEADERS = "Access-Control-Allow-Headers"
# The headers that pages of other origins may send; the last ones are for tracing.
CORS_HEADERS = (
    "Authorization Content-Disposition Content-MD5 Content-Type Idempotency-Key If-Match "
    "If-None-Match Prefer X-API-Key "
    "X-HTTP-Method-Override X-Page-Password X-Request-ID X-WP-Nonce "
    "traceparent tracestate baggage sentry-trace b3 X-Datadog-Trace-Id X-Datadog-Parent-Id "
    "X-Datadog-Origin X-Datadog-Sampling-Priority"
).split()
# The headers that pages of other origins may read.
EXPOSED_HEADERS = HeaderSet(
    (
        "ETag Last-Modified Link Location Preference-Applied Retry-After X-Landform-Ignored "
        "X-Landform-Same-As X-Landform-Used-By X-Landform-Warning X-Request-ID X-WP-Total "
        "X-WP-TotalPages"
    ).split()
)
# The WSGI names of headers that identify the caller.
CALLER_HEADERS = ("HTTP_AUTHORIZATION", "HTTP_X_API_KEY", "HTTP_X_PAGE_PASSWORD", "HTTP_COOKIE")
VARY = "Authorization, X-API-Key, X-Page-Password, Prefer"
PREFLIGHT_SECONDS = 600


class PlainResponse(Response):
    """A response whose headers stay unchanged; Werkzeug would encode the query of `Location`."""

    def get_wsgi_headers(self, environ: Environ) -> Headers:
        """Return the headers for a request."""
        # Only a response that is always empty has to lose some. To copy the others takes long.
        is_empty = self.status_code in (204, 304)
        return super().get_wsgi_headers(environ) if is_empty else self.headers


def to_response(request: Request, finished: Finished, origins: Collection[str] = ()) -> Response:
    """Return the Flask response of a reply, with the common headers.

    `origins`: the web origins whose pages may read it.
    """
    body, status, sent, content_type, _, chunks = finished
    headers = {**sent, **COMMON_HEADERS}
    is_read = request.method in ("GET", "HEAD")
    if not is_read or status >= 400 or not is_cacheable(request.environ):
        headers["Cache-Control"] = "no-store"
    # Caches must revalidate a response, and shared caches must not store the response to a
    # caller with credentials.
    environ = request.environ
    is_private = environ.get(CALLER) or any(name in environ for name in CALLER_HEADERS)
    headers.setdefault("Cache-Control", "private, no-cache" if is_private else "no-cache")
    varies = [sent.get("Vary"), VARY, "Origin" if origins else None]
    headers["Vary"] = ", ".join(filter(None, varies))
    response = PlainResponse(chunks or body, status, headers, content_type=content_type)
    if origins and request.origin in origins:
        response.access_control_allow_origin = request.origin
        response.access_control_allow_credentials = True
        response.access_control_expose_headers = EXPOSED_HEADERS
        if request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers:
            response.access_control_allow_methods = response.allow
            response.access_control_max_age = PREFLIGHT_SECONDS
    return response


def finish_response(
    request: Request, finished: Finished, origins: Collection[str] = ()
) -> Response:
    """Return the Flask response of a reply, with the common headers, for pages of `origins`.

    With `_envelope` it is wrapped with its status and headers into a 200.
    """
    query, response = request.query_string, to_response(request, finished, origins)
    if b"_envelope" not in query or "_envelope" not in dict(pairs(query)):
        return response
    if (finished.body or finished.chunks) and finished.content_type != JSON:
        return response
    cached = {"Cache-Control": response.headers["Cache-Control"]}
    wrapped = dumps(envelope(finished.body, finished.status, response.headers))
    return to_response(request, Finished(wrapped, 200, cached), origins)


def error_response(request: Request, error: ApiError, origins: Collection[str] = ()) -> Response:
    """Return the response to an error."""
    return finish_response(request, error.finished(), origins)
