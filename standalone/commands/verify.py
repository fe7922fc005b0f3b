"""`landform verify`."""

import click

from landform.standalone.commands._lines import check_stored
from landform.standalone.commands._tools import open_store, progress_bar, report
from landform.storage.maintenance import verify


@click.command("verify")
def command() -> None:
    """Check the database: the file, the schema, every row, and all derived data."""
    store = open_store()
    store.check()
    with progress_bar("rows read") as progress:
        problems = list(verify.find_problems(store, check_stored, progress))
    report(problems)
    click.echo("Nothing is wrong.")
