"""Routes and their arguments as WordPress describes them, made from contracts and schemas."""

from typing import Any

from marshmallow import Schema, missing

from landform.schemas.fields import Ignored
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
        name: _argument(field) for name, field in found.items() if not isinstance(field, Ignored)
    }


def _argument(field: Any) -> JsonObject:
    described = {"required": field.required, **field.wordpress_type}
    described |= {"enum": [*field.choices]} if field.choices else {}
    default = field.load_default
    if default is not missing and default is not None and not field.root.partial:
        described["default"] = default() if callable(default) else default
    return described
