"""The parts of the description that no schema knows: errors, headers, security, field types."""

from functools import singledispatch
from math import isfinite
from typing import Any

from marshmallow import fields

from landform.schemas import fields as own
from landform.schemas.descriptions import description_of
from landform.schemas.feed_plan import LONGEST_ID, LONGEST_NAME, EntryId, EntryValues
from landform.schemas.feeds import Digits, Settings, StoredSettings
from landform.schemas.pages import EMPTY_META, Instant, PageMeta, StoredMeta
from landform.schemas.runs import UtcTime
from landform.service.error_codes import ERROR_CODES
from landform.service.json_codec import JsonObject

TIME = "2026-01-31T12:00:00"
NO_CONTROL = r"[^\u0000-\u001f\u007f-\u009f]"
META = PageMeta()
META_EXAMPLE = {"feedName": "Newsletter"}
# What every integration has, as clients send it; a value of another type is stored as well.
SETTINGS: JsonObject = {
    "feedName": {"description": "The name of the feed, a string."},
    "feed_condition_conditional_logic": {
        "description": 'Whether conditional logic is on: the string "0" or "1".'
    },
    "feed_condition_conditional_logic_object": {
        "description": "The rules of the conditional logic: an array, or an object of rules."
    },
}


def error_schema(codes: list[str]) -> JsonObject:
    """Return the schema of an error, with the codes that it may carry."""
    return {
        "type": "object",
        "required": ["code", "message", "data"],
        "additionalProperties": False,
        "properties": {
            "code": {
                "description": "What is wrong, for programs.",
                "type": "string",
                "enum": codes,
            },
            "message": {"description": "What is wrong, for people.", "type": "string"},
            "data": ERROR_DATA,
        },
    }


ERROR_DATA: JsonObject = {
    "description": "The status, and which parameters are wrong.",
    "type": "object",
    "required": ["status"],
    "properties": {
        "status": {"description": "The status of the response.", "type": "integer"},
        "params": {
            "description": "Each invalid parameter with what is wrong; a list of missing ones.",
            "anyOf": [
                {"type": "object", "additionalProperties": {"type": "string"}},
                {"type": "array", "items": {"type": "string"}},
            ],
        },
        "details": {"description": "More about what is wrong, where there is more."},
    },
}
TEXT = {"schema": {"type": "string"}}
COUNT = {"schema": {"type": "integer", "minimum": 0}}
HEADERS: JsonObject = {
    "X-WP-Total": {"description": "How many items there are on all pages of results.", **COUNT},
    "X-WP-TotalPages": {"description": "How many pages of results there are.", **COUNT},
    "Link": {"description": "The pages of results before and after this one.", **TEXT},
    "ETag": {
        "description": "The version of the resource, for `If-Match` and `If-None-Match`.",
        **TEXT,
    },
    "Last-Modified": {"description": "When the resource was last written.", **TEXT},
    "Location": {"description": "The URL of what was created.", **TEXT},
    "Retry-After": {"description": "How many seconds to wait before the next attempt.", **COUNT},
    "X-Landform-Warning": {
        "description": "What was stored but has no effect, such as a date that is none.",
        **TEXT,
    },
    "WWW-Authenticate": {"description": "How to send credentials.", **TEXT},
    "X-Landform-Ignored": {"description": "The names that landform does not know.", **TEXT},
    "Preference-Applied": {"description": "What `Prefer` asked for.", **TEXT},
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
    meanings = dict.fromkeys(ERROR_CODES[code].meaning for code in codes)
    examples = {
        code: {"value": {"code": code, "message": meaning, "data": {"status": status}}}
        for code, meaning in ((code, ERROR_CODES[code].meaning) for code in codes)
    }
    return {
        "description": " ".join(meanings),
        "headers": {name: HEADERS[name] for name in ERROR_HEADERS.get(status, ())},
        "content": {"application/json": {"schema": "Error", "examples": examples}},
    }


# The server says so before any operation is asked.
TOO_LONG = {
    "description": "The request line is longer than the server takes.",
    "content": {"application/json": {"schema": "Error"}},
}
NOT_MODIFIED = {
    "description": "Nothing has changed since the `ETag` in `If-None-Match`.",
    "headers": {name: HEADERS[name] for name in ("ETag", *TOLD_HEADERS)},
}


def _header(name: str, description: str, **schema: object) -> JsonObject:
    parameter = {"name": name, "in": "header", "description": description}
    return {**parameter, "schema": {"type": "string", **schema}}


REQUEST_HEADERS: JsonObject = {
    "_fields": {
        "name": "_fields",
        "in": "query",
        "description": "Only these fields, nested ones with dots: `id,title.rendered`.",
        "schema": {"type": "array", "items": {"type": "string"}},
        "style": "form",
        "explode": False,
    },
    "If-Match": _header("If-Match", "Write only if this is still the `ETag`; otherwise 412."),
    "If-None-Match": _header("If-None-Match", "Respond with 304 if this is still the `ETag`."),
    "Idempotency-Key": _header(
        "Idempotency-Key",
        "Any text of your own: the same create with the same key happens only once.",
        minLength=1,
        maxLength=255,
        pattern="^[!-~]+$",
    ),
    "X-Page-Password": _header("X-Page-Password", "The password of a protected page."),
    "Prefer": _header(
        "Prefer",
        "`handling=strict`: a name that landform does not know is a 400. `handling=lenient`: it is "
        "ignored and named in `X-Landform-Ignored`.",
    ),
}
SECURITY = {
    "basic": {"type": "http", "scheme": "basic"},
    "bearer": {"type": "http", "scheme": "bearer"},
    "key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
}


def describe(converter: object, field: fields.Field[Any], **kw: object) -> JsonObject:
    """Return the description and JSON schema of a field, for the apispec converter."""
    text = description_of(field)
    return _nullable(field) | ({"description": text} if text else {})


def _nullable(field: fields.Field[Any]) -> JsonObject:
    described = _shape(field)
    if not described or not field.allow_none:
        return described
    if "anyOf" in described:
        return {"anyOf": [*described["anyOf"], {"type": "null"}]}
    return {**described, "type": [described["type"], "null"]}


@singledispatch
def _shape(field: object) -> JsonObject:
    return {}


@_shape.register
def _integer(field: own.Integer) -> JsonObject:
    bounds = {"minimum": field.minimum, "maximum": field.maximum}
    number = {"type": "integer", **{name: of for name, of in bounds.items() if isfinite(of)}}
    return {"anyOf": [number, {"type": "string", "pattern": r"^\s*[+-]?[0-9]+\s*$"}]}


@_shape.register
def _ignored(field: own.Ignored) -> JsonObject:
    return {"type": "null"} if field.only == [None] else {}


@_shape.register
def _flag(field: own.Flag) -> JsonObject:
    words = {"type": "string", "pattern": "^([01]|[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$"}
    return {"anyOf": [{"type": "boolean"}, {"type": "integer", "enum": [0, 1]}, words]}


@_shape.register
def _text(field: own.Text) -> JsonObject:
    return {"type": "string"} if field.blank else {"type": "string", "minLength": 1}


@_shape.register
def _entry_id(field: EntryId) -> JsonObject:
    text = {
        "type": "string",
        "minLength": 1,
        "maxLength": LONGEST_ID,
        "pattern": f"^{NO_CONTROL}+$",
    }
    return {"anyOf": [text, {"type": "integer"}]}


@_shape.register
def _utc_time(field: UtcTime) -> JsonObject:
    return {"type": "string", "format": "date-time", "examples": [f"{TIME}Z"]}


@_shape.register
def _entry_values(field: EntryValues) -> JsonObject:
    kinds: list[JsonObject] = [{"type": kind} for kind in ("string", "number", "boolean", "null")]
    value = {"anyOf": [*kinds, {"type": "array", "items": {"anyOf": kinds}}]}
    examples = [{"1": "ada@example.com", "2.1": "Yes", "3": ["red", "blue"]}]
    shape = {"type": "object", "additionalProperties": value, "examples": examples}
    # PHP cannot tell an empty object from an empty list.
    names = {"propertyNames": {"maxLength": LONGEST_NAME}}
    return {"anyOf": [{**shape, **names}, {"type": "array", "maxItems": 0}]}


@_shape.register
def _id_text(field: own.IdText) -> JsonObject:
    number = {"type": "integer", "minimum": 0, "maximum": own.MAX_INTEGER}
    return {"anyOf": [{"type": "string"}, number]}


@_shape.register
def _raw_text(field: own.RawText) -> JsonObject:
    # An object without `raw`, as other contexts return it, says nothing about the text.
    text = {"type": "string", "description": "The text as it is to be stored."}
    raw: JsonObject = {"type": "object", "properties": {"raw": text}}
    needed = {"required": ["raw"]} if field.required else {}
    return {"anyOf": [{"type": "string"}, {**raw, **needed}]}


@_shape.register
def _date_time(field: own.DateTime) -> JsonObject:
    return {"type": "string", "pattern": own.DATE_TIME.pattern, "examples": [TIME]}


@_shape.register
def _instant(field: Instant) -> JsonObject:
    return {"anyOf": [{"type": "string", "const": "now"}, _shape(own.DateTime())]}


@_shape.register(own.ListOf)
def _list_of(field: own.ListOf[Any]) -> JsonObject:
    items = {**_shape(field.inner)}
    choices = [v for v in field.inner.validators if hasattr(v, "choices")]
    if choices:
        items["enum"] = list(choices[0].choices)
    return {"type": "array", "items": items}


@_shape.register
def _settings(field: Settings) -> JsonObject:
    shape: JsonObject = {"type": "object", "examples": [META_EXAMPLE]}
    return {**shape, "minProperties": 1} if field.empty else shape


@_shape.register
def _stored_settings(field: StoredSettings) -> JsonObject:
    return {
        "type": "object",
        "properties": SETTINGS,
        "examples": [META_EXAMPLE],
    }


@_shape.register
def _stored_meta(field: StoredMeta) -> JsonObject:
    shapes = {
        name: {
            **({"type": "array", "items": {}} if isinstance(empty, list) else {"type": "string"}),
            "description": description_of(META.fields[name]),
        }
        for name, empty in EMPTY_META.items()
    }
    return {"type": "object", "required": [*shapes], "properties": shapes}


@_shape.register
def _digits(field: Digits) -> JsonObject:
    return {"type": "string", "pattern": "^[0-9]+$"}
