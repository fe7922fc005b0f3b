"""`landform serve`."""

import json
import os
import sys
from pathlib import Path

import click

from landform.standalone.commands._bind import Bind, check_bind, is_private
from landform.standalone.ctrl_c import hold_back
from landform.standalone.settings import PREFIX, check_installed, read_settings
from landform.standalone.start import prepare

CONFIGURATION = Path(__file__).parents[2] / "gunicorn.conf.py"


@click.command("serve")
@click.option("--bind", type=Bind(), default="127.0.0.1:8000", show_default=True,
              help="Address and port.")  # fmt: skip
@click.option("--workers", type=click.IntRange(1), help="Processes; default: from the cores.")
def command(bind: str, workers: int | None) -> None:
    """Serve with gunicorn, in the configuration that landform brings."""
    settings = read_settings()
    check_installed(settings)
    # Before there is a database that nobody can use.
    check_bind(bind)
    start = prepare(settings)
    if not is_private(bind) and not start["has_credentials"]:
        raise click.ClickException(
            f"{bind} can be reached from other machines, and no credentials are configured: no "
            "request would be served. Set LANDFORM_CREDENTIALS=name:secret, or create a key with "
            "`landform key create NAME --scope ...`, and start again."
        )
    os.environ["LANDFORMS_START"] = json.dumps(start)
    if workers:
        os.environ[f"{PREFIX}WORKERS"] = str(workers)
    arguments = [sys.executable, "-m", "gunicorn", "-c", str(CONFIGURATION), "-b", bind]
    hold_back()
    # No shell is wanted: the arguments go to gunicorn as they are.
    os.execv(sys.executable, [*arguments, "landform.wsgi:app"])  # noqa: S606 # nosec B606
