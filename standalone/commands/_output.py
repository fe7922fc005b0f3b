"""Files that commands write: complete or not at all, and for nobody else to read."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import click
import orjson

from landform.storage.atomic_file import replace, temporary_file


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


def check_place(file: Path | None) -> None:
    """Refuse a file that could not be written in the end, before there is anything to lose."""
    if file is None or (file.exists() and not file.is_file()):
        return
    folder = file.resolve().parent
    if not folder.is_dir():
        raise click.UsageError(f"{file} cannot be written: there is no folder {folder}.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise click.UsageError(f"{file} cannot be written: {folder} may not be written to.")


def write_report(file: Path, report: Mapping[str, Any]) -> None:
    """Write a report as JSON."""
    with written(file) as out:
        out.write(orjson.dumps(report, option=orjson.OPT_INDENT_2) + b"\n")
