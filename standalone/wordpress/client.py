"""Sends requests to one site: reading only, politely, and with credentials to nobody else."""

import threading
from base64 import b64encode
from typing import NamedTuple
from urllib.parse import quote, urljoin, urlsplit

import urllib3
from urllib3.exceptions import (
    ConnectTimeoutError,
    HTTPError,
    LocationValueError,
    NameResolutionError,
    NewConnectionError,
    ReadTimeoutError,
    SSLError,
)

from landform.standalone.wordpress.errors import CannotBegin, NoAnswer
from landform.standalone.wordpress.waiting import (
    ATTEMPTS,
    FIRST_ATTEMPTS,
    LONGEST_WAIT,
    Gate,
    pause,
    retry_after,
)

SAFE = "/:?#[]@!$&'()*+,;=%~-._"
NO_URL = "{url} is no address of a site: it has to look like https://shop.example."
REDIRECTS, MOST_REDIRECTS = (301, 302, 303, 307, 308), 5
BUSY = (429, 500, 502, 503, 504)
# No response is as large: 100 pages of the longest content that landform takes.
LARGEST = 512 << 20
CHUNK = 1 << 16


class Response(NamedTuple):
    """What came: from which URL, its status, headers and body."""

    url: str
    status: int
    headers: urllib3.HTTPHeaderDict
    body: bytes


class Client:
    """Asks the site at a URL. `user` and `password` go nowhere else, nor from https to http."""

    def __init__(
        self, url: str, user: str, password: str, *, requests: int, timeout: float, agent: str
    ) -> None:
        try:
            self.url = ascii_url(url)
        except ValueError as error:
            raise CannotBegin(NO_URL.format(url=url)) from error
        self.user, self.timeout = user, timeout
        pair = b64encode(f"{user}:{password}".encode()).decode()
        self._authorization = f"Basic {pair}"
        self._headers = {
            "Accept": "application/json", "User-Agent": agent, "Accept-Encoding": "gzip",
        }  # fmt: skip
        self._pool = urllib3.PoolManager(
            num_pools=4, maxsize=requests, retries=False, timeout=urllib3.Timeout(timeout)
        )
        self._gate = Gate()
        self._lock = threading.Lock()
        self._has_answered = False
        self.requests = 0

    def close(self) -> None:
        """Close every connection."""
        self._pool.clear()

    def get(self, url: str, *, signed: bool = True) -> Response:
        """Return what a URL answers, redirects followed, as often as it takes.

        `signed`: with credentials; they may go to where the site is only. Raises `NoAnswer`.
        """
        asked, seen = ascii_url(url), list[str]()
        while True:
            if signed:
                self._refuse_stranger(asked)
            response = self._patiently(asked, signed)
            if response.status not in REDIRECTS or "Location" not in response.headers:
                return response
            seen.append(asked)
            asked = _redirected(asked, utf8(response.headers["Location"]))
            if asked in seen:
                raise NoAnswer(f"{asked} redirects to itself.")
            if len(seen) > MOST_REDIRECTS:
                raise NoAnswer(f"{url} redirects more than {MOST_REDIRECTS} times.")

    def is_own(self, url: str) -> bool:
        """Return whether credentials may be sent to a URL."""
        home, other = urlsplit(self.url), urlsplit(url)
        if home.hostname != other.hostname:
            return False
        if (home.scheme, _port(home.scheme, home.port)) == (
            other.scheme, _port(other.scheme, other.port),
        ):  # fmt: skip
            return True
        return (home.scheme, other.scheme) == ("http", "https") and not (home.port or other.port)

    def _refuse_stranger(self, url: str) -> None:
        if self.is_own(url):
            return
        parts = urlsplit(url)
        other = f"{parts.scheme}://{parts.netloc}"
        raise CannotBegin(
            f"{self.url} leads to {other}, and credentials are sent to no other host, nor from "
            f"https to http. If {other} is the site, give its address instead."
        )

    def _patiently(self, url: str, signed: bool) -> Response:
        failures = waits = 0
        while True:
            self._gate.wait()
            try:
                response = self._once(url, signed)
            except HTTPError as error:
                failures += 1
                if failures >= self._attempts or _is_final(error):
                    raise NoAnswer(f"{place(url)} {_reason(error, self.timeout)}.") from error
                self._gate.wait()
                threading.Event().wait(pause(failures))
                continue
            if response.status not in BUSY:
                self._has_answered = True
                return response
            asked_for = retry_after(response.headers.get("Retry-After"))
            if asked_for is not None and asked_for > LONGEST_WAIT:
                raise NoAnswer(
                    f"{place(url)} answered {response.status} and asks to come back in "
                    f"{asked_for:.0f} seconds. The site is in maintenance, or refuses so many "
                    "requests.", response.status,
                )  # fmt: skip
            if asked_for is None or response.status == 500:
                failures += 1
                if (response.status == 500 and failures > 1) or failures >= FIRST_ATTEMPTS + 1:
                    return response
                asked_for = pause(failures)
            else:
                waits += 1
                if waits > 10 * ATTEMPTS:
                    raise NoAnswer(f"{place(url)} goes on answering {response.status}.")
                # Also who asks for no time gets some.
                asked_for = max(asked_for, pause(waits))
            self._gate.close(asked_for)

    @property
    def _attempts(self) -> int:
        return ATTEMPTS if self._has_answered else FIRST_ATTEMPTS

    def _once(self, url: str, signed: bool) -> Response:
        with self._lock:
            self.requests += 1
        headers = {**self._headers, **({"Authorization": self._authorization} if signed else {})}
        got = self._pool.request("GET", url, headers=headers, redirect=False, preload_content=False)
        try:
            body = bytearray()
            for chunk in got.stream(CHUNK, decode_content=True):
                body += chunk
                if len(body) > LARGEST:
                    got.close()
                    raise NoAnswer(f"{place(url)} answered with more than {LARGEST >> 20} MB.")
        finally:
            got.release_conn()
        return Response(url, got.status, got.headers, bytes(body))


def _port(scheme: str, port: int | None) -> int:
    return port or {"https": 443}.get(scheme, 80)


def _redirected(url: str, location: str) -> str:
    try:
        return joined(url, location)
    except ValueError as error:
        text = f"{place(url)} redirects to {location!r}, which is no address of a site."
        raise NoAnswer(text) from error


def _is_final(error: HTTPError) -> bool:
    return isinstance(error, (LocationValueError, NameResolutionError, SSLError))


def _reason(error: HTTPError, timeout: float) -> str:
    if isinstance(error, LocationValueError):
        return "is no address of a server"
    # This and the next are timeouts, too, as the library has it.
    if isinstance(error, NameResolutionError):
        return "cannot be found: there is no such host, or no network"
    if isinstance(error, NewConnectionError):
        return "cannot be reached: no server answers there"
    if isinstance(error, (ConnectTimeoutError, ReadTimeoutError)):
        return f"did not answer within {timeout:g} seconds"
    if isinstance(error, SSLError):
        return "has no certificate that can be trusted"
    return "closed the connection in the middle of its response"


def ascii_url(url: str) -> str:
    """Return a URL as it is sent, its host in IDNA; `ValueError` where it is none of HTTP."""
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port
    if parts.scheme not in ("http", "https") or not host:
        raise ValueError(NO_URL.format(url=url))
    if not host.isascii():
        user, at, _ = parts.netloc.rpartition("@")
        place = host.encode("idna").decode() + (f":{port}" if port else "")
        url = parts._replace(netloc=f"{user}{at}{place}").geturl()
    return quote(url, safe=SAFE)


def joined(base: str, reference: str) -> str:
    """Return the URL that a reference in a response means; `ValueError` where it is none."""
    return ascii_url(urljoin(base, reference))


def utf8(header: str) -> str:
    """Return a header whose bytes are UTF-8, which HTTP libraries read as Latin-1."""
    try:
        return header.encode("latin-1").decode()
    except UnicodeError:
        return header


def place(url: str) -> str:
    """Return a URL without its query, but for the route of REST that may be in it."""
    bare, _, query = url.partition("?")
    route = [pair for pair in query.split("&") if pair.startswith("rest_route=")]
    return f"{bare}?{route[0]}" if route else bare
