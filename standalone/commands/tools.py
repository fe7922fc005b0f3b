"""Tools of the commands: the store, files, common options, progress and reports.

A command never writes to the database, to one of its inputs, or twice to one file. A file appears
when it is complete, and only its owner can read it.
"""

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import product, repeat
from pathlib import Path
from threading import Event, Thread
from typing import IO, Any, TypeVar

import click

from landform.service.cli import current_group
from landform.service.options import IN_MEMORY, NO_MEMORY, new_store
from landform.service.pipeline.errors import printable
from landform.storage import Store
from landform.storage.atomic_file import replace, temporary_file
from landform.storage.models import exported_tables

# When a command begins to draw its progress, how often it does, and how often it writes a line.
PATIENCE_SECONDS, DRAW_SECONDS, LINE_SECONDS = 2.0, 0.2, 10.0
T = TypeVar("T")
# Names of open streams, which a shell may have redirected to a file.
STREAMS = ("/dev/std", "/dev/fd/", "/proc/")
SITES = ("http://", "https://")
DATABASES = ("sqlite:", "postgresql:", "postgres:")
# In the order of an export: what rows refer to stands before them.
RESOURCES = {
    "forms": "form", "pages": "page", "feeds": "feed", "entries": "entry", "media": "media",
}  # fmt: skip


class NotBegun(click.ClickException):
    """An error before the command did anything."""

    exit_code = 2


class ChoiceOf(click.Choice[str]):
    """The type of an option with choices that a function returns: parts may add to them."""

    def __init__(self, read_choices: Callable[[], Iterable[str]]) -> None:
        self._read_choices, self.case_sensitive = read_choices, True

    @property
    def choices(self) -> list[str]:  # type: ignore[override]
        """The choices, read when the command runs."""
        return sorted(self._read_choices())


class File(click.Path):
    """The path of a file that a command reads or writes, and that has no other use.

    All options and arguments that name files have this type, so that mistakes are reported before
    anything is read or written. With `is_url` the value is a text, and may be the URL of a database
    or of a site.
    """

    def __init__(self, *, is_written: bool = False, is_url: bool = False, **kw: Any) -> None:
        super().__init__(dir_okay=False, path_type=str if is_url else Path, **kw)
        self.is_written, self.is_url = is_written, is_url

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the path; fail if the file has another use, or cannot be written."""
        if self.is_url and (not value or value.startswith(SITES)):
            return value
        if value == "-":
            self.fail("- is no name of a file; write ./- where it is one.", param, ctx)
        group, named_before = current_group(), ctx.meta.setdefault("landform.files", [])
        if self.is_url and value.startswith(DATABASES):
            files, uses = new_store(group.options(), value).database.files, named_before
        else:
            value = super().convert(value, param, ctx)
            file = Path(value)
            files, folder = (file,), file.resolve().parent
            may_write = _is_device(file) or os.access(folder, os.W_OK | os.X_OK)
            if self.is_written and not may_write:
                text = f"there is no folder {folder} that may be written to"
                self.fail(f"{value} cannot be written: {text}.", param, ctx)
            database = new_store(group.options()).database.files, "a file of the database", True
            config = (group.settings_file(),), "the settings file", False
            uses = [database, config, *named_before]
        for used_files, use, is_written in uses:
            for file, used_file in product(files, used_files):
                if (self.is_written or is_written) and _is_same(file, used_file):
                    self.fail(f"{file} is also {use}; name another file.", param, ctx)
        named_before.append((files, param.get_error_hint(ctx), self.is_written))
        return value


def _is_device(file: Path) -> bool:
    return file.exists() and not file.is_file()


def _is_same(file: Path, used_file: Path) -> bool:
    """Return whether two paths lead to one file, also by links; a device may be used twice."""
    if not (file.exists() and used_file.exists()):
        return file.resolve() == used_file.resolve()
    return file.samefile(used_file) and not _is_device(file)


def _forms(ctx: object, parameter: object, texts: tuple[str, ...]) -> dict[int, int]:
    pairs = [re.fullmatch(r"([0-9]{1,18})=([0-9]{1,18})", text) for text in texts]
    if not all(pairs):
        raise click.BadParameter("it must look like 3=17")
    return {int(pair[1]): int(pair[2]) for pair in pairs if pair}


MAP_FORM = click.option(
    "--map-form",
    "forms",
    multiple=True,
    metavar="OLD=NEW",
    callback=_forms,
    help="Change a form's id.",
)
DRY_RUN = click.option("--dry-run", is_flag=True, help="Say what would change, and change nothing.")
ONLY = click.option(
    "--only", type=click.Choice(["pages", "feeds", "forms"]), help="Rows of one kind only."
)
ENTRIES = click.option("--entries", is_flag=True, help="Entries of forms, too: personal data.")
REPORT = click.option(
    "--report", "report_file", type=File(is_written=True), help="Write a report there, as JSON."
)


def resources(
    only: str | None = None, *, entries: bool = False, media: bool = False
) -> tuple[str, ...]:
    """Return the names of the tables that are chosen, without those of parts that are missing."""
    chosen = [only] if only else ["forms", "pages", "feeds"]
    chosen += [name for name, is_chosen in (("entries", entries), ("media", media)) if is_chosen]
    names = [RESOURCES[name] for name in chosen]
    return tuple(name for name in names if name in exported_tables())


def part_lines(command: str, store: Store, other: object = None) -> list[str]:
    """Let the parts take part in a command, and return their lines for the user."""
    parts = current_group().options().named_parts
    return [line for part in parts for line in part.maintain(command, store, other)]


def open_store(url: str | None = None) -> Store:
    """Return the store of the options, or with these options that of another URL."""
    options = current_group().options()
    if IN_MEMORY in (url, options.database_url):
        raise click.ClickException(f"The database of a command {NO_MEMORY}.")
    return new_store(options, url, has_timeouts=False)


@contextmanager
def migrated_store(*, create: bool = False) -> Iterator[Store]:
    """Yield the store of the options, up to date and connected."""
    store = open_store()
    store.migrate(create=create)
    with store.connection():
        yield store


def refuse_existing(file: Path | None, *, force: bool) -> None:
    """End the command for a file that exists, unless it is to be replaced."""
    if file and file.is_file() and not (force or str(file).startswith(STREAMS)):
        raise click.ClickException(f"{file} is there already; --force replaces it.")


@contextmanager
def open_output(file: Path | None) -> Iterator[IO[bytes]]:
    """Yield standard output, or a file of mode 600 that gets its name when it is complete.

    A device or a pipe is written directly.
    """
    if file is None:
        yield sys.stdout.buffer
        return
    try:
        if _is_device(file):
            with file.open("wb") as out:
                yield out
            return
        target = file.resolve()
        with temporary_file(target) as unfinished:
            with unfinished.open("wb") as out:
                yield out
            replace(unfinished, target)
    except OSError as error:
        raise click.ClickException(f"{file} could not be written: {error.strerror}.") from error


class Progress:
    """The progress of a command, on standard error.

    A terminal gets a bar after two seconds, with `has_lines` anything else a line every ten. A
    thread writes them. `total` is the number of rows, if it is known.
    """

    def __init__(
        self, label: str, total: int | None = None, *, is_hidden: bool = False,
        has_lines: bool = False,
    ) -> None:  # fmt: skip
        self._label, self._rows, self._total = label, 0, total
        self._is_over = Event()
        self._is_visible = sys.stderr.isatty() and not is_hidden
        self._has_lines = has_lines and not self._is_visible
        self._thread = Thread(target=self._write, daemon=True)

    def __enter__(self) -> "Progress":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._is_over.set()
        self._thread.join()

    def count(self, rows: Iterable[T]) -> Iterator[T]:
        """Yield rows, and count them."""
        for row in rows:
            yield row
            self._rows += 1

    def show(self, label: str, rows: int, total: int) -> None:
        """Show a number of rows, perhaps of another kind than before."""
        self._label, self._rows, self._total = label, rows, total

    def _write(self) -> None:
        if self._is_visible and not self._is_over.wait(PATIENCE_SECONDS):
            self._draw()
        while self._has_lines and not self._is_over.wait(LINE_SECONDS):
            total = f" of {self._total:,}" if self._total else ""
            click.echo(f"{self._label}: {self._rows:,}{total}", err=True)

    def _draw(self) -> None:
        bar: Any = click.progressbar(
            repeat(None), label=self._label, file=sys.stderr,
            item_show_func=lambda _: f"{self._rows:,}" if self._rows else None,
        )  # fmt: skip
        with bar:
            while not self._is_over.wait(DRAW_SECONDS):
                bar.label, bar.length = self._label, self._total or None
                if self._total and self._rows < bar.pos:
                    # Rows of another kind.
                    bar.pos, bar.finished = 0, False
                # Without a total the bar only moves.
                bar.update(self._rows - bar.pos if self._total else 1)
                bar.render_progress()


def write_report(file: Path | None, report: Mapping[str, Any]) -> None:
    """Write a report as JSON, if there is a file for it."""
    if file:
        with open_output(file) as out:
            out.write(json.dumps(report, indent=2).encode() + b"\n")


def say(text: str) -> None:
    """Print a line without control characters.

    The command goes on to write its files when standard output is closed.
    """
    try:
        click.echo(printable(text))
    except BrokenPipeError:
        # Else the flush at the exit fails again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def end_with(problems: Iterable[str]) -> None:
    """Print problems, one per line; if there are any, end the command with exit code 1."""
    lines = list(problems)
    for line in lines:
        say(line)
    if lines:
        sys.exit(1)
