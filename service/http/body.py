"""The body of a request, in JSON or as a form."""

import errno
import re
from collections.abc import Iterable
from io import BytesIO
from shutil import copyfileobj
from tempfile import SpooledTemporaryFile
from typing import IO, Any
from urllib.parse import urlencode

from flask import Request
from marshmallow import ValidationError
from werkzeug.exceptions import RequestEntityTooLarge

from landform.service.pipeline.errors import ApiError, api_error
from landform.service.pipeline.json_codec import JsonObject
from landform.service.pipeline.loading import check_size, nested, pairs, read_json
from landform.service.pipeline.operations import Operation
from landform.service.pipeline.sent_file import SentFile, size_of
from landform.storage import DiskFull

URLENCODED, MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"
FORM_TYPES = (URLENCODED, MULTIPART)
MOST_FORM_FIELDS = 1000
# How many bytes of a file are in memory; a larger one is written to the disk.
MOST_IN_MEMORY = 1 << 16
# What Werkzeug puts in place of bytes that are not UTF-8.
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
# The start of JSON; a form has quotes and braces percent-encoded.
JSON_START = re.compile(rb"""\s*(?:\{\s*["']|\[\s*[\[{"'0-9])""")
ACCEPTED = {
    False: "Content-Type: application/json",
    True: f"Content-Type: application/json, or {URLENCODED} or {MULTIPART} for a form",
}


def read_bytes(http: Request, most_bytes: int) -> bytes:
    """Return the bytes of the body; 413 if it is too long, 400 if it was cut."""
    try:
        raw = http.get_data()
    except RequestEntityTooLarge:
        raw = b" " * (most_bytes + 1)
    except Exception as error:
        # Any exception of the server means that the client did not send all of it.
        raise ApiError(400, "rest_bad_request", "The body could not be read.") from error
    was_parsed, length = is_parsed(http), http.content_length or 0
    if was_parsed:
        raw = _encoded_form(http)
    check_size(max(len(raw), length), most_bytes)
    if len(raw) < length and not was_parsed:
        raise ApiError(400, "rest_bad_request", "The body is shorter than its Content-Length.")
    return raw


def is_parsed(http: Request) -> bool:
    """Return whether the application has already parsed the body as a form."""
    return "form" in vars(http) and http.mimetype in FORM_TYPES and not http.get_data()


def _encoded_form(http: Request) -> bytes:
    """Return the parsed form in its URL encoding, without files."""
    if http.mimetype == URLENCODED and http.content_length is None:
        # A cut body could not be detected.
        message = "A form that the application reads before needs a Content-Length."
        raise ApiError(400, "rest_bad_request", message)
    encoded = urlencode([*http.form.items(multi=True)])
    if http.mimetype == MULTIPART and "%EF%BF%BD" in encoded:
        # As `REPLACEMENT`.
        raise ApiError(400, "rest_invalid_param", "The form is not in UTF-8.")
    return encoded.encode()


def read_body(http: Request, raw: bytes, operation: Operation) -> JsonObject:
    """Parse a body in JSON, or as a form if the operation accepts forms.

    Another type is a 415, or a 400 with the code of an empty body, as in Gravity Forms.
    """
    if http.is_json:
        return read_json(raw, operation.body_list)
    if operation.form and http.mimetype in FORM_TYPES and not JSON_START.match(raw):
        return nested(read_form_fields(http, raw))
    if raw.strip():
        raise wrong_type(raw, operation.form, operation.empty_body)
    return {}


def wrong_type(raw: bytes, takes_forms: bool = False, code: str = "") -> ApiError:
    """Return the error for a body whose `Content-Type` is not accepted."""
    is_json = JSON_START.match(raw)
    message = f"The body was not read: send it with {ACCEPTED[takes_forms and not is_json]}."
    status, code = (400, code) if code else (415, "rest_unsupported_media_type")
    return ApiError(status, code, message, {"params": {"Content-Type": message}})


def read_form_fields(http: Request, raw: bytes) -> Iterable[tuple[str, str]]:
    """Return the names and values of a form.

    Raises a 413 for too many fields, and a 400 for a form that is malformed or has files.
    """
    message = f"The form has more than {MOST_FORM_FIELDS} fields."
    too_many = ApiError(413, "rest_body_too_large", message)
    try:
        if http.mimetype == URLENCODED and not is_parsed(http):
            if raw.count(b"&") >= MOST_FORM_FIELDS:
                raise too_many
            return pairs(raw, "strict")
        # Checked here, since Werkzeug replaces bytes that are not UTF-8.
        raw.decode()
        http.max_form_parts = MOST_FORM_FIELDS
        form, files = http.form, http.files
        # Werkzeug needs the end.
        end = f"--{http.mimetype_params.get('boundary', '')}--".encode()
        is_whole = is_parsed(http) or (len(end) > 4 and raw.rstrip().endswith(end))
        if not (is_whole and (form or files)) or None in form or None in files:
            raise ValueError("no end, or no name")
        if len([*form.items(multi=True)]) > MOST_FORM_FIELDS:
            raise too_many
    except RequestEntityTooLarge:
        raise too_many from None
    except UnicodeDecodeError:
        raise ApiError(400, "rest_invalid_param", "The form is not in UTF-8.") from None
    except ValueError as error:
        raise ApiError(400, "rest_invalid_param", "The form is malformed.") from error
    if files:
        raise ValidationError({name: [f"{name} must be text, not a file."] for name in files})
    return form.items(multi=True)


def read_file(http: Request, operation: Operation) -> tuple[JsonObject, SentFile | None]:
    """Return the fields of a form and its file, or the body itself as a file, which may be empty.

    Raises the 413 of the operation, and a 400 for a form that is malformed or not in UTF-8.
    """
    most_bytes = operation.most_bytes
    # As in `HttpIncoming`.
    http.max_content_length = most_bytes + 1
    http.max_form_parts = MOST_FORM_FIELDS
    try:
        if (http.content_length or 0) > most_bytes:
            raise RequestEntityTooLarge
        if http.mimetype == MULTIPART:
            return _read_form_with_file(http, operation.file)
        return {}, _spool(http, most_bytes)
    except RequestEntityTooLarge:
        raise api_error(operation.too_large) from None
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull from error
        raise ApiError(400, "rest_bad_request", "The body could not be read.") from error


def _spool(http: Request, most_bytes: int) -> SentFile:
    """Return the body as a file; raises a 400 if it was cut, and `RequestEntityTooLarge`."""
    source: IO[bytes] = http.stream
    if (read := vars(http).get("_cached_data")) is not None:
        # The application has read it before.
        source = BytesIO(read)
    stream: Any = SpooledTemporaryFile(MOST_IN_MEMORY)  # noqa: SIM115 - the caller reads it
    try:
        copyfileobj(source, stream)
        size = size_of(stream)
        if size > most_bytes:
            raise RequestEntityTooLarge
        if size < (http.content_length or 0):
            raise ApiError(400, "rest_bad_request", "The body is shorter than its Content-Length.")
    except BaseException:
        stream.close()
        raise
    headers = http.headers
    disposition, kind = headers.get("Content-Disposition"), headers.get("Content-Type")
    return SentFile(stream, size, disposition, kind, is_part=False)


def _read_form_with_file(http: Request, name: str) -> tuple[JsonObject, SentFile | None]:
    form, files = http.form, http.files
    texts = [text for pair in form.items(multi=True) for text in pair]
    if not (form or files) or None in form or None in files:
        raise ApiError(400, "rest_invalid_param", "The form is malformed.")
    if any(REPLACEMENT in text for text in texts):
        raise ApiError(400, "rest_invalid_param", "The form is not in UTF-8.")
    sent = files.get(name)
    file = None
    if sent is not None:
        stream, headers = sent.stream, sent.headers
        kind = headers.get("Content-Type")
        file = SentFile(stream, size_of(stream), headers.get("Content-Disposition"), kind)
    return nested(form.items(multi=True)), file
