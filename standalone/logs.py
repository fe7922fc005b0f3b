"""The log of the standalone service: one format for requests, errors and the server.

A host application has a log of its own, and none of this.
"""

import json
import logging
import os
import re
import sys
import time
from contextvars import ContextVar
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from landform.standalone.settings import Settings
    from landform.storage import Store

# The id of the request that this thread is handling.
REQUEST_ID: ContextVar[str | None] = ContextVar("landform_request_id", default=None)
# What would begin another line, or could not be written.
UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def is_json(style: str, stream: TextIO | None) -> bool:
    """Return whether lines are JSON: `AUTO` is plain where the stream is a terminal."""
    is_terminal = stream is not None and stream.isatty()
    return style == "JSON" or (style == "AUTO" and not is_terminal)


def write_line(
    as_json: bool, seconds: float, level: str, message: str, fields: dict[str, object] | None = None
) -> str:
    """Return a line without its end.

    `seconds` since 1970; `fields`: what JSON has beside the message, where they say it too.
    """
    clock = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
    moment = f"{clock}.{int(seconds % 1 * 1000):03d}Z"
    pid, request_id = os.getpid(), REQUEST_ID.get()
    if not as_json:
        return f"{moment} {level} {pid} {request_id or '-'} {_safe(message)}"
    line = {"time": moment, "level": level, "pid": pid, "request_id": request_id}
    return json.dumps({**line, "message": message, **(fields or {})})


def _safe(text: str) -> str:
    return UNSAFE.sub(lambda found: ascii(found[0])[1:-1], text)


class LineFormatter(logging.Formatter):
    """Formats the records of any logger as lines; a traceback is a field, or is indented."""

    def __init__(self, style: str, stream: TextIO | None) -> None:
        super().__init__()
        self._as_json = is_json(style, stream)

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record, and the traceback that belongs to it."""
        trace = self.formatException(record.exc_info) if record.exc_info else ""
        fields: dict[str, object] = {"logger": record.name}
        if trace:
            fields["traceback"] = trace
        message = record.getMessage()
        line = write_line(self._as_json, record.created, record.levelname, message, fields)
        if not trace or self._as_json:
            return line
        return "\n    ".join([line, *map(_safe, trace.splitlines())])


class ErrorHandler(logging.StreamHandler[TextIO]):
    """Writes to what is standard error when the record comes."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record to the standard error of this moment."""
        self.stream = sys.stderr
        super().emit(record)


def set_up_logging(settings: "Settings") -> None:
    """Let the logger `landform` write from the level of the settings on, in their format.

    Where the program has handlers of its own for it, those get the records instead.
    """
    log = logging.getLogger("landform")
    log.setLevel(settings.log_level)
    for handler in log.handlers[:]:
        if isinstance(handler, ErrorHandler):
            log.removeHandler(handler)
    if not log.hasHandlers():
        handler = ErrorHandler()
        handler.setFormatter(LineFormatter(settings.log_format, sys.stderr))
        log.addHandler(handler)


def log_slow_queries(store: "Store", milliseconds: float) -> None:
    """Log each statement that takes longer: its text, whose values are placeholders."""
    log = logging.getLogger("landform.database")

    def report(sql: str, seconds: float) -> None:
        if seconds * 1000 >= milliseconds:
            log.warning("A query took %.0f ms: %s", seconds * 1000, sql)

    store.database.observers.append(report)
