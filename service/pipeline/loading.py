"""Parsing of queries, forms, `_fields` and JSON.

Names may have brackets, as in PHP: `x[]=1&x[]=2` or `meta[form_id]=7`.
"""

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping
from functools import lru_cache
from itertools import count
from json import JSONDecodeError
from typing import Any
from urllib.parse import parse_qsl

from marshmallow import Schema, ValidationError
from werkzeug.datastructures import Headers, MIMEAccept
from werkzeug.http import parse_accept_header

from landform.service.pipeline.errors import ApiError
from landform.service.pipeline.json_codec import DEEPEST_JSON, JsonObject, TooDeep, loads, plain

NAME = re.compile(r"([^\[\]]+)((?:\[[^\[\]]*\])*)")
PART = re.compile(r"\[([^\[\]]*)\]")
MAX_PARTS = 10
# Query parameters that may contain a secret.
SECRETS = ("password", "consumer_key", "consumer_secret")
# A tree of names: one with an empty tree below it stands for its whole value.
Fields = dict[str, "Fields"]
DEEPEST_FIELD, LONGEST_FIELDS = 10, 4000


def pairs(raw: bytes, errors: str = "replace") -> list[tuple[str, str]]:
    """Return the decoded names and values of a query or a form.

    Raises `ValueError` for text that is not UTF-8, if `errors` is `strict`.
    """
    return parse_qsl(raw.decode(errors=errors), keep_blank_values=True, errors=errors)


def nested(parameters: Iterable[tuple[str, str]], lists: Container[str] = ()) -> JsonObject:
    """Resolve brackets in the names of parameters to lists and objects.

    Keys that are empty or count from 0 make a list, and so do `lists` that are sent several times.
    Of another name that is sent several times the last value counts.
    """
    parameters = list(parameters)
    values = dict(parameters)
    if len(values) < len(parameters):
        counts = Counter(name for name, _ in parameters)
        repeated = {name for name in values if name in lists and counts[name] > 1}
        parameters = [(f"{key}[]" if key in repeated else key, text) for key, text in parameters]
    if not any("[" in name or "]" in name for name, _ in parameters):
        return values
    root: JsonObject = {}
    for name, value in parameters:
        match = NAME.fullmatch(name)
        if not match:
            root[name] = value
            continue
        keys = [match[1], *PART.findall(match[2])]
        if len(keys) > MAX_PARTS:
            raise ValidationError("is nested too deeply.", match[1])
        _put(root, keys, value)
    return {name: _lists(value) for name, value in root.items()}


def _put(target: JsonObject, keys: list[str], value: str) -> None:
    """Store a value below its keys; an empty key is the next free number."""
    key, *inner_keys = keys
    if not key:
        key = next(name for name in map(str, count(len(target))) if name not in target)
    if not inner_keys:
        target[key] = value
        return
    if not isinstance(target.get(key), dict):
        target[key] = {}
    _put(target[key], inner_keys, value)


def _lists(value: object) -> object:
    if not isinstance(value, dict):
        return value
    if all(key == str(place) for place, key in enumerate(value)):
        return [_lists(item) for item in value.values()]
    return {key: _lists(item) for key, item in value.items()}


def load_query(schema: Schema, sent: JsonObject) -> JsonObject:
    """Load a query. The last results are kept, unless a query may contain a secret or a list."""
    is_kept = all(isinstance(value, str) for value in sent.values())
    if is_kept and sent.keys().isdisjoint(SECRETS):
        return {**_load_texts(schema, tuple(sent.items()))}
    return {**schema.load(sent)}


@lru_cache(256)
def _load_texts(schema: Schema, sent: tuple[tuple[str, str], ...]) -> Any:
    return schema.load(dict(sent))


def parse_fields(value: object) -> Fields | None:
    """Return the tree of names in `_fields`, a list or a text; None for all fields."""
    names = value if isinstance(value, list) else [value]
    if sum(len(name) for name in names if isinstance(name, str)) > LONGEST_FIELDS:
        message = f"must not be longer than {LONGEST_FIELDS} characters."
        raise ValidationError(f"_fields {message}", "_fields")
    texts = [part for name in names if isinstance(name, str) for part in re.split(r"[\s,]+", name)]
    paths = [text.split(".")[:DEEPEST_FIELD] for text in texts if text]
    # In the order of the request.
    tree: Fields = {path[0]: {} for path in paths}
    # A whole value is added after its parts, which it replaces.
    for *outer, last in sorted(paths, key=len, reverse=True):
        inner = tree
        for name in outer:
            inner = inner.setdefault(name, {})
        inner[last] = {}
    return tree or None


def only_fields(value: object, fields: Fields | None) -> object:
    """Return an object, or each object of a list, with only the fields of the tree."""
    if not fields:
        return value
    value = plain(value)
    if isinstance(value, list):
        return [only_fields(item, fields) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name: only_fields(value[name], inner) for name, inner in fields.items() if name in value
    }


def check_size(size: int, most_bytes: int) -> None:
    """Raise a 413 for a body of too many bytes."""
    if size > most_bytes:
        raise ApiError(413, "rest_body_too_large", f"The body is larger than {most_bytes} bytes.")


def read_json(raw: bytes, list_name: str = "") -> JsonObject:
    """Return the JSON object in a body; an empty body is an empty object.

    With a `list_name` a list becomes an object with the list under that name.
    """
    if not raw.strip():
        return {}
    try:
        value = loads(raw)
    except TooDeep as error:
        message = f"The body is nested more than {DEEPEST_JSON} levels deep."
        raise ApiError(400, "rest_invalid_json", message) from error
    except ValueError as error:
        # The reason and the position, without the text itself.
        problem = "it is not UTF-8" if isinstance(error, UnicodeError) else str(error)
        if isinstance(error, JSONDecodeError):
            place = f"line {error.lineno}, column {error.colno}"
            problem = f"{error.msg.removesuffix(' at')} at {place}"
        message = f"The body is not valid JSON: {problem}."
        raise ApiError(400, "rest_invalid_json", message) from error
    if list_name and isinstance(value, list):
        value = {list_name: value}
    if not isinstance(value, dict) and value not in ([], None):
        raise ApiError(400, "rest_invalid_json", "The body must be a JSON object.")
    return value or {}


def accepts_html(headers: Headers | Mapping[str, str]) -> bool:
    """Return whether a client prefers HTML to JSON, as browsers do."""
    return prefers("text/html", headers)


def prefers(content_type: str, headers: Headers | Mapping[str, str]) -> bool:
    """Return whether a client prefers a content type to JSON."""
    accepted = parse_accept_header(headers.get("Accept"), MIMEAccept)
    return accepted[content_type] > accepted["application/json"]
