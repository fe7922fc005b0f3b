"""`landform serve`."""

import errno
import os
import socket
import stat
from ipaddress import ip_address
from pathlib import Path

import click
from gunicorn.app.wsgiapp import WSGIApplication
from gunicorn.util import parse_address

from landform.standalone.settings import PREFIX, read_settings

CONFIGURATION = Path(__file__).parents[2] / "gunicorn.conf.py"
FORMS = "use an address and a port, such as 127.0.0.1:8000 or [::1]:8000, or unix:/path/of/socket"
REASONS = {
    errno.EADDRINUSE: "another program listens there already; stop it, or choose another port",
    errno.EACCES: "only root may listen on this port; choose one from 1024 on",
    errno.EADDRNOTAVAIL: "this machine has no such address",
    errno.EBADF: "no open socket",
}


def _check(ctx: object, parameter: object, bind: str) -> str:
    """Return the address where gunicorn can listen on it: before there is a database to serve."""
    if problem := _problem(_address(bind)):
        raise click.ClickException(f"--bind {bind}: {problem}.")
    return bind


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


def _problem(address: str | int | tuple[str, int]) -> str:
    """Return why nothing can listen there; empty where it can."""
    try:
        if isinstance(address, str):
            is_other = os.path.exists(address) and not Path(address).is_socket()
            return "it is there, and is not a socket" if is_other else ""
        if isinstance(address, int):
            return "" if stat.S_ISSOCK(os.fstat(address).st_mode) else REASONS[errno.EBADF]
        if {"LISTEN_FDS", "GUNICORN_FD"} & os.environ.keys():
            # gunicorn takes the socket that it is given, also by another master.
            return ""
        with socket.socket(socket.AF_INET6 if ":" in address[0] else socket.AF_INET) as probe:
            # As gunicorn does: a port that was closed just now can be used again.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            probe.listen()
    except socket.gaierror:
        return REASONS[errno.EADDRNOTAVAIL]
    except OSError as error:
        return REASONS.get(error.errno or 0, str(error))
    return ""


class Service(WSGIApplication):  # type: ignore[misc]
    """gunicorn in the configuration that landform brings, which it reads again at a reload."""

    def __init__(self, bind: str) -> None:
        self.bind, self.app_uri = bind, "landform.wsgi:app"
        super().__init__()

    def load_config(self) -> None:
        """Read the configuration."""
        self.load_config_from_file(str(CONFIGURATION))
        self.cfg.set("bind", self.bind)

    def check_start(self, has_credentials: bool) -> None:
        """Refuse to serve nobody."""
        if not has_credentials and not self._is_private():
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
@click.option("--bind", default="127.0.0.1:8000", show_default=True, callback=_check,
              help="Address and port.")  # fmt: skip
@click.option("--workers", type=click.IntRange(1), help="Processes; default: from the cores.")
def serve(bind: str, workers: int | None) -> None:
    """Serve with gunicorn, as landform configures it."""
    read_settings()
    if workers:
        os.environ[f"{PREFIX}WORKERS"] = str(workers)
    Service(bind).run()
