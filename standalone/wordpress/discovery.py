"""Finds the REST API of a site from the address that somebody knows of it."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from landform.standalone.wordpress.addresses import joined, utf8
from landform.standalone.wordpress.client import Client, Response
from landform.standalone.wordpress.errors import CannotBegin, NoAnswer
from landform.standalone.wordpress.json_body import read_json

RELATION = "https://api.w.org/"
HEADER = re.compile(r'<([^>]*)>\s*;[^<]*rel="?' + re.escape(RELATION))
ELEMENT = re.compile(r"<link\b[^>]*>", re.IGNORECASE)
ATTRIBUTE = re.compile(r"""\b(rel|href)\s*=\s*["']([^"']*)["']""", re.IGNORECASE)
TURNED_OFF = (
    "A plugin or the server has turned the REST API off. Switch it on for the user of the import "
    "as long as that takes."
)


def find_root(client: Client) -> str:
    """Return the URL of the REST API; `CannotBegin` says why there is none.

    The home page names it, in a header or an element; where it does not, the usual places follow.
    """
    home = _home(client)
    if root := _named(home):
        # A site behind a proxy that ends TLS may take itself for one without it.
        if urlsplit(client.url).scheme == "https" and root.startswith("http://"):
            root = "https" + root.removeprefix("http")
        return root
    for root in _usual(home.url):
        try:
            if _is_index(read_json(client.get(root, signed=False))):
                return root
        except NoAnswer as refused:
            if refused.code:
                return root
    said = _said(home)
    raise CannotBegin(
        f"No WordPress REST API was found at {client.url}: its page names none, and /wp-json/ and "
        f"?rest_route=/ have none. {said}Give the address of the site's home page."
    )


def _home(client: Client) -> Response:
    try:
        home = client.get(client.url, signed=False)
    except NoAnswer as refused:
        raise CannotBegin(str(refused)) from refused
    if not client.is_own(home.url):
        parts = urlsplit(home.url)
        raise CannotBegin(
            f"{client.url} leads to {parts.scheme}://{parts.netloc}, and credentials are sent to "
            f"no other host, nor from https to http. If that is the site, give {home.url} instead."
        )
    if home.status in (429, 502, 503, 504):
        raise CannotBegin(
            f"{home.url} answers {home.status}: the site is in maintenance or overloaded. "
            "Try again later."
        )
    if home.status == 403 and "cf-mitigated" in home.headers:
        raise CannotBegin(
            f"{home.url} answers 403: a firewall asks for a challenge that only browsers solve. "
            "Let this machine through."
        )
    return home


def _named(home: Response) -> str:
    """Return the URL that a page names; none where that is no address."""
    named = _link(home)
    try:
        return joined(home.url, named) if named else ""
    except ValueError:
        return ""


def _link(home: Response) -> str:
    for header in home.headers.getlist("Link"):
        if found := HEADER.search(utf8(header)):
            return found[1]
    for element in ELEMENT.findall(home.body.decode("utf-8", "replace")):
        attributes = {name.lower(): value for name, value in ATTRIBUTE.findall(element)}
        if attributes.get("rel") == RELATION and attributes.get("href"):
            return str(attributes["href"])
    return ""


def _usual(url: str) -> Iterator[str]:
    base = url.partition("?")[0].rstrip("/")
    if "/wp-json" in base or "rest_route=" in url:
        yield url
    yield f"{base}/wp-json/"
    yield f"{base}/?rest_route=/"


def _is_index(body: Any) -> bool:
    return isinstance(body, dict) and ("namespaces" in body or "code" in body)


def _said(home: Response) -> str:
    try:
        read_json(home)
    except NoAnswer as said:
        return f"{said} "
    return ""
