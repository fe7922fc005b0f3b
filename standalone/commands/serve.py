"""`landform serve`."""

import os
import sys
from ipaddress import ip_address
from pathlib import Path

import click

from landform.standalone.commands._tools import open_store
from landform.standalone.settings import PREFIX, read_settings
from landform.storage import Store, api_keys

CONFIGURATION = Path(__file__).parents[2] / "gunicorn.conf.py"


@click.command("serve")
@click.option("--bind", default="127.0.0.1:8000", show_default=True, help="Address and port.")
@click.option("--workers", type=click.IntRange(1), help="Processes; default: from the cores.")
@click.option("--database", help="A file, or a URL as in LANDFORM_DATABASE_URL, which it replaces.")
def command(bind: str, workers: int | None, database: str | None) -> None:
    """Serve with gunicorn, in the configuration that landform brings."""
    if database:
        url = database if "://" in database else f"sqlite:///{Path(database).absolute()}"
        os.environ[f"{PREFIX}DATABASE_URL"] = url
    store = open_store()
    store.open()
    if not _is_private(bind) and not _has_credentials(store):
        raise click.ClickException(
            f"{bind} can be reached from other machines, and no credentials are configured: no "
            "request would be served. Set LANDFORM_CREDENTIALS=name:secret, or create a key with "
            "`landform key create NAME --scope ...`, and start again."
        )
    os.environ.setdefault(f"{PREFIX}STORE_IDENTITY", store.identity or "")
    if workers:
        os.environ[f"{PREFIX}WORKERS"] = str(workers)
    arguments = [sys.executable, "-m", "gunicorn", "-c", str(CONFIGURATION), "-b", bind]
    # No shell is wanted: the arguments go to gunicorn as they are.
    os.execv(sys.executable, [*arguments, "landform.wsgi:app"])  # noqa: S606 # nosec B606


def _has_credentials(store: Store) -> bool:
    with store.connection():
        return bool(read_settings().credentials) or any(
            key.active for key in api_keys.list_all(store)
        )


def _is_private(bind: str) -> bool:
    """Return whether gunicorn would listen on a socket file or the loopback interface only."""
    host = bind.rsplit(":", 1)[0].strip("[]")
    if bind.startswith(("unix:", "fd://")) or host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
