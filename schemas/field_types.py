"""The types of all fields, said once: as JSON schema, as /wp-json names them, and in Python."""

from functools import singledispatch
from math import isfinite
from typing import Any, NamedTuple

from marshmallow import fields, validate

from landform.schemas import fields as own
from landform.schemas.descriptions import description_of
from landform.schemas.feed_plan import LONGEST_ID, LONGEST_NAME, EntryId, EntryValues
from landform.schemas.feeds import Digits, Settings, StoredSettings
from landform.schemas.fields import JsonObject
from landform.schemas.pages import EMPTY_META, Instant, PageMeta, StoredMeta
from landform.schemas.runs import UtcTime

TIME = "2026-01-31T12:00:00"
NO_CONTROL = r"[^\u0000-\u001f\u007f-\u009f]"
META_EXAMPLE = {"feedName": "Newsletter"}
# What every integration has, as clients send it; a value of another type is stored as well.
SETTINGS: JsonObject = {
    "feedName": {"description": "The name of the feed, a string."},
    "feed_condition_conditional_logic": {
        "description": 'Whether conditional logic is on: the string "0" or "1".'
    },
    "feed_condition_conditional_logic_object": {
        "description": "The rules of the conditional logic: an array, or an object of rules."
    },
}
STRING: JsonObject = {"type": "string"}


class FieldType(NamedTuple):
    """A type: its JSON schema, empty where that of Marshmallow's own field will do, and others."""

    schema: JsonObject
    wordpress: JsonObject = STRING
    python: str = "Any"


def json_schema(field: fields.Field[Any]) -> JsonObject:
    """Return the JSON schema of a field of ours, of null too where it takes that."""
    schema = field_type(field).schema
    if not schema or not field.allow_none:
        return schema
    if "anyOf" in schema:
        return {"anyOf": [*schema["anyOf"], {"type": "null"}]}
    return {**schema, "type": [schema["type"], "null"]}


def choices_of(field: fields.Field[Any]) -> list[str]:
    """Return the values that a field may have, where these are told."""
    tests = (test.choices for test in field.validators if isinstance(test, validate.OneOf))
    return list(next(tests, ()))


@singledispatch
def field_type(field: object) -> FieldType:
    """Return the type of a field."""
    return FieldType({})


@field_type.register
def _integer(field: own.Integer) -> FieldType:
    bounds = {"minimum": field.minimum, "maximum": field.maximum}
    told = {name: of for name, of in bounds.items() if isfinite(of) and abs(of) < own.MAX_INTEGER}
    number = {"type": "integer", **{name: of for name, of in bounds.items() if isfinite(of)}}
    schema = {"anyOf": [number, {**STRING, "pattern": r"^\s*[+-]?[0-9]+\s*$"}]}
    return FieldType(schema, {"type": "integer", **told}, "int")


@field_type.register
def _flag(field: own.Flag) -> FieldType:
    words = {**STRING, "pattern": "^([01]|[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$"}
    schema = {"anyOf": [{"type": "boolean"}, {"type": "integer", "enum": [0, 1]}, words]}
    return FieldType(schema, {"type": "boolean"}, "bool")


@field_type.register
def _text(field: own.Text) -> FieldType:
    words = ", ".join(f'"{choice}"' for choice in choices_of(field))
    schema = STRING if field.blank else {**STRING, "minLength": 1}
    return FieldType(schema, python=f"Literal[{words}]" if words else "str")


@field_type.register
def _entry_id(field: EntryId) -> FieldType:
    bounds = {"minLength": 1, "maxLength": LONGEST_ID, "pattern": f"^{NO_CONTROL}+$"}
    return FieldType({"anyOf": [{**STRING, **bounds}, {"type": "integer"}]}, python="str")


@field_type.register
def _id_text(field: own.IdText) -> FieldType:
    number = {"type": "integer", "minimum": 0, "maximum": own.MAX_INTEGER}
    return FieldType({"anyOf": [STRING, number]}, {"type": ["string", "integer"]}, "str")


@field_type.register
def _raw_text(field: own.RawText) -> FieldType:
    # An object without `raw`, as other contexts return it, says nothing about the text.
    text = {**STRING, "description": "The text as it is to be stored."}
    raw: JsonObject = {"type": "object", "properties": {"raw": text}}
    needed = {"required": ["raw"]} if field.required else {}
    return FieldType({"anyOf": [STRING, {**raw, **needed}]}, python="str | Mapping[str, str]")


@field_type.register
def _date_time(field: own.DateTime) -> FieldType:
    schema = {**STRING, "pattern": own.DATE_TIME.pattern, "examples": [TIME]}
    kind = ["string", "null"] if field.allow_none else "string"
    return FieldType(schema, {"type": kind, "format": "date-time"}, "datetime | str")


@field_type.register
def _instant(field: Instant) -> FieldType:
    return FieldType({"anyOf": [{**STRING, "const": "now"}, json_schema(own.DateTime())]})


@field_type.register(own.ListOf)
def _list_of(field: own.ListOf[Any]) -> FieldType:
    inner, choices = field_type(field.inner), choices_of(field.inner)
    enum = {"enum": choices} if choices else {}
    return FieldType(
        {"type": "array", "items": {**inner.schema, **enum}},
        {"type": "array", "items": {**inner.wordpress, **enum}},
        f"{inner.python} | Sequence[{inner.python}]",
    )


@field_type.register
def _ignored(field: own.Ignored) -> FieldType:
    return FieldType({"type": "null"} if field.only == [None] else {})


@field_type.register
def _settings(field: Settings) -> FieldType:
    least = {"minProperties": 1} if field.empty else {}
    schema = {"type": "object", "examples": [META_EXAMPLE], **least}
    return FieldType(schema, {"type": "object"}, "Mapping[str, Any]")


@field_type.register
def _entry_values(field: EntryValues) -> FieldType:
    kinds: list[JsonObject] = [{"type": kind} for kind in ("string", "number", "boolean", "null")]
    values = {
        "type": "object",
        "additionalProperties": {"anyOf": [*kinds, {"type": "array", "items": {"anyOf": kinds}}]},
        "examples": [{"1": "ada@example.com", "2.1": "Yes", "3": ["red", "blue"]}],
        "propertyNames": {"maxLength": LONGEST_NAME},
    }
    # PHP cannot tell an empty object from an empty list.
    return FieldType({"anyOf": [values, {"type": "array", "maxItems": 0}]}, {"type": "object"})


# What responses hold, and what Marshmallow's own fields are.


@field_type.register
def _utc_time(field: UtcTime) -> FieldType:
    schema = {**STRING, "format": "date-time", "examples": [f"{TIME}Z"]}
    return FieldType(schema, python=_or_none(field, "str"))


@field_type.register
def _digits(field: Digits) -> FieldType:
    return FieldType({**STRING, "pattern": "^[0-9]+$"}, python="str")


@field_type.register
def _stored_settings(field: StoredSettings) -> FieldType:
    schema = {"type": "object", "properties": SETTINGS, "examples": [META_EXAMPLE]}
    return FieldType(schema, python="dict[str, Any]")


@field_type.register
def _stored_meta(field: StoredMeta) -> FieldType:
    declared = PageMeta().fields
    shapes = {
        name: {
            **({"type": "array", "items": {}} if isinstance(empty, list) else STRING),
            "description": description_of(declared[name]),
        }
        for name, empty in EMPTY_META.items()
    }
    schema = {"type": "object", "required": [*shapes], "properties": shapes}
    return FieldType(schema, python="PageMeta")


@field_type.register
def _string(field: fields.String) -> FieldType:
    return FieldType({}, python=_or_none(field, "str"))


@field_type.register
def _whole_number(field: fields.Integer) -> FieldType:
    return FieldType({}, python="int")


@field_type.register
def _boolean(field: fields.Boolean) -> FieldType:
    return FieldType({}, python="bool")


@field_type.register(fields.Constant)
def _constant(field: fields.Constant[Any]) -> FieldType:
    return FieldType(
        {}, python=f"Literal[{field.constant!r}]" if field.constant in (True, False) else "Any"
    )


@field_type.register
def _nested(field: fields.Nested) -> FieldType:
    inner = {name: field_type(one).wordpress for name, one in field.schema.load_fields.items()}
    return FieldType({}, {"type": "object", "properties": inner}, type(field.schema).__name__)


@field_type.register(fields.List)
def _list(field: fields.List[Any]) -> FieldType:
    return FieldType({}, {"type": "array"}, f"list[{field_type(field.inner).python}]")


def _or_none(field: fields.Field[Any], kind: str) -> str:
    return f"{kind} | None" if field.allow_none else kind
