"""`landform secret`."""

import click

from landform.standalone.commands._tools import open_store
from landform.storage import site_secret


@click.group("secret")
def command() -> None:
    """Replace the secret that previews and the cookies of protected pages are signed with."""


@command.command("rotate")
def rotate_secret() -> None:
    """End every preview, and every cookie of a protected page, at once."""
    store = open_store()
    store.migrate(create=False)
    with store.connection():
        site_secret.rotate(store)
    click.echo("The secret was replaced: every preview has ended, and passwords are asked again.")
