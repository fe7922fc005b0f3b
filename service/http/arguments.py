"""Routes and their arguments as WordPress describes them, made from contracts and schemas."""

from functools import singledispatch
from math import isfinite
from typing import Any

from marshmallow import Schema, fields, missing, validate

from landform.schemas import fields as own
from landform.schemas.feed_plan import EntryValues
from landform.schemas.feeds import Settings
from landform.service.http.contract import Route
from landform.service.json_codec import JsonObject

API = "/wp-json"
NAMESPACES = ("wp/v2", "gf/v2")


def wordpress_name(route: Route) -> str | None:
    """Return a route as it is called below `/wp-json`; None where it is not there."""
    path = next((rule for rule in route.rules if rule.startswith(API)), None)
    return None if path is None else path.removeprefix(API) or "/"


def describe_route(route: Route) -> JsonObject:
    """Return the namespace of a route, its methods, and what each of them takes."""
    name = wordpress_name(route) or ""
    return {
        "namespace": next((one for one in NAMESPACES if name.startswith(f"/{one}")), ""),
        "methods": list(route.operations),
        "endpoints": [
            {
                "methods": [method],
                "args": _arguments(operation.contract.query) | _arguments(operation.contract.body),
            }
            for method, operation in route.operations.items()
        ],
    }


def _arguments(schema: Schema | None) -> JsonObject:
    """Return each argument that a schema loads: its type, bounds, choices and default."""
    found = schema.load_fields if schema else {}
    return {
        name: _argument(field)
        for name, field in found.items()
        if not isinstance(field, own.Ignored)
    }


def _argument(field: fields.Field[Any]) -> JsonObject:
    described = {"required": field.required, **_kind(field), **_choices(field)}
    default = field.load_default
    if default is not missing and default is not None:
        described["default"] = default() if callable(default) else default
    return described


def _choices(field: fields.Field[Any]) -> JsonObject:
    lists = [test.choices for test in field.validators if isinstance(test, validate.OneOf)]
    return {"enum": list(lists[0])} if lists else {}


@singledispatch
def _kind(field: object) -> JsonObject:
    return {"type": "string"}


@_kind.register
def _integer(field: own.Integer) -> JsonObject:
    bounds = {"minimum": field.minimum, "maximum": field.maximum}
    known = {name: of for name, of in bounds.items() if isfinite(of) and abs(of) < own.MAX_INTEGER}
    return {"type": "integer", **known}


@_kind.register
def _id_text(field: own.IdText) -> JsonObject:
    return {"type": ["string", "integer"]}


@_kind.register
def _flag(field: own.Flag) -> JsonObject:
    return {"type": "boolean"}


@_kind.register(Settings)
@_kind.register(EntryValues)
def _settings(field: Settings | EntryValues) -> JsonObject:
    return {"type": "object"}


@_kind.register
def _date_time(field: own.DateTime) -> JsonObject:
    kind = "string"
    return {"type": [kind, "null"] if field.allow_none else kind, "format": "date-time"}


@_kind.register(own.ListOf)
def _list_of(field: own.ListOf[Any]) -> JsonObject:
    return {"type": "array", "items": {**_kind(field.inner), **_choices(field.inner)}}


@_kind.register(fields.List)
def _list(field: fields.List[Any]) -> JsonObject:
    return {"type": "array"}


@_kind.register
def _nested(field: fields.Nested) -> JsonObject:
    inner = {name: _kind(one) for name, one in field.schema.load_fields.items()}
    return {"type": "object", "properties": inner}
