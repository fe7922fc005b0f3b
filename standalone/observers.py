"""Observers of requests: each gets the route, the status and the time of every request.

None runs in a host application, and without observers a request pays nothing for them.
"""

import re
import time
from collections.abc import Callable, Iterable
from random import getrandbits
from typing import TYPE_CHECKING, Any, NamedTuple

from werkzeug.routing import Map

from landform.service.http.response_cache import Application, Environ
from landform.standalone.log_lines import REQUEST_ID

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse

SAFE_ID = re.compile(r"[A-Za-z0-9._:/+=@-]{1,128}")
OTHER = "other"
PUBLIC_PAGE, SLUG_PATH = "/<slug>/", re.compile(r"/[^/.]+/?")


class Observed(NamedTuple):
    """A request after its response, with the environ that it left."""

    method: str
    route: str
    status: int
    seconds: float
    environ: Environ


Observer = Callable[[Observed], None]


def route_names(rules: Map) -> Callable[[str], str]:
    """Return a function that names the route of a path, with `{id}` for ids and `{slug}` for slugs.

    Every path that no rule leads to has the same name: the names are few, whatever is requested.
    """
    paths = {rule.rule for rule in rules.iter_rules()}
    known = {re.sub(r"<[^>]+>", "{id}", path) for path in paths}
    has_pages = PUBLIC_PAGE in paths

    def route_of(path: str) -> str:
        route = re.sub(r"/[0-9]+(?=/|$)", "/{id}", path).rstrip("/")
        if route in known:
            return route
        return "/{slug}/" if has_pages and SLUG_PATH.fullmatch(path) else OTHER

    return route_of


def identify_requests(application: Application) -> Application:
    """Return a WSGI application that gives each request an id, which its response and log have.

    `X-Request-ID` is copied where it is 1 to 128 plain characters, and generated otherwise.
    """

    def serve(environ: Environ, start_response: "StartResponse") -> Iterable[bytes]:
        sent = environ.get("HTTP_X_REQUEST_ID")
        request_id = sent if sent and SAFE_ID.fullmatch(sent) else _new_id()
        header = "X-Request-ID", request_id

        def start(text: str, headers: list[tuple[str, str]], *error: Any) -> Any:
            return start_response(text, [*headers, header], *error)

        before = REQUEST_ID.set(request_id)
        parts = application(environ, start)
        # After an exception it stays, for what the server logs about it.
        REQUEST_ID.reset(before)
        return parts

    return serve


def _new_id() -> str:
    # No secret, and without a call to the system; a worker begins with another seed.
    return f"{getrandbits(128):032x}"  # nosec B311


def observe_requests(
    application: Application, route_of: Callable[[str], str], observers: Iterable[Observer]
) -> Application:
    """Return a WSGI application that calls observers after each request."""

    def serve(environ: Environ, start_response: "StartResponse") -> Iterable[bytes]:
        began = time.perf_counter()
        method, route = environ["REQUEST_METHOD"], route_of(environ.get("PATH_INFO", ""))
        status = 500

        def start(text: str, headers: list[tuple[str, str]], *error: Any) -> Any:
            nonlocal status
            status = int(text[:3])
            return start_response(text, headers, *error)

        try:
            return application(environ, start)
        finally:
            seconds = time.perf_counter() - began
            for observer in observers:
                observer(Observed(method, route, status, seconds, environ))

    return serve
