"""The log of the standalone service: one format for requests, errors and the server.

Around each request: its id, its line of the access log, and its count in the metrics. A host
application has a log of its own, and none of this.
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

from landform.service.errors import printable
from landform.service.http.cache import Application, Environ, caller_name, is_cache_hit
from landform.standalone.settings import Settings

# The id of the request that this thread is handling.
REQUEST_ID: ContextVar[str | None] = ContextVar("landform_request_id", default=None)
SAFE_ID = re.compile(r"[A-Za-z0-9._:/+=@-]{1,128}")
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER = "other"


class LineFormatter(logging.Formatter):
    """Formats the records of any logger as lines: `PLAIN` or `JSON`.

    A traceback is a field, or is indented; what a record has as its `fields` is in JSON only.
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
    """Let the logger `landform` write from the level of the settings on, in their format.

    Where the program has handlers of its own for it, those get the records instead.
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


class Answered(NamedTuple):
    """A request after its response; the names of methods and routes are few, whatever is sent."""

    method: str
    route: str
    status: int
    ms: float
    caller: str | None
    cached: bool


Report = Callable[[Answered], None]


def around_requests(application: Application, rules: Map, reports: Iterable[Report]) -> Application:
    """Return a WSGI application that gives each request an id, and then calls the reports.

    The response and the log have the id. `X-Request-ID` is copied where it is 1 to 128 plain
    characters, and generated otherwise.
    """
    route_of = route_names(rules)

    def serve(environ: Environ, start_response: Any) -> Iterable[bytes]:
        began, status = time.perf_counter(), 500
        sent = environ.get("HTTP_X_REQUEST_ID")
        # No secret, and without a call to the system; a worker begins with another seed.
        generated = f"{getrandbits(128):032x}"  # nosec B311
        request_id = sent if sent and SAFE_ID.fullmatch(sent) else generated

        def start(text: str, headers: list[tuple[str, str]], *error: Any) -> Any:
            nonlocal status
            status = int(text[:3])
            return start_response(text, [*headers, ("X-Request-ID", request_id)], *error)

        before = REQUEST_ID.set(request_id)
        # Read before the application may change it.
        method, path = environ["REQUEST_METHOD"], environ.get("PATH_INFO", "")
        try:
            parts = application(environ, start)
        finally:
            if reports:
                ms = round((time.perf_counter() - began) * 1000, 2)
                answered = Answered(
                    method if method in METHODS else OTHER, route_of(path), status,
                    ms, caller_name(environ), is_cache_hit(environ),
                )  # fmt: skip
                for report in reports:
                    report(answered)
        # After an exception it stays, for what the server logs about it.
        REQUEST_ID.reset(before)
        return parts

    return serve


def route_names(rules: Map) -> Callable[[str], str]:
    """Return a function that names the route of a path, with `{id}` for ids and `{slug}` for slugs.

    Every path that no rule leads to has the same name.
    """
    adapter = rules.bind("")

    def route_of(path: str) -> str:
        try:
            rule, _ = adapter.match(path, "GET", return_rule=True)
        except HTTPException:
            return OTHER
        return re.sub("<[^>]+>", "{id}", rule.rule.replace("<slug>", "{slug}"))

    return route_of


def access_log(style: str) -> Report:
    """Return what writes one line per request to standard output, `JSON` or `PLAIN`.

    A line has the method, the route, the id and the name of the caller, and no other part of the
    request.
    """
    handler = line_handler(style, sys.stdout)

    def write(request: Answered) -> None:
        message = f"{request.method} {request.route} {request.status}"
        if style != "JSON":
            message += f" {request.ms} ms {request.caller or '-'}"
        level, fields = "ERROR" if request.status >= 500 else "INFO", request._asdict()
        handler.handle(
            logging.makeLogRecord({"levelname": level, "msg": message, "fields": fields})
        )

    return write
