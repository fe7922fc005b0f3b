"""JSON as the service reads and writes it, apart from a host's own JSON provider.

Reading keeps every integer exact and refuses what JSON cannot give back: NaN, a number beyond
a double, a lone surrogate, nesting without end, and a name given twice, of which parsers disagree
on the value.
"""

import json
import re
from typing import Any

import orjson

JsonObject = dict[str, Any]

# The deepest JSON that is read at all: the interpreter's stack bounds it.
DEEPEST_JSON = 500
ZERO = re.compile(r"-?[0.]+(?:[eE].*)?")


def dumps(value: object) -> bytes:
    """Return a value as compact UTF-8 JSON."""
    try:
        return orjson.dumps(value)
    except TypeError:
        # An integer of more than 64 bits, or nesting beyond what orjson follows.
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=plain)
        return text.encode()


def plain(value: object) -> object:
    """Return the value of a JSON text that a row holds; any other value as it is."""
    return json.loads(orjson.dumps(value)) if isinstance(value, orjson.Fragment) else value


class TooDeep(ValueError):
    """A JSON text is nested more deeply than it may be."""


def loads(body: bytes, deepest: int = DEEPEST_JSON) -> Any:
    """Return the value of a JSON text in UTF-8, of `deepest` levels at most.

    Raises `TooDeep`, and `ValueError` where it is none that can be stored and returned as it is.
    """
    text = body.decode()
    try:
        value = DECODER.decode(text)
    except RecursionError as error:
        raise TooDeep from error
    # No value is deeper than the brackets of its text allow.
    if text.count("{") + text.count("[") >= deepest and _depth(value) > deepest:
        raise TooDeep
    if "\\u" in text:
        # Only an escape can smuggle in half of a surrogate pair; encoding trips over it.
        dumps(value)
    return value


def _double(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError("a number is too large")
    if not number and not ZERO.fullmatch(text):
        raise ValueError("a number is too small")
    return number


def _object(pairs: list[tuple[str, object]]) -> JsonObject:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("a name is given twice")
    return value


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is no JSON")


# Made once: to make one takes as long as to read a small body.
DECODER = json.JSONDecoder(parse_float=_double, parse_constant=_refuse, object_pairs_hook=_object)


def _depth(value: object) -> int:
    """Return how many levels of objects, lists, and what they hold there are."""
    count, level = 0, [value]
    while level:
        count += 1
        level = [
            inner
            for outer in level
            if isinstance(outer, (dict, list))
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return count
