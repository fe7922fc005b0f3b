"""The body of a request: its bytes, bounded, and the JSON object or the form that they are."""

import re
from collections.abc import Iterable, Mapping
from io import BytesIO

from flask import Request
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.formparser import FormDataParser

from landform.service.errors import ApiError
from landform.service.http.contract import Contract
from landform.service.http.query import nested, pairs
from landform.service.json_codec import DEEPEST_JSON, JsonObject, TooDeep, loads

URLENCODED, MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"
FORM_TYPES = (URLENCODED, MULTIPART)
MOST_FORM_FIELDS = 1000
# How JSON begins, and no form does: its names have quotes and braces percent-encoded.
JSON_START = re.compile(rb"""\s*(?:\{\s*["']|\[\s*[\[{"'0-9])""")
ACCEPTED = {
    False: "Content-Type: application/json",
    True: f"Content-Type: application/json, or {URLENCODED} or {MULTIPART} for a form",
}


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
        raise ApiError(400, "rest_invalid_json", "The body is not valid JSON.") from error
    if list_name and isinstance(value, list):
        value = {list_name: value}
    if not isinstance(value, dict) and value not in ([], None):
        raise ApiError(400, "rest_invalid_json", "The body must be a JSON object.")
    return value or {}


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
        return _multipart(http.mimetype_params, raw)
    except RequestEntityTooLarge:
        raise too_many from None
    except UnicodeDecodeError:
        raise ApiError(400, "rest_invalid_param", "The form is not in UTF-8.") from None
    except ValueError as error:
        raise ApiError(400, "rest_invalid_param", "The form is malformed.") from error


def _multipart(parameters: Mapping[str, str], raw: bytes) -> Iterable[tuple[str, str]]:
    boundary = parameters.get("boundary", "").encode()
    if not boundary or not raw.rstrip().endswith(b"--" + boundary + b"--"):
        raise ValueError("no end")
    parser = FormDataParser(
        stream_factory=lambda *args, **kw: BytesIO(),
        max_form_memory_size=len(raw),
        max_form_parts=MOST_FORM_FIELDS,
        silent=False,
    )
    _, form, files = parser.parse(BytesIO(raw), MULTIPART, len(raw), dict(parameters))
    if None in form or None in files:
        raise ValueError("no name")
    if files:
        params = {name: f"{name} must be text, not a file." for name in files}
        message = f"Invalid: {', '.join(params)}."
        raise ApiError(400, "rest_invalid_param", message, {"params": params})
    return form.items(multi=True)
