"""`landform serve`."""

import os
from pathlib import Path

import click
from gunicorn.app.wsgiapp import WSGIApplication

from landform.standalone.commands._bind import Bind, check_bind, is_private
from landform.standalone.settings import PREFIX, check_installed, read_settings
from landform.standalone.start import Start

CONFIGURATION = Path(__file__).parents[2] / "gunicorn.conf.py"


class Service(WSGIApplication):  # type: ignore[misc]
    """gunicorn in the configuration that landform brings, which it reads again at a reload."""

    def __init__(self, bind: str) -> None:
        self.bind, self.app_uri = bind, "landform.wsgi:app"
        super().__init__()

    def load_config(self) -> None:
        """Read the configuration."""
        self.load_config_from_file(str(CONFIGURATION))
        self.cfg.set("bind", self.bind)

    def check_start(self, start: Start) -> None:
        """Refuse to serve nobody."""
        if not is_private(self.bind) and not start.has_credentials:
            raise SystemExit(
                f"Error: {self.bind} can be reached from other machines, and no credentials are "
                "configured: no request would be served. Set LANDFORM_CREDENTIALS=name:secret, or "
                "create a key with `landform key create NAME --scope ...`, and start again."
            )


@click.command("serve")
@click.option("--bind", type=Bind(), default="127.0.0.1:8000", show_default=True,
              help="Address and port.")  # fmt: skip
@click.option("--workers", type=click.IntRange(1), help="Processes; default: from the cores.")
def command(bind: str, workers: int | None) -> None:
    """Serve with gunicorn, in the configuration that landform brings."""
    check_installed(read_settings())
    # Before there is a database that nobody can use.
    check_bind(bind)
    if workers:
        os.environ[f"{PREFIX}WORKERS"] = str(workers)
    Service(bind).run()
