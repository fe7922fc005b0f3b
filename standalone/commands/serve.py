"""`landform serve`."""

import errno
import os
import socket
import stat
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import click
from gunicorn.app.wsgiapp import WSGIApplication
from gunicorn.util import parse_address

from landform.standalone.commands._tools import File
from landform.standalone.settings import PREFIX, read_settings
from landform.standalone.start import Start

CONFIGURATION = Path(__file__).parents[2] / "gunicorn.conf.py"
FORMS = "use an address and a port, such as 127.0.0.1:8000 or [::1]:8000, or unix:/path/of/socket"
REASONS = {
    errno.EADDRINUSE: "another program listens there already; stop it, or choose another port",
    errno.EACCES: "only root may listen on this port; choose one from 1024 on",
    errno.EADDRNOTAVAIL: "this machine has no such address",
}


class Bind(click.ParamType[Any]):
    """An address that gunicorn can listen on; tried before there is a database to serve."""

    name = "text"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the address as it is."""
        problem, address = "", _address(value)
        if isinstance(address, str):
            file = File(is_written=True).convert(address, param, ctx)
            if file.exists() and not file.is_socket():
                problem = "it is there, and is not a socket"
        elif isinstance(address, int):
            problem = "" if _is_open_socket(address) else "no open socket"
        elif not {"LISTEN_FDS", "GUNICORN_FD"} & os.environ.keys():
            # Otherwise gunicorn takes the socket that it is given, also by another master.
            problem = _problem(*address)
        if problem:
            raise click.ClickException(f"--bind {value}: {problem}.")
        return value


def _address(bind: str) -> str | int | tuple[str, int]:
    """Return the path of a socket file, the number of an open socket, or a host and a port."""
    try:
        address: str | int | tuple[str, int] = parse_address(bind)
    except RuntimeError:
        address = "0", 0
    # A number alone is meant as a port, and would be taken for a host.
    if isinstance(address, tuple) and (address[0].isdigit() or not 0 <= address[1] <= 65535):
        raise click.ClickException(f"--bind {bind} is not an address; {FORMS}.")
    return address


def _problem(host: str, port: int) -> str:
    """Return why nothing can listen there; empty where it can."""
    try:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            # As gunicorn does: a port that was closed just now can be used again.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
            probe.listen()
    except socket.gaierror:
        return REASONS[errno.EADDRNOTAVAIL]
    except OSError as error:
        return REASONS.get(error.errno or 0, str(error))
    return ""


def _is_open_socket(number: int) -> bool:
    try:
        return stat.S_ISSOCK(os.fstat(number).st_mode)
    except (OSError, OverflowError):
        return False


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
        if not start.has_credentials and not self._is_private():
            raise SystemExit(
                f"Error: {self.bind} can be reached from other machines, and no credentials are "
                "configured: no request would be served. Set LANDFORM_CREDENTIALS=name:secret, or "
                "create a key with `landform key create NAME --scope ...`, and start again."
            )

    def _is_private(self) -> bool:
        """Return whether gunicorn would listen on a socket or the loopback interface only."""
        address = _address(self.bind)
        try:
            return not isinstance(address, tuple) or (
                address[0] == "localhost" or ip_address(address[0]).is_loopback
            )
        except ValueError:
            return False


@click.command("serve")
@click.option("--bind", type=Bind(), default="127.0.0.1:8000", show_default=True,
              help="Address and port.")  # fmt: skip
@click.option("--workers", type=click.IntRange(1), help="Processes; default: from the cores.")
def serve(bind: str, workers: int | None) -> None:
    """Serve with gunicorn, as landform configures it."""
    read_settings()
    if workers:
        os.environ[f"{PREFIX}WORKERS"] = str(workers)
    Service(bind).run()
