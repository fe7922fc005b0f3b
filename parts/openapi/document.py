"""The OpenAPI 3.1 document, from the declarations and schemas of the operations."""

from collections.abc import Iterable, Iterator
from types import FunctionType, UnionType
from typing import Any, get_args, get_origin

from marshmallow import INCLUDE, RAISE, Schema, missing

from landform.parts.openapi.components import (
    ERROR_SCHEMA,
    FIELDS_PARAMETER,
    NAME_HEADERS,
    NOT_MODIFIED,
    REQUEST_HEADERS,
    RESPONSE_HEADERS,
    SECURITY,
    Error,
    error_response,
    parameter,
)
from landform.schemas.fields import STRING, Ignored, Nested, add_choices
from landform.service.pipeline.call import RELEASE
from landform.service.pipeline.json_codec import JsonObject
from landform.service.pipeline.operations import Operation, Route, path_variables
from landform.service.pipeline.reply import JSON

DESCRIPTION = (
    "Landing pages and form feeds over HTTP. Any request may carry the query parameter _envelope: "
    "the response then is 200, with body, status and headers in its body."
)
# The groups of operations, where these are not named by the start of the path.
TAGS = {"forms": "Feeds", "whoami": "Access", "wp-json": "For clients of WordPress"}
SUMMARIES = {"whoami": "Show who is calling"}
# PHP sends an object without fields as an empty list.
NO_FIELDS = {"type": "array", "items": {}, "maxItems": 0}
FILE = {**STRING, "format": "binary", "description": "The bytes of the file."}
JSON_TYPES = {str: "string", int: "integer", bool: "boolean", float: "number"}


class Components:
    """The JSON schemas of objects by name, added at the first reference."""

    def __init__(self) -> None:
        self.schemas: JsonObject = {}

    def schema(self, kind: Any) -> JsonObject:
        """Return the JSON schema of a Python type, which may contain Marshmallow schemas."""
        if isinstance(kind, FunctionType):
            return self.schema(kind())
        inner = get_args(kind)
        if kind is Any:
            return {}
        if isinstance(kind, UnionType):
            return {"anyOf": [self.schema(item) for item in inner]}
        if get_origin(kind) is list:
            return {"type": "array", "items": self.schema(inner[0])}
        if get_origin(kind) is dict:
            return {"type": "object", "additionalProperties": self.schema(inner[1])}
        return self._reference(kind) if issubclass(kind, Schema) else {"type": JSON_TYPES[kind]}

    def field_schema(self, field: Any) -> JsonObject:
        """Return the JSON schema of a field, with null if that is allowed."""
        schema = {**(field.json_type or self.schema(field.kind))}
        inner = getattr(field, "inner", None)
        if isinstance(inner, Nested):
            schema["items"] = self.schema(inner.kind)
        schema = add_choices(schema, field.choices)
        if field.allow_none and "type" in schema and not field.choices:
            schema["type"] = [schema["type"], "null"]
        elif field.allow_none:
            schema = {"anyOf": [*schema.get("anyOf", [schema]), {"type": "null"}]}
        return {**schema, "description": field.description}

    def _reference(self, kind: type[Schema]) -> JsonObject:
        if kind.__name__ not in self.schemas:
            schema = kind()
            fields = schema.fields
            required = [name for name, field in fields.items() if field.required]
            # A body whose other properties are dropped says nothing of them.
            additional = {RAISE: False, INCLUDE: True}.get(schema.unknown)
            self.schemas[kind.__name__] = {
                "type": "object",
                "properties": {name: self.field_schema(field) for name, field in fields.items()},
                **({"required": required} if required else {}),
                **({} if additional is None else {"additionalProperties": additional}),
            }
        return {"$ref": f"#/components/schemas/{kind.__name__}"}


def document(routes: Iterable[Route]) -> JsonObject:
    """Return the document of several routes, without its servers."""
    components, paths = Components(), {}
    for route in routes:
        paths[route.path.replace("<", "{").replace(">", "}")] = {
            method.lower(): _operation(components, method, operation)
            for method, operation in route.operations.items()
        }
    info = {"description": DESCRIPTION, "license": {"name": "MIT", "identifier": "MIT"}}
    components.schema(Error)
    return {
        "openapi": "3.1.0",
        "info": {"title": "landform", "version": RELEASE, **info},
        "paths": paths,
        "components": {"schemas": components.schemas, "securitySchemes": SECURITY},
    }


def _operation(components: Components, method: str, operation: Operation) -> JsonObject:
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
        "parameters": [*_parameters(components, operation)],
        "responses": _responses(components, operation),
        "security": [{scheme: []} for scheme in SECURITY] + ([{}] if operation.public else []),
    }
    if operation.body:
        # Generators of clients need one media type: not forms too.
        schema = components.schema(type(operation.body))
        required = any(field.required for field in operation.body.load_fields.values())
        if operation.body.unknown == INCLUDE and not (required or operation.body_list):
            schema = {"anyOf": [schema, NO_FIELDS, {"type": "null"}]}
        media = {"schema": schema} | ({"example": operation.example} if operation.example else {})
        content = {"application/json": media}
        if operation.is_raw:
            required, content = True, _file_content(operation.file, schema)
        described["requestBody"] = {"required": required, "content": content}
    return described


def _file_content(name: str, fields: JsonObject) -> JsonObject:
    """Return the media types of a body that is a form with a file, or the file itself."""
    file = {"type": "object", "required": [name], "properties": {name: FILE}}
    return {
        "multipart/form-data": {"schema": {"allOf": [file, fields]}},
        "image/*": {"schema": FILE},
    }


def _parameters(components: Components, operation: Operation) -> Iterator[JsonObject]:
    """Yield the parameters of the path, the headers and the query."""
    for name in path_variables(operation.path):
        about = f"The id of the {name.removesuffix('_id').replace('_', ' ')}."
        yield parameter("path", name, about, {"type": "integer", "minimum": 0})
    if not operation.is_write:
        yield FIELDS_PARAMETER
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
            schema = _first_type(components.field_schema(field))
            if field.load_default not in (missing, dict, list):
                schema["default"] = field.load_default
            described = parameter("query", name, schema.pop("description"), schema)
            # As `paging[page_size]`.
            brackets = {"style": "deepObject", "explode": True}
            yield described | (brackets if isinstance(field, Nested) else {})


def _first_type(schema: JsonObject) -> JsonObject:
    """Return the schema of a parameter with the first of its types: a URL only holds texts."""
    first = {**schema, **schema.get("oneOf", [{}])[0]}
    first.pop("oneOf", None)
    return first | ({"items": _first_type(first["items"])} if "items" in first else {})


def _responses(components: Components, operation: Operation) -> JsonObject:
    common = NAME_HEADERS if operation.checks_names else ()
    responses: JsonObject = {
        str(operation.status): {
            "description": "Created." if operation.is_repeatable_create else "Success.",
            "headers": {name: RESPONSE_HEADERS[name] for name in (*operation.headers, *common)},
            "content": {JSON: {"schema": _response(components, operation)}},
        }
    }
    if operation.other_type:
        responses[str(operation.status)]["content"][operation.other_type] = {"schema": STRING}
    if operation.responds_early:
        pending = {"description": "The result will be at the Location."}
        responses["202"] = responses["200"] | pending
        responses["200"] = responses["200"] | {
            "headers": {name: RESPONSE_HEADERS[name] for name in common}
        }
    if operation.is_conditional_read:
        responses["304"] = NOT_MODIFIED
    for status, codes in sorted(operation.error_codes.items()):
        responses[str(status)] = error_response(status, codes)
    if operation.invalid:
        media = responses["400"]["content"][JSON]
        media["schema"] = {"anyOf": [ERROR_SCHEMA, _schema(components, operation.invalid)]}
    return responses


def _schema(components: Components, kind: Any) -> JsonObject:
    """Return the JSON schema of a Python type or of a constant text."""
    is_text = isinstance(kind, str)
    return {"type": "string", "const": kind} if is_text else components.schema(kind)


def _response(components: Components, operation: Operation) -> JsonObject:
    # For some generators the first schema that fits counts, for others the last one: the one with
    # most fields, of two the subclass, is both.
    schemas = [*operation.response_schemas]
    schemas.sort(key=lambda schema: (len(schema.fields), len(type(schema).__mro__)), reverse=True)
    references = [components.schema(type(schema)) for schema in schemas]
    if operation.response and not references:
        return _schema(components, operation.response)
    if not references:
        any_object = {"type": "object", "additionalProperties": True}
        return {"type": "array", "items": {}} if operation.many else any_object
    item = references[0] if len(references) == 1 else {"anyOf": [*references, references[0]]}
    return {"type": "array", "items": item} if operation.many else item
