"""`landform migrate`."""

import click

from landform.standalone.commands._tools import open_store


@click.command("migrate")
@click.option("--identity", is_flag=True, help="Print nothing but the identity of the store.")
def command(identity: bool) -> None:
    """Bring the database up to date; create it if there is none."""
    store = open_store()
    applied = store.migrate()
    if identity:
        click.echo(store.identity)
        return
    for name in applied:
        click.echo(f"applied {name}")
    click.echo("The database is up to date.")
