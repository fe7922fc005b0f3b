"""Names as PHP's clients send them: `x=1`, `x[]=1&x[]=2`, `x[0]=1`, `meta[form_id]=7`."""

import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qsl

from marshmallow import ValidationError

NAME = re.compile(r"([^\[\]]+)((?:\[[^\[\]]*\])*)")
PART = re.compile(r"\[([^\[\]]*)\]")
MAX_PARTS = 10
LONGEST_NUMBER = 18


def pairs(raw: bytes, errors: str = "replace") -> list[tuple[str, str]]:
    """Return the names and values of a query or a form, as they come.

    Raises `ValueError` for what is not UTF-8 where `errors` is `strict`.
    """
    return parse_qsl(raw.decode(errors=errors), keep_blank_values=True, errors=errors)


def nested(named: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Return the parameters of a query or a form; brackets make lists and objects.

    Lists are those whose keys are empty or count from 0. A plain name given twice keeps its last
    value. Raises `ValidationError` for brackets without end.
    """
    root: dict[str, Any] = {}
    following: dict[int, int] = {}
    for name, value in named:
        found = NAME.fullmatch(name)
        if not found:
            root[name] = value
            continue
        keys = [found[1], *PART.findall(found[2])]
        if len(keys) > MAX_PARTS:
            raise ValidationError("is nested too deeply.", found[1])
        _put(root, keys, value, following)
    return {name: _lists(value) for name, value in root.items()}


def _put(target: dict[str, Any], keys: list[str], value: str, following: dict[int, int]) -> None:
    """Put a value where its keys lead. `following`: the number that follows in each object."""
    *path, last = keys
    for name in path:
        key = _key(target, name, following)
        if not isinstance(target.get(key), dict):
            target[key] = {}
        target = target[key]
    target[_key(target, last, following)] = value


def _key(target: dict[str, Any], name: str, following: dict[int, int]) -> str:
    """Return the key that a name means; an empty one counts on from the highest, as PHP does."""
    number = following.get(id(target), 0)
    if not name:
        following[id(target)] = number + 1
        return str(number)
    if name.isascii() and name.isdigit() and len(name) <= LONGEST_NUMBER:
        following[id(target)] = max(number, int(name) + 1)
    return name


def _lists(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if all(key == str(place) for place, key in enumerate(value)):
        return [_lists(item) for item in value.values()]
    return {key: _lists(item) for key, item in value.items()}
