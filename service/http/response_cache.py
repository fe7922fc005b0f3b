"""Responses cached in memory, and sent again only while nothing can have changed them.

A GET response depends on the request, the database and the time. The cache key is made of the
request. SQLite tells whether anybody has committed anything: then the whole cache is emptied.
Each response is cached until the next page turns public or the caller's key expires.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from threading import Lock
from time import time
from typing import TYPE_CHECKING, Any, NamedTuple

from landform.storage import Store

if TYPE_CHECKING:
    from wsgiref.types import StartResponse

Environ = dict[str, Any]
Application = Callable[[Environ, "StartResponse"], Iterable[bytes]]

# Where the middleware tells the view that it caches, and the view says until when it may.
CACHE_UNTIL = "landform.cache_until"
# Where the name of the caller is left, and that the response came from the cache.
CALLER, CACHE_HIT = "landform.caller", "landform.cache_hit"
# Roughly what a response takes in memory beside its characters.
OVERHEAD_BYTES = 2048


class CachedResponse(NamedTuple):
    """A response, true until a time (seconds since 1970) unless somebody writes."""

    status: str
    headers: list[tuple[str, str]]
    body: bytes
    valid_until: float
    caller: str | None = None


class ResponseCache:
    """The responses of one store in one process, at most `most_bytes` of them; 0 for no cache."""

    def __init__(self, store: Store, most_bytes: int) -> None:
        self._store, self._most_bytes = store, most_bytes
        self._lock = Lock()
        self._cached: OrderedDict[Hashable, tuple[CachedResponse, int]] = OrderedDict()
        self._bytes = 0
        self._version: Hashable | None = None

    def get(self, key: Hashable) -> tuple[Hashable | None, CachedResponse | None]:
        """Return the version that the database is at, and the response cached for it, if any."""
        if not self._most_bytes:
            return None, None
        version = self._store.watched_version()
        with self._lock:
            if version != self._version:
                self._cached.clear()
                self._bytes, self._version = 0, version
            cached, _ = self._cached.get(key, (None, 0))
            if cached is None or time() >= cached.valid_until:
                return version, None
            self._cached.move_to_end(key)
            return version, cached

    def put(self, key: Hashable, version: Hashable | None, response: CachedResponse) -> None:
        """Cache a response that was made after `get` had returned the version."""
        size = _size(key, response)
        with self._lock:
            # A response may be newer than its version: then it goes with the next `get`.
            if version is None or version != self._version or size > self._most_bytes // 16:
                return
            _, replaced = self._cached.pop(key, (None, 0))
            self._bytes += size - replaced
            self._cached[key] = response, size
            while self._bytes > self._most_bytes:
                _, (_, oldest) = self._cached.popitem(last=False)
                self._bytes -= oldest


def cache_middleware(cache: ResponseCache, application: Application) -> Application:
    """Return a WSGI application that responds from the cache before Flask is even called.

    For an application that is all landform's: whatever a host does with a request is left out.
    """

    def serve(environ: Environ, start_response: "StartResponse") -> Iterable[bytes]:
        credentials = environ.get("HTTP_AUTHORIZATION"), environ.get("HTTP_X_API_KEY")
        key = cache_key(environ, credentials)
        if key is None:
            return application(environ, start_response)
        version, cached = cache.get(key)
        if cached is not None:
            environ[CACHE_HIT], environ[CALLER] = True, cached.caller
            start_response(cached.status, list(cached.headers))
            return [cached.body]
        started: list[tuple[str, list[tuple[str, str]]]] = []

        def start(status: str, headers: list[tuple[str, str]], *error: Any) -> Any:
            started[:] = [(status, headers)]
            return start_response(status, headers, *error)

        environ[CACHE_UNTIL] = 0.0
        parts = application(environ, start)
        if environ[CACHE_UNTIL] <= time():
            return parts
        body = b"".join(parts)
        if hasattr(parts, "close"):
            parts.close()
        ((status, headers),) = started
        made = CachedResponse(
            status, list(headers), body, environ[CACHE_UNTIL], environ.get(CALLER)
        )
        cache.put(key, version, made)
        return [body]

    return serve


def cache_key(environ: Environ, caller: Hashable) -> Hashable | None:
    """Return all that a response depends on in a request; None where it is not to be cached."""
    if (
        environ["REQUEST_METHOD"] != "GET"
        or "HTTP_HOST" not in environ
        or "HTTP_X_PAGE_PASSWORD" in environ
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
        "HTTP_COOKIE" in environ,
    )


def _size(key: Hashable, response: CachedResponse) -> int:
    # Whoever asks decides how long a key is, and a link to the next page repeats the query.
    headers = sum(len(name) + len(value) for name, value in response.headers)
    return OVERHEAD_BYTES + len(repr(key)) + headers + len(response.body)
