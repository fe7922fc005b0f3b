"""The `landform` command: serve, migrate, and Flask's own `routes` and `shell`."""

import os
import sys
from importlib.metadata import version
from pathlib import Path

import click
from flask.cli import FlaskGroup

from landform.app import PREFIX, SettingError, create_app, read_settings
from landform.storage import Clock, StorageError, Store

CONFIGURATION = Path(__file__).parent / "gunicorn.conf.py"


class Command(FlaskGroup):
    """A group whose failures are a sentence, not a traceback."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; settings and storage that cannot be used end it with their message."""
        try:
            return super().invoke(ctx)
        except (SettingError, StorageError) as error:
            raise click.ClickException(str(error)) from error


@click.group(
    cls=Command, create_app=create_app, add_version_option=False, set_debug_flag=False,
    load_dotenv=False, help="Landing pages and form feeds over HTTP.",
)  # fmt: skip
@click.version_option(version("landform"), prog_name="landform")
def main() -> None:
    """Stand for the whole command."""


@main.command(with_appcontext=False)
@click.option("--bind", default="127.0.0.1:8000", show_default=True, help="Address and port.")
@click.option("--workers", type=click.IntRange(1), help="Processes; default: from the cores.")
def serve(bind: str, workers: int | None) -> None:
    """Serve with gunicorn, in the configuration that landform brings."""
    _store().migrate()
    if workers:
        os.environ[f"{PREFIX}WORKERS"] = str(workers)
    command = [sys.executable, "-m", "gunicorn", "-c", str(CONFIGURATION), "-b", bind]
    os.execv(sys.executable, [*command, "landform.wsgi:app"])  # noqa: S606 - no shell is wanted


@main.command(with_appcontext=False)
def migrate() -> None:
    """Bring the database up to date."""
    applied = _store().migrate()
    for name in applied:
        click.echo(f"applied {name}")
    click.echo("The database is up to date.")


def _store() -> Store:
    settings = read_settings()
    return Store(settings["DATABASE_URL"], Clock(settings["TIMEZONE"]))


if __name__ == "__main__":
    main()
