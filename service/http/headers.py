"""The headers that every response carries: what browsers and caches may do with it.

And who is a browser, where there is HTML beside JSON.
"""

from collections.abc import Collection, Mapping

from flask import Request, Response

from landform.service.http.response_cache import is_cacheable
from landform.service.json_codec import dumps

ALLOWED = (
    "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer, X-API-Key, "
    "X-HTTP-Method-Override, X-Page-Password, X-Request-ID, X-WP-Nonce"
)
EXPOSED = (
    "ETag, Last-Modified, Link, Location, Preference-Applied, Retry-After, X-Landform-Ignored, "
    "X-Landform-Warning, X-Request-ID, X-WP-Total, X-WP-TotalPages"
)
VARY = ("Authorization", "X-API-Key", "X-Page-Password")
VARIES = ", ".join((*VARY, "Prefer"))
# Those that say who calls, as a WSGI server brings them.
PRIVATE = tuple("HTTP_" + name.upper().replace("-", "_") for name in (*VARY, "Cookie"))
PREFLIGHT_SECONDS = 600
# The headers of a response that its envelope carries too.
ENVELOPE_HEADERS = (
    "X-Content-Type-Options", "Cache-Control", "Vary", "Access-Control-Allow-Origin",
    "Access-Control-Expose-Headers",
)  # fmt: skip


def render(body: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a response that carries a value as JSON."""
    return Response(dumps(body), status, headers, mimetype="application/json")


def is_browser(request: Request) -> bool:
    """Return whether a request wants HTML rather than JSON; without `Accept` it wants JSON."""
    accepted = request.accept_mimetypes
    return accepted["text/html"] > accepted["application/json"]


def set_headers(request: Request, response: Response, origins: Collection[str]) -> Response:
    """Add them. `origins`: the web origins whose pages may read the responses."""
    response.headers["X-Content-Type-Options"] = "nosniff"
    is_read = request.method in ("GET", "HEAD")
    if not is_read or response.status_code >= 400 or not is_cacheable(request.environ):
        set_no_store(response)
    # A cache has to check a response with its ETag before using it again, and a shared cache
    # must not store the response to a caller with credentials.
    private = any(name in request.environ for name in PRIVATE)
    response.headers.setdefault("Cache-Control", "private, no-cache" if private else "no-cache")
    varies = [response.headers["Vary"]] if "Vary" in response.headers else []
    response.headers["Vary"] = ", ".join([*varies, VARIES, *(["Origin"] if origins else [])])
    if origins:
        _set_cors_headers(request, response, origins)
    return response


def set_no_store(response: Response) -> Response:
    """Keep a response that holds a secret out of every cache, and return it."""
    response.headers["Cache-Control"] = "no-store"
    return response


def _set_cors_headers(request: Request, response: Response, origins: Collection[str]) -> None:
    origin = request.headers.get("Origin")
    if origin not in origins:
        return
    response.headers["Access-Control-Allow-Origin"] = origin
    response.headers["Access-Control-Expose-Headers"] = EXPOSED
    if request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers:
        response.headers["Access-Control-Allow-Methods"] = response.headers.get("Allow", "")
        response.headers["Access-Control-Allow-Headers"] = ALLOWED
        response.headers["Access-Control-Max-Age"] = str(PREFLIGHT_SECONDS)
