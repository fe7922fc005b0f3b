"""The parts of the description that no schema knows: errors, headers, security, field types."""

from functools import singledispatch
from math import isfinite
from typing import Any

from landform.schemas import fields as own
from landform.schemas.feeds import Digits, Settings, StoredSettings
from landform.schemas.pages import EMPTY_META, StoredMeta

TIME = "2026-01-31T12:00:00"
PAGE_EXAMPLE: dict[str, Any] = {
    "title": "Summer sale",
    "content": "Win a bicycle.",
    "status": "publish",
    "meta": {"form_id": "3", "language": ["en"]},
}
META_EXAMPLE = {"feedName": "Newsletter", "mailchimpList": "abc"}
# What every integration has, as clients send it; a value of another type is kept as well.
SETTINGS: dict[str, Any] = {
    "feedName": {"description": "The name of the feed, a string."},
    "feed_condition_conditional_logic": {
        "description": 'Whether conditional logic is on: the string "0" or "1".'
    },
    "feed_condition_conditional_logic_object": {
        "description": "The rules of the conditional logic: an array, or an object of rules."
    },
}
FEED_EXAMPLE = {"addon_slug": "gravityformsmailchimp", "meta": META_EXAMPLE}
ERROR_CODES = """
    empty_content gf_feed_invalid_id internal_server_error invalid_meta invalid_property
    missing_addon_slug missing_feed missing_feed_meta missing_form_id missing_properties not_found
    rest_already_trashed rest_bad_request rest_body_too_large rest_cannot_create
    rest_cannot_delete rest_cannot_edit rest_cross_site rest_forbidden rest_forbidden_context
    rest_idempotency_key_reused rest_invalid_json rest_invalid_param rest_missing_callback_param
    rest_no_route rest_no_search_term_defined rest_orderby_include_missing_include
    rest_post_exists rest_post_incorrect_password rest_post_invalid_id
    rest_post_invalid_page_number rest_precondition_failed rest_precondition_required
    rest_search_busy rest_search_too_expensive rest_too_many_attempts storage_full
    storage_uncertain storage_unavailable
""".split()
ERROR: dict[str, Any] = {
    "type": "object",
    "required": ["code", "message", "data"],
    "additionalProperties": False,
    "properties": {
        "code": {"type": "string", "enum": ERROR_CODES},
        "message": {"type": "string"},
        "data": {
            "type": "object",
            "required": ["status"],
            "properties": {
                "status": {"type": "integer"},
                "params": {
                    "description": "Each bad parameter with what is wrong; of absent ones a list.",
                    "anyOf": [
                        {"type": "object", "additionalProperties": {"type": "string"}},
                        {"type": "array", "items": {"type": "string"}},
                    ],
                },
                "details": {},
            },
        },
    },
}
CODES = {
    400: ("A parameter is missing or wrong; nothing was changed.", "rest_invalid_param"),
    401: ("Credentials are needed, and none or wrong ones came.", "rest_forbidden"),
    403: ("The credentials lack the right, or a page password is wrong.", "rest_forbidden"),
    404: ("There is no such page or feed, or the filters exclude it.", "rest_post_invalid_id"),
    410: ("The page is in the trash already.", "rest_already_trashed"),
    412: ("Somebody wrote it since the version in If-Match.", "rest_precondition_failed"),
    413: ("The body is too large.", "rest_body_too_large"),
    422: ("The Idempotency-Key came with another body.", "rest_idempotency_key_reused"),
    428: ("If-Match is mandatory here.", "rest_precondition_required"),
    429: ("Too many wrong credentials or passwords came.", "rest_too_many_attempts"),
    500: ("A fault of the service.", "internal_server_error"),
    503: ("The database is busy, cannot be reached or takes too long.", "storage_unavailable"),
    507: ("There is no room left to write.", "storage_full"),
}
TEXT = {"schema": {"type": "string"}}
COUNT = {"schema": {"type": "integer", "minimum": 0}}
HEADERS: dict[str, Any] = {
    "X-WP-Total": {"description": "How many there are on all pages of results.", **COUNT},
    "X-WP-TotalPages": {"description": "How many pages of results there are.", **COUNT},
    "Link": {"description": "The pages of results before and after this one.", **TEXT},
    "ETag": {"description": "The version of what is answered.", **TEXT},
    "Last-Modified": {"description": "When it was last written.", **TEXT},
    "Location": {"description": "The address of what was created.", **TEXT},
    "Retry-After": {"description": "Seconds to wait.", **COUNT},
    "WWW-Authenticate": {"description": "How to send credentials.", **TEXT},
}
ERROR_HEADERS = {
    401: ("WWW-Authenticate",),
    429: ("Retry-After",),
    503: ("Retry-After",),
    507: ("Retry-After",),
}


def _error(status: int, text: str, code: str) -> dict[str, Any]:
    example = {"code": code, "message": text, "data": {"status": status}}
    return {
        "description": text,
        "headers": {name: HEADERS[name] for name in ERROR_HEADERS.get(status, ())},
        "content": {"application/json": {"schema": "Error", "example": example}},
    }


ERRORS: dict[int, Any] = {status: _error(status, *told) for status, told in CODES.items()}
ERRORS[304] = {
    "description": "What If-None-Match names is current.",
    "headers": {"ETag": HEADERS["ETag"]},
}


def _header(name: str, description: str, **schema: Any) -> dict[str, Any]:
    parameter = {"name": name, "in": "header", "description": description}
    return {**parameter, "schema": {"type": "string", **schema}}


REQUEST_HEADERS: dict[str, Any] = {
    "fields": {
        "name": "_fields",
        "in": "query",
        "description": "The fields wanted, nested ones with dots: `id,title.rendered`.",
        "schema": {"type": "array", "items": {"type": "string"}},
        "style": "form",
        "explode": False,
    },
    "if_match": _header("If-Match", "Write only what is still at this ETag."),
    "if_none_match": _header("If-None-Match", "Answer 304 where this ETag is current."),
    "idempotency_key": _header(
        "Idempotency-Key",
        "Create once, however often it is sent.",
        minLength=1,
        maxLength=255,
        pattern="^[!-~]+$",
    ),
    "page_password": _header("X-Page-Password", "The password of a protected page."),
}
SECURITY = {
    "basic": {"type": "http", "scheme": "basic"},
    "bearer": {"type": "http", "scheme": "bearer"},
    "key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
}


def describe(converter: Any, field: Any, **kw: Any) -> dict[str, Any]:
    """Return the JSON schema of one of our own field types, for the apispec converter."""
    described = _shape(field)
    if described and field.allow_none and "type" in described:
        described = {**described, "type": [described["type"], "null"]}
    return described


@singledispatch
def _shape(field: Any) -> dict[str, Any]:
    return {}


@_shape.register
def _integer(field: own.Integer) -> dict[str, Any]:
    bounds = {"minimum": field.minimum, "maximum": field.maximum}
    number = {"type": "integer", **{name: of for name, of in bounds.items() if isfinite(of)}}
    return {"anyOf": [number, {"type": "string", "pattern": r"^\s*[+-]?[0-9]+\s*$"}]}


@_shape.register
def _flag(field: own.Flag) -> dict[str, Any]:
    words = {"type": "string", "pattern": "^([01]|[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$"}
    return {"anyOf": [{"type": "boolean"}, {"type": "integer", "enum": [0, 1]}, words]}


@_shape.register
def _text(field: own.Text) -> dict[str, Any]:
    return {"type": "string"} if field.blank else {"type": "string", "minLength": 1}


@_shape.register
def _raw_text(field: own.RawText) -> dict[str, Any]:
    # Without `raw`, as other contexts answer it, an object says nothing about the text.
    raw: dict[str, Any] = {"type": "object", "properties": {"raw": {"type": "string"}}}
    needed = {"required": ["raw"]} if field.required else {}
    return {"anyOf": [{"type": "string"}, {**raw, **needed}]}


@_shape.register
def _date_time(field: own.DateTime) -> dict[str, Any]:
    return {"type": "string", "pattern": own.DATE_TIME.pattern, "examples": [TIME]}


@_shape.register
def _list_of(field: own.ListOf) -> dict[str, Any]:
    items = {**_shape(field.inner)}
    choices = [v for v in field.inner.validators if hasattr(v, "choices")]
    if choices:
        items["enum"] = list(choices[0].choices)
    return {"type": "array", "items": items}


@_shape.register
def _settings(field: Settings) -> dict[str, Any]:
    shape: dict[str, Any] = {"type": "object", "examples": [META_EXAMPLE]}
    return {**shape, "minProperties": 1} if field.empty else shape


@_shape.register
def _stored_settings(field: StoredSettings) -> dict[str, Any]:
    return {
        "type": "object",
        "description": "The settings; which there are depends on the integration.",
        "properties": SETTINGS,
        "examples": [META_EXAMPLE],
    }


@_shape.register
def _stored_meta(field: StoredMeta) -> dict[str, Any]:
    shapes = {
        name: {"type": "array", "items": {}} if isinstance(empty, list) else {"type": "string"}
        for name, empty in EMPTY_META.items()
    }
    return {"type": "object", "required": [*shapes], "properties": shapes}


@_shape.register
def _digits(field: Digits) -> dict[str, Any]:
    return {"type": "string", "pattern": "^[0-9]+$"}
