"""How far an import is: a bar on a terminal, elsewhere a line every ten seconds."""

import sys
import threading
from types import TracebackType
from typing import Any

import click

SECONDS_BETWEEN_LINES = 10


class Progress:
    """Shows how many pages or feeds are done; to be called in `with`."""

    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._text, self._over = "Looking for what there is.", threading.Event()
        self._thread = threading.Thread(target=self._write_lines, daemon=True)
        self._bar: Any = None

    def __enter__(self) -> "Progress":
        if not self._is_terminal:
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()
        self._end_bar()

    def __call__(self, counted: str, done: int, total: int) -> None:
        """Show that so many of what is counted are done, of so many."""
        self._text = f"{counted}: {done:,} of {total:,}"
        if not self._is_terminal:
            return
        if self._bar is None or self._bar.label != counted:
            self._end_bar()
            self._bar = click.progressbar(length=total, label=counted, file=sys.stderr)
        self._bar.length = max(total, 1)
        self._bar.update(done - self._bar.pos)

    def _end_bar(self) -> None:
        if self._bar is not None:
            self._bar.render_finish()

    def _write_lines(self) -> None:
        while not self._over.wait(SECONDS_BETWEEN_LINES):
            click.echo(self._text, err=True)
