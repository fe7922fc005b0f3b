"""The logs of the standalone service: one format for requests, errors and gunicorn.

Each request gets an id, a line in the access log, and is counted in the metrics. A host has a log
of its own, and uses none of this.
"""

import json
import logging
import re
import sys
import time
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from random import getrandbits
from typing import Any, NamedTuple, TextIO

from werkzeug.exceptions import HTTPException
from werkzeug.routing import Map

from landform.service.http.cache import CACHE_HIT, CALLER, Application, Environ
from landform.service.pipeline.errors import printable
from landform.standalone.settings import Settings

# The id of the request that this thread is handling.
REQUEST_ID: ContextVar[str | None] = ContextVar("landform_request_id", default=None)
SAFE_ID = re.compile(r"[A-Za-z0-9._:/+=@-]{1,128}")
LISTED_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
# The name of all other methods, and of paths that are no route.
UNLISTED = "other"


class LineFormatter(logging.Formatter):
    """Format the records of any logger as lines: `PLAIN` or `JSON`.

    A traceback is indented, or a field in JSON. Only JSON has the `fields` of a record.
    """

    def __init__(self, style: str) -> None:
        super().__init__()
        self.is_json = style == "JSON"

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record, and the traceback that belongs to it."""
        clock = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        line: dict[str, object] = {
            "time": f"{clock}.{int(record.created % 1 * 1000):03d}Z",
            "level": record.levelname,
            "pid": record.process,
            "request_id": REQUEST_ID.get(),
            "message": record.getMessage(),
        }
        trace = self.formatException(record.exc_info) if record.exc_info else ""
        if self.is_json:
            line |= getattr(record, "fields", {"logger": record.name})
            return json.dumps(line | {"traceback": trace} if trace else line)
        lines = " ".join(str(part or "-") for part in line.values()), *trace.splitlines()
        return "\n    ".join(map(printable, lines))


def set_up_logging(settings: Settings) -> None:
    """Set the level and the format of the logger `landform`.

    If the program has handlers of its own for it, only the level is set.
    """
    log = logging.getLogger("landform")
    log.setLevel(settings.log_level)
    for handler in log.handlers[:]:
        if isinstance(handler.formatter, LineFormatter):
            log.removeHandler(handler)
    if not log.hasHandlers():
        log.addHandler(line_handler(settings.log_format, sys.stderr))


def line_handler(style: str, stream: TextIO) -> "logging.StreamHandler[TextIO]":
    """Return a handler that writes lines in a format to a stream."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(LineFormatter(style))
    return handler


class RequestRecord(NamedTuple):
    """A request and its response. Methods and routes have a bounded number of values."""

    method: str
    route: str
    status: int
    ms: float
    caller: str | None
    cached: bool


Report = Callable[[RequestRecord], None]


def around_requests(application: Application, rules: Map, reports: Iterable[Report]) -> Application:
    """Return a WSGI application that gives each request an id, and then calls the reports.

    The id is in the response and in the log. A request may send it as `X-Request-ID`, with 1 to
    128 plain characters; otherwise it is generated.
    """
    route_of = route_names(rules)

    def serve(environ: Environ, start_response: Any) -> Iterable[bytes]:
        began, status = time.perf_counter(), 500
        sent = environ.get("HTTP_X_REQUEST_ID")
        # It is not secret, and this is fast; each worker has a seed of its own.
        generated = f"{getrandbits(128):032x}"  # nosec B311
        request_id = sent if sent and SAFE_ID.fullmatch(sent) else generated

        def start(text: str, headers: list[tuple[str, str]], *error: Any) -> Any:
            nonlocal status
            status = int(text[:3])
            return start_response(text, [*headers, ("X-Request-ID", request_id)], *error)

        before = REQUEST_ID.set(request_id)
        # The application may change them.
        method, path = environ["REQUEST_METHOD"], environ.get("PATH_INFO", "")
        try:
            parts = application(environ, start)
        finally:
            if reports:
                ms = round((time.perf_counter() - began) * 1000, 2)
                method = method if method in LISTED_METHODS else UNLISTED
                caller, is_hit = environ.get(CALLER), CACHE_HIT in environ
                record = RequestRecord(method, route_of(path), status, ms, caller, is_hit)
                for report in reports:
                    report(record)
        # After an exception the server still logs with the id.
        REQUEST_ID.reset(before)
        return parts

    return serve


def route_names(rules: Map) -> Callable[[str], str]:
    """Return a function that names the route of a path, such as `/pages/{id}` or `/{slug}/`."""
    adapter = rules.bind("")

    def route_of(path: str) -> str:
        try:
            rule, _ = adapter.match(path, "GET", return_rule=True)
        except HTTPException:
            return UNLISTED
        return re.sub("<[^>]+>", "{id}", rule.rule.replace("<slug>", "{slug}"))

    return route_of


def access_log(style: str) -> Report:
    """Return the report that writes a line per request to standard output, `JSON` or `PLAIN`.

    Of the request, a line has only the method, the route, the id and the name of the caller.
    """
    handler = line_handler(style, sys.stdout)

    def write(request: RequestRecord) -> None:
        message = f"{request.method} {request.route} {request.status}"
        if style != "JSON":
            message += f" {request.ms} ms {request.caller or '-'}"
        level, fields = "ERROR" if request.status >= 500 else "INFO", request._asdict()
        handler.handle(
            logging.makeLogRecord({"levelname": level, "msg": message, "fields": fields})
        )

    return write
