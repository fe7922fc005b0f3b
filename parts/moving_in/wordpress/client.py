"""Send requests to one site: only GET, politely, with credentials to no other host."""

import threading
import time
import zlib
from base64 import b64encode
from contextlib import suppress
from email.message import Message
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, IncompleteRead
from socket import SHUT_RDWR, gaierror, socket
from ssl import SSLError
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from landform.parts.moving_in.wordpress.values import INVALID_URL, ascii_url, utf8, without_query
from landform.storage.clock import retry_after

FOREIGN_HOST = (
    "{url} leads to {target}, and credentials are sent to no other host, nor from https to http. "
    "If that is the site, give its address instead."
)
COME_BACK = (
    "{place} answered {status} and asks to come back in {seconds:.0f} seconds. The site is in "
    "maintenance, or refuses so many requests."
)
REDIRECTS, MAX_REDIRECTS = (301, 302, 303, 307, 308), 5
BUSY = (429, 500, 502, 503, 504)
# Bytes of all responses at a time, of one response, and of a response with few objects.
MAX_TOTAL_BYTES, MAX_BYTES, FEW_BYTES = 64 << 20, 32 << 20, 2 << 20
CHUNK_BYTES = 1 << 16
# The longest `Retry-After` to wait for, in seconds.
MAX_WAIT = 120
# Attempts of one request after failures, before and after the first response of the site.
FIRST_ATTEMPTS, ATTEMPTS = 3, 12
# Attempts after a busy status: after a 500, after another one, and with `Retry-After`.
ATTEMPTS_AFTER_500, ATTEMPTS_IF_BUSY, ATTEMPTS_IF_TIMED = 2, 4, 120
MIN_PAUSE, MAX_PAUSE = 0.1, 5.0
# The reasons of failures; another attempt never helps after those of `FINAL`.
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
    """The reason why an import cannot begin or go on, and advice."""


class NoAnswer(Exception):
    """A request has no usable response.

    `status` is that of the response, or 0, `code` that of the error of WordPress, and `params` are
    the names of the parameters that it refuses.
    """

    def __init__(
        self, text: str, status: int = 0, code: str = "", params: tuple[str, ...] = ()
    ) -> None:
        super().__init__(text)
        self.status, self.code, self.params = status, code, params


class Response(NamedTuple):
    """A response, with its URL after redirects."""

    url: str
    status: int
    headers: Message
    body: bytes


class Client:
    """Sends up to `concurrency` requests at a time to a site, in the name of a user.

    `timeout`: the seconds for a whole response.
    """

    def __init__(
        self, url: str, user: str, password: str, *, concurrency: int, timeout: float, agent: str
    ) -> None:
        try:
            self.url = ascii_url(url)
        except ValueError as error:
            raise CannotBegin(INVALID_URL.format(url=url)) from error
        self.user, self.concurrency, self._timeout = user, concurrency, timeout
        self.max_bytes = min(MAX_BYTES, MAX_TOTAL_BYTES // concurrency)
        # Bytes of a password that are not UTF-8 are sent as they are.
        pair = b64encode(f"{user}:{password}".encode(errors="surrogateescape")).decode()
        self._authorization = {"Authorization": f"Basic {pair}"}
        self._headers = {
            "Accept": "application/json", "User-Agent": agent, "Accept-Encoding": "gzip",
            "Connection": "close",
        }  # fmt: skip
        self._sockets = set[socket]()
        # The time of the next request, for all threads.
        self._resume_at = 0.0
        self._is_closed, self._lock = threading.Event(), threading.Lock()
        self._has_answered, self.requests = False, 0

    def close(self) -> None:
        """Close all connections, and send no more requests."""
        self._is_closed.set()
        for connected in [*self._sockets]:
            _shut_down(connected)

    def get(self, url: str, *, signed: bool = True, max_bytes: int = FEW_BYTES) -> Response:
        """Follow redirects, retry, and return the response, or raise `NoAnswer`.

        `signed` requests have credentials, and go only to the host of the site.
        """
        location, visited = ascii_url(url), list[str]()
        while True:
            if signed:
                self.check_host(location)
            response = self._retry(location, signed, max_bytes)
            if response.status not in REDIRECTS or "Location" not in response.headers:
                return response
            visited.append(location)
            target = utf8(response.headers["Location"])
            try:
                location = ascii_url(urljoin(location, target))
            except ValueError as error:
                place = without_query(location)
                text = f"{place} redirects to {target!r}, which is no address of a site."
                raise NoAnswer(text) from error
            if location in visited:
                raise NoAnswer(f"{location} redirects to itself.")
            if len(visited) > MAX_REDIRECTS:
                raise NoAnswer(f"{url} redirects more than {MAX_REDIRECTS} times.")

    def check_host(self, url: str) -> None:
        """Raise `CannotBegin` if credentials must not be sent to a URL."""
        site, target = (
            (parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}[parts.scheme])
            for parts in (urlsplit(self.url), urlsplit(url))
        )
        # A site may redirect from http to https.
        if target not in (site, ("https", site[1], 443) if site[2] == 80 else site):
            parts = urlsplit(url)
            target_url = f"{parts.scheme}://{parts.netloc}"
            raise CannotBegin(FOREIGN_HOST.format(url=self.url, target=target_url))

    def _retry(self, url: str, signed: bool, max_bytes: int) -> Response:
        """Send a request until there is a response, or another attempt does not help."""
        failures = refusals = 0
        while True:
            self._wait(self._resume_at - time.monotonic())
            try:
                response = self._send(url, signed, max_bytes)
            except tuple(FAILURES) as error:
                failures += 1
                attempts = ATTEMPTS if self._has_answered else FIRST_ATTEMPTS
                if failures >= attempts or isinstance(error, tuple(FINAL)):
                    reason = next(FAILURES[kind] for kind in FAILURES if isinstance(error, kind))
                    text = f"{without_query(url)} {reason.format(self._timeout)}."
                    raise NoAnswer(text) from error
                self._wait(pause(failures))
                continue
            status = response.status
            if status not in BUSY:
                self._has_answered = True
                return response
            refusals += 1
            seconds = retry_after(response.headers.get("Retry-After", ""))
            if seconds and seconds > MAX_WAIT:
                place = without_query(url)
                raise NoAnswer(
                    COME_BACK.format(place=place, status=status, seconds=seconds), status
                )
            attempts = ATTEMPTS_IF_BUSY if seconds is None else ATTEMPTS_IF_TIMED
            if refusals >= (ATTEMPTS_AFTER_500 if status == 500 else attempts):
                return response
            # A `Retry-After` of 0 gets a pause too.
            resume_at = time.monotonic() + max(seconds or 0, pause(refusals))
            self._resume_at = max(self._resume_at, resume_at)

    def _wait(self, seconds: float) -> None:
        if self._is_closed.wait(max(0, seconds)):
            raise NoAnswer(f"No more requests are sent to {self.url}.")

    def _send(self, url: str, signed: bool, max_bytes: int) -> Response:
        """Send one request, and close its connection after the timeout."""
        parts = urlsplit(url)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        connection = kind(parts.hostname or "", parts.port, timeout=self._timeout)
        with self._lock:
            self.requests += 1
        connection.connect()
        connected, deadline = connection.sock, time.monotonic() + self._timeout
        self._sockets.add(connected)
        timer = threading.Timer(self._timeout, _shut_down, (connected,))
        timer.start()
        try:
            target = parts._replace(scheme="", netloc="", fragment="").geturl() or "/"
            headers = self._headers | (self._authorization if signed else {})
            connection.request("GET", target, headers=headers)
            response = connection.getresponse()
            body = _read_body(response, max_bytes)
        except tuple(FAILURES) as error:
            if time.monotonic() >= deadline:
                raise TimeoutError from error
            raise
        finally:
            timer.cancel()
            self._sockets.discard(connected)
            connection.close()
        if body is None:
            text = f"{without_query(url)} answered with more than {max_bytes >> 20} MiB."
            raise NoAnswer(text, 200)
        return Response(url, response.status, response.headers, body)


def _shut_down(connected: socket) -> None:
    with suppress(OSError):
        connected.shutdown(SHUT_RDWR)


def _read_body(response: HTTPResponse, max_bytes: int) -> bytes | None:
    """Return the body, unzipped, or None if it is too large."""
    is_zipped = "gzip" in response.headers.get("Content-Encoding", "").lower()
    body, unzip = bytearray(), zlib.decompressobj(wbits=31)
    while chunk := response.read(CHUNK_BYTES):
        if is_zipped:
            chunk = b"" if unzip.eof else unzip.decompress(chunk, max_bytes + 1 - len(body))
        body += chunk
        if len(body) > max_bytes:
            return None
    if response.length or (body and is_zipped and not unzip.eof):
        raise IncompleteRead(bytes(body))
    return bytes(body)


def pause(failures: int) -> float:
    """Return the seconds to wait after a number of failures of one request."""
    return min(MIN_PAUSE * 2.0 ** (failures - 1), MAX_PAUSE)
