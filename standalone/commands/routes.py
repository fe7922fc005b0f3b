"""`landform routes`."""

import click

from landform.app import create_app
from landform.standalone.commands._tools import open_store


@click.command("routes")
def command() -> None:
    """List the URL rules of the service, as Flask knows them."""
    open_store().check()
    for rule in sorted({rule.rule for rule in create_app().url_map.iter_rules()}):
        click.echo(rule)
