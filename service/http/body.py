"""The body of a request: its bytes, bounded, and the JSON object or the form that they are."""

from flask import Request
from werkzeug.exceptions import RequestEntityTooLarge

from landform.service.errors import ApiError
from landform.service.http import form_data
from landform.service.http.json_codec import JsonObject, TooDeep, loads
from landform.service.http.limits import check_body
from landform.service.http.parameters import nested
from landform.service.options import Limits


def bound_body(http: Request, most_bytes: int) -> None:
    """Let Flask read no more of a body than that it is too large."""
    # One more, because a body without a length is cut at the bound without a word.
    http.max_content_length = http.max_form_memory_size = most_bytes + 1


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


def read_json(raw: bytes, limits: Limits, list_name: str = "") -> JsonObject:
    """Return the JSON object in a body; an empty body or value is an empty object.

    With a `list_name` a list is the object that has it by that name.
    """
    if not raw.strip():
        return {}
    try:
        value = loads(raw, limits.json_depth)
    except TooDeep as error:
        message = f"The body is nested more than {limits.json_depth} levels deep."
        raise ApiError(400, "rest_invalid_json", message) from error
    except ValueError as error:
        raise ApiError(400, "rest_invalid_json", "The body is not valid JSON.") from error
    if list_name and isinstance(value, list):
        value = {list_name: value}
    if not isinstance(value, dict) and value not in ([], None):
        raise ApiError(400, "rest_invalid_json", "The body must be a JSON object.")
    body: JsonObject = value or {}
    check_body(limits, body)
    return body


def read_form(http: Request, raw: bytes, limits: Limits) -> JsonObject:
    """Return the parameters of a form; a body of another type is an empty one."""
    if http.mimetype not in form_data.KINDS:
        return {}
    body = nested(form_data.read(http.mimetype, http.mimetype_params, raw, limits.form_fields))
    check_body(limits, body)
    return body
