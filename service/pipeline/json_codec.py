"""JSON of the service, independent of a host's JSON provider.

Integers are read exactly. NaN, numbers that are too large for a double, lone surrogates, deep
nesting and duplicate names are refused.
"""

import json
import re
from typing import Any

import orjson

from landform.storage.rows import levels

JsonObject = dict[str, Any]

# The deepest JSON that is read; the stack of the interpreter bounds it.
DEEPEST_JSON = 500
ZERO = re.compile(r"-?[0.]+(?:[eE].*)?")


def dumps(value: object) -> bytes:
    """Return a value as compact UTF-8 JSON."""
    try:
        return orjson.dumps(value)
    except TypeError:
        # An integer of more than 64 bits, or nesting that is too deep for orjson.
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=plain)
        return text.encode()


def plain(value: object) -> object:
    """Parse the JSON text of a row; return any other value unchanged."""
    return json.loads(orjson.dumps(value)) if isinstance(value, orjson.Fragment) else value


class TooDeep(ValueError):
    """A JSON text is nested too deeply."""


def loads(body: bytes, deepest: int = DEEPEST_JSON) -> Any:
    """Parse a JSON text in UTF-8, of at most `deepest` levels.

    Raises `TooDeep`, and `ValueError` for JSON that cannot be stored exactly.
    """
    text = body.decode()
    try:
        value = DECODER.decode(text)
    except RecursionError as error:
        raise TooDeep from error
    # A value cannot be deeper than the number of brackets in its text.
    may_be_deep = text.count("{") + text.count("[") >= deepest
    if may_be_deep and sum(1 for _ in levels(value)) > deepest:
        raise TooDeep
    if "\\u" in text:
        # Only an escape can contain a lone surrogate; encoding fails on it.
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


# Created once, which takes as long as reading a small body.
DECODER = json.JSONDecoder(parse_float=_double, parse_constant=_refuse, object_pairs_hook=_object)
