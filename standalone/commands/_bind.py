"""The address of `landform serve --bind`: whether it can be listened on, and who reaches it."""

import errno
import os
import re
import socket
import stat
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import click

from landform.standalone.commands._files import File

DEFAULT_PORT = 8000
SOCKET_FILE = "unix:"
# A number alone is meant as a port, and would be taken for a host.
ADDRESS = re.compile(r"(?:tcp://)?(?![0-9]*$)(?:\[([^\[\]]+)\]|([^\[\]:]*))(?::([0-9]{1,9}))?")
FORMS = "use an address and a port, such as 127.0.0.1:8000 or [::1]:8000, or unix:/path/of/socket"


class Bind(click.ParamType[Any]):
    """An address to listen on; a socket file is not one that is in use otherwise."""

    name = "text"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the address as it is."""
        if value.startswith(SOCKET_FILE):
            File(is_written=True).convert(_socket_path(value), param, ctx)
        return value


def check_bind(bind: str) -> None:
    """End the command with a sentence where gunicorn could not listen there."""
    if bind.startswith(SOCKET_FILE):
        _check_socket_file(_socket_path(bind))
    elif bind.startswith("fd://"):
        _check_inherited(bind.removeprefix("fd://"))
    elif not {"LISTEN_FDS", "GUNICORN_FD"} & os.environ.keys():
        # Otherwise gunicorn takes the socket that it is given, also by another master.
        _check_port(bind, *_host_and_port(bind))


def is_private(bind: str) -> bool:
    """Return whether gunicorn would listen on a socket file or the loopback interface only."""
    if bind.startswith((SOCKET_FILE, "fd://")):
        return True
    host = _host_and_port(bind)[0]
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _host_and_port(bind: str) -> tuple[str, int]:
    found = ADDRESS.fullmatch(bind)
    if not found:
        raise click.ClickException(f"--bind {bind} is not an address; {FORMS}.")
    port = int(found[3] or DEFAULT_PORT)
    if port > 65535:
        raise click.ClickException(f"--bind {bind}: {port} is not a port; ports are 0 to 65535.")
    return found[1] or found[2], port


def _check_port(bind: str, host: str, port: int) -> None:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.socket(family) as probe:
            # As gunicorn does: a port that was closed just now can be used again.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
            probe.listen()
    except OSError as error:
        raise click.ClickException(f"--bind {bind}: {_reason(error)}.") from error


def _reason(error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return "another program listens there already; stop it, or choose another port"
    if error.errno == errno.EACCES:
        return "only root may listen on this port; choose one from 1024 on"
    if error.errno == errno.EADDRNOTAVAIL or isinstance(error, socket.gaierror):
        return "this machine has no such address"
    return error.strerror or str(error)


def _socket_path(bind: str) -> str:
    return bind.removeprefix(SOCKET_FILE).replace("//", "/", 1)


def _check_socket_file(path: str) -> None:
    file = Path(path)
    with suppress(OSError):
        if not stat.S_ISSOCK(file.stat().st_mode):
            raise click.ClickException(f"--bind: {path} is there, and is not a socket.")
    if not os.access(file.absolute().parent, os.W_OK | os.X_OK):
        raise click.ClickException(f"--bind: the folder of {path} does not exist or is read-only.")


def _check_inherited(number: str) -> None:
    try:
        if stat.S_ISSOCK(os.fstat(int(number)).st_mode):
            return
    except (ValueError, OSError, OverflowError):
        pass
    raise click.ClickException(f"--bind fd://{number}: there is no such open socket.")
