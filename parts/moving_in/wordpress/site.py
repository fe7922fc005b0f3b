"""A site with its REST API: find it, check the credentials, and request its routes."""

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple, TypeVar
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

from landform.parts.moving_in.wordpress.client import (
    FEW_BYTES,
    CannotBegin,
    Client,
    NoAnswer,
    error_of,
    read_json,
)
from landform.parts.moving_in.wordpress.values import ascii_url, parse_integer, site_address, utf8
from landform.schemas.export import LARGEST
from landform.storage.rows import Row

T = TypeVar("T")
R = TypeVar("R")
# Some rows, with the number of rows that have been read, and the total.
Batch = tuple[list[Row], int, int]
# The routes of the resources.
ROUTES = {
    "page": "/wp/v2/pages",
    "form": "/gf/v2/forms",
    "feed": "/gf/v2/feeds",
    "entry": "/gf/v2/entries",
    "media": "/wp/v2/media",
}
PER_PAGE = 100
# A number of pages with more digits is invalid.
MAX_TOTAL_DIGITS = 18
# The URL of the REST API in a header `Link`.
API_LINK = re.compile(r'<([^<>]*)>[^<]*\brel="?https://api\.w\.org/')
TURNED_OFF = (
    "A plugin or the server has turned the REST API off. Switch it on for the user of the import "
    "as long as that takes."
)
UNKNOWN_USER = (
    "WordPress does not recognize the user ({code}). The name or the application password may be "
    "wrong: make one at Users, Profile, Application Passwords; that of the login does not work. Or "
    "something on the way removes the header Authorization. Or application passwords are not "
    "available there: they need https, and no plugin that switches them off."
)
UNKNOWN_USER_CODES = (
    "rest_not_logged_in incorrect_password invalid_username invalid_email rest_login_required"
).split()
NO_API = (
    "No WordPress REST API was found at {url}: its page names none, and /wp-json/ and "
    "?rest_route=/ have none. {reason}Give the address of the site's home page."
)
UNENCRYPTED = "The credentials were sent over http, which anybody on the way reads."


class Answer(NamedTuple):
    """The JSON of a response, and its headers."""

    body: Any
    headers: Mapping[str, str]

    @property
    def total(self) -> int | None:
        """The number of items of the whole list, or None without a valid header."""
        text = self.headers.get("X-WP-Total", "")
        return int(text) if text.isdecimal() and len(text) <= MAX_TOTAL_DIGITS else None


@dataclass
class Site:
    """A WordPress. `root` is the URL of its REST API, `index` the description that it returns.

    `time` is the time of its first response in UTC, `per_page` the length of its lists.
    """

    client: Client
    root: str
    pool: ThreadPoolExecutor
    index: dict[str, Any] = field(default_factory=dict)
    time: str = ""
    warnings: list[str] = field(default_factory=list)
    per_page: int = PER_PAGE

    def url(self, route: str, params: Mapping[str, Any]) -> str:
        """Return the URL of a route such as `/wp/v2/pages`."""
        parts = urlsplit(self.root)
        path = f"{parts.path.rstrip('/')}{route}"
        query = [pair for pair in parse_qsl(parts.query) if pair[0] != "rest_route"]
        if "rest_route=" in parts.query:
            path, query = parts.path, [*query, ("rest_route", route)]
        for name, value in params.items():
            items = value if isinstance(value, (list, tuple)) else [value]
            query.append((name, ",".join(map(str, items))))
        return parts._replace(path=path, query=urlencode(query), fragment="").geturl()

    def get(self, route: str, max_bytes: int = FEW_BYTES, **params: Any) -> Answer:
        """Return the answer of a route, or raise `NoAnswer`."""
        response = self.client.get(self.url(route, params), max_bytes=max_bytes)
        if response.status != 200:
            raise error_of(response)
        return Answer(read_json(response), response.headers)

    def get_row(
        self, route: str, number: int, max_bytes: int = FEW_BYTES, **params: Any
    ) -> Row | None:
        """Return the row with an id, or None if it is not there.

        One that cannot be read has the reason as `unreadable`. Raises `NoAnswer` if the site is
        gone.
        """
        try:
            body = self.get(f"{route}/{number}", max_bytes, **params).body
            if isinstance(body, dict) and parse_integer(body.get("id")) == number:
                return body
            reason = f"{route}/{number} answered with another value."
        except NoAnswer as error:
            if error.is_not_there:
                return None
            self.check_answers(error)
            reason = str(error)
        return {"id": number, "unreadable": reason}

    def check_answers(self, error: NoAnswer) -> None:
        """Raise an error again if the site is gone: it does not answer another request either."""
        if not error.is_refusal:
            try:
                self.get("/", self.client.max_bytes, _fields="namespaces")
            except NoAnswer as other:
                if not other.is_refusal:
                    raise error from other

    def map(
        self, request: Callable[[T], R], items: Iterable[T], most: int = PER_PAGE
    ) -> Iterator[R]:
        """Yield the result of a function for each item, running ahead by a few requests.

        `most`: how many results there may be at a time.
        """
        running, most = deque[Future[R]](), min(most, self.client.concurrency)
        for item in items:
            running.append(self.pool.submit(request, item))
            if len(running) == most:
                yield running.popleft().result()
        yield from (future.result() for future in running)

    @property
    def home(self) -> str:
        """The address that identifies the site."""
        urls = [self.index.get("home"), self.index.get("url"), self.client.url]
        return site_address(next(url for url in urls if isinstance(url, str) and url))


def rows_of(body: Any) -> list[Row]:
    """Return the rows that have an id, of a list or of an object by ids."""
    rows = [*body.values()] if isinstance(body, dict) else body
    rows = rows if isinstance(rows, list) else []
    return [row for row in rows if isinstance(row, dict) and has_id(row)]


def has_id(row: Mapping[str, Any]) -> bool:
    """Return whether landform can store the id of a row."""
    number = row.get("id")
    if isinstance(number, str) and number.isdecimal() and len(number) <= 20:
        number = int(number)
    return isinstance(number, int) and 1 <= number <= LARGEST


@contextmanager
def open_site(client: Client, resources: frozenset[str]) -> Iterator[Site]:
    """Yield the site, or raise `CannotBegin`.

    Without pages the routes of Gravity Forms are enough.
    """
    pool = ThreadPoolExecutor(client.concurrency)
    try:
        site = Site(client, find_root(client), pool)
        try:
            index, headers = site.get("/", client.max_bytes)
            site.time = _response_time(headers.get("Date"))
            if not isinstance(index, dict):
                raise NoAnswer(f"{site.root} is no index of WordPress's REST API.")
            site.index = index
            # WordPress refuses this to unknown users.
            site.get("/wp/v2/users/me", context="edit", _fields="id,name")
        except NoAnswer as error:
            reason = _reason(error)
            if "page" in resources or not error.code:
                raise CannotBegin(reason) from error
            site.warnings.append(reason)
        parts = urlsplit(client.url)
        is_local = (parts.hostname or "").startswith(("127.", "localhost", "::1"))
        if parts.scheme == "http" and not is_local:
            site.warnings.append(UNENCRYPTED)
        yield site
    finally:
        client.close()
        pool.shutdown(cancel_futures=True)


def _response_time(header: str | None) -> str:
    """Return the time of a response or, without one, of this machine, a little earlier."""
    try:
        date = parsedate_to_datetime(header or "")
    except (ValueError, OverflowError):
        date = datetime.now(UTC) - timedelta(minutes=5)
    return (date - timedelta(seconds=2)).strftime("%Y-%m-%dT%H:%M:%SZ")


def _reason(error: NoAnswer) -> str:
    """Return the reason why access is refused, and advice."""
    if error.code in UNKNOWN_USER_CODES:
        return UNKNOWN_USER.format(code=error.code)
    is_off = error.code == "rest_disabled" or (error.status in (401, 403) and error.code)
    return f"{error} {TURNED_OFF}" if is_off else str(error)


def find_root(client: Client) -> str:
    """Return the URL of the REST API: from a header of the home page, or a usual one."""
    try:
        home = client.get(client.url, signed=False, max_bytes=client.max_bytes)
    except NoAnswer as error:
        raise CannotBegin(str(error)) from error
    client.check_host(home.url)
    with suppress(ValueError):
        if link := API_LINK.search(utf8(home.headers.get("Link", ""))):
            root = ascii_url(urljoin(home.url, link[1]))
            # A site behind a proxy may not know that its URL has https.
            is_https = urlsplit(client.url).scheme == "https"
            return root.replace("http://", "https://", 1) if is_https else root
    base = home.url.partition("?")[0].rstrip("/")
    is_root = "/wp-json" in base or "rest_route=" in home.url
    usual = (f"{base}/wp-json/", f"{base}/?rest_route=/")
    for root in (home.url, *usual) if is_root else usual:
        with suppress(NoAnswer):
            body = read_json(client.get(root, signed=False, max_bytes=client.max_bytes))
            if isinstance(body, dict) and ("namespaces" in body or "code" in body):
                return root
    reason = ""
    try:
        read_json(home)
    except NoAnswer as error:
        reason = f"{error} "
    raise CannotBegin(NO_API.format(url=client.url, reason=reason))
