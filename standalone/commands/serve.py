"""`landform serve` and `routes`."""

import os
from pathlib import Path

import click
from gunicorn.app.wsgiapp import WSGIApplication

from landform.app import create_app
from landform.standalone.commands.tools import open_store
from landform.standalone.settings import PREFIX, read_settings

CONFIGURATION = Path(__file__).parents[2] / "gunicorn.conf.py"


class Service(WSGIApplication):  # type: ignore[misc]
    """gunicorn with landform's configuration, which a reload reads again."""

    def __init__(self, bind: str) -> None:
        self.bind, self.app_uri = bind, "landform.wsgi:app"
        super().__init__()

    def load_config(self) -> None:
        """Read the configuration."""
        self.load_config_from_file(str(CONFIGURATION))
        self.cfg.set("bind", self.bind)


@click.command("serve")
@click.option("--bind", default="127.0.0.1:8000", show_default=True, help="Address and port.")
@click.option("--workers", type=click.IntRange(1), help="Processes; default: from the cores.")
def serve(bind: str, workers: int | None) -> None:
    """Serve with gunicorn, as landform configures it."""
    read_settings()
    if workers:
        os.environ[f"{PREFIX}WORKERS"] = str(workers)
    try:
        Service(bind).run()
    except (OSError, ValueError) as error:
        raise click.ClickException(f"--bind {bind}: {error}.") from error


@click.command("routes")
def routes() -> None:
    """List the URL rules of the service."""
    open_store().check()
    for rule in sorted({rule.rule for rule in create_app().url_map.iter_rules()}):
        click.echo(rule)
