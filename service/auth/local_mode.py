"""Local mode: direct requests from a process on this machine may do everything.

A loopback IP address alone proves nothing, since a proxy on this machine has one too. On Linux the
kernel knows which user owns the other end of a connection.
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
# Headers that proxies and content delivery networks add to a request.
FORWARDED = re.compile(
    r"HTTP_(VIA|CLIENTIP|X_VARNISH|X_COMING_FROM|PROXY_(CONNECTION|CLIENT.*)|WL_PROXY.*|.*FORWARDED.*"
    r"|(.+_)?(REAL|CLIENT|REMOTE|EXTERNAL|ORIGINATING|CONNECTING|PROXYUSER)_?(IP|ADDR|ADDRESS|HOST)"
    r"|X_(ORIGINAL|ARR|WAWS|AZURE|ENVOY|CLOUD|APPENGINE|VERCEL|NF|NGROK|TAILSCALE|SUCURI|RAILWAY)_.+"
    r"|X_(AMZ|HEROKU|IINFO|CDN|TRAEFIK|GATEWAY).*|X_REQUEST_START|SURROGATE_CAPABILITY|DISGUISED_HOST"
    r"|(CF|CDN|CLOUDFRONT|FASTLY|FLY|AKAMAI|INCAP|SUCURI|RNDR|TAILSCALE|NGROK)_.+)|PROXY_PROTOCOL"
)
# HTTP/1.0 is missing: proxies use it towards a server unless they are configured otherwise.
PROTOCOLS = frozenset({"HTTP/1.1", "HTTP/2", "HTTP/2.0", "HTTP/3"})
SOCKET_TABLES = ("/proc/self/net/tcp", "/proc/self/net/tcp6")
ESTABLISHED = "01"
ROOT_USER = 0


class LocalMode:
    """Decides which requests come directly from a process on this machine.

    The owner of each connection is looked up once, as the tables of the kernel are long.
    """

    def __init__(self) -> None:
        self._is_trusted: WeakKeyDictionary[object, bool] = WeakKeyDictionary()

    def refusal_reason(self, environ: Environ) -> str | None:
        """Return why a request may come from another machine or user, or None."""
        origin = environ.get("HTTP_ORIGIN")
        # A browser on this machine also runs pages of other sites.
        is_same_site = origin is None or _is_local_host(origin.partition("//")[2])
        is_same_site = is_same_site and environ.get("HTTP_SEC_FETCH_SITE") != "cross-site"
        is_local = is_direct(environ) and _is_local_host(environ.get("HTTP_HOST", ""))
        if not (is_local and is_same_site):
            return "this one comes from elsewhere, or through a proxy."
        options = environ.get("HTTP_CONNECTION", "").lower().replace(",", " ").split()
        if environ.get("SERVER_PROTOCOL") not in PROTOCOLS or "close" in options:
            return "one in HTTP/1.0 or with `Connection: close` may be a proxy's; use keep-alive."
        if not self._is_trusted_connection(environ):
            return "this one comes from a process of another user than the service's."
        return None

    def _is_trusted_connection(self, environ: Environ) -> bool:
        # An object that lives as long as the connection, if the server has one.
        conn = environ.get("gunicorn.socket") or environ.get("werkzeug.socket")
        if conn is None:
            return _has_trusted_owner(environ)
        if conn not in self._is_trusted:
            self._is_trusted[conn] = _has_trusted_owner(environ)
        return self._is_trusted[conn]


def is_direct(environ: Environ) -> bool:
    """Return whether a request comes from this machine without a proxy."""
    is_forwarded = any(map(FORWARDED.fullmatch, environ))
    return is_loopback(environ.get("REMOTE_ADDR") or "") and not is_forwarded


def is_loopback(address: str) -> bool:
    """Return whether an IP address is on the loopback interface."""
    try:
        return _plain(address).is_loopback
    except ValueError:
        return False


def _plain(address: str | bytes) -> IPv4Address | IPv6Address:
    """Return an IP address; an IPv4-mapped one as IPv4."""
    parsed = ip_address(address)
    return getattr(parsed, "ipv4_mapped", None) or parsed


def _is_local_host(host: str) -> bool:
    name = re.sub(r":[0-9]*$", "", host).strip("[]").lower()
    return name == "localhost" or is_loopback(name)


def _has_trusted_owner(environ: Environ) -> bool:
    """Return whether the client is a process of the same user or of root.

    Only Linux can tell; on other systems it is always true.
    """
    # A server sets at least one of these; a call within the process has no server.
    if "REMOTE_PORT" not in environ and "SERVER_SOFTWARE" not in environ:
        return True
    if sys.platform != "linux":
        return True
    try:
        port, served = (int(str(environ.get(f"{end}_PORT"))) for end in ("REMOTE", "SERVER"))
        sockets = list(_sockets(str(environ["REMOTE_ADDR"]), port))
    except (ValueError, OSError):
        return False
    # Connections to different ports may share one port of the client.
    owners = {owner for _, owner in sockets}
    is_ours = owners <= {ROOT_USER, os.geteuid()}
    return is_ours and served in (remote_port for remote_port, _ in sockets)


def _sockets(address: str, port: int) -> Iterator[tuple[int, int]]:
    """Yield the remote port and the user id of each socket at an address and a port.

    Only established ones: the kernel shows connections that were just closed as those of root.
    """
    for table in filter(os.path.exists, SOCKET_TABLES):
        with Path(table).open(encoding="ascii") as lines:
            for line in lines:
                if f":{port:04X} " in line:
                    _, local, remote, state, _, _, _, owner, *_ = line.split()
                    if state == ESTABLISHED and _end(local) == (_plain(address), port):
                        yield _end(remote)[1], int(owner)


def _end(text: str) -> tuple[IPv4Address | IPv6Address, int]:
    """Return the address and port of a table entry, which has the native byte order."""
    digits, _, port = text.partition(":")
    words = (int(digits[start : start + 8], 16) for start in range(0, len(digits), 8))
    packed = b"".join(word.to_bytes(4, sys.byteorder) for word in words)
    return _plain(packed), int(port, 16)
