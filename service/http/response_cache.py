"""Answers kept in memory, and given again only while nothing can have changed them.

What a GET is answered hangs on three things: what came with the request, the database, and the
time. The first is the key. Of the second SQLite tells whether anybody has committed anything:
then all answers go at once. For the third, each answer is kept until the moment that the next
page turns public or the caller's key ends.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from threading import Lock
from time import time
from typing import Any, NamedTuple

from landform.storage import Store

Environ = dict[str, Any]
Application = Callable[[Environ, Any], Iterable[bytes]]

# Where a front tells the view that it keeps answers, and the view says until when it may.
CACHE_UNTIL = "landform.cache_until"
# Where the name of whoever called is left, and that the answer was a kept one.
CALLER, CACHE_HIT = "landform.caller", "landform.cache_hit"
# Roughly what an answer takes in memory beside its characters.
OVERHEAD_BYTES = 2048


class CachedResponse(NamedTuple):
    """An answer, true until a time (seconds since 1970) unless somebody writes."""

    status: str
    headers: list[tuple[str, str]]
    body: bytes
    valid_until: float
    caller: str | None = None


class ResponseCache:
    """The answers of one store in one process, at most `most_bytes` of them; 0 keeps none."""

    def __init__(self, store: Store, most_bytes: int) -> None:
        self._store, self._most_bytes = store, most_bytes
        self._lock = Lock()
        self._kept: OrderedDict[Hashable, tuple[CachedResponse, int]] = OrderedDict()
        self._bytes = 0
        self._version: Hashable | None = None

    def get(self, key: Hashable) -> tuple[Hashable | None, CachedResponse | None]:
        """Return the version that the database is at, and what was kept for it if anything."""
        if not self._most_bytes:
            return None, None
        version = self._store.watched_version()
        with self._lock:
            if version != self._version:
                self._kept.clear()
                self._bytes, self._version = 0, version
            kept, _ = self._kept.get(key, (None, 0))
            if kept is None or time() >= kept.valid_until:
                return version, None
            self._kept.move_to_end(key)
            return version, kept

    def put(self, key: Hashable, version: Hashable | None, answer: CachedResponse) -> None:
        """Keep an answer that was made after `get` had returned the version."""
        size = _size(key, answer)
        with self._lock:
            # An answer may be newer than its version: then it goes with the next `get`.
            if version is None or version != self._version or size > self._most_bytes // 16:
                return
            _, replaced = self._kept.pop(key, (None, 0))
            self._bytes += size - replaced
            self._kept[key] = answer, size
            while self._bytes > self._most_bytes:
                _, (_, oldest) = self._kept.popitem(last=False)
                self._bytes -= oldest


def cache_middleware(cache: ResponseCache, application: Application) -> Application:
    """Return a WSGI application that answers from the cache before Flask is even asked.

    For an application that is all landform's: whatever a host does with a request is left out.
    """

    def serve(environ: Environ, start_response: Any) -> Iterable[bytes]:
        credentials = environ.get("HTTP_AUTHORIZATION"), environ.get("HTTP_X_API_KEY")
        key = cache_key(environ, credentials)
        if key is None:
            return application(environ, start_response)
        version, kept = cache.get(key)
        if kept is not None:
            environ[CACHE_HIT], environ[CALLER] = True, kept.caller
            start_response(kept.status, list(kept.headers))
            return [kept.body]
        started: list[Any] = []

        def start(status: str, headers: list[tuple[str, str]], *error: Any) -> Any:
            started[:] = status, headers
            return start_response(status, headers, *error)

        environ[CACHE_UNTIL] = 0.0
        parts = application(environ, start)
        if environ[CACHE_UNTIL] <= time():
            return parts
        body = b"".join(parts)
        if hasattr(parts, "close"):
            parts.close()
        answer = CachedResponse(
            started[0], list(started[1]), body, environ[CACHE_UNTIL], environ.get(CALLER)
        )
        cache.put(key, version, answer)
        return [body]

    return serve


def cache_key(environ: Environ, caller: Hashable) -> Hashable | None:
    """Return all that an answer hangs on in a request; None where it is not to be kept."""
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


def _size(key: Hashable, answer: CachedResponse) -> int:
    # Whoever asks decides how long a key is, and a link to the next page repeats the query.
    headers = sum(len(name) + len(value) for name, value in answer.headers)
    return OVERHEAD_BYTES + len(repr(key)) + headers + len(answer.body)
