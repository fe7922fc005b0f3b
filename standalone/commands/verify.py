"""`landform verify`."""

import click

from landform.standalone.commands._tools import open_store, report
from landform.storage.maintenance import verify


@click.command("verify")
def command() -> None:
    """Check the database: the file, the schema, every column, and all derived data."""
    store = open_store()
    store.check()
    report(list(verify.find_problems(store)))
    click.echo("Nothing is wrong.")
