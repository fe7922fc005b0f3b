"""The `landform` command: serve, migrate, keys, maintenance, and Flask's `routes` and `shell`."""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path

import click
from flask import Flask
from flask.cli import FlaskGroup

from landform.app import create_app
from landform.service.auth.credentials import SCOPES
from landform.service.auth.local_mode import is_loopback
from landform.standalone.maintenance import COMMANDS, open_store
from landform.standalone.settings import PREFIX, SettingError, read_settings
from landform.storage import StorageError, Store, api_keys

CONFIGURATION = Path(__file__).parents[1] / "gunicorn.conf.py"


class Command(FlaskGroup):
    """A group whose failures are a sentence, not a traceback."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; settings and storage that cannot be used end it with their message."""
        try:
            return super().invoke(ctx)
        except (SettingError, StorageError) as error:
            raise click.ClickException(str(error)) from error

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return a command by its name, without the application, which has none of its own."""
        return click.Group.get_command(self, ctx, name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, without the application."""
        return click.Group.list_commands(self, ctx)


def _application() -> Flask:
    """Return the application for Flask's commands, of which only `run` begins a database."""
    if click.get_current_context().info_name != "run":
        open_store().check()
    return create_app()


@click.group(
    cls=Command, create_app=_application, add_version_option=False, set_debug_flag=False,
    load_dotenv=False, help="Landing pages and form feeds over HTTP.",
)  # fmt: skip
@click.version_option(version("landform"), prog_name="landform")
def main() -> None:
    """Stand for the whole command."""


for command in COMMANDS:
    main.add_command(command)


@main.command(with_appcontext=False)
@click.option("--bind", default="127.0.0.1:8000", show_default=True, help="Address and port.")
@click.option("--workers", type=click.IntRange(1), help="Processes; default: from the cores.")
@click.option("--database", help="A file, or a URL as in LANDFORM_DATABASE_URL, which it replaces.")
def serve(bind: str, workers: int | None, database: str | None) -> None:
    """Serve with gunicorn, in the configuration that landform brings."""
    if database:
        url = database if "://" in database else f"sqlite:///{Path(database).absolute()}"
        os.environ[f"{PREFIX}DATABASE_URL"] = url
    store = open_store()
    store.open()
    if not _is_private(bind) and not _has_credentials(store):
        raise click.ClickException(
            f"{bind} can be reached from other machines, and no credentials are configured: nobody "
            "could use the service. Set LANDFORM_CREDENTIALS=name:secret, or create a key with "
            "`landform key create NAME --scope ...`, and start again."
        )
    os.environ.setdefault(f"{PREFIX}STORE_IDENTITY", store.identity or "")
    if workers:
        os.environ[f"{PREFIX}WORKERS"] = str(workers)
    command = [sys.executable, "-m", "gunicorn", "-c", str(CONFIGURATION), "-b", bind]
    # No shell is wanted: the arguments go to gunicorn as they are.
    os.execv(sys.executable, [*command, "landform.wsgi:app"])  # noqa: S606 # nosec B606


@main.command(with_appcontext=False)
@click.option("--identity", is_flag=True, help="Print nothing but the identity of the store.")
def migrate(identity: bool) -> None:
    """Bring the database up to date; create it where there is none."""
    store = open_store()
    applied = store.migrate()
    if identity:
        click.echo(store.identity)
        return
    for name in applied:
        click.echo(f"applied {name}")
    click.echo("The database is up to date.")


def _has_credentials(store: Store) -> bool:
    with store.connection():
        return bool(read_settings().credentials) or any(
            key.active for key in api_keys.list_all(store)
        )


def _is_private(bind: str) -> bool:
    """Say whether an address of gunicorn's is a socket file or on the loopback interface."""
    host = bind.rsplit(":", 1)[0].strip("[]")
    return bind.startswith(("unix:", "fd://")) or host == "localhost" or is_loopback(host)


@main.group()
def key() -> None:
    """Create, list, revoke and rotate keys."""


@key.command("create", with_appcontext=False)
@click.argument("name")
@click.option("--scope", "scopes", multiple=True, required=True, type=click.Choice(sorted(SCOPES)))
@click.option("--author", default=1, type=click.IntRange(1), help="Author of the pages it creates.")
@click.option("--expires", type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"]), help="In UTC.")
def create_key(name: str, scopes: tuple[str, ...], author: int, expires: datetime | None) -> None:
    """Create a key and print its secret, this once."""
    if not re.fullmatch(r"[A-Za-z0-9._@-]{1,64}", name) or name.isdigit():
        raise click.BadParameter(
            "use letters, digits and . _ @ -, and not digits only", param_hint="NAME"
        )
    ends = expires.replace(tzinfo=UTC) if expires else None
    if ends and ends <= datetime.now(UTC):
        raise click.BadParameter("that is in the past", param_hint="--expires")
    with _keys(create=True) as store:
        _print_secret(api_keys.create(store, name, scopes, author, ends))


@key.command("list", with_appcontext=False)
def list_keys() -> None:
    """List every key: id, name, scopes, author, and whether it is active."""
    with _keys() as store:
        for one in api_keys.list_all(store):
            state = f"until {one.expires}" if one.expires else "active"
            state = state if one.active else f"ended {one.expires}"
            scopes = " ".join(sorted(one.scopes))
            click.echo(f"{one.id}  {one.name}  {scopes}  author {one.author}  {state}")


@key.command("revoke", with_appcontext=False)
@click.argument("name")
def revoke_key(name: str) -> None:
    """End the keys of a name, or the one with that id, at once."""
    with _keys() as store:
        ended = api_keys.revoke(store, name)
    if not ended:
        raise click.ClickException(f"There is no active key named {name}.")
    click.echo(f"revoked {name}")


@key.command("rotate", with_appcontext=False)
@click.argument("name")
@click.option(
    "--grace",
    default=24.0,
    show_default=True,
    type=click.FloatRange(0, 24 * 365),
    help="Hours for which the old secret stays valid.",
)
def rotate_key(name: str, grace: float) -> None:
    """Give a key a new secret and print it, this once."""
    with _keys() as store:
        _print_secret(api_keys.rotate(store, name, timedelta(hours=grace)))


@contextmanager
def _keys(*, create: bool = False) -> Iterator[Store]:
    store = open_store()
    store.migrate(create=create)
    with store.connection():
        yield store


def _print_secret(secret: str) -> None:
    click.echo(secret)
    click.echo("This secret is shown this once; only its hash is kept.", err=True)


if __name__ == "__main__":
    main()
