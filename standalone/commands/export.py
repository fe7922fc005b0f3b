"""`landform export`."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import click

from landform.service.http.json_codec import dumps
from landform.standalone.commands._lines import LOADERS
from landform.standalone.commands._tools import FILE, open_store, progress_bar
from landform.storage.atomic_file import replace, temporary_file
from landform.storage.maintenance import transfer


@click.command("export")
@click.argument("file", type=FILE, required=False)
@click.option("--pages", "only", flag_value="page", help="Pages only.")
@click.option("--feeds", "only", flag_value="feed", help="Feeds only.")
def command(file: Path | None, only: str | None) -> None:
    """Write every page and feed to FILE or standard output, one line of JSON each.

    It holds all that is stored, passwords of pages too: keep it secret.
    """
    store, resources = open_store(), (only,) if only else tuple(LOADERS)
    store.check()
    if file and store.engine.owns_file(file):
        raise click.UsageError(f"{file} is the database itself.")
    with progress_bar("pages and feeds") as progress, _output(file) as out, store.connection():
        total = transfer.total(store, resources)
        for done, row in enumerate(transfer.rows(store, resources), 1):
            out.write(dumps(row) + b"\n")
            progress(done, total)


@contextmanager
def _output(file: Path | None) -> Iterator[IO[bytes]]:
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
