"""`landform key`."""

import re
from datetime import UTC, datetime, timedelta
from math import isnan

import click

from landform.service.auth.credentials import all_scopes
from landform.service.cli import current_group
from landform.standalone.commands.tools import ChoiceOf, migrated_store
from landform.storage import api_keys
from landform.storage.rows import MAX_INTEGER

AUTHOR = click.IntRange(1, MAX_INTEGER)
LOCAL_MODE_ENDED = """
Local mode has ended with this first key, for good: only reads of published pages need no key now.
Send the secret with every other request:
    curl -H 'Authorization: Bearer SECRET' https://YOUR-SERVICE/whoami
`landform key create NAME --scope ...` creates more keys."""


@click.group("key")
def key() -> None:
    """Create, list, revoke and rotate keys."""


@key.command("create")
@click.argument("name")
@click.option("--scope", "scopes", multiple=True, required=True, type=ChoiceOf(all_scopes))
@click.option("--author", default=1, type=AUTHOR, help="Author of the pages it creates.")
@click.option("--expires", type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"]), help="In UTC.")
def create_key(name: str, scopes: tuple[str, ...], author: int, expires: datetime | None) -> None:
    """Create a key and print its secret, which is shown only once."""
    if not re.fullmatch(r"[A-Za-z0-9._@-]{1,64}", name) or name.isdigit():
        raise click.BadParameter(
            "use letters, digits and . _ @ -, and not digits only", param_hint="NAME"
        )
    ends = expires.replace(tzinfo=UTC) if expires else None
    if ends and ends <= datetime.now(UTC):
        raise click.BadParameter("that is in the past", param_hint="--expires")
    with migrated_store(create=True) as store:
        options = current_group().options()
        is_local = options.local_mode and not (options.credentials or api_keys.any_exist(store))
        _print_secret(api_keys.create(store, name, scopes, author, ends))
    if is_local:
        click.echo(LOCAL_MODE_ENDED, err=True)


@key.command("list")
def list_keys() -> None:
    """List every key: id, name, scopes, author, and whether it is active."""
    with migrated_store() as store:
        for row in api_keys.list_all(store):
            state = f"until {row.expires}Z" if row.expires else "active"
            state = state if row.active else f"ended {row.expires}Z"
            scopes = " ".join(sorted(row.scopes))
            click.echo(f"{row.id}  {row.name}  {scopes}  author {row.author}  {state}")


@key.command("revoke")
@click.argument("name")
def revoke_key(name: str) -> None:
    """Revoke the keys with this name, or the one with this id, at once."""
    with migrated_store() as store:
        ended = api_keys.revoke(store, name)
    if not ended:
        raise click.ClickException(f"There is no active key named {name}.")
    click.echo(f"revoked {name}")


@key.command("rotate")
@click.argument("name")
@click.option(
    "--grace",
    default=24.0,
    show_default=True,
    type=click.FloatRange(0, 24 * 365),
    help="Hours for which the old secret stays valid.",
)
def rotate_key(name: str, grace: float) -> None:
    """Give a key a new secret and print it, which is shown only once."""
    if isnan(grace):
        raise click.BadParameter("that is not a number", param_hint="--grace")
    with migrated_store() as store:
        _print_secret(api_keys.rotate(store, name, timedelta(hours=grace)))


def _print_secret(secret: str) -> None:
    click.echo(secret)
    click.echo("This secret is shown this once; only its hash is stored.", err=True)
