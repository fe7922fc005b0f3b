"""The progress of an import: a bar on a terminal, elsewhere a line every ten seconds."""

import sys
import threading
from typing import Any

import click

SECONDS_BETWEEN_LINES = 10


class Progress:
    """Shows how many pages or feeds have been read, inside `with`."""

    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._bar: Any = None
        self._text, self._has_ended = "Looking for pages and feeds.", threading.Event()
        self._thread = threading.Thread(target=self._write_lines, daemon=True)

    def __enter__(self) -> "Progress":
        if not self._is_terminal:
            self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._has_ended.set()
        if self._thread.is_alive():
            self._thread.join()
        self._end_bar()

    def __call__(self, label: str, count: int, total: int) -> None:
        """Show the number of rows that have been read."""
        self._text = f"{label}: {count:,} of {total:,}"
        if not self._is_terminal:
            return
        if self._bar is None or self._bar.label != label:
            self._end_bar()
            self._bar = click.progressbar(length=total, label=label, file=sys.stderr)
        self._bar.length = max(total, 1)
        self._bar.update(count - self._bar.pos)

    def _end_bar(self) -> None:
        if self._bar is not None:
            self._bar.render_finish()

    def _write_lines(self) -> None:
        while not self._has_ended.wait(SECONDS_BETWEEN_LINES):
            click.echo(self._text, err=True)
