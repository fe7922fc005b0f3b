"""A site with its REST API, and the JSON of its responses."""

import json
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit

import orjson

from landform.parts.moving_in.wordpress.client import BUSY, FEW_BYTES, Client, NoAnswer, Response
from landform.parts.moving_in.wordpress.values import parse_integer, site_address, without_query
from landform.schemas.export import LARGEST

T = TypeVar("T")
R = TypeVar("R")
PER_PAGE = 100
# A number of pages with more digits is invalid.
MAX_TOTAL_DIGITS = 18
# JSON with fewer bytes for each value is refused, since its values need much more memory.
MIN_BYTES_PER_VALUE = 64
# The error codes of WordPress and Gravity Forms for a row that does not exist.
NOT_FOUND_CODES = (
    "rest_post_invalid_id gf_feed_invalid_id gf_entry_invalid_id gf_not_found not_found"
).split()
# How many characters of a response without JSON are searched for text, and quoted.
SEARCHED_CHARACTERS, QUOTED_CHARACTERS = 8_000, 80
JSON_START = re.compile(r"^[\[{]", re.MULTILINE)
JSON_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
INVISIBLE = re.compile(r"(?is)<(script|style|title)\b.*?</\1>|<[^>]*>")


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
        body = read_json(response)
        if response.status == 200:
            return Answer(body, response.headers)
        error = body if isinstance(body, dict) else {}
        code, data = str(error.get("code", "")), error.get("data")
        refused = data.get("params") if isinstance(data, dict) else None
        names = tuple(map(str, refused)) if isinstance(refused, (dict, list)) else ()
        reason = ": ".join(filter(None, (code, ", ".join(names))))
        text = f"{_status_text(response)}{f' ({reason})' if reason else ''}."
        raise NoAnswer(text, response.status, code, names)

    def lacks(self, route: str) -> bool:
        """Return whether a row was deleted, and is not only hidden or unreachable."""
        try:
            self.get(route, context="edit", _fields="id")
        except NoAnswer as error:
            # Servers in front of the site send other 404s.
            return error.status == 404 and error.code in NOT_FOUND_CODES
        return False

    def map(self, request: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        """Yield the result of a function for each item, running ahead by a few requests."""
        running = deque[Future[R]]()
        for item in items:
            running.append(self.pool.submit(request, item))
            if len(running) == self.client.concurrency:
                yield running.popleft().result()
        yield from (future.result() for future in running)

    @property
    def has_forms(self) -> bool:
        """Whether the REST API of Gravity Forms may be there."""
        namespaces = self.index.get("namespaces")
        names = [*namespaces.values()] if isinstance(namespaces, dict) else namespaces
        return not isinstance(names, list) or "gf/v2" in names

    @property
    def home(self) -> str:
        """The address that identifies the site."""
        urls = [self.index.get("home"), self.index.get("url"), self.client.url]
        return site_address(next(url for url in urls if isinstance(url, str) and url))


class SlugKeepers(dict[str, int]):
    """The page of a site that keeps each slug: a published one, best without a parent."""

    def __init__(self) -> None:
        super().__init__()
        self._ranks: dict[str, tuple[bool, int]] = {}

    def add(self, number: int, page: Mapping[str, Any]) -> None:
        """Add a page, with its status, slug and parent."""
        slug, parent = str(page.get("slug") or ""), page.get("parent", page.get("post_parent"))
        rank = bool(parse_integer(parent)), number
        if page.get("status") == "publish" and slug and rank <= self._ranks.get(slug, rank):
            self[slug], self._ranks[slug] = number, rank


def has_id(row: Mapping[str, Any]) -> bool:
    """Return whether landform can store the id of a row."""
    number = row.get("id")
    if isinstance(number, str) and number.isdecimal() and len(number) <= 20:
        number = int(number)
    return isinstance(number, int) and 1 <= number <= LARGEST


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
        raise NoAnswer(f"{_status_text(response)} with an empty body.", status)
    # Plugins write warnings before the JSON, or comments of HTML behind it.
    start = JSON_START.search(text)
    with suppress(ValueError, RecursionError):
        value, end = json.JSONDecoder().raw_decode(text, start.start() if start else 0)
        following = text[end:].strip()
        if not following or (following.startswith("<!--") and following.endswith("-->")):
            return value
    kind = "a page of HTML" if text.startswith("<") else "text"
    quoted = " ".join(INVISIBLE.sub(" ", text[:SEARCHED_CHARACTERS]).split())[:QUOTED_CHARACTERS]
    reason = f"{_status_text(response)} with {kind} instead of JSON: {quoted!r}."
    raise NoAnswer(f"{reason} {_advice(response)}", status)


def _status_text(response: Response) -> str:
    return f"{without_query(response.url)} answered {response.status}"


def _advice(response: Response) -> str:
    if response.status in BUSY:
        return "The site is in maintenance or overloaded: try again later."
    if "cf-mitigated" in response.headers or response.status == 403:
        return "A firewall or a challenge stands in front of the site: let this machine through."
    return "Something other than WordPress's REST API answers there."
