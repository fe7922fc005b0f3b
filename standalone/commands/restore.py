"""`landform restore`."""

from pathlib import Path

import click

from landform.standalone.commands._files import File
from landform.standalone.commands._tools import open_store


@click.command("restore")
@click.argument("file", type=File())
def command(file: Path) -> None:
    """Replace the database by the backup FILE; the service has to be stopped."""
    store = open_store()
    previous = store.database.restore(file, _check)
    click.echo(
        f"{store.database.name} is what {file} held; the next start brings its schema up to date."
    )
    if previous:
        click.echo(f"What was there before is {previous}.")


def _check(path: str) -> None:
    """Raise where a file is none that can be served, and leave no connection to it."""
    store = open_store(f"sqlite:///{path}")
    try:
        store.check()
    finally:
        store.dispose()
