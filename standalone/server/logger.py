"""gunicorn's log in the lines of landform's, with the id of the request that a line is about."""

import sys
from typing import Any

from gunicorn.glogging import Logger

from landform.standalone.logs import LineFormatter


class LineLogger(Logger):  # type: ignore[misc]
    """gunicorn's logger, but for the format of its lines and the queries in them."""

    style = "PLAIN"

    def __new__(cls, cfg: Any) -> "LineLogger":
        """Return the logger; gunicorn's own for StatsD, where that is asked for, in this format."""
        if cfg.statsd_host:
            from gunicorn.instrument.statsd import Statsd  # noqa: PLC0415

            cls = type("StatsdLogger", (cls, Statsd), {})  # noqa: PLW0642
        return object.__new__(cls)

    def _set_handler(self, log: Any, output: Any, fmt: Any, stream: Any = None) -> None:
        if log is self.error_log:
            fmt = LineFormatter(self.style, sys.stderr if output == "-" else None)
        super()._set_handler(log, output, fmt, stream)

    def exception(self, msg: str, *args: object, **kwargs: Any) -> None:
        """Log an exception, without the query of a URL, which may hold a secret."""
        shown = [arg.partition("?")[0] if isinstance(arg, str) else arg for arg in args]
        super().exception(msg, *shown, **kwargs)


def make_logger(style: str) -> type[LineLogger]:
    """Return the class of a logger whose lines are `PLAIN`, `JSON` or, off a terminal, `AUTO`."""
    return type("LineLogger", (LineLogger,), {"style": style})
