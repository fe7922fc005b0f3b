"""The cache of whole responses, and its keys in the environment of a request.

The key of a response is derived from the request. A response is cached with the versions of the
tables that it depends on, until the next page is due or the key of the caller expires.
"""

import logging
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from threading import Lock
from time import time
from typing import Any, NamedTuple
from wsgiref.types import StartResponse

from landform.service.auth.credentials import are_in_query
from landform.storage import Store, WatchedVersions

log = logging.getLogger("landform")
Environ = dict[str, Any]
Identify = Callable[[Environ], Hashable]
Application = Callable[[Environ, StartResponse], Iterable[bytes]]

# Keys of the environment: the name of the caller, None if it is anonymous; whether the response is
# from the cache; and the `Lookup` of a request to the standalone service.
CALLER = "landform.caller"
CACHE_HIT = "landform.cache_hit"
CACHE_LOOKUP = "landform.cache_lookup"
# About how many bytes of memory a response needs beside its text.
OVERHEAD_BYTES = 2048


class CachedResponse(NamedTuple):
    """A response, valid until a time (Unix seconds) unless one of its tables changes."""

    status: str
    headers: list[tuple[str, str]]
    body: bytes
    valid_until: float
    tables: tuple[str, ...]
    caller: str | None = None


class Lookup(NamedTuple):
    """A key, the versions of the tables, and the cached response, if any."""

    key: Hashable | None
    versions: WatchedVersions | None
    cached: CachedResponse | None


NO_LOOKUP = Lookup(None, None, None)


class ResponseCache:
    """The cached responses of one store, at most `most_bytes`; 0 for no cache."""

    def __init__(self, store: Store, most_bytes: int) -> None:
        self._store, self._most_bytes = store, most_bytes
        self._lock = Lock()
        # Each response with the versions of its tables, and its size.
        self._cached: OrderedDict[Hashable, tuple[CachedResponse, list[Hashable], int]]
        self._cached = OrderedDict()
        self._bytes = 0

    def look_up(self, key: Hashable | None) -> Lookup:
        """Look up the response for a key; None is never cached."""
        versions = self._store.watched_versions() if self._most_bytes and key is not None else None
        if versions is None:
            return NO_LOOKUP
        with self._lock:
            cached, cached_versions, _ = self._cached.get(key, (None, [], 0))
            if cached:
                is_current = cached_versions == [versions.get(table) for table in cached.tables]
                cached = cached if is_current and time() < cached.valid_until else None
            if cached:
                self._cached.move_to_end(key)
        log.debug("Cache hit." if cached else "Cache miss.")
        return Lookup(key, versions, cached)

    def put(self, lookup: Lookup, response: CachedResponse) -> None:
        """Cache a response that was created after the look-up.

        If a table changed since, the response is never used.
        """
        key, versions, _ = lookup
        if versions is None or not versions.keys() >= set(response.tables):
            return
        # Clients decide the length of a key, and `Link` repeats the query.
        headers = sum(len(name) + len(value) for name, value in response.headers)
        size = OVERHEAD_BYTES + len(repr(key)) + headers + len(response.body)
        if size > self._most_bytes // 16:
            return
        with self._lock:
            _, _, replaced = self._cached.pop(key, (None, None, 0))
            self._bytes += size - replaced
            self._cached[key] = response, [versions[table] for table in response.tables], size
            while self._bytes > self._most_bytes:
                _, (_, _, oldest) = self._cached.popitem(last=False)
                self._bytes -= oldest


def cached_response(
    cache: ResponseCache, identify: Identify, environ: Environ
) -> CachedResponse | None:
    """Return the cached response to a request of the standalone service, and store the look-up.

    The event loop calls this first, then the middleware: what the one has looked up, the other and
    the view take from the environment. `identify` returns the part of the key for the caller.
    """
    if CACHE_LOOKUP not in environ:
        environ[CACHE_LOOKUP] = cache.look_up(cache_key(environ, identify(environ)))
    cached: CachedResponse | None = environ[CACHE_LOOKUP].cached
    return cached


def cache_middleware(
    cache: ResponseCache, identify: Identify, application: Application
) -> Application:
    """Return a WSGI application that responds from the cache before Flask is called.

    Only for the standalone application: a host's hooks are not called for cached responses.
    """

    def serve(environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        cached = cached_response(cache, identify, environ)
        if cached is None:
            return application(environ, start_response)
        environ[CACHE_HIT], environ[CALLER] = True, cached.caller
        start_response(cached.status, list(cached.headers))
        return [cached.body]

    return serve


def cache_key(environ: Environ, caller: Hashable) -> Hashable | None:
    """Return the key of a request; None if its response is not cached."""
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
    """Return whether a request has neither a secret in its URL nor a body."""
    return not (are_in_query(environ.get("QUERY_STRING", "")) or has_body(environ))


def has_body(environ: Environ) -> bool:
    """Return whether a request has a body."""
    return environ.get("CONTENT_LENGTH", "") not in ("", "0") or "HTTP_TRANSFER_ENCODING" in environ
