"""Files that commands read and write: none that is written is the database, an input or another.

What is written is complete or not there at all, and for nobody else to read.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

import click
import orjson

from landform.service.stores import new_store
from landform.standalone.settings import CONFIG, read_settings
from landform.storage.atomic_file import replace, temporary_file

# Where a context keeps the files that the command names.
NAMED = "landform.files"
SITES = ("http://", "https://")
DATABASES = ("sqlite:", "postgresql:", "postgres:")


class Named(NamedTuple):
    """Files that a command uses, what they are in words, and whether it writes to them."""

    files: tuple[Path, ...]
    what: str
    is_written: bool


class File(click.Path):
    """The path of a file that a command reads, or writes; not one that is in use otherwise.

    Every option and argument that names a file has this type, so that what is wrong is said before
    anything is read or written.
    """

    def __init__(self, *, is_written: bool = False, **kw: Any) -> None:
        super().__init__(dir_okay=False, path_type=Path, **kw)
        self.is_written = is_written

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the path; fail where the file is used otherwise, or could not be written."""
        file = cast(Path, super().convert(value, param, ctx))
        if value == "-":
            if not self.allow_dash:
                self.fail("- is no name of a file; write ./- where it is one.", param, ctx)
            return file
        if self.is_written:
            self._check_folder(file, param, ctx)
        settings_file = Named(
            (Path(os.environ.get(CONFIG) or os.devnull),), "the settings file", False
        )
        database = Named(new_store(read_settings()).database.files, "a file of the database", True)
        _use((file,), self, param, ctx, [database, settings_file])
        return file

    def _check_folder(self, file: Path, param: Any, ctx: Any) -> None:
        folder = file.resolve().parent
        if file.exists() and not file.is_file():
            return
        if not folder.is_dir():
            self.fail(f"{file} cannot be written: there is no folder {folder}.", param, ctx)
        if not os.access(folder, os.W_OK | os.X_OK):
            self.fail(f"{file} cannot be written: {folder} may not be written to.", param, ctx)


class UrlOrFile(click.ParamType[Any]):
    """The URL of a database or of a site, or the path of a file."""

    name = "text"

    def __init__(self, *, is_written: bool = False) -> None:
        self.is_written = is_written

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return what was given; fail where its file is used otherwise."""
        if value.startswith(DATABASES):
            _use(new_store(read_settings(), value).database.files, self, param, ctx)
        elif value and not value.startswith(SITES):
            File().convert(value, param, ctx)
        return value


def _use(
    files: tuple[Path, ...], kind: File | UrlOrFile, param: Any, ctx: Any, others: Any = ()
) -> None:
    """Remember that a parameter names files; fail where one is written and used otherwise."""
    named = ctx.meta.setdefault(NAMED, [])
    for other in (*others, *named):
        if kind.is_written or other.is_written:
            for file in files:
                if any(_is_same(file, one) for one in other.files):
                    kind.fail(f"{file} is also {other.what}; name another file.", param, ctx)
    named.append(Named(files, param.get_error_hint(ctx), kind.is_written))


def _is_same(file: Path, other: Path) -> bool:
    """Return whether two paths lead to one file, by links too; a device may be used twice."""
    if file.exists() and not file.is_file():
        return False
    both_exist = file.exists() and other.exists()
    return file.resolve() == other.resolve() or (both_exist and file.samefile(other))


REPORT = click.option(
    "--report", "report_file", type=File(is_written=True), help="Write a report there, as JSON."
)


@contextmanager
def written(file: Path | None) -> Iterator[IO[bytes]]:
    """Yield standard output, or a file of mode 600 that gets its name when it is complete.

    A device or a pipe is written to as it is.
    """
    if file is None:
        yield sys.stdout.buffer
        return
    try:
        if file.exists() and not file.is_file():
            with file.open("wb") as out:
                yield out
            return
        file = file.resolve()
        with temporary_file(file) as unfinished:
            with unfinished.open("wb") as out:
                yield out
            replace(unfinished, file)
    except OSError as error:
        raise click.ClickException(f"{file} could not be written: {error.strerror}.") from error


def write_report(file: Path, report: Mapping[str, Any]) -> None:
    """Write a report as JSON."""
    with written(file) as out:
        out.write(orjson.dumps(report, option=orjson.OPT_INDENT_2) + b"\n")
