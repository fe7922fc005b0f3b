"""Responses: their headers, conditional requests, and the cache of whole responses.

Entity tags are strong, and made of versions, so that nothing need be read to compare them. One is
`"<resource>.<version>.<variant>"`, where the resource is one of a generation of the store (see
`storage/sql.py`); the variant tells apart the responses of one URL (contexts, fields,
hosts). A condition on a write depends on the first two alone, so that any variant that a client has
read will do.

A GET response depends on the request, the time, and what the database holds of a resource. The
cache key is made of the request. Each response is cached until the next page turns public or the
caller's key expires, and with the versions of the tables that it was made of.
"""

import logging
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from datetime import datetime
from hashlib import blake2b
from threading import Lock
from time import time
from typing import Any, NamedTuple
from wsgiref.types import StartResponse

from flask import Request, Response
from werkzeug.http import http_date, parse_etags

from landform.service.auth.credentials import CALLER, are_in_query
from landform.service.json_codec import dumps
from landform.storage import Store, WatchedVersions

log = logging.getLogger("landform")
Environ = dict[str, Any]
KeyOf = Callable[[Environ], Hashable]
Application = Callable[[Environ, StartResponse], Iterable[bytes]]

# Where it is left that the response came from the cache.
CACHE_HIT = "landform.cache_hit"
# Where the middleware leaves what it found, and whoever calls that may have left it before.
LOOKED_UP = "landform.looked_up"
# Roughly what a response takes in memory beside its characters.
OVERHEAD_BYTES = 2048


class CachedResponse(NamedTuple):
    """A response, true until a time (seconds since 1970) unless a table it is made of changes."""

    status: str
    headers: list[tuple[str, str]]
    body: bytes
    valid_until: float
    made_of: tuple[str, ...]
    caller: str | None = None


class Lookup(NamedTuple):
    """A key, the versions that the database was at, and the response cached for it, if any."""

    key: Hashable | None
    versions: WatchedVersions | None
    cached: CachedResponse | None


NOTHING = Lookup(None, None, None)


class ResponseCache:
    """The responses of one store in one process, at most `most_bytes` of them; 0 for no cache."""

    def __init__(self, store: Store, most_bytes: int) -> None:
        self._store, self._most_bytes = store, most_bytes
        self._lock = Lock()
        # Each with the versions of its tables, and its size.
        self._cached: OrderedDict[Hashable, tuple[CachedResponse, list[Hashable], int]]
        self._cached = OrderedDict()
        self._bytes = 0

    def look_up(self, key: Hashable | None) -> Lookup:
        """Return what is cached for a key; nothing where the key is None."""
        versions = self._store.watched_versions() if self._most_bytes and key is not None else None
        if versions is None:
            return NOTHING
        with self._lock:
            cached, made_at, _ = self._cached.get(key, (None, [], 0))
            if cached:
                is_current = made_at == [versions.get(table) for table in cached.made_of]
                cached = cached if is_current and time() < cached.valid_until else None
            if cached:
                self._cached.move_to_end(key)
        log.debug("Cache hit." if cached else "Cache miss.")
        return Lookup(key, versions, cached)

    def put(self, found: Lookup, response: CachedResponse) -> None:
        """Cache a response that was made after the look-up of its key.

        It may be newer than the versions of that time: then it is never found.
        """
        key, versions, _ = found
        if versions is None or not versions.keys() >= set(response.made_of):
            return
        # Whoever asks decides how long a key is, and a link to the next page repeats the query.
        headers = sum(len(name) + len(value) for name, value in response.headers)
        size = OVERHEAD_BYTES + len(repr(key)) + headers + len(response.body)
        if size > self._most_bytes // 16:
            return
        with self._lock:
            _, _, replaced = self._cached.pop(key, (None, None, 0))
            self._bytes += size - replaced
            made_at = [versions[table] for table in response.made_of]
            self._cached[key] = response, made_at, size
            while self._bytes > self._most_bytes:
                _, (_, _, oldest) = self._cached.popitem(last=False)
                self._bytes -= oldest


def find_response(cache: ResponseCache, key_of: KeyOf, environ: Environ) -> Lookup:
    """Return what is cached for a request, and leave it for the middleware and the view.

    `key_of` returns all of a request that says who calls.
    """
    if LOOKED_UP not in environ:
        environ[LOOKED_UP] = cache.look_up(cache_key(environ, key_of(environ)))
    return environ[LOOKED_UP]  # type: ignore[no-any-return]


def cache_middleware(cache: ResponseCache, key_of: KeyOf, application: Application) -> Application:
    """Return a WSGI application that responds from the cache before Flask is even called.

    For an application that is all landform's: whatever a host does with a request is left out.
    """

    def serve(environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        cached = find_response(cache, key_of, environ).cached
        if cached is None:
            return application(environ, start_response)
        environ[CACHE_HIT], environ[CALLER] = True, cached.caller
        start_response(cached.status, list(cached.headers))
        return [cached.body]

    return serve


def cache_key(environ: Environ, caller: Hashable) -> Hashable | None:
    """Return all that a response depends on in a request; None where it is not to be cached."""
    if (
        environ["REQUEST_METHOD"] != "GET"
        or "HTTP_HOST" not in environ
        or "HTTP_X_PAGE_PASSWORD" in environ
        or not is_cacheable(environ)
    ):
        return None
    return (
        caller,
        environ["wsgi.url_scheme"],
        environ["HTTP_HOST"],
        environ.get("SCRIPT_NAME"),
        environ["PATH_INFO"],
        environ.get("QUERY_STRING"),
        environ.get("HTTP_IF_NONE_MATCH"),
        environ.get("HTTP_ORIGIN"),
        environ.get("HTTP_PREFER"),
        "HTTP_COOKIE" in environ,
    )


def is_cacheable(environ: Environ) -> bool:
    """Return whether a URL may be a key in a cache: it holds no secret, and says all there is."""
    return not (are_in_query(environ.get("QUERY_STRING", "")) or has_body(environ))


def has_body(environ: Environ) -> bool:
    """Return whether a request brings a body."""
    return environ.get("CONTENT_LENGTH", "") not in ("", "0") or "HTTP_TRANSFER_ENCODING" in environ


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
