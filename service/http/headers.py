"""Headers: what browsers and caches may do with a response, and conditional requests.

Entity tags are strong, and made of versions, so that nothing need be read to compare them. One is
`"<resource>.<version>.<variant>"`, where the resource is one of a generation of the store (see
`storage/sql.py`); the variant tells apart the responses of one URL (contexts, fields,
hosts). A condition on a write depends on the first two alone, so that any variant that a client has
read will do.
"""

from collections.abc import Collection, Mapping
from datetime import datetime
from hashlib import blake2b

from flask import Request, Response
from werkzeug.http import http_date, parse_etags

from landform.service.auth.credentials import CALLER
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
# Increment it when responses change their shape, so that no client takes an old one for current.
SHAPE = 1
# The headers of a response that its envelope carries too.
ENVELOPE_HEADERS = (
    "X-Content-Type-Options", "Cache-Control", "Vary", "Access-Control-Allow-Origin",
    "Access-Control-Allow-Credentials",
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
        response.headers["Cache-Control"] = "no-store"
    # A cache has to check a response with its ETag before using it again, and a shared cache
    # must not store the response to a caller with credentials.
    private = request.environ.get(CALLER) or any(name in request.environ for name in PRIVATE)
    response.headers.setdefault("Cache-Control", "private, no-cache" if private else "no-cache")
    varies = [response.headers["Vary"]] if "Vary" in response.headers else []
    response.headers["Vary"] = ", ".join([*varies, VARIES, *(["Origin"] if origins else [])])
    if request.headers.get("Origin") in origins:
        _set_cors_headers(request, response)
    return response


def _set_cors_headers(request: Request, response: Response) -> None:
    response.headers["Access-Control-Allow-Origin"] = request.headers["Origin"]
    # Only origins that are listed come here.
    response.headers["Access-Control-Allow-Credentials"] = "true"
    response.headers["Access-Control-Expose-Headers"] = EXPOSED
    if request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers:
        response.headers["Access-Control-Allow-Methods"] = response.headers.get("Allow", "")
        response.headers["Access-Control-Allow-Headers"] = ALLOWED
        response.headers["Access-Control-Max-Age"] = str(PREFLIGHT_SECONDS)


def make_etag(name: str, version: int, *variant: object) -> str:
    """Return the strong entity tag of a version of a resource."""
    text = repr((SHAPE, *variant)).encode(errors="surrogatepass")
    return f'"{name}.{version}.{blake2b(text, digest_size=9).hexdigest()}"'


def last_modified(modified_utc: str) -> str:
    """Return a stored date and time as `Last-Modified` has it."""
    return http_date(datetime.fromisoformat(modified_utc))


def matches(if_none_match: str | None, current: str) -> bool:
    """Return whether `If-None-Match` names the current tag."""
    return parse_etags(if_none_match).contains_weak(current.strip('"'))
