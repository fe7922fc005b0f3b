"""What a client sends: the parameters of a query, `_fields`, and a body of JSON or a form.

Parameters are as clients of PHP send them: `x[]=1&x[]=2` or `meta[form_id]=7`.
"""

import re
from collections.abc import Iterable
from json import JSONDecodeError
from urllib.parse import parse_qsl

from flask import Request
from marshmallow import ValidationError
from werkzeug.exceptions import RequestEntityTooLarge

from landform.service.errors import ApiError
from landform.service.http.contract import Contract
from landform.service.json_codec import DEEPEST_JSON, JsonObject, TooDeep, loads, stored

NAME = re.compile(r"([^\[\]]+)((?:\[[^\[\]]*\])*)")
PART = re.compile(r"\[([^\[\]]*)\]")
MAX_PARTS = 10
LONGEST_NUMBER = 18
# A tree of names; an empty one below a name means all that is there.
Fields = dict[str, "Fields"]
DEEPEST_FIELD, LONGEST_FIELDS = 10, 4000
URLENCODED, MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"
FORM_TYPES = (URLENCODED, MULTIPART)
MOST_FORM_FIELDS = 1000
# How JSON begins, and no form does: its names have quotes and braces percent-encoded.
JSON_START = re.compile(rb"""\s*(?:\{\s*["']|\[\s*[\[{"'0-9])""")
ACCEPTED = {
    False: "Content-Type: application/json",
    True: f"Content-Type: application/json, or {URLENCODED} or {MULTIPART} for a form",
}


def pairs(raw: bytes, errors: str = "replace") -> list[tuple[str, str]]:
    """Return the names and values of a query or a form, as they come.

    Raises `ValueError` for what is not UTF-8 where `errors` is `strict`.
    """
    return parse_qsl(raw.decode(errors=errors), keep_blank_values=True, errors=errors)


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
    value = stored(value)
    if isinstance(value, list):
        return [select_fields(item, fields) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name: select_fields(value[name], inner) for name, inner in fields.items() if name in value
    }


def wsgi_text(text: str) -> str:
    """Return a text as the environment of a WSGI request holds it."""
    return text.encode(errors="replace").decode("latin-1")


def read_bytes(http: Request, most_bytes: int) -> bytes:
    """Return the bytes of the body; 413 where they are too many, 400 where some are missing."""
    try:
        raw = http.get_data()
    except RequestEntityTooLarge:
        raw = b" " * (most_bytes + 1)
    except Exception as error:
        # Whatever a server raises here, it is the client's sending that failed.
        raise ApiError(400, "rest_bad_request", "The body could not be read.") from error
    if len(raw) > most_bytes:
        raise ApiError(413, "rest_body_too_large", f"The body is larger than {most_bytes} bytes.")
    if len(raw) < (http.content_length or 0):
        raise ApiError(400, "rest_bad_request", "The body is shorter than its Content-Length.")
    return raw


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


def read_body(http: Request, raw: bytes, contract: Contract) -> JsonObject:
    """Return what a body holds, which is JSON, or a form where those are taken.

    A body of another type is an error that says which type to send: 415, or a 400 with the code
    of a missing body where the operation has one, as Gravity Forms responds.
    """
    if http.is_json:
        return read_json(raw, contract.body_list)
    if contract.form and http.mimetype in FORM_TYPES and not JSON_START.match(raw):
        return nested(read_form_fields(http, raw))
    if raw.strip():
        raise wrong_type(raw, contract.form, contract.empty_body)
    return {}


def wrong_type(raw: bytes, takes_forms: bool = False, code: str = "") -> ApiError:
    """Return the error for a body whose `Content-Type` is none that the operation takes."""
    is_json = JSON_START.match(raw)
    message = f"The body was not read: send it with {ACCEPTED[takes_forms and not is_json]}."
    status, code = (400, code) if code else (415, "rest_unsupported_media_type")
    return ApiError(status, code, message, {"params": {"Content-Type": message}})


def read_form_fields(http: Request, raw: bytes) -> Iterable[tuple[str, str]]:
    """Return the names and values of the form that a body is.

    413 for too many fields; 400 for one that is broken, holds files, or is not UTF-8.
    """
    message = f"The form has more than {MOST_FORM_FIELDS} fields."
    too_many = ApiError(413, "rest_body_too_large", message)
    try:
        if http.mimetype == URLENCODED:
            if raw.count(b"&") >= MOST_FORM_FIELDS:
                raise too_many
            return pairs(raw, "strict")
        # Werkzeug puts another character where one is not UTF-8.
        raw.decode()
        http.max_form_parts = MOST_FORM_FIELDS
        boundary = http.mimetype_params.get("boundary", "")
        is_whole = boundary and raw.rstrip().endswith(f"--{boundary}--".encode())
        form, files = http.form, http.files
        if not (is_whole and (form or files)) or None in form or None in files:
            raise ValueError("no end, or no name")
    except RequestEntityTooLarge:
        raise too_many from None
    except UnicodeDecodeError:
        raise ApiError(400, "rest_invalid_param", "The form is not in UTF-8.") from None
    except ValueError as error:
        raise ApiError(400, "rest_invalid_param", "The form is malformed.") from error
    if files:
        raise ValidationError({name: [f"{name} must be text, not a file."] for name in files})
    return form.items(multi=True)
