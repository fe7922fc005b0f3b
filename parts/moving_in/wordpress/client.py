"""Send requests to one site: only GET, politely, with credentials to no other host."""

import re
import socket
import threading
import time
from base64 import b64encode
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

import orjson
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, PoolManager, exceptions
from urllib3.connection import HTTPConnection, HTTPSConnection

from landform.parts.http_client import NotPublic, connect
from landform.parts.moving_in.wordpress.values import INVALID_URL, ascii_url, utf8, without_query
from landform.service.pipeline.json_codec import DECODER
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
# The codes of WordPress and Gravity Forms for a row that is not there, whatever the status.
NOT_THERE_CODES = (
    "rest_post_invalid_id gf_form_invalid_id gf_feed_invalid_id gf_entry_invalid_id gf_not_found "
    "not_found"
).split()
# Bytes of all responses at a time, of one response, and of a response with few objects.
MAX_TOTAL_BYTES, MAX_BYTES, FEW_BYTES = 64 << 20, 32 << 20, 2 << 20
CHUNK_BYTES = 1 << 16
# The longest `Retry-After` to wait for, in seconds.
MAX_WAIT = 120
# Attempts of one request, those with `Retry-After`, and those of which the response was cut.
ATTEMPTS, ATTEMPTS_IF_TIMED, ATTEMPTS_IF_CUT = 5, 120, 12
MIN_PAUSE, MAX_PAUSE = 0.2, 5.0
# JSON with fewer bytes for each value is refused, since its values need much more memory.
MIN_BYTES_PER_VALUE = 64
# How many characters of a response without JSON are searched for text, and quoted.
SEARCHED_CHARACTERS, QUOTED_CHARACTERS = 8_000, 80
JSON_START = re.compile(r"^[\[{]", re.MULTILINE)
JSON_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
INVISIBLE = re.compile(r"(?is)<(script|style|title)\b.*?</\1>|<[^>]*>")


class PrivateAddress(exceptions.HTTPError):
    """A host beside that of the site has no public address."""


# The reasons of failures; another attempt never helps after those of `FINAL`.
FINAL: dict[type[Exception], str] = {
    exceptions.NameResolutionError: "cannot be found: there is no such host, or no network",
    exceptions.SSLError: "has no certificate that can be trusted",
    exceptions.LocationValueError: "is no address of a server",
    PrivateAddress: "is on another host than the site, at a private address",
}
FAILURES = FINAL | {
    exceptions.NewConnectionError: "cannot be reached: no server answers there",
    exceptions.TimeoutError: "did not answer within {:g} seconds",
    exceptions.HTTPError: "closed the connection in the middle of its response",
}


class CannotBegin(Exception):
    """The reason why an import cannot begin or go on, and advice."""


class NotRead(Exception):
    """The reason why the rows of one resource cannot be read, and advice."""


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

    @property
    def is_not_there(self) -> bool:
        """Whether WordPress says that there is no such row; others send 404s, too."""
        return self.code in NOT_THERE_CODES

    @property
    def is_refusal(self) -> bool:
        """Whether WordPress refuses what was asked for, and is not broken."""
        return bool(self.code) and self.status not in BUSY


class Response(NamedTuple):
    """A response, with its URL after redirects."""

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes


class PublicConnection(HTTPConnection):
    """A connection to a public address; the one that is checked is connected to."""

    def _new_conn(self) -> socket.socket:
        deadline = time.monotonic() + float(self.timeout or 0)
        try:
            return connect(self.host, self.port or 80, deadline, private=False)
        except NotPublic as error:
            raise PrivateAddress from error
        except OSError as error:
            raise exceptions.NewConnectionError(self, str(error)) from error


class PublicTlsConnection(PublicConnection, HTTPSConnection):
    """One with TLS."""


class PublicPool(HTTPConnectionPool):
    """Connections to public addresses."""

    ConnectionCls = PublicConnection


class PublicTlsPool(HTTPSConnectionPool):
    """Those with TLS."""

    ConnectionCls = PublicTlsConnection


class Client:
    """Sends up to `concurrency` requests at a time to a site, in the name of a user.

    `timeout`: for how many seconds the site may be silent, and those for the body of a response.
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
            "Accept": "application/json", "User-Agent": agent, "Accept-Encoding": "gzip"
        }  # fmt: skip
        self._pool = PoolManager(maxsize=concurrency, timeout=timeout, retries=False)
        self._public_pool = PoolManager(maxsize=concurrency, timeout=timeout, retries=False)
        self._public_pool.pool_classes_by_scheme = {"http": PublicPool, "https": PublicTlsPool}
        # The time of the next request, for all threads.
        self._resume_at = 0.0
        self._is_closed, self._lock = threading.Event(), threading.Lock()
        self.requests = 0

    def close(self) -> None:
        """Send no more requests, and close the connections that are not in use."""
        self._is_closed.set()
        self._pool.clear()
        self._public_pool.clear()

    def get(
        self, url: str, *, signed: bool = True, public: bool = False, max_bytes: int = FEW_BYTES
    ) -> Response:
        """Follow redirects, retry, and return the response, or raise `NoAnswer`.

        `signed` requests have credentials, and go only to the host of the site. `public`: other
        hosts need a public address.
        """
        location, host = ascii_url(url), urlsplit(self.url).netloc.lower()
        for _ in range(MAX_REDIRECTS + 1):
            if signed:
                self.check_host(location)
            is_foreign = public and urlsplit(location).netloc.lower() != host
            pool = self._public_pool if is_foreign else self._pool
            response = self._retry(pool, location, signed, max_bytes)
            if response.status not in REDIRECTS or "Location" not in response.headers:
                return response
            target = utf8(response.headers["Location"])
            try:
                location = ascii_url(urljoin(location, target))
            except ValueError as error:
                text = f"{without_query(location)} redirects to {target!r}, which is no address."
                raise NoAnswer(text) from error
        raise NoAnswer(f"{url} redirects more than {MAX_REDIRECTS} times.")

    def check_host(self, url: str) -> None:
        """Raise `CannotBegin` if credentials must not be sent to a URL."""
        # A site may redirect from http to https.
        addresses = (self.url, self.url.replace("http://", "https://", 1))
        pools = map(self._pool.connection_from_url, addresses)
        with suppress(exceptions.LocationValueError):
            if any(pool.is_same_host(url) for pool in pools):
                return
        parts = urlsplit(url)
        target = f"{parts.scheme}://{parts.netloc}"
        raise CannotBegin(FOREIGN_HOST.format(url=self.url, target=target))

    def _retry(self, pool: PoolManager, url: str, signed: bool, max_bytes: int) -> Response:
        """Send a request until there is a response, or another attempt does not help."""
        attempt = 0
        while True:
            self._wait(self._resume_at - time.monotonic())
            attempt += 1
            try:
                response = self._send(pool, url, signed, max_bytes)
            except exceptions.HTTPError as error:
                is_cut = isinstance(error, exceptions.ProtocolError)
                is_last = attempt == (ATTEMPTS_IF_CUT if is_cut else ATTEMPTS)
                if is_last or isinstance(error, tuple(FINAL)):
                    reason = next(FAILURES[kind] for kind in FAILURES if isinstance(error, kind))
                    text = f"{without_query(url)} {reason.format(self._timeout)}."
                    raise NoAnswer(text) from error
                self._wait(MIN_PAUSE if is_cut else pause(attempt))
                continue
            if response.status not in BUSY or error_of(response).is_not_there:
                return response
            seconds = retry_after(response.headers.get("Retry-After", ""))
            if seconds and seconds > MAX_WAIT:
                place, status = without_query(url), response.status
                text = COME_BACK.format(place=place, status=status, seconds=seconds)
                raise NoAnswer(text, status)
            if attempt >= (ATTEMPTS if seconds is None else ATTEMPTS_IF_TIMED):
                return response
            # A `Retry-After` of 0 gets a pause too.
            resume_at = time.monotonic() + max(seconds or 0, pause(attempt))
            self._resume_at = max(self._resume_at, resume_at)

    def _wait(self, seconds: float) -> None:
        if self._is_closed.wait(max(0, seconds)):
            raise NoAnswer(f"No more requests are sent to {self.url}.")

    def _send(self, pool: PoolManager, url: str, signed: bool, max_bytes: int) -> Response:
        """Send one request, and read the body of its response until the timeout."""
        with self._lock:
            self.requests += 1
        deadline, body = time.monotonic() + self._timeout, bytearray()
        headers = self._headers | (self._authorization if signed else {})
        with pool.request(
            "GET", url, headers=headers, redirect=False, preload_content=False
        ) as response:
            while chunk := response.read1(CHUNK_BYTES):
                body += chunk
                if len(body) > max_bytes:
                    text = f"{without_query(url)} answered with more than {max_bytes >> 20} MiB."
                    raise NoAnswer(text, 200)
                if time.monotonic() > deadline:
                    raise exceptions.TimeoutError
            return Response(url, response.status, response.headers, bytes(body))


def pause(failures: int) -> float:
    """Return the seconds to wait after a number of failures of one request."""
    return min(MIN_PAUSE * 2.0 ** (failures - 1), MAX_PAUSE)


def read_json(response: Response) -> Any:
    """Return the JSON of a response, or raise `NoAnswer`."""
    data, status = response.body, response.status
    max_values = max(len(data), FEW_BYTES) // MIN_BYTES_PER_VALUE
    if data.count(b",") > max_values and JSON_STRING.sub(b"", data).count(b",") > max_values:
        place = without_query(response.url)
        raise NoAnswer(f"{place} answered with too many values for its size.", 200)
    with suppress(ValueError):
        return orjson.loads(data)
    text = data.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    if not text:
        raise NoAnswer(f"{status_text(response)} with an empty body.", status)
    # Plugins write warnings before the JSON, or comments of HTML behind it.
    start = JSON_START.search(text)
    with suppress(ValueError, RecursionError):
        value, end = DECODER.raw_decode(text, start.start() if start else 0)
        following = text[end:].strip()
        if not following or (following.startswith("<!--") and following.endswith("-->")):
            return value
    kind = "a page of HTML" if text.startswith("<") else "text"
    quoted = " ".join(INVISIBLE.sub(" ", text[:SEARCHED_CHARACTERS]).split())[:QUOTED_CHARACTERS]
    reason = f"{status_text(response)} with {kind} instead of JSON: {quoted!r}."
    raise NoAnswer(f"{reason} {_advice(response)}", status)


def error_of(response: Response) -> NoAnswer:
    """Return the error in a response, with its code and parameters if WordPress has sent it."""
    try:
        body = read_json(response)
    except NoAnswer as error:
        return error
    body = body if isinstance(body, dict) else {}
    code, data = str(body.get("code", "")), body.get("data")
    refused = data.get("params") if isinstance(data, dict) else None
    names = tuple(map(str, refused)) if isinstance(refused, (dict, list)) else ()
    reason = ": ".join(filter(None, (code, ", ".join(names))))
    text = f"{status_text(response)}{f' ({reason})' if reason else ''}."
    return NoAnswer(text, response.status, code, names)


def status_text(response: Response) -> str:
    """Return which status a URL has answered with, for a message."""
    return f"{without_query(response.url)} answered {response.status}"


def _advice(response: Response) -> str:
    if response.status in BUSY:
        return "The site is in maintenance or overloaded: try again later."
    if "cf-mitigated" in response.headers or response.status == 403:
        return "A firewall or a challenge stands in front of the site: let this machine through."
    return "Something other than WordPress's REST API answers there."
