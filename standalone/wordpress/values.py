"""Values as PHP and its plugins write them, and texts that no database holds."""

import re
from contextlib import suppress
from typing import Any

import orjson

# The character NUL, and halves of others.
UNSTORABLE = re.compile("[\0\ud800-\udfff]")
# How JSON writes it.
NUL = rb"\u0000"
# Numbers as such, as texts, or as fractions.
WHOLE = re.compile(r"\s*(-?[0-9]{1,40})(?:\.0+)?\s*")


def storable(value: Any) -> Any:
    """Return a value whose texts no database refuses: itself, mostly."""
    with suppress(TypeError):
        if NUL not in orjson.dumps(value):
            return value
    return _replaced(value)


def _replaced(value: Any) -> Any:
    if isinstance(value, str):
        return UNSTORABLE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_replaced(key): _replaced(item) for key, item in value.items()}
    return [_replaced(item) for item in value] if isinstance(value, list) else value


def whole(value: object) -> int | None:
    """Return the whole number that a value is; None where it is none."""
    found = WHOLE.fullmatch(str(value))
    return int(found[1]) if found else None


def unserialize(text: str) -> Any:
    """Return a value of PHP: lists and mappings, texts, numbers; what is none stays a text."""
    data = text.encode("utf-8", "surrogatepass")
    if data[:2] not in (b"a:", b"s:", b"i:", b"d:", b"b:", b"N;"):
        return text
    try:
        value, end = _value(data, 0)
    except (ValueError, TypeError, IndexError, RecursionError):
        return text
    return value if end == len(data.rstrip()) else text


def _value(data: bytes, at: int) -> tuple[Any, int]:
    kind = data[at : at + 1]
    if data[at : at + 2] == b"N;":
        return None, at + 2
    if kind in (b"i", b"d", b"b"):
        end = data.index(b";", at)
        number = data[at + 2 : end]
        if kind == b"b":
            return number == b"1", end + 1
        return (int(number) if kind == b"i" else float(number)), end + 1
    colon = data.index(b":", at + 2)
    size = int(data[at + 2 : colon])
    if kind == b"s":
        # The length is in bytes.
        start, end = colon + 2, colon + 2 + size
        if data[end : end + 2] != b'";':
            raise ValueError("This text does not end where it says.")
        return data[start:end].decode(), end + 2
    if kind != b"a":
        raise ValueError("This is an object of a class.")
    return _array(data, colon + 2, size)


def _array(data: bytes, at: int, size: int) -> tuple[Any, int]:
    found: dict[Any, Any] = {}
    for _ in range(size):
        key, at = _value(data, at)
        found[key], at = _value(data, at)
    if data[at : at + 1] != b"}":
        raise ValueError("This list does not end where it says.")
    if list(found) == list(range(size)):
        return list(found.values()), at + 1
    return {str(key): value for key, value in found.items()}, at + 1
