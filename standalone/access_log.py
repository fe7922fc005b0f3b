"""The access log: one line per request on standard output."""

import json
import sys
import time

from landform.service.http.response_cache import CALLER
from landform.standalone.observers import OTHER, Observed, Observer


def access_log(style: str) -> Observer:
    """Return what writes one line per request: `JSON`, or `PLAIN` for people.

    `AUTO` is plain on a terminal. A line has the method, the route, the id and the name of the
    caller, and no other part of the request.
    """
    plain = style == "PLAIN" or (style == "AUTO" and sys.stdout.isatty())

    def write(request: Observed) -> None:
        line = _line(request)
        sys.stdout.write((_plain(line) if plain else json.dumps(line)) + "\n")
        sys.stdout.flush()

    return write


def _line(request: Observed) -> dict[str, str | float | None]:
    return {
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "id": request.environ["HTTP_X_REQUEST_ID"],
        "method": request.method
        if request.method.isalpha() and len(request.method) < 10
        else OTHER,
        "route": request.route,
        "status": request.status,
        "ms": round(request.seconds * 1000, 2),
        "caller": request.environ.get(CALLER),
    }


def _plain(line: dict[str, str | float | None]) -> str:
    caller = str(line["caller"] or "-").encode("unicode_escape").decode()
    return "{time} {method} {route} {status} {ms} ms {0} {id}".format(caller, **line)
