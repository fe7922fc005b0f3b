"""The parts of the description that no schema knows: errors, headers, security."""

from landform.service.error_codes import ERROR_CODES
from landform.service.json_codec import JsonObject


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
ERROR = {"$ref": "#/components/schemas/Error"}
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
        "description": "What has no effect, such as a date that is none, or was left out of HTML.",
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
