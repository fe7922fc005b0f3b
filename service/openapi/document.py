"""The service's description: an OpenAPI 3.1 document, made from the contracts of the operations.

What it says of parameters, bodies and responses are the schemas that load and dump them. It is
made at the first request for it.
"""

from collections.abc import Iterable, Iterator
from importlib.metadata import version
from types import UnionType
from typing import Any, get_args, get_origin

from marshmallow import INCLUDE, RAISE, Schema, missing

from landform.schemas.fields import Ignored, Nested
from landform.service.error_codes import ERROR_CODES
from landform.service.json_codec import JsonObject
from landform.service.openapi.components import (
    FIELDS,
    HEADERS,
    NOT_MODIFIED,
    REQUEST_HEADERS,
    SECURITY,
    TOLD_HEADERS,
    TOO_LONG,
    Error,
    error_response,
    parameter,
)
from landform.service.operations import Operation, Route, path_variables

ABOUT = (
    "Landing pages and form feeds over HTTP. Any request may carry the query parameter _envelope: "
    "the response then is 200, with body, status and headers in its body."
)
# The groups of operations that are not called as their paths begin.
TAGS = {"forms": "Feeds", "whoami": "Access", "wp-json": "For clients of WordPress"}
SUMMARIES = {"whoami": "Show who is calling"}
ALWAYS = (
    "rest_invalid_param", "rest_too_many_attempts", "internal_server_error", "storage_unavailable",
    "storage_full",
)  # fmt: skip
OF_WRITES = ("rest_cross_site", "storage_uncertain")
OF_BODIES = ("rest_invalid_json", "rest_bad_request", "rest_body_too_large")
OF_IF_MATCH = ("rest_precondition_failed", "rest_precondition_required")
TYPES = {str: "string", int: "integer", bool: "boolean", float: "number"}


class Shapes:
    """The schemas of objects that were `found`, by name, and references to them."""

    def __init__(self) -> None:
        self.found: JsonObject = {}

    def of(self, kind: Any) -> JsonObject:
        """Return the JSON schema of a Python type, in which Marshmallow's schemas may stand."""
        inner = get_args(kind)
        if kind is Any:
            return {}
        if isinstance(kind, UnionType):
            return {"anyOf": [self.of(one) for one in inner]}
        if get_origin(kind) is list:
            return {"type": "array", "items": self.of(inner[0])}
        if get_origin(kind) is dict:
            return {"type": "object", "additionalProperties": self.of(inner[1])}
        return self._reference(kind) if issubclass(kind, Schema) else {"type": TYPES[kind]}

    def of_field(self, field: Any) -> JsonObject:
        """Return the JSON schema of a field, of null too where it takes that."""
        schema = {**(field.json_type or self.of(field.kind))}
        inner = getattr(field, "inner", None)
        if isinstance(inner, Nested):
            schema["items"] = self.of(inner.kind)
        if field.choices:
            schema.get("items", schema)["enum"] = [*field.choices]
        if field.allow_none and "type" in schema and not field.choices:
            schema["type"] = [schema["type"], "null"]
        elif field.allow_none:
            schema = {"anyOf": [*schema.get("anyOf", [schema]), {"type": "null"}]}
        return {**schema, "description": field.description}

    def _reference(self, kind: type[Schema]) -> JsonObject:
        if kind.__name__ not in self.found:
            schema = kind()
            fields = schema.fields
            needed = [name for name, field in fields.items() if field.required]
            # A body whose other properties are dropped says nothing of them.
            others = {RAISE: False, INCLUDE: True}.get(schema.unknown)
            self.found[kind.__name__] = {
                "type": "object",
                "properties": {name: self.of_field(field) for name, field in fields.items()},
                **({"required": needed} if needed else {}),
                **({} if others is None else {"additionalProperties": others}),
            }
        return {"$ref": f"#/components/schemas/{kind.__name__}"}


def document(routes: Iterable[Route]) -> JsonObject:
    """Return the document of some routes, its server left open."""
    shapes, paths = Shapes(), {}
    for route in routes:
        paths[route.path.replace("<", "{").replace(">", "}")] = {
            method.lower(): _operation(shapes, method, operation)
            for method, operation in route.operations.items()
        }
    about = {"description": ABOUT, "license": {"name": "MIT", "identifier": "MIT"}}
    shapes.of(Error)
    return {
        "openapi": "3.1.0",
        "info": {"title": "landform", "version": version("landform"), **about},
        "paths": paths,
        "components": {"schemas": shapes.found, "securitySchemes": SECURITY},
    }


def _operation(shapes: Shapes, method: str, operation: Operation) -> JsonObject:
    name = operation.name
    start = operation.path.strip("/").split("/")[0]
    text = operation.view.__doc__ or ""
    text += f" Needs the scope `{operation.scope}`." if operation.scope else ""
    # One view may serve several methods of a path.
    twin = method != operation.methods[0]
    described: JsonObject = {
        "operationId": f"{name}_by_{method.lower()}" if twin else name,
        "summary": SUMMARIES.get(name, name.replace("_", " ").capitalize()),
        "description": " ".join(text.split()),
        "tags": [TAGS.get(start, start.capitalize())],
        "parameters": [*_parameters(shapes, operation)],
        "responses": _responses(shapes, operation),
        "security": [{scheme: []} for scheme in SECURITY] + ([{}] if operation.public else []),
    }
    if operation.body:
        # Generators of clients take one way to write: not that as a form, nor what PHP sends.
        media = {"schema": shapes.of(type(operation.body))}
        media |= {"example": operation.example} if operation.example else {}
        content = {"application/json": media}
        described["requestBody"] = {"required": operation.needs_body, "content": content}
    return described


def error_codes(operation: Operation) -> dict[int, list[str]]:
    """Return the statuses of failures, each with its codes."""
    codes = [*operation.errors, operation.denied, *ALWAYS]
    codes += OF_WRITES if operation.is_write else ()
    codes += OF_BODIES
    codes += (operation.empty_body,) if operation.empty_body else ()
    takes_others = operation.form or operation.body is None
    codes += ("rest_unsupported_media_type",) if takes_others else ()
    codes += OF_IF_MATCH if operation.if_match else ()
    codes += ("rest_idempotency_key_reused",) if operation.takes_idempotency_key else ()
    found: dict[int, list[str]] = {}
    for code in dict.fromkeys(codes):
        for status in ERROR_CODES[code][0]:
            found.setdefault(status, []).append(code)
    if "<" in operation.path:
        found.setdefault(404, []).append("rest_no_route")
    return found


def _parameters(shapes: Shapes, operation: Operation) -> Iterator[JsonObject]:
    """Yield the parameters: of the path, those that follow from what is done, of the query."""
    for name in path_variables(operation.path):
        about = f"The id of the {name.removesuffix('_id').replace('_', ' ')}."
        yield parameter("path", name, about, {"type": "integer", "minimum": 0})
    if not operation.is_write:
        yield FIELDS
    query = operation.query.fields if operation.query else {}
    names = [
        *(["If-None-Match"] if operation.is_conditional_read else []),
        *(["If-Match"] if operation.if_match else []),
        *(["Idempotency-Key"] if operation.takes_idempotency_key else []),
        *(["X-Page-Password"] if "password" in query else []),
        *(["Prefer"] if operation.checks_names else []),
    ]
    yield from (REQUEST_HEADERS[name] for name in names)
    for name, field in query.items():
        if not isinstance(field, Ignored):
            schema = _plain(shapes.of_field(field))
            if field.load_default not in (missing, dict, list):
                schema["default"] = field.load_default
            yield parameter("query", name, schema.pop("description"), schema)


def _plain(schema: JsonObject) -> JsonObject:
    """Return the schema of a parameter with the first of its types: a URL holds texts anyway."""
    plain = {**schema, **schema.get("oneOf", [{}])[0]}
    plain.pop("oneOf", None)
    return plain | ({"items": _plain(plain["items"])} if "items" in plain else {})


def _responses(shapes: Shapes, operation: Operation) -> JsonObject:
    told = TOLD_HEADERS if operation.checks_names else ()
    responses: JsonObject = {
        str(operation.status): {
            "description": "Created." if operation.takes_idempotency_key else "Success.",
            "headers": {name: HEADERS[name] for name in (*operation.headers, *told)},
            "content": {"application/json": {"schema": _response(shapes, operation)}},
        }
    }
    if operation.responds_early:
        going_on = {"description": "It goes on; Location says where the result will stand."}
        responses["202"] = responses["200"] | going_on
        responses["200"] = {**responses["200"], "headers": {name: HEADERS[name] for name in told}}
    if operation.is_conditional_read:
        responses["304"] = NOT_MODIFIED
    for status, codes in sorted(error_codes(operation).items()):
        responses[str(status)] = error_response(status, codes)
    responses["414"] = TOO_LONG
    return responses


def _response(shapes: Shapes, operation: Operation) -> JsonObject:
    if isinstance(operation.response, str):
        return {"type": "string", "const": operation.response}
    # Some generators take the first one that fits, in others the last one counts: the one with most
    # fields, of two the subclass, is both.
    schemas = [*operation.response_schemas]
    schemas.sort(key=lambda schema: (len(schema.fields), len(type(schema).__mro__)), reverse=True)
    references = [shapes.of(type(schema)) for schema in schemas]
    if not references:
        anything = {"type": "object", "additionalProperties": True}
        return {"type": "array", "items": {}} if operation.many else anything
    shape = references[0] if len(references) == 1 else {"anyOf": [*references, references[0]]}
    return {"type": "array", "items": shape} if operation.many else shape
