"""What an operator sees of the standalone service: probes, a line a request, slow queries.

Nothing here runs in a host application, and nothing is paid for what is not switched on.
"""

import json
import logging
import re
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any
from uuid import uuid4

from flask import Flask, Response

from landform.service.blueprint import ROUTES
from landform.service.http.json_codec import render
from landform.service.http.response_cache import CALLER, Application, Environ
from landform.storage import StorageError, Store

REQUEST_ID = re.compile(r"[A-Za-z0-9._:/+=@-]{1,128}")
OTHER = "other"
KNOWN = {
    re.sub(r"<\w+>", "{id}", prefix + path) for path, peer, _ in ROUTES for prefix in ("", peer)
}
PROBES = ("/healthz", "/readyz", "/metrics")

# Told of a request: method, route, status, seconds, and the environ that it left.
Observer = Callable[[str, str, int, float, Environ], None]


def route_of(path: str) -> str:
    """Return the route of a path, its ids left out; one name for all that are none of ours."""
    route = re.sub(r"/[0-9]+(?=/|$)", "/{id}", path).rstrip("/")
    return route if route in KNOWN or route in PROBES else OTHER


def observe_requests(application: Application, observers: Iterable[Observer]) -> Application:
    """Return a WSGI application that tells observers of each request, and answers its id.

    `X-Request-ID` is taken where it is 1 to 128 plain characters, and made otherwise.
    """

    def serve(environ: Environ, start_response: Any) -> Iterable[bytes]:
        began = time.perf_counter()
        sent = environ.get("HTTP_X_REQUEST_ID", "")
        request_id = environ["HTTP_X_REQUEST_ID"] = (
            sent if REQUEST_ID.fullmatch(sent) else uuid4().hex
        )
        status = 500

        def start(text: str, headers: list[tuple[str, str]], *error: Any) -> Any:
            nonlocal status
            status = int(text[:3])
            return start_response(text, [*headers, ("X-Request-ID", request_id)], *error)

        try:
            return application(environ, start)
        finally:
            told = environ["REQUEST_METHOD"], route_of(environ.get("PATH_INFO", ""))
            for observer in observers:
                observer(*told, status, time.perf_counter() - began, environ)

    return serve


def access_log(style: str) -> Observer:
    """Return what writes a line a request to standard output: `JSON`, or `PLAIN` for people.

    `AUTO` is plain on a terminal. It has the method, the route, the id and the name of who called,
    and no other part of the request.
    """
    plain = style == "PLAIN" or (style == "AUTO" and sys.stdout.isatty())

    def write(method: str, route: str, status: int, seconds: float, environ: Environ) -> None:
        line = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "id": environ["HTTP_X_REQUEST_ID"],
            "method": method if method.isalpha() and len(method) < 10 else OTHER,
            "route": route,
            "status": status,
            "ms": round(seconds * 1000, 2),
            "caller": environ.get(CALLER),
        }
        text = _plain(line) if plain else json.dumps(line)
        sys.stdout.write(text + "\n")
        sys.stdout.flush()

    return write


def _plain(line: dict[str, Any]) -> str:
    caller = (line["caller"] or "-").encode("unicode_escape").decode()
    return "{time} {method} {route} {status} {ms} ms {0} {id}".format(caller, **line)


def log_slow_queries(store: Store, milliseconds: float) -> None:
    """Log each statement that takes longer: its text, whose values are placeholders."""
    log = logging.getLogger("landform.database")

    def report(sql: str, seconds: float) -> None:
        if seconds * 1000 >= milliseconds:
            log.warning("A query took %.0f ms: %s", seconds * 1000, sql)

    store.database.observers.append(report)


def add_probes(app: Flask, store: Store) -> None:
    """Add `/healthz`, which needs no database, and `/readyz`, which looks whether it can serve."""

    def healthz() -> Response:
        return _unkept({"status": "ok"}, 200)

    def readyz() -> Response:
        reason = _unready(store)
        if reason:
            return _unkept({"status": "unavailable", "reason": reason}, 503)
        return _unkept({"status": "ok"}, 200)

    app.add_url_rule("/healthz", "healthz", healthz)
    app.add_url_rule("/readyz", "readyz", readyz)


def _unready(store: Store) -> str | None:
    """Return in words, and without any path, why writes would fail; None where they would not."""
    try:
        store.check()
        return store.readiness_error()
    except StorageError:
        return "The database cannot be read, or is not one of this version."


def _unkept(body: dict[str, str], status: int) -> Response:
    return render(body, status, {"Cache-Control": "no-store"})
