"""The service's description: an OpenAPI 3.1 document, made from the contracts of the operations.

What it says of parameters, bodies and responses are the schemas that load and dump them. It is
made at the first request for it.
"""

from collections.abc import Iterable, Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from marshmallow import Schema
from marshmallow.fields import Field

from landform.schemas.fields import Ignored, ListOf
from landform.service.http.contract import Contract, Operation, Route, path_variables
from landform.service.json_codec import JsonObject
from landform.service.openapi.components import (
    HEADERS,
    NOT_MODIFIED,
    REQUEST_HEADERS,
    SECURITY,
    TOLD_HEADERS,
    TOO_LONG,
    describe,
    error_response,
    error_schema,
)

if TYPE_CHECKING:
    from apispec.ext.marshmallow import MarshmallowPlugin

ABOUT = (
    "Landing pages and form feeds over HTTP. Any request may carry the query parameter _envelope: "
    "the response then is 200, with body, status and headers in its body."
)
# The groups of operations that are not called as their paths begin.
TAGS = {"forms": "Feeds", "whoami": "Access", "wp-json": "For clients of WordPress"}
SUMMARIES = {"whoami": "Show who is calling"}
FORMS = ("application/x-www-form-urlencoded",)


def document(routes: Iterable[Route]) -> JsonObject:
    """Return the document of some routes, its server left open."""
    from apispec import APISpec  # noqa: PLC0415 - only for whoever asks for the document
    from apispec.ext.marshmallow import MarshmallowPlugin  # noqa: PLC0415

    plugin = MarshmallowPlugin(schema_name_resolver=_name)
    info = {"description": ABOUT, "license": {"name": "MIT"}}
    spec = APISpec("landform", version("landform"), "3.1.0", plugins=[plugin], info=info)
    assert plugin.converter is not None  # nosec B101
    plugin.converter.add_attribute_function(describe)  # type: ignore[no-untyped-call]
    codes: set[str] = set()
    for name, scheme in SECURITY.items():
        spec.components.security_scheme(name, scheme)
    for route in routes:
        operations = {
            method.lower(): _operation(plugin, method, operation)
            for method, operation in route.operations.items()
        }
        spec.path(route.path.replace("<", "{").replace(">", "}"), operations=operations)
        for operation in route.operations.values():
            codes.update(*operation.contract.error_codes().values())
    spec.components.schema("Error", error_schema(sorted(codes)))
    return spec.to_dict()


def _operation(plugin: "MarshmallowPlugin", method: str, operation: Operation) -> JsonObject:
    contract, name = operation.contract, operation.name
    start = contract.path.strip("/").split("/")[0]
    text = operation.view.__doc__ or ""
    text += f" Needs the scope `{contract.scope}`." if contract.scope else ""
    # One view may serve several methods of a path.
    twin = method != contract.methods.split()[0]
    described: JsonObject = {
        "operationId": f"{name}_by_{method.lower()}" if twin else name,
        "summary": _summary(name),
        "description": " ".join(text.split()),
        "tags": [TAGS.get(start, start.capitalize())],
        "parameters": [*_path(contract.path), *_headers(contract), *_query(plugin, contract)],
        "responses": _responses(plugin, contract),
        "security": [{scheme: []} for scheme in SECURITY] + ([{}] if contract.public else []),
    }
    if contract.body:
        content = {"application/json": _media(contract, _json_body(plugin, contract))}
        if contract.form:
            content |= {kind: _media(contract, type(contract.body)) for kind in FORMS}
        described["requestBody"] = {"required": contract.needs_body, "content": content}
    return described


def _summary(name: str) -> str:
    """Return what an operation does in a few words, from the name of its view."""
    verb, *words = name.split("_")
    if not words:
        return SUMMARIES.get(name, name.capitalize())
    is_one = len(words) == 1 and not words[0].endswith("s") and words[0] != "index"
    return " ".join([verb.capitalize(), *(["a"] if is_one else []), *words])


def _media(contract: Contract, schema: object) -> JsonObject:
    example = {"example": contract.example} if contract.example else {}
    return {"schema": schema, **example}


def _json_body(plugin: "MarshmallowPlugin", contract: Contract) -> object:
    """Return the schema of a JSON body. An update of nothing may say so in each way of PHP's."""
    body = type(contract.body)
    if contract.body and contract.body_list:
        return {"anyOf": [body, _list_body(plugin, contract.body.fields[contract.body_list])]}
    if contract.needs_body or contract.empty_body:
        return body
    return {"anyOf": [body, {"type": "null"}, {"type": "array", "maxItems": 0}]}


def _list_body(plugin: "MarshmallowPlugin", field: Field[Any]) -> JsonObject:
    assert plugin.converter is not None  # nosec B101
    return plugin.converter.field2property(field)


def _path(path: str) -> list[JsonObject]:
    return [
        {
            "name": name,
            "in": "path",
            "description": f"The id of the {name.removesuffix('_id').replace('_', ' ')}.",
            "required": True,
            "schema": {"type": "integer", "minimum": 0},
        }
        for name in path_variables(path)
    ]


def _headers(contract: Contract) -> list[JsonObject]:
    """Return the parameters that follow from what an operation does."""
    names = [
        *([] if contract.is_write else ["_fields"]),
        *(["If-None-Match"] if contract.is_conditional_read else []),
        *(["If-Match"] if contract.if_match else []),
        *(["Idempotency-Key"] if contract.creates else []),
        *contract.request_headers,
        *(["Prefer"] if contract.has_names else []),
    ]
    return [REQUEST_HEADERS[name] for name in names]


def _query(plugin: "MarshmallowPlugin", contract: Contract) -> list[JsonObject]:
    assert plugin.converter is not None  # nosec B101
    parameters = []
    for name, field in (contract.query.fields if contract.query else {}).items():
        if isinstance(field, Ignored):
            continue
        schema = plugin.converter.field2property(field)
        text = schema.pop("description", "")
        parameter: JsonObject = {"name": name, "in": "query", "description": text, "schema": schema}
        if isinstance(field, ListOf):
            parameter |= {"style": "form", "explode": False}
        parameters.append(parameter)
    return parameters


def _responses(plugin: "MarshmallowPlugin", contract: Contract) -> JsonObject:
    told = TOLD_HEADERS if contract.has_names else ()
    responses: JsonObject = {
        str(contract.status): {
            "description": "Created." if contract.creates else "Success.",
            "headers": {name: HEADERS[name] for name in (*contract.headers, *told)},
            "content": {"application/json": {"schema": _response(plugin, contract)}},
        }
    }
    if contract.is_conditional_read:
        responses["304"] = NOT_MODIFIED
    for status, codes in sorted(contract.error_codes().items()):
        responses[str(status)] = error_response(status, codes)
    responses["414"] = TOO_LONG
    return responses


def _response(plugin: "MarshmallowPlugin", contract: Contract) -> object:
    response = contract.response
    if isinstance(response, str):
        return {"type": "string", "const": response}
    schemas = response.values() if isinstance(response, Mapping) else [response]
    shapes = [type(schema) for schema in schemas if schema]
    if not shapes:
        return {"type": "array", "maxItems": 0} if contract.many else {"type": "object"}
    shape = shapes[0] if len(shapes) == 1 else {"anyOf": shapes}
    if contract.keyed:
        assert plugin.resolver is not None  # nosec B101
        # Of its own accord the plugin looks for schemas in lists and properties only.
        inner = plugin.resolver.resolve_schema_dict(shape)  # type: ignore[no-untyped-call]
        return {"type": "object", "additionalProperties": inner}
    return {"type": "array", "items": shape} if contract.many else shape


def _name(schema: type[Schema] | Schema | str) -> str:
    return str(getattr(schema, "__name__", type(schema).__name__))
