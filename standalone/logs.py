"""Where landform's log goes when it runs by itself: to standard error, in lines of one format.

A host application has a log of its own, and none of this.
"""

import logging
import sys
from typing import TYPE_CHECKING, TextIO

from landform.standalone.log_lines import LineFormatter
from landform.standalone.settings import Settings

if TYPE_CHECKING:
    ErrorStream = logging.StreamHandler[TextIO]
else:
    ErrorStream = logging.StreamHandler


class ErrorHandler(ErrorStream):
    """Writes to what is standard error when the record comes."""

    def __init__(self, style: str) -> None:
        super().__init__()
        self.setFormatter(LineFormatter(style, sys.stderr))

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record to the standard error of this moment."""
        self.stream = sys.stderr
        super().emit(record)


def set_up_logging(settings: Settings) -> None:
    """Let the logger `landform` write from the level of the settings on, in their format.

    Where the program has handlers of its own for it, those get the records instead.
    """
    log = logging.getLogger("landform")
    log.setLevel(settings.log_level)
    for handler in log.handlers[:]:
        if isinstance(handler, ErrorHandler):
            log.removeHandler(handler)
    if not log.hasHandlers():
        log.addHandler(ErrorHandler(settings.line_style))
