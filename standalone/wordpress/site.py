"""A site that was found: where its REST API is, what it says about itself, and how it is asked."""

import json
import re
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import orjson

from landform.standalone.wordpress.client import Client, Response
from landform.standalone.wordpress.errors import NoAnswer
from landform.standalone.wordpress.values import storable

PER_PAGE = 100
# What has more digits counts no pages.
LONGEST_TOTAL = 18
Params = Mapping[str, object]
DECODER = json.JSONDecoder()
START = re.compile(r"^[\[{]", re.MULTILINE)
SHOWN = 80


class Answer(NamedTuple):
    """The JSON of a response, and its headers."""

    body: Any
    headers: Mapping[str, str]

    @property
    def total(self) -> int | None:
        """How many items a list has in all; None where something on the way removed that."""
        text = self.headers.get("X-WP-Total", "")
        return int(text) if text.isdecimal() and len(text) <= LONGEST_TOTAL else None


@dataclass
class Site:
    """A WordPress. `root` is the URL of its REST API, `index` what that says of itself.

    `capabilities`: what the user may do, as far as the site says so. `moment` is its time when
    it was found, in UTC. `most`: how many pages of a list it took.
    """

    client: Client
    root: str
    pool: ThreadPoolExecutor
    index: dict[str, Any] = field(default_factory=dict)
    capabilities: frozenset[str] = frozenset()
    moment: str = ""
    warnings: list[str] = field(default_factory=list)
    most: int = PER_PAGE

    def url(self, route: str, params: Params) -> str:
        """Return the URL of a route such as `/wp/v2/pages`."""
        parts = urlsplit(self.root)
        query = [pair for pair in parse_qsl(parts.query) if pair[0] != "rest_route"]
        path = parts.path
        if "rest_route=" in parts.query:
            query.append(("rest_route", route))
        else:
            path = f"{path.rstrip('/')}{route}"
        query += list(_pairs(params))
        return urlunsplit((parts.scheme, parts.netloc, path, urlencode(query), ""))

    def get(self, route: str, **params: object) -> Answer:
        """Return what a route answers; `NoAnswer` with its status and code where it refuses."""
        response = self.client.get(self.url(route, params))
        return check(response)

    def submit(self, route: str, **params: object) -> "Future[Answer]":
        """Ask in another thread."""
        return self.pool.submit(self.get, route, **params)

    @property
    def has_forms(self) -> bool:
        """Whether Gravity Forms' REST API is there; where nothing is known, it may be."""
        named = self.index.get("namespaces")
        found = [*named.values()] if isinstance(named, dict) else named
        return not isinstance(found, list) or "gf/v2" in found

    @property
    def per_page(self) -> int:
        """How many pages a list may have, as the site declares it."""
        declared = self._list_rules().get("maximum", PER_PAGE)
        return min(self.most, declared) if isinstance(declared, int) and declared > 0 else self.most

    @property
    def home(self) -> str:
        """What the site is recognized by."""
        named = (self.index.get("home"), self.index.get("url"))
        texts = [text for text in named if isinstance(text, str) and text]
        return self.address([*texts, self.client.url][0])

    @staticmethod
    def address(url: str) -> str:
        """Return the address of a site without scheme and `www.`, which it may get or lose."""
        try:
            parts = urlsplit(url)
        except ValueError:
            # It is not asked there, only named so.
            return str(storable(url))
        return str(storable(parts.netloc.removeprefix("www.") + parts.path.rstrip("/")))

    def _list_rules(self) -> dict[str, Any]:
        """Return what the site says of `per_page` in lists of pages."""
        try:
            rules = self.index["routes"]["/wp/v2/pages"]["endpoints"][0]["args"]["per_page"]
        except (KeyError, IndexError, TypeError):
            return {}
        return rules if isinstance(rules, dict) else {}


def check(response: Response) -> Answer:
    """Return the JSON of a response; `NoAnswer` where it is an error."""
    body = read_json(response)
    if response.status == 200:
        return Answer(body, response.headers)
    code = str(body.get("code", "")) if isinstance(body, dict) else ""
    place = response.url.partition("?")[0]
    text = f"{place} answered {response.status}{f' ({code})' if code else ''}."
    raise NoAnswer(text, response.status, code, _refused_params(body))


def _refused_params(body: Any) -> tuple[str, ...]:
    data = body.get("data") if isinstance(body, dict) else None
    params = data.get("params") if isinstance(data, dict) else None
    return tuple(map(str, params)) if isinstance(params, (dict, list)) else ()


def _pairs(params: Params) -> Iterator[tuple[str, str]]:
    for name, value in params.items():
        if isinstance(value, (list, tuple)):
            yield name, ",".join(map(str, value))
        else:
            yield name, str(value)


def is_number(value: object) -> bool:
    """Return whether a value is a whole number; other ids no site has."""
    is_text = isinstance(value, str) and value.isdecimal() and len(value) <= 20
    return is_text or isinstance(value, int)


def read_json(response: Response) -> Any:
    """Return what a response holds; `NoAnswer` says what it holds instead."""
    with suppress(ValueError):
        return orjson.loads(response.body)
    text = response.body.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    place = response.url.partition("?")[0]
    if not text:
        raise NoAnswer(f"{place} answered {response.status} with an empty body.", response.status)
    # JSON first, or after lines of something else; behind it only comments of HTML.
    starts = [0] if text[0] in "[{" else [found.start() for found in START.finditer(text)]
    for start in starts or [0]:
        try:
            value, end = DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if not re.sub(r"<!--.*?-->", "", text[end:], flags=re.DOTALL).strip():
            return value
    raise NoAnswer(
        f"{place} answered {response.status} with {_kind(text)} instead of JSON: "
        f"{_shown(text)!r}. {_advice(response)}",
        response.status,
    )


def _kind(text: str) -> str:
    return "a page of HTML" if text.lstrip().startswith("<") else "text"


def _shown(text: str) -> str:
    """Return the words that a page of HTML begins with."""
    bare = re.sub(r"(?is)<(script|style|title)\b.*?</\1>|<[^>]*>", " ", text)
    return " ".join(bare.split())[:SHOWN]


def _advice(response: Response) -> str:
    if "cf-mitigated" in response.headers or response.status == 403:
        return "A firewall or a challenge stands in front of the site: let this machine through."
    return "Something other than WordPress's REST API answers there."
