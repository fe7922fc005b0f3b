"""Sends one request to the URL of a webhook, which anybody may have chosen.

No redirect is followed, and what is connected to is an address that was looked at before. One
deadline ends all of it, and so many bytes of a response are read, whatever it says of itself.
"""

import re
import socket
import ssl
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import cache
from io import BufferedReader, RawIOBase
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any, NamedTuple

from landform.schemas.receiver_urls import ReceiverUrl, parse_url
from landform.service.webhooks.addresses import is_public
from landform.storage.clock import retry_after

# The seconds that an attempt takes at most, and how many addresses of a host are tried.
TIMEOUT, MOST_ADDRESSES = 15.0, 4
# How many look-ups of names may be under way: the system ends them, not landform.
LOOKUPS, MOST_LOOKUPS = "landform-lookup", 32
# How many bytes are read of the headers of a response, and of what follows; how many characters of
# that are remembered.
MOST_HEADERS, MOST_BODY, REMEMBERED = 32_768, 4096, 200
STATUS_LINE = re.compile(rb"HTTP/1\.[0-9] ([1-9][0-9]{2})(?:[ \t].*)?\r?\n")
NOT_ALLOWED = "The address is private or reserved; LANDFORM_WEBHOOK_PRIVATE=1 allows it."
NO_RESPONSE = "The response is not HTTP, or ends within its headers, or these are too long."
TOO_MANY_LOOKUPS = "Too many look-ups of names are under way."


class Answer(NamedTuple):
    """What came of a request.

    `status` is 0 where no response came, and then `text` says why; `retry_after`: the seconds that
    the receiver asks for.
    """

    status: int
    text: str
    retry_after: float = 0.0
    milliseconds: int = 0


class Deadline:
    """The end of an attempt."""

    def __init__(self, seconds: float) -> None:
        self._end = monotonic() + seconds

    def left(self) -> float:
        """Return the seconds that are left; `TimeoutError` where there are none."""
        seconds = self._end - monotonic()
        if seconds <= 0:
            raise TimeoutError
        return seconds


class Received(RawIOBase):
    """The bytes of a response: at most `allowed` ones, and none after the deadline."""

    def __init__(self, connection: socket.socket, deadline: Deadline) -> None:
        self._connection, self._deadline = connection, deadline
        self.allowed = MOST_HEADERS

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer, or a part of it."""
        self._connection.settimeout(self._deadline.left())
        # Of none at all a socket reads as many as there is room for.
        most = min(len(buffer), self.allowed)
        size = self._connection.recv_into(buffer, most) if most else 0
        self.allowed -= size
        return size


def send(url: str, headers: dict[str, str], body: bytes, private: bool) -> Answer:
    """Send a POST to a URL, and return what came of it, whatever that is.

    `private`: whether the address may be another than a public one.
    """
    began = monotonic()
    try:
        answer = _exchange(url, headers, body, private)
    except TimeoutError:
        answer = Answer(0, "timed out")
    except (OSError, ValueError) as error:
        answer = Answer(0, str(error).strip() or type(error).__name__)
    except Exception as error:
        answer = Answer(0, type(error).__name__)
    text = "".join(one if one.isprintable() else " " for one in answer.text[:REMEMBERED])
    return answer._replace(text=text, milliseconds=round((monotonic() - began) * 1000))


def _exchange(url: str, headers: dict[str, str], body: bytes, private: bool) -> Answer:
    deadline, receiver = Deadline(TIMEOUT), parse_url(url)
    lines = {
        "Host": receiver.authority,
        **headers,
        "Content-Length": str(len(body)),
        "Accept-Encoding": "identity",
        "Connection": "close",
    }
    head = f"POST {receiver.target} HTTP/1.1\r\n"
    head += "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    with ExitStack() as opened:
        connection = opened.enter_context(_connect(receiver, private, deadline))
        if receiver.is_secure:
            name = receiver.host.removesuffix(".")
            connection = opened.enter_context(
                _trusted().wrap_socket(
                    connection, server_hostname=name, do_handshake_on_connect=False
                )
            )
            connection.settimeout(deadline.left())
            connection.do_handshake()
        unsent = memoryview(f"{head}\r\n".encode("ascii") + body)
        while unsent:
            connection.settimeout(deadline.left())
            unsent = unsent[connection.send(unsent) :]
        return _read_answer(Received(connection, deadline))


def _read_answer(received: Received) -> Answer:
    """Return what a response says; `ConnectionError` where its headers are not complete."""
    file, status = BufferedReader(received, 1024), 100
    # Those before the response, but for a change of the protocol, which is none.
    while 100 <= status < 200 and status != 101:
        line = STATUS_LINE.fullmatch(file.readline())
        if not line:
            raise ConnectionError(NO_RESPONSE)
        status, headers = int(line[1]), _read_headers(file)
    # The status says it all, whatever becomes of the rest.
    body, pause = b"", None
    received.allowed = MOST_BODY
    with suppress(OSError, ValueError):
        body = b"" if status in (204, 304) else _read_body(file, headers)
    with suppress(Exception):
        pause = retry_after(headers.get("retry-after", ""))
    return Answer(status, body[:MOST_BODY].decode(errors="replace"), pause or 0.0)


def _read_headers(file: "BufferedReader[Received]") -> dict[str, str]:
    """Return the headers of a response by their names in small letters."""
    headers = {}
    while (line := file.readline()) not in (b"\r\n", b"\n"):
        if not line.endswith(b"\n"):
            raise ConnectionError(NO_RESPONSE)
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.strip().lower()] = value.strip()
    return headers


def _read_body(file: "BufferedReader[Received]", headers: dict[str, str]) -> bytes:
    """Return the beginning of a body; what is allowed bounds it, whatever sizes it claims."""
    if "chunked" not in headers.get("transfer-encoding", "").lower():
        length = headers.get("content-length", "")
        return file.read(min(int(length), MOST_BODY) if length.isdecimal() else MOST_BODY)
    body = b""
    while (size := int(file.readline().partition(b";")[0], 16)) > 0:
        body += file.read(min(size, MOST_BODY))
        file.readline()
    return body


@cache
def _trusted() -> ssl.SSLContext:
    """Return the certificates that are trusted: to read them takes longer than a delivery."""
    return ssl.create_default_context()


def _connect(receiver: ReceiverUrl, private: bool, deadline: Deadline) -> socket.socket:
    """Return a connection to one of the addresses of a host that may be connected to."""
    problem: Exception = ValueError(NOT_ALLOWED)
    addresses = _look_up(receiver, deadline)[:MOST_ADDRESSES]
    for number, (family, kind, protocol, _, address) in enumerate(addresses):
        if not (private or is_public(str(address[0]))):
            continue
        with ExitStack() as unused:
            try:
                connection = unused.enter_context(socket.socket(family, kind, protocol))
                # What is left of the time is shared by those that are left.
                connection.settimeout(deadline.left() / (len(addresses) - number))
                connection.connect(address)
            except OSError as error:
                problem = error
            else:
                unused.pop_all()
                return connection
    raise problem


def _look_up(receiver: ReceiverUrl, deadline: Deadline) -> list[Any]:
    """Return the addresses of a host, as `socket.getaddrinfo` does.

    The system ends a look-up when it likes, so it has a thread, which may outlive the attempt.
    """
    results = SimpleQueue[Any]()

    def look_up() -> None:
        try:
            results.put(socket.getaddrinfo(receiver.host, receiver.port, type=socket.SOCK_STREAM))
        except BaseException as error:
            # Whatever ends the look-up is an answer.
            results.put(error)

    if not start_thread(LOOKUPS, MOST_LOOKUPS, look_up):
        raise ConnectionError(TOO_MANY_LOOKUPS)
    try:
        result = results.get(timeout=deadline.left())
    except Empty:
        raise TimeoutError from None
    if isinstance(result, BaseException):
        raise result
    return list(result)


def start_thread(name: str, most: int, target: Callable[[], None]) -> bool:
    """Start a thread of a name, and return whether that was possible: `most` may run."""
    if sum(thread.name == name for thread in threading.enumerate()) >= most:
        return False
    try:
        threading.Thread(target=target, name=name, daemon=True).start()
    except RuntimeError:
        # The system has no room for another thread.
        return False
    return True
