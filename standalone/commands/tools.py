"""Tools of the commands: their group, the store, files, options and reports.

No file that is written is the database, an input or another one. It is complete or not there at
all, and for nobody else to read.
"""

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from itertools import repeat
from pathlib import Path
from threading import Event, Lock, Thread
from typing import IO, TYPE_CHECKING, Any, TypeVar

import click

from landform.service.cli import current_group
from landform.service.errors import printable
from landform.service.options import IN_MEMORY, NO_MEMORY, new_store
from landform.storage import Store
from landform.storage.atomic_file import replace, temporary_file

if TYPE_CHECKING:
    from click._termui_impl import ProgressBar

# After so long a command shows how far it is, and draws that again after so long.
PATIENCE_SECONDS, DRAW_SECONDS = 2.0, 0.2
CLEAR_LINE = "\r\x1b[K"
T = TypeVar("T")
# The key of the files that a command names, in its context.
NAMED = "landform.files"
SITES = ("http://", "https://")
DATABASES = ("sqlite:", "postgresql:", "postgres:")
RESOURCES = {"pages": ("page",), "feeds": ("feed",), None: ("page", "feed")}


class NotBegun(click.ClickException):
    """Nothing was done."""

    exit_code = 2


class ChoiceOf(click.ParamType):  # type: ignore[type-arg]
    """The type of an option with choices that a function returns: parts may add to them."""

    name = "choice"

    def __init__(self, read_choices: Callable[[], Iterable[str]]) -> None:
        self._read_choices = read_choices

    def _choice(self) -> "click.Choice[str]":
        return click.Choice(sorted(self._read_choices()))

    def get_metavar(self, param: Any, ctx: Any) -> str | None:
        """Return the choices, for the help of the command."""
        return self._choice().get_metavar(param, ctx)

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return a value that is one of the choices; fail for any other."""
        return self._choice().convert(value, param, ctx)


class File(click.Path):
    """The path of a file that a command reads, or writes; not one that is in use otherwise.

    Every option and argument that names a file has this type, so that what is wrong is said before
    anything is read or written. With `is_url` it may also be the URL of a database or of a site,
    and is a text.
    """

    def __init__(self, *, is_written: bool = False, is_url: bool = False, **kw: Any) -> None:
        super().__init__(dir_okay=False, path_type=str if is_url else Path, **kw)
        self.is_written, self.is_url = is_written, is_url

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return what was given; fail where the file is used otherwise, or cannot be written."""
        if self.is_url and (not value or value.startswith(SITES)):
            return value
        named = used = ctx.meta.setdefault(NAMED, [])
        if self.is_url and value.startswith(DATABASES):
            files = new_store(current_group().options(), value).database.files
        elif value == "-" and self.allow_dash:
            return Path(value)
        elif value == "-":
            self.fail("- is no name of a file; write ./- where it is one.", param, ctx)
        else:
            value = super().convert(value, param, ctx)
            files = (Path(value),)
            folder, is_file = files[0].resolve().parent, not _is_device(files[0])
            if self.is_written and is_file and not os.access(folder, os.W_OK | os.X_OK):
                told = f"there is no folder {folder} that may be written to"
                self.fail(f"{value} cannot be written: {told}.", param, ctx)
            group = current_group()
            own = new_store(group.options()).database.files, "a file of the database", True
            config = (group.settings_file(),), "the settings file", False
            used = [own, config, *named]
        for other_files, what, is_written in used:
            for file in files if self.is_written or is_written else ():
                if any(_is_same(file, one) for one in other_files):
                    self.fail(f"{file} is also {what}; name another file.", param, ctx)
        named.append((files, param.get_error_hint(ctx), self.is_written))
        return value


def _is_device(file: Path) -> bool:
    return file.exists() and not file.is_file()


def _is_same(file: Path, other: Path) -> bool:
    """Return whether two paths lead to one file, by links too; a device may be used twice."""
    if _is_device(file):
        return False
    both_exist = file.exists() and other.exists()
    return file.resolve() == other.resolve() or (both_exist and file.samefile(other))


def _form_map(ctx: object, parameter: object, given: tuple[str, ...]) -> dict[int, int]:
    pairs = [re.fullmatch(r"([0-9]{1,18})=([0-9]{1,18})", text) for text in given]
    if not all(pairs):
        raise click.BadParameter("it must look like 3=17")
    return {int(pair[1]): int(pair[2]) for pair in pairs if pair}


MAP_FORM = click.option(
    "--map-form",
    "forms",
    multiple=True,
    metavar="OLD=NEW",
    callback=_form_map,
    help="Change a form's id.",
)
DRY_RUN = click.option("--dry-run", is_flag=True, help="Say what would change, and change nothing.")
ONLY = click.option("--only", type=click.Choice(["pages", "feeds"]), help="Pages or feeds only.")
REPORT = click.option(
    "--report", "report_file", type=File(is_written=True), help="Write a report there, as JSON."
)


def open_store(url: str | None = None) -> Store:
    """Return the store of the options, or another one by its URL, with the same options."""
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


@contextmanager
def written(file: Path | None) -> Iterator[IO[bytes]]:
    """Yield standard output, or a file of mode 600 that gets its name when it is complete.

    A device or a pipe is written to as it is.
    """
    if file is None:
        yield sys.stdout.buffer
        return
    is_replaced = not _is_device(file)
    target = file.resolve() if is_replaced else file
    try:
        with temporary_file(target) if is_replaced else nullcontext(target) as unfinished:
            with unfinished.open("wb") as out:
                yield out
            if is_replaced:
                replace(unfinished, target)
    except OSError as error:
        raise click.ClickException(f"{file} could not be written: {error.strerror}.") from error


class Progress:
    """A bar on a terminal while a command takes longer than two seconds; nothing elsewhere.

    A thread draws it on standard error. `total`: how many rows there are, if that is known.
    """

    def __init__(self, label: str, total: int | None = None, *, is_hidden: bool = False) -> None:
        self._label, self._total, self._rows = label, total, 0
        self._is_over, self._drawing = Event(), Lock()
        is_shown = sys.stderr.isatty() and not is_hidden
        self._thread = Thread(target=self._draw, daemon=True) if is_shown else None

    def __enter__(self) -> "Progress":
        if self._thread:
            self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._is_over.set()
        if self._thread:
            self._thread.join()

    def count(self, rows: Iterable[T]) -> Iterator[T]:
        """Yield rows, and count them."""
        for row in rows:
            yield row
            self._rows += 1

    def say(self, text: str) -> None:
        """Print a line in the place of the bar, which is drawn again below it."""
        with self._drawing:
            if self._thread:
                click.echo(CLEAR_LINE, nl=False, err=True)
            say(text)

    def _draw(self) -> None:
        if self._is_over.wait(PATIENCE_SECONDS):
            return
        bar: ProgressBar[None] = click.progressbar(
            repeat(None),
            self._total or None,
            self._label,
            file=sys.stderr,
            item_show_func=lambda _: f"{self._rows:,}" if self._rows else None,
        )
        with bar:
            while not self._is_over.wait(DRAW_SECONDS):
                with self._drawing:
                    # Without a total it moves to show that something happens.
                    bar.update(self._rows - bar.pos if self._total else 1)
                    bar.render_progress()


def write_report(file: Path | None, report: Mapping[str, Any]) -> None:
    """Write a report as JSON, if it was asked for."""
    if file:
        with written(file) as out:
            out.write(json.dumps(report, indent=2).encode() + b"\n")


def say(text: str) -> None:
    """Print a line, without what would control a terminal.

    Where nobody reads any more the command goes on, to write its files.
    """
    try:
        click.echo(printable(text))
    except BrokenPipeError:
        # Otherwise Python's last flush would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def end_with(problems: Iterable[str]) -> None:
    """Print problems, one per line, and end the command with an error where there are any."""
    told = list(problems)
    for problem in told:
        say(problem)
    if told:
        sys.exit(1)
