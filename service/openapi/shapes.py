"""JSON schemas, made from Marshmallow's: of an object, of a field, of a Python type."""

from typing import Any, get_args, get_origin

from marshmallow import Schema, missing

from landform.service.json_codec import JsonObject

TYPES = {str: "string", int: "integer", bool: "boolean", float: "number"}
ABOVE = "#/components/schemas/"


class Shapes:
    """The schemas of objects that were `found`, by name, and references to them."""

    def __init__(self) -> None:
        self.found: JsonObject = {}

    def of(self, kind: Any) -> JsonObject:
        """Return the JSON schema of a Python type, in which Marshmallow's schemas may stand."""
        inner = get_args(kind)
        if kind is Any:
            return {}
        if get_origin(kind) is list:
            return {"type": "array", "items": self.of(inner[0])}
        if get_origin(kind) is dict:
            return {"type": "object", "additionalProperties": self.of(inner[1])}
        return self._reference(kind) if issubclass(kind, Schema) else {"type": TYPES[kind]}

    def of_field(self, field: Any) -> JsonObject:
        """Return the JSON schema of a field, of null too where it takes that."""
        found = {**(field.json_type or self.of(field.kind))}
        if field.choices:
            found["enum"] = [*field.choices, *([None] if field.allow_none else [])]
        if field.allow_none and "type" in found:
            found["type"] = [found["type"], "null"]
        elif field.allow_none:
            found = {"anyOf": [*found.get("anyOf", [found]), {"type": "null"}]}
        if field.load_default not in (missing, dict, list) and not field.root.partial:
            found["default"] = field.load_default
        return {**found, "description": field.description}

    def _reference(self, kind: type[Schema]) -> JsonObject:
        if kind.__name__ not in self.found:
            schema = kind()
            fields = schema.fields
            needed = [name for name, field in fields.items() if field.required]
            # Only what is made here is known to have no other properties.
            closed = {} if schema.unknown == "exclude" else {"additionalProperties": False}
            self.found[kind.__name__] = {
                "type": "object",
                "properties": {name: self.of_field(field) for name, field in fields.items()},
                **({"required": needed} if needed else {}),
                **closed,
            }
        return {"$ref": f"{ABOVE}{kind.__name__}"}
