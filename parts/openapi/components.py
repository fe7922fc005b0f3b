"""Parts of the OpenAPI document beside schemas: errors, headers and security."""

from typing import Any

from marshmallow import INCLUDE, Schema

from landform.schemas.fields import STRING, Output
from landform.service.pipeline.codes import all_error_codes
from landform.service.pipeline.json_codec import JsonObject


class ErrorData(Schema):
    """The data of an error, for programs."""

    class Meta:
        unknown = INCLUDE

    status = Output("The status of the response.", int)
    params = Output(
        "The messages of invalid parameters by name, or a list of missing ones.",
        dict[str, str] | list[str],
        optional=True,
    )
    details = Output("More details, depending on the error.", Any, optional=True)


class Error(Schema):
    """The body of every error."""

    code = Output("The error code.", choices=lambda: sorted(all_error_codes()))
    message = Output("The error message, for people.")
    data = Output("The status, and the invalid parameters.", ErrorData)


ERROR_SCHEMA = {"$ref": "#/components/schemas/Error"}
INTEGER_HEADERS = ("X-WP-Total", "X-WP-TotalPages", "Retry-After")
ABOUT_HEADERS = {
    "X-WP-Total": "How many items there are on all pages of results.",
    "X-WP-TotalPages": "How many pages of results there are.",
    "Link": "The pages of results before and after this one.",
    "ETag": "The version of the resource, for `If-Match` and `If-None-Match`.",
    "Last-Modified": "When the resource was last written.",
    "Location": "The URL of the new resource.",
    "Retry-After": "How many seconds to wait before the next attempt.",
    "X-Landform-Warning": "What has no effect or was removed; why a form or feed cannot be used.",
    "X-Landform-Same-As": "The first picture that was sent with the same bytes.",
    "X-Landform-Used-By": "The ids of pages that use the picture.",
    "WWW-Authenticate": "How to send credentials.",
    "X-Landform-Ignored": "The unknown names in the request.",
    "Preference-Applied": "The preference that was applied.",
}
RESPONSE_HEADERS: JsonObject = {
    name: {
        "description": about,
        "schema": {"type": "integer", "minimum": 0} if name in INTEGER_HEADERS else STRING,
    }
    for name, about in ABOUT_HEADERS.items()
}
# The headers of every operation that checks names.
NAME_HEADERS = ("X-Landform-Ignored", "Preference-Applied")
ERROR_HEADERS = {401: ("WWW-Authenticate",), **dict.fromkeys((429, 503, 507), ("Retry-After",))}


def error_response(status: int, codes: list[str]) -> JsonObject:
    """Return the response with a status and any of several error codes."""
    meanings = {code: all_error_codes()[code][1] for code in codes}
    examples = {
        code: {"value": {"code": code, "message": meaning, "data": {"status": status}}}
        for code, meaning in meanings.items()
    }
    return {
        "description": " ".join(dict.fromkeys(meanings.values())),
        "headers": {name: RESPONSE_HEADERS[name] for name in ERROR_HEADERS.get(status, ())},
        "content": {"application/json": {"schema": ERROR_SCHEMA, "examples": examples}},
    }


NOT_MODIFIED = {
    "description": "Nothing has changed since the `ETag` in `If-None-Match`.",
    "headers": {name: RESPONSE_HEADERS[name] for name in ("ETag", *NAME_HEADERS)},
}


def parameter(location: str, name: str, about: str, schema: JsonObject) -> JsonObject:
    """Return the description of a parameter; lists in a query are separated by commas."""
    form = {"style": "form", "explode": False} if schema.get("type") == "array" else {}
    required = {"required": True} if location == "path" else {}
    described = {"name": name, "in": location, "description": about, "schema": schema}
    return {**described, **form, **required}


IDEMPOTENCY_KEY: JsonObject = {**STRING, "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"}
ABOUT_REQUEST_HEADERS = {
    "If-Match": "Write only if this is still the `ETag`; otherwise 412.",
    "If-None-Match": "Respond with 304 if this is still the `ETag`.",
    "Idempotency-Key": "Any text of your own: a create with the same key happens only once.",
    "X-Page-Password": "The password of a protected page.",
    "Prefer": "Unknown names are refused with `handling=strict`, and ignored with "
    "`handling=lenient`.",
}
REQUEST_HEADERS: JsonObject = {
    name: parameter("header", name, about, IDEMPOTENCY_KEY if name == "Idempotency-Key" else STRING)
    for name, about in ABOUT_REQUEST_HEADERS.items()
}
FIELDS_PARAMETER = parameter(
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
