"""A site that was found: where its REST API is, what it says about itself, and how it is asked."""

import json
import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import Message
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

import orjson

from landform.parts.moving_in.wordpress.client import BUSY, SMALL, Client, NoAnswer, Response
from landform.parts.moving_in.wordpress.values import address, place, whole
from landform.schemas.export import LARGEST

PER_PAGE = 100
# What has more digits counts no pages.
LONGEST_TOTAL = 18
# JSON of fewer bytes for each value is not read: its values would take many times as much.
SPARSEST = 64
# What WordPress and Gravity Forms answer where there is no such page or feed.
GONE = ("rest_post_invalid_id", "gf_feed_invalid_id", "not_found")
# How many characters of something else than JSON are looked at, and shown.
LOOKED_AT, SHOWN = 8_000, 80
START = re.compile(r"^[\[{]", re.MULTILINE)
STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
INVISIBLE = re.compile(r"(?is)<(script|style|title)\b.*?</\1>|<[^>]*>")


class Answer(NamedTuple):
    """The JSON of a response, and its headers."""

    body: Any
    headers: Message | Mapping[str, str]

    @property
    def total(self) -> int | None:
        """How many items a list has in all; None where something on the way removed that."""
        text = self.headers.get("X-WP-Total", "")
        return int(text) if text.isdecimal() and len(text) <= LONGEST_TOTAL else None


@dataclass
class Site:
    """A WordPress. `root` is the URL of its REST API, `index` what that says of itself.

    `moment` is its time when it was found, in UTC. `per_page`: how many pages of a list it takes.
    """

    client: Client
    root: str
    pool: ThreadPoolExecutor
    index: dict[str, Any] = field(default_factory=dict)
    moment: str = ""
    warnings: list[str] = field(default_factory=list)
    per_page: int = PER_PAGE

    def url(self, route: str, params: Mapping[str, Any]) -> str:
        """Return the URL of a route such as `/wp/v2/pages`."""
        parts = urlsplit(self.root)
        query = [pair for pair in parse_qsl(parts.query) if pair[0] != "rest_route"]
        path = parts.path
        if "rest_route=" in parts.query:
            query.append(("rest_route", route))
        else:
            path = f"{path.rstrip('/')}{route}"
        for name, value in params.items():
            items = value if isinstance(value, (list, tuple)) else [value]
            query.append((name, ",".join(map(str, items))))
        return parts._replace(path=path, query=urlencode(query), fragment="").geturl()

    def get(self, route: str, most: int = SMALL, **params: Any) -> Answer:
        """Return what a route answers; `NoAnswer` with its status and code where it refuses."""
        return check(self.client.get(self.url(route, params), most=most))

    def lacks(self, route: str) -> bool:
        """Return whether a page or feed is deleted there, not only hidden or out of reach."""
        try:
            self.get(route, context="edit", _fields="id")
        except NoAnswer as refused:
            # Other 404s come from something in front of the site.
            return refused.status == 404 and refused.code in GONE
        return False

    @property
    def has_forms(self) -> bool:
        """Whether Gravity Forms' REST API is there; where nothing is known, it may be."""
        named = self.index.get("namespaces")
        found = [*named.values()] if isinstance(named, dict) else named
        return not isinstance(found, list) or "gf/v2" in found

    @property
    def home(self) -> str:
        """What the site is recognized by."""
        named = (self.index.get("home"), self.index.get("url"))
        texts = [text for text in named if isinstance(text, str) and text]
        return address([*texts, self.client.url][0])


class SlugOwners(dict[str, int]):
    """Which page of a site keeps a slug here: the one that is public at it, without a parent."""

    def __init__(self) -> None:
        super().__init__()
        self._ranks: dict[str, tuple[bool, int]] = {}

    def add(self, number: int, page: Mapping[str, Any]) -> None:
        """Take what is known of a page: its status, slug and parent."""
        slug, parent = str(page.get("slug") or ""), page.get("parent", page.get("post_parent"))
        rank = bool(whole(parent)), number
        if page.get("status") == "publish" and slug and rank <= self._ranks.get(slug, rank):
            self[slug], self._ranks[slug] = number, rank


def check(response: Response) -> Answer:
    """Return the JSON of a response; `NoAnswer` where it is an error."""
    body = read_json(response)
    if response.status == 200:
        return Answer(body, response.headers)
    told = body if isinstance(body, dict) else {}
    code, data = str(told.get("code", "")), told.get("data")
    params = data.get("params") if isinstance(data, dict) else None
    names = tuple(map(str, params)) if isinstance(params, (dict, list)) else ()
    reason = ": ".join(filter(None, (code, ", ".join(names))))
    text = f"{place(response.url)} answered {response.status}{f' ({reason})' if reason else ''}."
    raise NoAnswer(text, response.status, code, names)


def has_id(row: Mapping[str, Any]) -> bool:
    """Return whether a row has an id that landform can hold; hardly any site has others."""
    number = row.get("id")
    if isinstance(number, str) and number.isdecimal() and len(number) <= 20:
        number = int(number)
    return isinstance(number, int) and 1 <= number <= LARGEST


def read_json(response: Response) -> Any:
    """Return what a response holds; `NoAnswer` says what it holds instead."""
    there, data = place(response.url), response.body
    most = max(len(data), SMALL) // SPARSEST
    if data.count(b",") > most and STRING.sub(b"", data).count(b",") > most:
        raise NoAnswer(f"{there} answered with too many values for its size.", 200)
    with suppress(ValueError):
        return orjson.loads(data)
    text = data.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    if not text:
        raise NoAnswer(f"{there} answered {response.status} with an empty body.", response.status)
    # Lines of something else may stand before it, and comments of HTML behind.
    begin = START.search(text)
    with suppress(ValueError, RecursionError):
        value, end = json.JSONDecoder().raw_decode(text, begin.start() if begin else 0)
        rest = text[end:].strip()
        if not rest or (rest.startswith("<!--") and rest.endswith("-->")):
            return value
    kind = "a page of HTML" if text.startswith("<") else "text"
    shown = " ".join(INVISIBLE.sub(" ", text[:LOOKED_AT]).split())[:SHOWN]
    raise NoAnswer(
        f"{there} answered {response.status} with {kind} instead of JSON: {shown!r}. "
        f"{_advice(response)}",
        response.status,
    )


def _advice(response: Response) -> str:
    if response.status in BUSY:
        return "The site is in maintenance or overloaded: try again later."
    if "cf-mitigated" in response.headers or response.status == 403:
        return "A firewall or a challenge stands in front of the site: let this machine through."
    return "Something other than WordPress's REST API answers there."
