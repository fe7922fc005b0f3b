"""Dumping as the schemas say it, at the speed of a dict display.

Marshmallow asks every field of every object again how it is found and written. A compiled
serializer has asked once; what it returns equals the schema's own dump,
once it is written as JSON.
"""

from collections.abc import Callable, Mapping
from typing import Any

import orjson
from marshmallow import Schema, fields

from landform.schemas.fields import JsonObject, StoredJson

Row = Mapping[str, Any]
Serializer = Callable[[Row], JsonObject]

# Rows hold values of these types as they are sent.
PLAIN = (fields.String, fields.Integer, fields.Boolean)


def compile_serializer(schema: Schema) -> Serializer:
    """Return what dumps an object that has every field of the schema."""
    plain = [name for name, field in schema.dump_fields.items() if type(field) in PLAIN]
    made = {
        name: _field_serializer(name, field)
        for name, field in schema.dump_fields.items()
        if type(field) not in PLAIN
    }
    names = list(schema.dump_fields)

    def dump(row: Row) -> JsonObject:
        return {name: made[name](row) if name in made else row[name] for name in names}

    return dump if made else lambda row: {name: row[name] for name in plain}


def _field_serializer(name: str, field: fields.Field[object]) -> Callable[[Row], object]:
    if isinstance(field, fields.Nested):
        inner = compile_serializer(field.schema)
        return lambda row: inner(row[name])
    if isinstance(field, StoredJson):
        return lambda row: orjson.Fragment(field.complete(row[name]))
    if isinstance(field, fields.Constant):
        return lambda row: field.constant
    return lambda row: field._serialize(row[name], name, row)
