"""The access log: one line per request on standard output."""

import sys
import time

from landform.service.http.response_cache import CALLER
from landform.standalone.log_lines import is_json, write_line
from landform.standalone.observers import OTHER, Observed, Observer


def access_log(style: str) -> Observer:
    """Return what writes one line per request: `JSON`, `PLAIN` for people, or `AUTO`.

    A line has the method, the route, the id and the name of the caller, and no other part of the
    request.
    """
    as_json = is_json(style, sys.stdout)

    def write(request: Observed) -> None:
        fields = _fields(request)
        level = "ERROR" if request.status >= 500 else "INFO"
        message = "{method} {route} {status}".format(**fields)
        if not as_json:
            message += f" {fields['ms']} ms {_plain_name(fields['caller'])}"
        sys.stdout.write(write_line(as_json, time.time(), level, message, fields) + "\n")
        sys.stdout.flush()

    return write


def _fields(request: Observed) -> dict[str, object]:
    is_plain = request.method.isalpha() and len(request.method) < 10
    return {
        "method": request.method if is_plain else OTHER,
        "route": request.route,
        "status": request.status,
        "ms": round(request.seconds * 1000, 2),
        "caller": request.environ.get(CALLER),
    }


def _plain_name(caller: object) -> str:
    return str(caller or "-").encode("unicode_escape").decode()
