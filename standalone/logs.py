"""The log of the standalone service: one format for requests, errors and the server.

A host application has a log of its own, and none of this.
"""

import json
import logging
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


class LineFormatter(logging.Formatter):
    """Formats the records of any logger as lines: `PLAIN`, `JSON`, or `AUTO`.

    `AUTO` is plain where the stream is a terminal. A traceback is a field, or is indented; what a
    record has as its `fields` is in JSON only.
    """

    def __init__(self, style: str, stream: TextIO | None) -> None:
        super().__init__()
        is_terminal = stream is not None and stream.isatty()
        self.is_json = style == "JSON" or (style == "AUTO" and not is_terminal)

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
        return "\n    ".join(UNSAFE.sub(lambda one: ascii(one[0])[1:-1], text) for text in lines)


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
