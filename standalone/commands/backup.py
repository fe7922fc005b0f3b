"""`landform backup`."""

from pathlib import Path

import click

from landform.standalone.commands._files import File
from landform.standalone.commands._tools import open_store, progress_bar


@click.command("backup")
@click.argument("file", type=File(is_written=True))
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
def command(file: Path, force: bool) -> None:
    """Copy the database to FILE while it is served; .gz is compressed."""
    store = open_store()
    store.check()
    store.dispose()
    with progress_bar("pages of the file") as progress:
        store.database.backup(file, force=force, progress=progress)
    click.echo(f"{file}: {file.stat().st_size:,} bytes")
