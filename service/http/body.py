"""The body of a request: its bytes, bounded, and the JSON object or the form that they are."""

import re

from flask import Request
from werkzeug.exceptions import RequestEntityTooLarge

from landform.service.errors import ApiError
from landform.service.http import form_data
from landform.service.http.json_codec import JsonObject, TooDeep, loads
from landform.service.http.limits import check_body
from landform.service.http.parameters import nested
from landform.service.options import Limits

# How JSON begins, and no form does: its names have quotes and braces percent-encoded.
JSON_START = re.compile(rb"""\s*(?:\{\s*["']|\[\s*[\[{"'0-9])""")
ACCEPTED = {
    False: "Content-Type: application/json",
    True: f"Content-Type: application/json, or {form_data.URLENCODED} or {form_data.MULTIPART} "
    "for a form",
}


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


def read_json(raw: bytes, limits: Limits) -> JsonObject:
    """Return the JSON object in a body; an empty body or value is an empty object."""
    if not raw.strip():
        return {}
    try:
        value = loads(raw, limits.json_depth)
    except TooDeep as error:
        message = f"The body is nested more than {limits.json_depth} levels deep."
        raise ApiError(400, "rest_invalid_json", message) from error
    except ValueError as error:
        raise ApiError(400, "rest_invalid_json", "The body is not valid JSON.") from error
    if not isinstance(value, dict) and value not in ([], None):
        raise ApiError(400, "rest_invalid_json", "The body must be a JSON object.")
    body: JsonObject = value or {}
    check_body(limits, body)
    return body


def read_body(
    http: Request, raw: bytes, limits: Limits, takes_forms: bool, code: str
) -> JsonObject:
    """Return what a body holds, which is JSON, or a form where those are taken.

    A body of another type is an error that says which type to send: 415, or a 400 with the code
    of a missing body where the operation has one, as Gravity Forms responds.
    """
    if http.is_json:
        return read_json(raw, limits)
    if takes_forms and http.mimetype in form_data.KINDS and not JSON_START.match(raw):
        return _read_form(http, raw, limits)
    if raw.strip():
        raise wrong_type(raw, takes_forms, code)
    return {}


def wrong_type(raw: bytes, takes_forms: bool = False, code: str = "") -> ApiError:
    """Return the error for a body whose `Content-Type` is none that the operation takes."""
    is_json = JSON_START.match(raw)
    message = f"The body was not read: send it with {ACCEPTED[takes_forms and not is_json]}."
    status, code = (400, code) if code else (415, "rest_unsupported_media_type")
    return ApiError(status, code, message, {"params": {"Content-Type": message}})


def _read_form(http: Request, raw: bytes, limits: Limits) -> JsonObject:
    """Return the parameters of a form."""
    body = nested(form_data.read(http.mimetype, http.mimetype_params, raw, limits.form_fields))
    check_body(limits, body)
    return body
