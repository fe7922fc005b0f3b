"""How much one request may ask for. What is beyond a bound is refused before anything is read.

Each bound is an argument of `Limits` and, with `MAX_` in front, a setting of the standalone
application. They look at a query or a body as it came, so that no schema works through what is
too large.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from landform.service.errors import INVALID, ApiError
from landform.service.http.json_codec import DEEPEST, depth, dumps
from landform.storage.search_text import SHORTEST_INDEXED, parse

LISTS = frozenset(
    "author author_exclude include exclude slug status search_columns form_id".split()
)
ITEM_ENDS = re.compile(r"[\s,]+")
NUMBER = re.compile(r"\s*\+?[0-9]+\s*", re.ASCII)
WORD_ENDS = re.compile(r"[\s,+]+")


@dataclass(frozen=True)
class Limits:
    """The bounds, each at least 1; texts are measured in characters."""

    json_depth: int = DEEPEST
    meta_keys: int = 5000
    form_fields: int = 1000
    title_characters: int = 2000
    content_characters: int = 2_000_000
    content_elements: int = 10_000
    content_depth: int = 256
    slug_characters: int = 2000
    password_characters: int = 255
    text_characters: int = 2000
    list_items: int = 1000
    search_characters: int = 1000
    search_words: int = 100
    search_short_words: int = 3
    fields_characters: int = 4000
    offset: int = 1_000_000_000
    response_bytes: int = 32 * 1024 * 1024

    def __post_init__(self) -> None:
        """Refuse bounds that cannot be meant."""
        if min(vars(self).values()) < 1 or self.json_depth > DEEPEST:
            raise ValueError(f"a limit must be at least 1, and json_depth at most {DEEPEST}")

    def check_query(self, query: Mapping[str, Any]) -> None:
        """Refuse a query that asks for too much, every parameter named."""
        _refuse(self._query_complaints(query))

    def check_body(self, body: Mapping[str, Any]) -> None:
        """Refuse the body of a write that holds too much, every field named."""
        _refuse(self._body_complaints(body))

    def check_merged_meta(self, meta: Any, most_bytes: int) -> None:
        """Refuse a meta that is to be stored where it is more than a body may bring at once."""
        _refuse(self._meta_complaints(meta, most_bytes))

    def check_page_meta(self, body: Mapping[str, Any]) -> None:
        """Refuse texts in the meta of a page that are too long; a feed's are its own matter."""
        meta = body.get("meta")
        if isinstance(meta, Mapping):
            texts = dict.fromkeys(("starts_at", "ends_at", "form_id"), self.text_characters)
            _refuse((f"meta.{name}", text) for name, text in _too_long(meta, texts))

    def _meta_complaints(self, meta: Any, most_bytes: int) -> Iterator[tuple[str, str]]:
        if _keys(meta) > self.meta_keys:
            yield "meta", f"would have more than {self.meta_keys} keys and items."
        elif depth({"meta": meta}) > self.json_depth:
            yield "meta", "would be nested too deeply."
        elif len(dumps(meta)) > most_bytes:
            yield "meta", f"would be larger than {most_bytes} bytes."

    def _query_complaints(self, query: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        for name in LISTS & set(query):
            if _count(query[name]) > self.list_items:
                yield name, f"must not have more than {self.list_items} items."
        texts = {
            "search": self.search_characters,
            "_fields": self.fields_characters,
            "password": self.password_characters,
            "addon": self.text_characters,
        }
        yield from _too_long(query, texts)
        search = query.get("search")
        if isinstance(search, str) and len(WORD_ENDS.split(search.strip())) > self.search_words:
            yield "search", f"must not have more than {self.search_words} words."
        elif isinstance(search, str) and len(parse(search).short) > self.search_short_words:
            few, long = self.search_short_words, SHORTEST_INDEXED
            yield "search", f"must not have more than {few} words of fewer than {long} characters."
        for name in ("page", "offset"):
            if _is_beyond(query.get(name), self.offset):
                yield name, f"must not be more than {self.offset}."

    def _body_complaints(self, body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        texts = {
            "title": self.title_characters,
            "content": self.content_characters,
            "slug": self.slug_characters,
            "password": self.password_characters,
            "addon_slug": self.text_characters,
            "event_type": self.text_characters,
        }
        yield from _too_long(body, texts)
        meta = body.get("meta")
        if _keys(meta) > self.meta_keys:
            yield "meta", f"must not have more than {self.meta_keys} keys and items."


def _refuse(complaints: Iterator[tuple[str, str]]) -> None:
    params = {name: f"{name} {text}" for name, text in complaints}
    if params:
        message = f"Invalid: {', '.join(sorted(params))}."
        raise ApiError(400, INVALID, message, {"params": params})


def _too_long(values: Mapping[str, Any], longest: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    for name, limit in longest.items():
        if _length(values.get(name)) > limit:
            yield name, f"must not be longer than {limit} characters."


def _length(value: Any) -> int:
    """Return how many characters a text has, in whichever form it is sent."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return _length(value.get("raw"))
    return sum(map(len, filter(_is_text, value))) if isinstance(value, list) else 0


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _count(value: Any) -> int:
    if isinstance(value, str):
        return len(ITEM_ENDS.split(value.strip(", \t\r\n\f\v")))
    return len(value) if isinstance(value, (list, Mapping)) else 1


def _keys(value: Any) -> int:
    """Return how many keys and items a value holds, at any depth."""
    count, rest = 0, [value]
    while rest:
        inner = rest.pop()
        if isinstance(inner, dict):
            count += len(inner)
            rest += inner.values()
        elif isinstance(inner, list):
            count += len(inner)
            rest += inner
    return count


def _is_beyond(value: Any, limit: int) -> bool:
    if not isinstance(value, str) or not NUMBER.fullmatch(value):
        return False
    digits = value.strip().lstrip("+0")
    return len(digits) > len(str(limit)) or int(digits or 0) > limit
