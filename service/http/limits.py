"""Refuses what goes beyond the `Limits` of a request, before anything is done.

The checks look at a query or a body as it was sent, so that no schema works through what is too
large. Each limit is declared in `service/options.py`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from landform.service.errors import INVALID, ApiError
from landform.service.json_codec import depth, dumps
from landform.service.options import Limits
from landform.storage.search_text import SHORTEST_INDEXED, parse

# The name of a parameter, and what is wrong with it.
Problems = Iterator[tuple[str, str]]
LISTS = frozenset(
    "author author_exclude include exclude slug status search_columns form_id language feed_id "
    "state".split()
)
ITEM_ENDS = re.compile(r"[\s,]+")
NUMBER = re.compile(r"\s*\+?[0-9]+\s*", re.ASCII)
WORD_ENDS = re.compile(r"[\s,+]+")


def check_query(limits: Limits, query: Mapping[str, object]) -> None:
    """Refuse a query that asks for too much, every parameter named."""
    _refuse(_query_problems(limits, query))


def check_body(limits: Limits, body: Mapping[str, object]) -> None:
    """Refuse the body of a write that holds too much, every field named."""
    _refuse(_body_problems(limits, body))


def check_merged_meta(limits: Limits, meta: object, most_bytes: int) -> None:
    """Refuse a meta that is to be stored where it is more than a body may bring at once."""
    _refuse(_meta_problems(limits, meta, most_bytes))


def check_page_meta(limits: Limits, body: Mapping[str, object]) -> None:
    """Refuse texts in the meta of a page that are too long; a feed's are its own matter."""
    meta = body.get("meta")
    if isinstance(meta, Mapping):
        texts = dict.fromkeys(("starts_at", "ends_at", "form_id"), limits.text_characters)
        _refuse((f"meta.{name}", text) for name, text in _too_long(meta, texts))


def check_entry(limits: Limits, body: Mapping[str, object], size: int) -> None:
    """Refuse an entry, or properties of one, with more than a plan looks at.

    `size` is that of the body in bytes: in JSON each item takes two at least, and each character
    one, so that nothing has to be counted in a body that is small.
    """
    if size <= min(2 * limits.entry_values, limits.entry_characters):
        return
    _refuse(problem for name in ("entry", "properties")
            for problem in _entry_problems(limits, name, body.get(name)))  # fmt: skip


def _entry_problems(limits: Limits, name: str, values: object) -> Problems:
    if _keys(values) > limits.entry_values:
        yield name, f"must not have more than {limits.entry_values} fields and items."
    elif isinstance(values, Mapping):
        items = [one for of in values.values() for one in (of if isinstance(of, list) else [of])]
        if any(_length(item) > limits.entry_characters for item in items):
            yield name, f"has a value of more than {limits.entry_characters} characters."


def _meta_problems(limits: Limits, meta: object, most_bytes: int) -> Problems:
    if _keys(meta) > limits.meta_keys:
        yield "meta", f"would have more than {limits.meta_keys} keys and items."
    elif depth({"meta": meta}) > limits.json_depth:
        yield "meta", "would be nested too deeply."
    elif len(dumps(meta)) > most_bytes:
        yield "meta", f"would be larger than {most_bytes} bytes."


def _query_problems(limits: Limits, query: Mapping[str, object]) -> Problems:
    for name in LISTS & set(query):
        if _count(query[name]) > limits.list_items:
            yield name, f"must not have more than {limits.list_items} items."
    texts = {
        "search": limits.search_characters,
        "_fields": limits.fields_characters,
        "password": limits.password_characters,
        "addon": limits.text_characters,
    }
    yield from _too_long(query, texts)
    search = query.get("search")
    if isinstance(search, str) and len(WORD_ENDS.split(search.strip())) > limits.search_words:
        yield "search", f"must not have more than {limits.search_words} words."
    elif isinstance(search, str) and len(parse(search).short) > limits.search_short_words:
        few, long = limits.search_short_words, SHORTEST_INDEXED
        yield "search", f"must not have more than {few} words of fewer than {long} characters."
    for name in ("page", "offset"):
        if _is_beyond(query.get(name), limits.offset):
            yield name, f"must not be more than {limits.offset}."


def _body_problems(limits: Limits, body: Mapping[str, object]) -> Problems:
    texts = {
        "title": limits.title_characters,
        "content": limits.content_characters,
        "slug": limits.slug_characters,
        "password": limits.password_characters,
        "addon_slug": limits.text_characters,
        "event_type": limits.text_characters,
    }
    yield from _too_long(body, texts)
    if _keys(body.get("meta")) > limits.meta_keys:
        yield "meta", f"must not have more than {limits.meta_keys} keys and items."


def _refuse(problems: Iterable[tuple[str, str]]) -> None:
    params = {name: f"{name} {text}" for name, text in problems}
    if params:
        message = f"Invalid: {', '.join(sorted(params))}."
        raise ApiError(400, INVALID, message, {"params": params})


def _too_long(values: Mapping[str, object], longest: Mapping[str, int]) -> Problems:
    for name, limit in longest.items():
        if name in values and _length(values[name]) > limit:
            yield name, f"must not be longer than {limit} characters."


def _length(value: object) -> int:
    """Return how many characters a text has, in whichever form it is sent."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return _length(value.get("raw"))
    return sum(map(len, filter(_is_text, value))) if isinstance(value, list) else 0


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _count(value: object) -> int:
    if isinstance(value, str):
        return len(ITEM_ENDS.split(value.strip(", \t\r\n\f\v")))
    return len(value) if isinstance(value, (list, Mapping)) else 1


def _keys(value: object) -> int:
    """Return how many keys and items a value holds, at any depth."""
    count = 0
    rest: list[object] = [value]
    while rest:
        inner = rest.pop()
        if isinstance(inner, dict):
            count += len(inner)
            rest += inner.values()
        elif isinstance(inner, list):
            count += len(inner)
            rest += inner
    return count


def _is_beyond(value: object, limit: int) -> bool:
    if isinstance(value, (int, float)):
        return value > limit
    if not isinstance(value, str) or not NUMBER.fullmatch(value):
        return False
    digits = value.strip().lstrip("+0")
    return len(digits) > len(str(limit)) or int(digits or 0) > limit
