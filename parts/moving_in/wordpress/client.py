"""Sends requests to one site: reading only, politely, and with credentials to nobody else."""

import threading
import time
import zlib
from base64 import b64encode
from contextlib import suppress
from email.message import Message
from http.client import (
    HTTPConnection,
    HTTPException,
    HTTPResponse,
    HTTPSConnection,
    IncompleteRead,
)
from socket import SHUT_RDWR, gaierror, socket
from ssl import SSLError
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from landform.parts.moving_in.wordpress.values import NO_URL, ascii_url, place, utf8
from landform.storage.clock import retry_after

FOREIGN = (
    "{url} leads to {other}, and credentials are sent to no other host, nor from https to http. "
    "If that is the site, give its address instead."
)
REDIRECTS, MOST_REDIRECTS = (301, 302, 303, 307, 308), 5
BUSY = (429, 500, 502, 503, 504)
# How many bytes all responses that are read at a time may have, each of them, and one of which no
# more than a few objects are expected.
MOST, LARGEST, SMALL = 64 << 20, 32 << 20, 2 << 20
CHUNK = 1 << 16
# A site that wants to be left alone for longer is not waited for, in seconds.
LONGEST_WAIT = 120
# How often one request is sent: until the site has answered one at all, and after that.
FIRST_ATTEMPTS, ATTEMPTS = 3, 12
# How often where the response has the status 500, is busy for no certain time, and for one.
TRIES, LONG_TRIES = {500: 2}, 120
SHORTEST, LONGEST_PAUSE = 0.1, 5.0
# What becomes no better by asking again, and what may, each with the sentence on it.
FINAL: dict[type[Exception], str] = {
    gaierror: "cannot be found: there is no such host, or no network",
    SSLError: "has no certificate that can be trusted",
    UnicodeError: "is no address of a server",
}
NO_SERVER = "cannot be reached: no server answers there"
BROKEN = "closed the connection in the middle of its response"
FAILURES = FINAL | {
    TimeoutError: "did not answer within {:g} seconds", ConnectionRefusedError: NO_SERVER,
    ConnectionError: BROKEN, HTTPException: BROKEN, zlib.error: BROKEN, OSError: NO_SERVER,
}  # fmt: skip


class CannotBegin(Exception):
    """Nothing can be imported, or no more; the text says why, and what to do."""


class NoAnswer(Exception):
    """A request has no usable response. The text says what came, and from where.

    `status` is that of the response, 0 where there was none; `code` that of WordPress's error;
    `params` names the parameters that it refuses.
    """

    def __init__(
        self, text: str, status: int = 0, code: str = "", params: tuple[str, ...] = ()
    ) -> None:
        super().__init__(text)
        self.status, self.code, self.params = status, code, params


class Response(NamedTuple):
    """What came: from which URL, its status, headers and body."""

    url: str
    status: int
    headers: Message
    body: bytes


class Client:
    """Asks the site at a URL. `user` and `password` go nowhere else, nor from https to http.

    `requests`: how many there may be at a time. `timeout`: the seconds for a whole response.
    """

    def __init__(
        self, url: str, user: str, password: str, *, requests: int, timeout: float, agent: str
    ) -> None:
        try:
            self.url = ascii_url(url)
        except ValueError as error:
            raise CannotBegin(NO_URL.format(url=url)) from error
        self.user, self.at_once, self._timeout = user, requests, timeout
        self.largest = min(LARGEST, MOST // requests)
        # Bytes that are no UTF-8 are sent as they were typed in.
        pair = b64encode(f"{user}:{password}".encode(errors="surrogateescape")).decode()
        self._authorization = {"Authorization": f"Basic {pair}"}
        self._headers = {
            "Accept": "application/json", "User-Agent": agent, "Accept-Encoding": "gzip",
            "Connection": "close",
        }  # fmt: skip
        self._sockets = set[socket]()
        # No thread sends a request before this moment.
        self._until = 0.0
        self._is_closed, self._lock = threading.Event(), threading.Lock()
        self._has_answered = False
        self.requests = 0

    def close(self) -> None:
        """Cut every connection, and send no request any more."""
        self._is_closed.set()
        for connected in [*self._sockets]:
            _cut(connected)

    def get(self, url: str, *, signed: bool = True, most: int = SMALL) -> Response:
        """Return what a URL answers, redirects followed, as often as it takes.

        `signed`: with credentials; they may go to where the site is only. `most`: of how many
        bytes. Raises `NoAnswer`.
        """
        asked, seen = ascii_url(url), list[str]()
        while True:
            if signed:
                self.refuse_foreign(asked)
            response = self._patiently(asked, signed, most)
            if response.status not in REDIRECTS or "Location" not in response.headers:
                return response
            seen.append(asked)
            location = utf8(response.headers["Location"])
            try:
                asked = ascii_url(urljoin(asked, location))
            except ValueError as error:
                text = f"{place(asked)} redirects to {location!r}, which is no address of a site."
                raise NoAnswer(text) from error
            if asked in seen:
                raise NoAnswer(f"{asked} redirects to itself.")
            if len(seen) > MOST_REDIRECTS:
                raise NoAnswer(f"{url} redirects more than {MOST_REDIRECTS} times.")

    def refuse_foreign(self, url: str) -> None:
        """Raise `CannotBegin` where credentials may not be sent to a URL."""
        home, other = urlsplit(self.url), urlsplit(url)
        ports = {"http": 80, "https": 443}
        here, there = [
            (one.scheme, one.hostname, one.port or ports[one.scheme]) for one in (home, other)
        ]
        # A site may send everybody from http to https.
        if there not in (here, ("https", home.hostname, 443) if here[2] == 80 else here):
            foreign = f"{other.scheme}://{other.netloc}"
            raise CannotBegin(FOREIGN.format(url=self.url, other=foreign))

    def _patiently(self, url: str, signed: bool, most: int) -> Response:
        """Ask until there is a response, or no use in asking again."""
        failures = refusals = 0
        while True:
            self._wait(self._until - time.monotonic())
            try:
                response = self._once(url, signed, most)
            except tuple(FAILURES) as error:
                failures += 1
                attempts = ATTEMPTS if self._has_answered else FIRST_ATTEMPTS
                if failures >= attempts or isinstance(error, tuple(FINAL)):
                    reason = next(FAILURES[kind] for kind in FAILURES if isinstance(error, kind))
                    text = f"{place(url)} {reason.format(self._timeout)}."
                    raise NoAnswer(text) from error
                self._wait(pause(failures))
                continue
            if response.status not in BUSY:
                self._has_answered = True
                return response
            refusals += 1
            wanted = retry_after(response.headers.get("Retry-After", ""))
            if wanted and wanted > LONGEST_WAIT:
                raise NoAnswer(
                    f"{place(url)} answered {response.status} and asks to come back in "
                    f"{wanted:.0f} seconds. The site is in maintenance, or refuses so many "
                    "requests.", response.status,
                )  # fmt: skip
            usual = FIRST_ATTEMPTS + 1 if wanted is None else LONG_TRIES
            if refusals >= TRIES.get(response.status, usual):
                return response
            # No thread asks meanwhile. Also who asks for no time gets some.
            self._until = max(self._until, time.monotonic() + max(wanted or 0, pause(refusals)))

    def _wait(self, seconds: float) -> None:
        if self._is_closed.wait(max(0, seconds)):
            raise NoAnswer(f"{self.url} is asked for nothing more.")

    def _once(self, url: str, signed: bool, most: int) -> Response:
        """Send a request, and return its response; what takes longer than the timeout is cut."""
        parts = urlsplit(url)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        connection = kind(parts.hostname or "", parts.port, timeout=self._timeout)
        with self._lock:
            self.requests += 1
        connection.connect()
        connected, began = connection.sock, time.monotonic()
        self._sockets.add(connected)
        timer = threading.Timer(self._timeout, _cut, (connected,))
        timer.start()
        try:
            target = parts._replace(scheme="", netloc="", fragment="").geturl() or "/"
            signature = self._authorization if signed else {}
            connection.request("GET", target, headers={**self._headers, **signature})
            got = connection.getresponse()
            body = _body(got, most)
        except tuple(FAILURES) as error:
            if time.monotonic() - began >= self._timeout:
                raise TimeoutError from error
            raise
        finally:
            timer.cancel()
            self._sockets.discard(connected)
            connection.close()
        if body is None:
            raise NoAnswer(f"{place(url)} answered with more than {most >> 20} MiB.", 200)
        return Response(url, got.status, got.headers, body)


def _cut(connected: socket) -> None:
    with suppress(OSError):
        connected.shutdown(SHUT_RDWR)


def _body(got: HTTPResponse, most: int) -> bytes | None:
    """Return the body of a response; None where it has more bytes, compressed or not."""
    is_zipped = "gzip" in got.headers.get("Content-Encoding", "").lower()
    body, unzip = bytearray(), zlib.decompressobj(wbits=31)
    while chunk := got.read(CHUNK):
        if is_zipped:
            chunk = b"" if unzip.eof else unzip.decompress(chunk, most + 1 - len(body))
        body += chunk
        if len(body) > most:
            return None
    if got.length or (body and is_zipped and not unzip.eof):
        raise IncompleteRead(bytes(body))
    return bytes(body)


def pause(failures: int) -> float:
    """Return how many seconds to wait after so many failures of one request."""
    return min(SHORTEST * 2.0 ** (failures - 1), LONGEST_PAUSE)
