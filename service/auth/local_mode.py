"""Local mode: requests that come directly from a process of this machine may do everything.

A loopback IP address alone does not prove it: a proxy on this machine has one too, whomever it
forwards for. On Linux the kernel knows which user owns the socket at the other end.
"""

import os
import re
import sys
from collections.abc import Iterator, Mapping
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

Environ = Mapping[str, Any]
# What proxies and the networks that sites stand behind say of a request, whoever sent it.
FORWARDED = re.compile(
    r"HTTP_(VIA|CLIENTIP|X_VARNISH|X_COMING_FROM|PROXY_(CONNECTION|CLIENT.*)|WL_PROXY.*|.*FORWARDED.*"
    r"|(.+_)?(REAL|CLIENT|REMOTE|EXTERNAL|ORIGINATING|CONNECTING|PROXYUSER)_?(IP|ADDR|ADDRESS|HOST)"
    r"|X_(ORIGINAL|ARR|WAWS|AZURE|ENVOY|CLOUD|APPENGINE|VERCEL|NF|NGROK|TAILSCALE|SUCURI|RAILWAY)_.+"
    r"|X_(AMZ|HEROKU|IINFO|CDN|TRAEFIK|GATEWAY).*|X_REQUEST_START|SURROGATE_CAPABILITY|DISGUISED_HOST"
    r"|(CF|CDN|CLOUDFRONT|FASTLY|FLY|AKAMAI|INCAP|SUCURI|RNDR|TAILSCALE|NGROK)_.+)|PROXY_PROTOCOL"
)
# HTTP/1.0 is missing: proxies use it towards a server unless they are configured otherwise.
PROTOCOLS = frozenset({"HTTP/1.1", "HTTP/2", "HTTP/2.0", "HTTP/3"})
TABLES = ("/proc/self/net/tcp", "/proc/self/net/tcp6")
ESTABLISHED = "01"
ROOT = 0


class LocalMode:
    """Tells which requests come directly from a process of this machine.

    Whose process it is, is decided once for each connection: the kernel's tables are long.
    """

    def __init__(self) -> None:
        self._is_ours: WeakKeyDictionary[object, bool] = WeakKeyDictionary()

    def refusal_reason(self, environ: Environ) -> str | None:
        """Return why a request may come from another machine or user; None if it cannot."""
        origin = environ.get("HTTP_ORIGIN")
        # A browser on this machine also runs the pages of others.
        own = origin is None or _is_here(origin.partition("//")[2])
        own = own and environ.get("HTTP_SEC_FETCH_SITE") != "cross-site"
        if not (is_direct(environ) and _is_here(environ.get("HTTP_HOST", "")) and own):
            return "this one comes from elsewhere, or through a proxy."
        options = environ.get("HTTP_CONNECTION", "").lower().replace(",", " ").split()
        if environ.get("SERVER_PROTOCOL") not in PROTOCOLS or "close" in options:
            return "one in HTTP/1.0 or with `Connection: close` may be a proxy's; use keep-alive."
        if not self._comes_from_us(environ):
            return "this one comes from a process of another user than the service's."
        return None

    def _comes_from_us(self, environ: Environ) -> bool:
        # What stands for a connection as long as it is open, where a server tells it.
        of_waitress = getattr(environ.get("waitress.client_disconnected"), "__self__", None)
        conn = of_waitress or environ.get("gunicorn.socket") or environ.get("werkzeug.socket")
        if conn is None:
            return _is_of_a_process_of_ours(environ)
        if conn not in self._is_ours:
            self._is_ours[conn] = _is_of_a_process_of_ours(environ)
        return self._is_ours[conn]


def is_direct(environ: Environ) -> bool:
    """Return whether a request comes from this machine, and no proxy says that it forwards it."""
    is_forwarded = any(map(FORWARDED.fullmatch, environ))
    return is_loopback(environ.get("REMOTE_ADDR") or "") and not is_forwarded


def is_loopback(address: str) -> bool:
    """Return whether an IP address is on the loopback interface."""
    try:
        return _plain(address).is_loopback
    except ValueError:
        return False


def _plain(address: str | bytes) -> IPv4Address | IPv6Address:
    """Return an IP address, that of IPv4 where one of IPv6 stands for it."""
    found = ip_address(address)
    return getattr(found, "ipv4_mapped", None) or found


def _is_here(host: str) -> bool:
    name = re.sub(r":[0-9]*$", "", host).strip("[]").lower()
    return name == "localhost" or is_loopback(name)


def _is_of_a_process_of_ours(environ: Environ) -> bool:
    """Return whether the client is this process, or one of the same user or of root.

    Only Linux can tell; elsewhere it is taken for granted.
    """
    # A server says at least one of these; a call within the process goes through none.
    if "REMOTE_PORT" not in environ and "SERVER_SOFTWARE" not in environ:
        return True
    if sys.platform != "linux":
        return True
    try:
        port, served = (int(str(environ.get(f"{end}_PORT"))) for end in ("REMOTE", "SERVER"))
        found = list(_sockets(str(environ["REMOTE_ADDR"]), port))
    except (ValueError, OSError):
        return False
    # Several connections may share one port of the client's, to different ports of servers.
    owners = {owner for _, owner in found}
    return served in (to for to, _ in found) and owners <= {ROOT, os.geteuid()}


def _sockets(address: str, port: int) -> Iterator[tuple[int, int]]:
    """Yield the remote port and the user id of each open socket at an IP address and a port.

    Only established connections: the kernel shows what was closed, but has not ended, as root's.
    """
    for table in filter(os.path.exists, TABLES):
        with Path(table).open(encoding="ascii") as lines:
            for line in lines:
                if f":{port:04X} " in line:
                    _, local, remote, state, _, _, _, owner, *_ = line.split()
                    if state == ESTABLISHED and _end(local) == (_plain(address), port):
                        yield _end(remote)[1], int(owner)


def _end(text: str) -> tuple[IPv4Address | IPv6Address, int]:
    """Return the address and the port of one end, whose words have the processor's order."""
    digits, _, port = text.partition(":")
    words = (int(digits[start : start + 8], 16) for start in range(0, len(digits), 8))
    packed = b"".join(word.to_bytes(4, sys.byteorder) for word in words)
    return _plain(packed), int(port, 16)
