"""Dumping as the schemas say it, at the speed of a dict display.

Marshmallow asks every field of every object again how it is found and written. A compiled
serializer has asked once; what it returns equals the schema's own dump,
once it is written as JSON.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from marshmallow import Schema, fields

from landform.schemas.fields import JsonObject, StoredJson

Row = Mapping[str, Any]
Serializer = Callable[[Row], JsonObject]

# Rows hold values of these types as they are sent.
PLAIN = (fields.String, fields.Integer, fields.Boolean)


def compile_serializer(schema: Schema, ready: Collection[str] = ()) -> Serializer:
    """Return what dumps an object that has every field of the schema.

    `ready`: the fields whose values are as they are sent.
    """
    constants = {
        name: field.constant
        for name, field in schema.dump_fields.items()
        if isinstance(field, fields.Constant)
    }
    found = {name: one for name, one in schema.dump_fields.items() if name not in constants}
    sources = [(name, field.attribute or name) for name, field in found.items()]
    made = [
        (name, _field_serializer(name, field))
        for name, field in found.items()
        if type(field) not in PLAIN and name not in ready
    ]

    def dump(row: Row) -> JsonObject:
        values = {name: row[source] for name, source in sources}
        for name, serialize in made:
            values[name] = serialize(values[name])
        values.update(constants)
        return values

    return dump


def _field_serializer(name: str, field: fields.Field[object]) -> Callable[[Any], object]:
    """Return what makes of the value of a field what is sent."""
    if isinstance(field, fields.Nested):
        return compile_serializer(field.schema)
    if isinstance(field, StoredJson):
        return field.fragment
    return lambda value: field._serialize(value, name, None)
