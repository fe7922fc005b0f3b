"""A small HTTP client for URLs that are not trusted.

It follows no redirect and connects only to an address that was checked. An attempt has a deadline,
and the bytes that are read of a response are bounded, whatever length it declares.
"""

import re
import socket
import ssl
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from functools import cache
from io import BufferedReader, RawIOBase
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any, NamedTuple

from landform.service.outgoing.addresses import is_public
from landform.service.outgoing.urls import parse_url
from landform.storage.clock import retry_after

# The seconds of an attempt, and how many addresses of a host are tried.
TIMEOUT, MOST_ADDRESSES = 15.0, 4
# How many look-ups of names may run: only the system can end them.
LOOKUPS, MOST_LOOKUPS = "landform-lookup", 32
# How many bytes of the headers and of the body are read; how many characters are stored.
MOST_HEADERS, MOST_BODY, MOST_TEXT = 32_768, 4096, 200
STATUS_LINE = re.compile(rb"HTTP/1\.[0-9] ([1-9][0-9]{2})(?:[ \t].*)?\r?\n")
NOT_ALLOWED = "The address is private or reserved{}."
NO_RESPONSE = "The response is not HTTP, or its headers are incomplete or too long."
TOO_MANY_LOOKUPS = "Too many look-ups of names are running."
UNSAFE_HEADER = "A header has a line break, or a character that is not ASCII."


class NotPublic(ValueError):
    """No address of the host is public."""


class Unsendable(ValueError):
    """A request that can never be sent: its URL or a header is wrong."""


class Result(NamedTuple):
    """The result of a request.

    Without a response `status` is 0, and `text` is the reason. `retry_after` is in seconds.
    `can_be_sent`: false if no attempt can send the request.
    """

    status: int
    text: str
    retry_after: float = 0.0
    milliseconds: int = 0
    can_be_sent: bool = True


def seconds_until(deadline: float) -> float:
    """Return the seconds until a time of `time.monotonic`; raises `TimeoutError` after it."""
    seconds = deadline - monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds


class ResponseStream(RawIOBase):
    """The bytes of a response: at most `allowed` bytes, until the deadline."""

    def __init__(self, connection: socket.socket, deadline: float) -> None:
        self._connection, self._deadline = connection, deadline
        self.allowed = MOST_HEADERS

    def readable(self) -> bool:
        """Return true: the stream can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read bytes into a buffer."""
        self._connection.settimeout(seconds_until(self._deadline))
        # A socket takes a limit of 0 for the size of the buffer.
        limit = min(len(buffer), self.allowed)
        size = self._connection.recv_into(buffer, limit) if limit else 0
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
    try:
        result = _exchange(url, method, headers, body, private)
    except NotPublic:
        result = Result(0, NOT_ALLOWED.format(f"; {setting}=1 allows it" if setting else ""))
    except Unsendable as error:
        result = Result(0, str(error), can_be_sent=False)
    except TimeoutError:
        result = Result(0, "timed out")
    except (OSError, ValueError) as error:
        result = Result(0, str(error).strip() or type(error).__name__)
    except Exception as error:
        result = Result(0, type(error).__name__)
    text = "".join(char if char.isprintable() else " " for char in result.text[:MOST_TEXT])
    return result._replace(text=text, milliseconds=round((monotonic() - began) * 1000))


def _exchange(
    url: str, method: str, headers: Mapping[str, str], body: bytes, private: bool
) -> Result:
    deadline = monotonic() + TIMEOUT
    try:
        receiver = parse_url(url)
    except ValueError as error:
        raise Unsendable(error) from None
    lines = {
        "Host": receiver.authority,
        **headers,
        "Content-Length": str(len(body)),
        "Accept-Encoding": "identity",
        "Connection": "close",
    }
    head = [f"{method} {receiver.target} HTTP/1.1"]
    head += [f"{name}: {value}" for name, value in lines.items()]
    if not all(line.isprintable() and line.isascii() for line in head):
        raise Unsendable(UNSAFE_HEADER)
    with ExitStack() as opened:
        target = receiver.host, receiver.port
        connection = opened.enter_context(connect(*target, deadline, private=private))
        if receiver.is_secure:
            name = receiver.host.removesuffix(".")
            connection = opened.enter_context(
                _ssl_context().wrap_socket(
                    connection, server_hostname=name, do_handshake_on_connect=False
                )
            )
            connection.settimeout(seconds_until(deadline))
            connection.do_handshake()
        unsent = memoryview("\r\n".join((*head, "", "")).encode() + body)
        while unsent:
            connection.settimeout(seconds_until(deadline))
            unsent = unsent[connection.send(unsent) :]
        return _read_response(ResponseStream(connection, deadline))


def _read_response(received: ResponseStream) -> Result:
    """Read a response; raises `ConnectionError` if its headers are incomplete."""
    file, status = BufferedReader(received, 1024), 100
    # Interim responses are skipped; 101 is a final one.
    while 100 <= status < 200 and status != 101:
        line = STATUS_LINE.fullmatch(file.readline())
        if not line:
            raise ConnectionError(NO_RESPONSE)
        status, headers = int(line[1]), _read_headers(file)
    # The status counts, even if the body cannot be read.
    body, pause = b"", None
    received.allowed = MOST_BODY
    with suppress(OSError, ValueError):
        body = b"" if status in (204, 304) else _read_body(file, headers)
    with suppress(Exception):
        pause = retry_after(headers.get("retry-after", ""))
    return Result(status, body[:MOST_BODY].decode(errors="replace"), pause or 0.0)


def _read_headers(file: "BufferedReader[ResponseStream]") -> dict[str, str]:
    """Return the headers of a response by their lower-case names."""
    headers = {}
    while (line := file.readline()) not in (b"\r\n", b"\n"):
        if not line.endswith(b"\n"):
            raise ConnectionError(NO_RESPONSE)
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.strip().lower()] = value.strip()
    return headers


def _read_body(file: "BufferedReader[ResponseStream]", headers: dict[str, str]) -> bytes:
    """Return the beginning of a body; the declared length is not trusted."""
    if "chunked" not in headers.get("transfer-encoding", "").lower():
        length = headers.get("content-length", "")
        return file.read(min(int(length), MOST_BODY) if length.isdecimal() else MOST_BODY)
    body = b""
    while (size := int(file.readline().partition(b";")[0], 16)) > 0:
        body += file.read(min(size, MOST_BODY))
        file.readline()
    return body


@cache
def _ssl_context() -> ssl.SSLContext:
    """Return the trusted certificates, which take longer to read than a delivery."""
    return ssl.create_default_context()


def connect(host: str, port: int, deadline: float, *, private: bool = True) -> socket.socket:
    """Connect to one of the allowed addresses of a host until a time of `time.monotonic`.

    `private`: whether one that is not public is allowed. Raises `NotPublic` and `OSError`.
    """
    problem: Exception = NotPublic()
    addresses = _look_up(host, port, deadline)[:MOST_ADDRESSES]
    for number, (family, kind, protocol, _, address) in enumerate(addresses):
        if not (private or is_public(str(address[0]))):
            continue
        with ExitStack() as unused:
            try:
                connection = unused.enter_context(socket.socket(family, kind, protocol))
                # The remaining time is divided among the remaining addresses.
                connection.settimeout(seconds_until(deadline) / (len(addresses) - number))
                connection.connect(address)
            except OSError as error:
                problem = error
            else:
                unused.pop_all()
                return connection
    raise problem


def _look_up(host: str, port: int, deadline: float) -> list[Any]:
    """Return the addresses of a host, as `socket.getaddrinfo` does.

    A look-up has no time limit, so it runs in a thread, which may outlive the attempt.
    """
    results = SimpleQueue[Any]()

    def look_up() -> None:
        try:
            results.put(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except BaseException as error:
            # Any exception is a result.
            results.put(error)

    if not start_thread(LOOKUPS, MOST_LOOKUPS, look_up):
        raise ConnectionError(TOO_MANY_LOOKUPS)
    try:
        result = results.get(timeout=seconds_until(deadline))
    except Empty:
        raise TimeoutError from None
    if isinstance(result, BaseException):
        raise result
    return list(result)


def start_thread(name: str, limit: int, target: Callable[[], None]) -> bool:
    """Start a thread unless `limit` with its name run; return whether it started."""
    if sum(thread.name == name for thread in threading.enumerate()) >= limit:
        return False
    try:
        threading.Thread(target=target, name=name, daemon=True).start()
    except RuntimeError:
        # The system has too many threads.
        return False
    return True
