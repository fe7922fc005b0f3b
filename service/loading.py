"""What a client sends: the parameters of a query or a form, `_fields`, and JSON.

Parameters are as clients of PHP send them: `x[]=1&x[]=2` or `meta[form_id]=7`.
"""

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping
from json import JSONDecodeError
from urllib.parse import parse_qsl

from marshmallow import ValidationError
from werkzeug.datastructures import Headers, MIMEAccept
from werkzeug.http import parse_accept_header

from landform.service.errors import ApiError
from landform.service.json_codec import DEEPEST_JSON, JsonObject, TooDeep, loads, plain

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
    return parse_qsl(raw.decode(errors=errors), keep_blank_values=True, errors=errors)


def nested(named: Iterable[tuple[str, str]], lists: Container[str] = ()) -> JsonObject:
    """Return the parameters of a query or a form; brackets make lists and objects.

    Lists are those whose keys are empty or count from 0, and `lists` that are sent several times;
    any other plain name has its last value. Raises `ValidationError` for brackets without end.
    """
    named = list(named)
    values = dict(named)
    if len(values) < len(named):
        count = Counter(name for name, _ in named)
        several = {name for name in values if name in lists and count[name] > 1}
        named = [(f"{name}[]" if name in several else name, value) for name, value in named]
    if not any("[" in name or "]" in name for name, _ in named):
        return values
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
    texts = [part for name in names if isinstance(name, str) for part in re.split(r"[\s,]+", name)]
    paths = [text.split(".")[:DEEPEST_FIELD] for text in texts if text]
    # In the order in which they are asked for.
    tree: Fields = {path[0]: {} for path in paths}
    # Where the whole of something is asked for too, that comes after its parts.
    for *outer, last in sorted(paths, key=len, reverse=True):
        inner = tree
        for name in outer:
            inner = inner.setdefault(name, {})
        inner[last] = {}
    return tree or None


def select_fields(value: object, fields: Fields | None) -> object:
    """Return an object, or each object of a list, with only the fields of the tree."""
    if not fields:
        return value
    value = plain(value)
    if isinstance(value, list):
        return [select_fields(item, fields) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name: select_fields(value[name], inner) for name, inner in fields.items() if name in value
    }


def check_size(size: int, most_bytes: int) -> None:
    """Raise the 413 for a body of too many bytes."""
    if size > most_bytes:
        raise ApiError(413, "rest_body_too_large", f"The body is larger than {most_bytes} bytes.")


def read_json(raw: bytes, list_name: str = "") -> JsonObject:
    """Return the JSON object in a body; an empty body or value is an empty object.

    With a `list_name` a list is the object that has it by that name.
    """
    if not raw.strip():
        return {}
    try:
        value = loads(raw)
    except TooDeep as error:
        message = f"The body is nested more than {DEEPEST_JSON} levels deep."
        raise ApiError(400, "rest_invalid_json", message) from error
    except ValueError as error:
        message = f"The body is not valid JSON: {_problem(error)}."
        raise ApiError(400, "rest_invalid_json", message) from error
    if list_name and isinstance(value, list):
        value = {list_name: value}
    if not isinstance(value, dict) and value not in ([], None):
        raise ApiError(400, "rest_invalid_json", "The body must be a JSON object.")
    return value or {}


def _problem(error: ValueError) -> str:
    """Return what is wrong with a text, and where: nothing of the text itself."""
    if isinstance(error, JSONDecodeError):
        return f"{error.msg.removesuffix(' at')} at line {error.lineno}, column {error.colno}"
    return "it is not UTF-8" if isinstance(error, UnicodeError) else str(error)


def accepts_html(headers: Headers | Mapping[str, str]) -> bool:
    """Return whether a client wants HTML rather than JSON, as browsers do; else it wants JSON."""
    accepted = parse_accept_header(headers.get("Accept"), MIMEAccept)
    return accepted["text/html"] > accepted["application/json"]
