"""HTTP requests to URLs that are not trusted, with urllib3.

A request follows no redirect, and goes only to an address that was checked. An attempt has a
deadline, which only the look-up of a name may exceed, and the bytes that are read of a response are
bounded, whatever length it declares.
"""

import socket
import ssl
from collections.abc import Mapping
from contextlib import ExitStack, closing, suppress
from functools import cache, partial
from http.client import HTTPException, HTTPResponse
from io import BufferedReader, RawIOBase
from time import monotonic
from typing import Any, NamedTuple

from urllib3.connection import HTTPConnection, HTTPSConnection

from landform.parts.addresses import is_public
from landform.parts.http_urls import ReceiverUrl, parse_url
from landform.storage.clock import retry_after

# The seconds of an attempt, and how many addresses of a host are tried.
TIMEOUT, MOST_ADDRESSES = 15.0, 4
# How many bytes of the headers and of the body are read; how many characters are stored.
MOST_HEADERS, MOST_BODY, MOST_TEXT = 32_768, 4096, 200
# The statuses that another attempt would not change, and those whose `Retry-After` counts.
FINAL, LATER = (400, 410, 413, 414, 422, 431), (429, 503)
NOT_ALLOWED = "The address is private or reserved{}."
NO_RESPONSE = "The response is not HTTP, or its headers are incomplete or too long."
UNSAFE_HEADER = "A header has a line break, or a character that is not ASCII."


class NotPublic(ValueError):
    """No address of the host is public."""


class Result(NamedTuple):
    """The result of a request.

    Without a response `status` is 0, and `text` is the reason. `retry_after` is in seconds, of a
    429 or 503. `can_be_sent`: false if no attempt can send the request.
    """

    status: int
    text: str
    retry_after: float = 0.0
    milliseconds: int = 0
    can_be_sent: bool = True

    @property
    def is_accepted(self) -> bool:
        """Whether the receiver has accepted the request."""
        return 200 <= self.status < 300


class Connection(HTTPConnection):
    """A connection to a checked address of a receiver, with a deadline.

    `private`: whether an address that is not public is allowed.
    """

    def __init__(
        self, receiver: ReceiverUrl, deadline: float, private: bool, **options: Any
    ) -> None:
        super().__init__(receiver.host, receiver.port, **options)
        self._deadline = deadline
        self._connect = partial(connect, receiver.host, receiver.port, deadline, private=private)

    def _new_conn(self) -> socket.socket:
        return self._connect()

    def send(self, data: Any) -> None:
        """Send bytes until the deadline; that of `sendall` begins anew with each part of TLS."""
        unsent = memoryview(data)
        while unsent:
            self.sock.settimeout(seconds_until(self._deadline))
            unsent = unsent[self.sock.send(unsent) :]


class SecureConnection(Connection, HTTPSConnection):
    """One with TLS, whose certificate is verified."""


class ResponseStream(RawIOBase):
    """The bytes of a response: at most `allowed` bytes, until the deadline."""

    def __init__(self, connection: socket.socket, deadline: float) -> None:
        self._connection, self._deadline = connection, deadline
        self.allowed, self.has_headers = MOST_HEADERS, False

    def makefile(self, mode: str) -> "BufferedReader[ResponseStream]":
        """Return a file of the bytes, as that of a socket, for `HTTPResponse`."""
        return BufferedReader(self, 1024)

    def readable(self) -> bool:
        """Return true: the stream can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read bytes into a buffer; raises `HTTPException` if they end within the headers."""
        self._connection.settimeout(seconds_until(self._deadline))
        # A socket takes a limit of 0 for the size of the buffer.
        limit = min(len(buffer), self.allowed)
        size = self._connection.recv_into(buffer, limit) if limit else 0
        if not size and not self.has_headers:
            raise HTTPException
        self.allowed -= size
        return size


def send(
    url: str,
    headers: Mapping[str, str],
    body: bytes,
    private: bool,
    *,
    method: str = "POST",
    setting: str = "",
) -> Result:
    """Send a request to a URL and return the result, also that of a failure.

    `private`: whether an address that is not public is allowed; `setting`: what allows it.
    """
    began = monotonic()
    deadline = began + TIMEOUT
    if not all(text.isprintable() and text.isascii() for text in (*headers, *headers.values())):
        return Result(0, UNSAFE_HEADER, can_be_sent=False)
    try:
        receiver = parse_url(url)
    except ValueError as error:
        return Result(0, str(error), can_be_sent=False)
    headers = {"Host": receiver.authority, **headers}
    headers |= {"Accept-Encoding": "identity", "Connection": "close"}
    try:
        connection = (
            SecureConnection(receiver, deadline, private, ssl_context=ssl_context())
            if receiver.is_secure
            else Connection(receiver, deadline, private)
        )
        with closing(connection):
            connection.connect()
            connection.request(method, receiver.target, body, headers)
            result = _read_response(ResponseStream(connection.sock, deadline))
    except NotPublic:
        result = Result(0, NOT_ALLOWED.format(f"; {setting}=1 allows it" if setting else ""))
    except TimeoutError:
        result = Result(0, "timed out")
    except HTTPException:
        result = Result(0, NO_RESPONSE)
    except (OSError, ValueError) as error:
        result = Result(0, str(error).strip() or type(error).__name__)
    text = "".join(char if char.isprintable() else " " for char in result.text[:MOST_TEXT])
    return result._replace(text=text, milliseconds=round((monotonic() - began) * 1000))


def _read_response(received: ResponseStream) -> Result:
    """Read the beginning of a response; raises `HTTPException` if its headers are incomplete."""
    # Not that of urllib3, which logs the URL, maybe with a secret, if a header is malformed.
    response = HTTPResponse(received)  # type: ignore[arg-type]
    response.begin()
    received.allowed, received.has_headers = MOST_BODY, True
    # The status counts, even if the rest cannot be read.
    body, pause = b"", None
    with suppress(Exception):
        body = response.read(MOST_BODY)
    with suppress(Exception):
        if response.status in LATER:
            pause = retry_after(response.getheader("Retry-After", ""))
    return Result(response.status, body.decode(errors="replace"), pause or 0.0)


@cache
def ssl_context() -> ssl.SSLContext:
    """Return the trusted certificates, which take longer to read than a delivery."""
    return ssl.create_default_context()


def connect(host: str, port: int, deadline: float, *, private: bool = True) -> socket.socket:
    """Connect to one of the allowed addresses of a host until a time of `time.monotonic`.

    `private`: whether one that is not public is allowed. Raises `NotPublic` and `OSError`.
    """
    problem: Exception = NotPublic()
    addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[:MOST_ADDRESSES]
    for number, (family, kind, protocol, _, address) in enumerate(addresses):
        if not (private or is_public(str(address[0]))):
            continue
        with ExitStack() as unused:
            try:
                connection = unused.enter_context(socket.socket(family, kind, protocol))
                # The remaining time is divided among the remaining addresses.
                connection.settimeout(seconds_until(deadline) / (len(addresses) - number))
                connection.connect(address)
                connection.settimeout(seconds_until(deadline))
                # Or a body would wait until the receiver has confirmed the headers.
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            except OSError as error:
                problem = error
            else:
                unused.pop_all()
                return connection
    raise problem


def seconds_until(deadline: float) -> float:
    """Return the seconds until a time of `time.monotonic`; raises `TimeoutError` after it."""
    seconds = deadline - monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds
