"""Local mode: requests that come directly from a process of this machine may do everything.

A loopback IP address alone does not prove it: a proxy on this machine has one too, whomever it
forwards for. On Linux the kernel knows which user owns the socket at the other end.
"""

import os
import re
import sys
from collections.abc import Iterator, Mapping
from ipaddress import IPv6Address, ip_address
from pathlib import Path

from flask import Request

FORWARDING = (
    "CF-Connecting-IP", "Forwarded", "True-Client-IP", "Via", "X-Client-IP", "X-Forwarded-For",
    "X-Forwarded-Host", "X-Forwarded-Port", "X-Forwarded-Prefix", "X-Forwarded-Proto",
    "X-Forwarded-Server", "X-Real-IP",
)  # fmt: skip
# HTTP/1.0 is missing: proxies use it towards a server unless they are configured otherwise.
PROTOCOLS = frozenset({"HTTP/1.1", "HTTP/2", "HTTP/2.0", "HTTP/3"})
TABLES = ("/proc/self/net/tcp", "/proc/self/net/tcp6")
ESTABLISHED = "01"
ROOT = 0


def refusal_reason(request: Request) -> str | None:
    """Return why a request may come from another machine or user; None if it cannot."""
    origin = request.headers.get("Origin")
    # A browser on this machine also runs the pages of others.
    own = origin is None or _is_here(origin.partition("//")[2])
    own = own and request.headers.get("Sec-Fetch-Site") != "cross-site"
    if not (is_direct(request) and _is_here(request.host) and own):
        return "this one comes from elsewhere, or through a proxy."
    options = request.headers.get("Connection", "").lower().replace(",", " ").split()
    if request.environ.get("SERVER_PROTOCOL") not in PROTOCOLS or "close" in options:
        return "one in HTTP/1.0 or with `Connection: close` looks like a proxy's; use keep-alive."
    if not _is_of_a_process_of_ours(request.environ):
        return "this one comes from a process of another user than the service's."
    return None


def is_direct(request: Request) -> bool:
    """Return whether a request comes from this machine, and no proxy says that it forwards it."""
    # gunicorn sets the last one where the IP address is only what a proxy claims.
    forwarded = any(name in request.headers for name in FORWARDING)
    forwarded = forwarded or "PROXY_PROTOCOL" in request.environ
    return is_loopback(request.remote_addr or "") and not forwarded


def is_loopback(address: str) -> bool:
    """Return whether an IP address is on the loopback interface."""
    try:
        found = ip_address(address)
    except ValueError:
        return False
    return (getattr(found, "ipv4_mapped", None) or found).is_loopback


def _is_here(host: str) -> bool:
    name = re.sub(r":[0-9]*$", "", host).strip("[]").lower()
    return name == "localhost" or is_loopback(name)


def _is_of_a_process_of_ours(environ: Mapping[str, object]) -> bool:
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
    ends = tuple(f"{text}:{port:04X}" for text in _spelled(address))
    for table in filter(os.path.exists, TABLES):
        with Path(table).open(encoding="ascii") as lines:
            for line in lines:
                if any(end in line for end in ends):
                    _, local, remote, state, _, _, _, owner, *_ = line.split()
                    if local in ends and state == ESTABLISHED:
                        yield int(remote.rpartition(":")[2], 16), int(owner)


def _spelled(address: str) -> Iterator[str]:
    """Yield how the kernel's tables may spell an IP address: in words of the processor's order.

    A client with an IPv4 address may have a socket of either kind.
    """
    found = ip_address(address)
    found = getattr(found, "ipv4_mapped", None) or found
    for one in {found, found if found.version == 6 else IPv6Address(f"::ffff:{found}")}:
        words = (one.packed[start : start + 4] for start in range(0, len(one.packed), 4))
        yield "".join(f"{int.from_bytes(word, sys.byteorder):08X}" for word in words)
