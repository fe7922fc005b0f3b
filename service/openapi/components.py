"""The parts of the description that no schema knows: errors, headers, security."""

from typing import Any

from marshmallow import INCLUDE, Schema

from landform.schemas.fields import STRING, Output
from landform.service.error_codes import ERROR_CODES
from landform.service.json_codec import JsonObject


class ErrorData(Schema):
    """What programs need of an error."""

    class Meta:
        unknown = INCLUDE

    status = Output("The status of the response.", int)
    params = Output(
        "Each invalid parameter with what is wrong; a list of missing ones.",
        dict[str, str] | list[str],
        optional=True,
    )
    details = Output("More about what is wrong, where there is more.", Any, optional=True)


class Error(Schema):
    """The body of every error."""

    code = Output("What is wrong, for programs.", choices=sorted(ERROR_CODES))
    message = Output("What is wrong, for people.")
    data = Output("The status, and which parameters are wrong.", ErrorData)


ERROR = {"$ref": "#/components/schemas/Error"}
COUNTS = ("X-WP-Total", "X-WP-TotalPages", "Retry-After")
ABOUT_HEADERS = {
    "X-WP-Total": "How many items there are on all pages of results.",
    "X-WP-TotalPages": "How many pages of results there are.",
    "Link": "The pages of results before and after this one.",
    "ETag": "The version of the resource, for `If-Match` and `If-None-Match`.",
    "Last-Modified": "When the resource was last written.",
    "Location": "The URL of what was created.",
    "Retry-After": "How many seconds to wait before the next attempt.",
    "X-Landform-Warning": "What has no effect, such as a date that is none, or was left out of "
    "HTML.",
    "WWW-Authenticate": "How to send credentials.",
    "X-Landform-Ignored": "The names that landform does not know.",
    "Preference-Applied": "What `Prefer` asked for.",
}
HEADERS: JsonObject = {
    name: {
        "description": about,
        "schema": {"type": "integer", "minimum": 0} if name in COUNTS else STRING,
    }
    for name, about in ABOUT_HEADERS.items()
}
# Those of every operation that takes parameters.
TOLD_HEADERS = ("X-Landform-Ignored", "Preference-Applied")
ERROR_HEADERS = {
    401: ("WWW-Authenticate",),
    429: ("Retry-After",),
    503: ("Retry-After",),
    507: ("Retry-After",),
}


def error_response(status: int, codes: list[str]) -> JsonObject:
    """Return the response with a status, which means any of several codes."""
    meanings = {code: ERROR_CODES[code][1] for code in codes}
    examples = {
        code: {"value": {"code": code, "message": meaning, "data": {"status": status}}}
        for code, meaning in meanings.items()
    }
    return {
        "description": " ".join(dict.fromkeys(meanings.values())),
        "headers": {name: HEADERS[name] for name in ERROR_HEADERS.get(status, ())},
        "content": {"application/json": {"schema": ERROR, "examples": examples}},
    }


# The server says so before any operation is asked.
TOO_LONG = {
    "description": "The request line is longer than the server takes.",
    "content": {"application/json": {"schema": ERROR}},
}
NOT_MODIFIED = {
    "description": "Nothing has changed since the `ETag` in `If-None-Match`.",
    "headers": {name: HEADERS[name] for name in ("ETag", *TOLD_HEADERS)},
}


def parameter(where: str, name: str, about: str, schema: JsonObject) -> JsonObject:
    """Return the description of a parameter; lists in a query have commas."""
    form = {"style": "form", "explode": False} if schema.get("type") == "array" else {}
    needed = {"required": True} if where == "path" else {}
    return {"name": name, "in": where, "description": about, "schema": schema, **form, **needed}


KEY: JsonObject = {**STRING, "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"}
ABOUT_REQUEST_HEADERS = {
    "If-Match": "Write only if this is still the `ETag`; otherwise 412.",
    "If-None-Match": "Respond with 304 if this is still the `ETag`.",
    "Idempotency-Key": "Any text of your own: the same create with the same key happens only once.",
    "X-Page-Password": "The password of a protected page.",
    "Prefer": "`handling=strict`: a name that landform does not know is a 400. `handling=lenient`: "
    "it is ignored and named in `X-Landform-Ignored`.",
}
REQUEST_HEADERS: JsonObject = {
    name: parameter("header", name, about, KEY if name == "Idempotency-Key" else STRING)
    for name, about in ABOUT_REQUEST_HEADERS.items()
}
FIELDS = parameter(
    "query",
    "_fields",
    "Only these fields, nested ones with dots: `id,title.rendered`.",
    {"type": "array", "items": STRING},
)
SECURITY = {
    "basic": {"type": "http", "scheme": "basic"},
    "bearer": {"type": "http", "scheme": "bearer"},
    "key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
}
