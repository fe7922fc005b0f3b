"""The pictures of a page: its gallery, and for its head the first one that visitors see."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from html.parser import HTMLParser
from itertools import islice
from urllib.parse import urljoin, urlsplit

from werkzeug.urls import iri_to_uri

from landform.service.rendering.content import MOST_TOKENS
from landform.service.rendering.markup import Token, tokens
from landform.storage.rows import Row

# The keys of an item of a gallery, and the attributes of an image, that may have its URL.
GALLERY_KEYS = ("url", "src", "source_url", "full")
SOURCE_ATTRIBUTES = ("src", "data-src", "data-lazy-src")
# Elements whose content is not visible, and elements without content.
INVISIBLE = frozenset("noscript template script style iframe object video audio canvas".split())
VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
HIDDEN = re.compile(r"hidden|display", re.IGNORECASE)
NOT_DISPLAYED = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
ADDRESS = re.compile("https?://|/")
# A gallery in a content without pictures of its own; its first group ends where they would begin.
EMPTY_GALLERY = re.compile(
    r"""(<figure(?=[^<>]*[\s"']wp-block-gallery[\s"'])[^<>]*+>)
        (?:[^<]++|<(?!img[\s>]|/?figure[\s>]))*+</figure>""",
    re.VERBOSE,
)
LONE_PERCENT = re.compile("%(?![0-9a-fA-F]{2})")


class _AttributeParser(HTMLParser):
    """A parser for the attributes of one tag."""

    attributes: Mapping[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Store the attributes; the first of two with the same name counts."""
        self.attributes = {name: value or "" for name, value in reversed(attrs)}


def gallery_pictures(meta: Row, link: str) -> list[dict[str, str]]:
    """Return the pictures of the gallery, each with `url`, `alt` and `caption`."""
    gallery, pictures = meta.get("gallery"), []
    for item in gallery if isinstance(gallery, list) else []:
        values = item if isinstance(item, dict) else {"url": item}
        texts = {name: value for name, value in values.items() if isinstance(value, str)}
        # Other values may be the id of a picture.
        sources = (texts[key] for key in GALLERY_KEYS if ADDRESS.match(texts.get(key, "")))
        if url := absolute_url(next(sources, ""), link):
            alt = texts.get("alt") or texts.get("alt_text", "")
            pictures.append({"url": url, "alt": alt, "caption": texts.get("caption", "")})
    return pictures


def first_picture(content: str, link: str) -> str:
    """Return the URL of the first visible image of a content; empty if there is none."""
    for token in outside(islice(tokens(content), MOST_TOKENS), _hides):
        if token.name != "img" or token.closing:
            continue
        attributes = attributes_of(token)
        if _is_decoration(attributes):
            continue
        candidates = attributes.get("srcset", "").split(",")[0].split()[:1]
        for source in (*(attributes.get(name, "") for name in SOURCE_ATTRIBUTES), *candidates):
            if url := absolute_url(source, link):
                return url
    return ""


def absolute_url(source: str, link: str) -> str:
    """Return the absolute, encoded URL of an address; empty for other schemes."""
    with suppress(ValueError):
        address = LONE_PERCENT.sub("%25", source.strip())
        url = urlsplit(iri_to_uri(urljoin(link, address)))
        if address and url.scheme in ("https", "http") and url.hostname:
            return url._replace(fragment="").geturl()
    return ""


def outside(parts: Iterator[Token], opens: Callable[[Token], bool]) -> Iterator[Token]:
    """Yield the tokens outside of certain elements; `opens` returns whether a tag opens one."""
    element, depth = "", 0
    for token in parts:
        if not element:
            if opens(token):
                element, depth = token.name, 1
            else:
                yield token
        elif token.name == element:
            depth += -1 if token.closing else 1
            element = element if depth else ""


def _hides(token: Token) -> bool:
    """Return whether a tag opens an invisible element."""
    if token.closing or not token.name or token.name in VOID or token.name == "!":
        return False
    # Scripts and styles are one token, with their end tag.
    if token.name in INVISIBLE:
        return not token.text.lower().rstrip().endswith(f"</{token.name}>")
    return bool(HIDDEN.search(token.text)) and _is_hidden(attributes_of(token))


def attributes_of(token: Token) -> Mapping[str, str]:
    """Return the attributes of a tag."""
    parser = _AttributeParser()
    parser.feed(token.text)
    return parser.attributes


def _is_hidden(attributes: Mapping[str, str]) -> bool:
    return "hidden" in attributes or bool(NOT_DISPLAYED.search(attributes.get("style", "")))


def _is_decoration(attributes: Mapping[str, str]) -> bool:
    """Return whether an image is hidden, a tracking pixel or an emoji."""
    sizes = [attributes.get(name, "").strip().removesuffix("px") for name in ("width", "height")]
    classes = attributes.get("class", "").lower().split()
    return (
        _is_hidden(attributes)
        or any(size in ("0", "1") for size in sizes)
        or not {"emoji", "wp-smiley"}.isdisjoint(classes)
        or "//s.w.org/images/core/emoji/" in attributes.get("src", "")
    )
