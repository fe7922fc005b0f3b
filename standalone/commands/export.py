"""`landform export`."""

from pathlib import Path

import click

from landform.service.http.json_codec import dumps
from landform.standalone.commands._lines import LOADERS
from landform.standalone.commands._output import written
from landform.standalone.commands._tools import FILE, open_store, progress_bar
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
    with progress_bar() as progress, written(file) as out, store.connection():
        total = transfer.total(store, resources)
        for done, row in enumerate(transfer.rows(store, resources), 1):
            out.write(dumps(row) + b"\n")
            progress(done, total)
