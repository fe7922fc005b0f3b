"""Parameters as clients of PHP send them, `x[]=1&x[]=2` or `meta[form_id]=7`, and `_fields`."""

import re
from collections.abc import Iterable
from urllib.parse import parse_qsl

from marshmallow import ValidationError

from landform.service.json_codec import JsonObject, stored

NAME = re.compile(r"([^\[\]]+)((?:\[[^\[\]]*\])*)")
PART = re.compile(r"\[([^\[\]]*)\]")
MAX_PARTS = 10
LONGEST_NUMBER = 18
# A tree of names; an empty one below a name means all that is there.
Fields = dict[str, "Fields"]
DEEPEST_FIELD, LONGEST_FIELDS = 10, 4000


def pairs(raw: bytes, errors: str = "replace") -> list[tuple[str, str]]:
    """Return the names and values of a query or a form, as they come.

    Raises `ValueError` for what is not UTF-8 where `errors` is `strict`.
    """
    text = raw.decode(errors=errors)
    if "%" in text or "+" in text:
        return parse_qsl(text, keep_blank_values=True, errors=errors)
    return [_pair(part) for part in text.split("&") if part]


def _pair(part: str) -> tuple[str, str]:
    name, _, value = part.partition("=")
    return name, value


def nested(named: Iterable[tuple[str, str]]) -> JsonObject:
    """Return the parameters of a query or a form; brackets make lists and objects.

    Lists are those whose keys are empty or count from 0. A plain name given twice keeps its last
    value. Raises `ValidationError` for brackets without end.
    """
    named = list(named)
    if not any("[" in name or "]" in name for name, _ in named):
        return dict(named)
    root = _Object()
    for name, value in named:
        found = NAME.fullmatch(name)
        if not found:
            root[name] = value
            continue
        keys = [found[1], *PART.findall(found[2])]
        if len(keys) > MAX_PARTS:
            raise ValidationError("is nested too deeply.", found[1])
        _put(root, keys, value)
    return {name: _lists(value) for name, value in root.items()}


class _Object(dict[str, "str | _Object"]):
    """An object that knows which number follows its highest key."""

    following = 0


def _put(target: _Object, keys: list[str], value: str) -> None:
    """Put a value where its keys lead."""
    *path, last = keys
    for name in path:
        key = _key(target, name)
        inner = target.get(key)
        if not isinstance(inner, _Object):
            inner = target[key] = _Object()
        target = inner
    target[_key(target, last)] = value


def _key(target: _Object, name: str) -> str:
    """Return the key that a name means; an empty one counts on from the highest, as PHP does."""
    if not name:
        name = str(target.following)
    if name.isascii() and name.isdigit() and len(name) <= LONGEST_NUMBER:
        target.following = max(target.following, int(name) + 1)
    return name


def _lists(value: object) -> object:
    if not isinstance(value, dict):
        return value
    if all(key == str(place) for place, key in enumerate(value)):
        return [_lists(item) for item in value.values()]
    return {key: _lists(item) for key, item in value.items()}


def parse_fields(wanted: object) -> Fields | None:
    """Return the tree of the names in `_fields` (text with commas, or a list); None for all."""
    names = wanted if isinstance(wanted, list) else [wanted]
    if sum(len(name) for name in names if isinstance(name, str)) > LONGEST_FIELDS:
        message = f"must not be longer than {LONGEST_FIELDS} characters."
        raise ValidationError(f"_fields {message}", "_fields")
    names = [part for name in names if isinstance(name, str) for part in re.split(r"[\s,]+", name)]
    tree: Fields = {}
    for name in filter(None, names):
        _add_path(tree, name.split(".")[:DEEPEST_FIELD])
    return tree or None


def select_fields(value: object, fields: Fields | None) -> object:
    """Return an object, or each object of a list, with only the fields of the tree."""
    if not fields:
        return value
    value = stored(value)
    if isinstance(value, list):
        return [select_fields(item, fields) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name: select_fields(value[name], inner) for name, inner in fields.items() if name in value
    }


def _add_path(tree: Fields, path: list[str]) -> None:
    for place, name in enumerate(path):
        if name in tree and not tree[name]:
            # The whole of it was asked for already.
            return
        if place == len(path) - 1:
            tree[name] = {}
        tree = tree.setdefault(name, {})
