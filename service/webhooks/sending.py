"""Sends one request to the URL of a webhook, which anybody may have chosen.

No redirect is followed, and what is connected to is an address that was looked at before. The
standard library is enough for it: a client that pools, follows and retries would have to be kept
from all of that.
"""

import socket
import ssl
from contextlib import closing, suppress
from functools import cache
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from ipaddress import IPv6Network, ip_address
from threading import Timer
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from landform.storage.clock import retry_after

# In seconds: for a connection, and for all that follows; how many addresses of a host are tried.
CONNECT_TIMEOUT, TIMEOUT, MOST_ADDRESSES = 5.0, 15.0, 4
# How many bytes are read of a response, and how many characters of them are kept.
MOST, SHOWN = 4096, 200
PUBLIC = IPv6Network("2000::/3")
NOT_ALLOWED = "The address is private or reserved; LANDFORM_WEBHOOK_PRIVATE=1 allows it."


class Answer(NamedTuple):
    """What came of a request.

    `status` is 0 where no response came, and then `text` says why; `retry_after`: the seconds that
    the receiver asks for.
    """

    status: int
    text: str
    retry_after: float = 0.0
    milliseconds: int = 0


def send(url: str, headers: dict[str, str], body: bytes, private: bool) -> Answer:
    """Send a POST to a URL, and return what came of it.

    `private`: whether the address may be another than a public one.
    """
    began = monotonic()
    try:
        found = _exchange(url, headers, body, private)
    except (OSError, HTTPException, ValueError) as error:
        reason = str(error).strip() or type(error).__name__
        found = Answer(0, "timed out" if monotonic() - began >= TIMEOUT else reason)
    text = "".join(one if one.isprintable() else " " for one in found.text)[:SHOWN]
    return found._replace(text=text, milliseconds=round((monotonic() - began) * 1000))


def _exchange(url: str, headers: dict[str, str], body: bytes, private: bool) -> Answer:
    parts = urlsplit(url)
    is_secure, host = parts.scheme == "https", parts.hostname or ""
    connection = (HTTPSConnection if is_secure else HTTPConnection)(host, parts.port)
    connected = _connect(host, connection.port, private)
    if is_secure:
        connected = _trusted().wrap_socket(
            connected, server_hostname=host, do_handshake_on_connect=False
        )
    # Bounds of single steps would let a receiver go on for ever, a byte at a time.
    timer = Timer(TIMEOUT, _cut, (connected,))
    timer.start()
    with closing(connected), closing(connection):
        try:
            if is_secure:
                connected.do_handshake()
            connection.sock = connected
            target = parts._replace(scheme="", netloc="", fragment="").geturl() or "/"
            connection.request("POST", target, body, {**headers, "Connection": "close"})
            response, text = connection.getresponse(), b""
            # The status says it all, whatever becomes of the rest.
            with suppress(OSError, HTTPException):
                text = response.read(MOST)
            after = retry_after(response.headers.get("Retry-After", ""))
            return Answer(response.status, text.decode(errors="replace"), after or 0.0)
        finally:
            timer.cancel()


@cache
def _trusted() -> ssl.SSLContext:
    """Return the certificates that are trusted: to read them takes longer than a delivery."""
    return ssl.create_default_context()


def _cut(connected: socket.socket) -> None:
    with suppress(OSError):
        connected.shutdown(socket.SHUT_RDWR)


def _connect(host: str, port: int, private: bool) -> Any:
    """Return a connection to one of the addresses of a host that may be connected to."""
    problem: Exception = ValueError(NOT_ALLOWED)
    for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[:MOST_ADDRESSES]:
        address = str(found[4][0])
        if private or is_public(address):
            try:
                return socket.create_connection((address, port), CONNECT_TIMEOUT)
            except OSError as error:
                problem = error
    raise problem


def is_public(address: str) -> bool:
    """Return whether an address is one of the public internet, and stands for no other one."""
    found = ip_address(address.partition("%")[0])
    if found.version == 6:
        if found.ipv4_mapped:
            return is_public(str(found.ipv4_mapped))
        if found not in PUBLIC or found.sixtofour or found.teredo:
            return False
    return found.is_global and not found.is_multicast
