"""Fields of requests and responses.

A field of a request declares its description, type and bounds. As clients of WordPress expect,
numbers and flags may be sent as text, and lists with commas. Any other value is refused. A message
may have an error code (`CodedMessage`); without one the code is that of an invalid parameter.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cached_property, partial
from math import inf
from types import GenericAlias
from typing import Any, TypeVar

import orjson
from marshmallow import Schema, ValidationError, fields, missing

from landform.storage.rows import MAX_INTEGER, MOST_META_KEYS, Row, count_keys

JsonObject = dict[str, Any]
# The object that contains a field.
Data = Mapping[str, Any] | None
# A function is called whenever the choices are needed: parts may add to them.
Choices = Sequence[str] | Callable[[], Sequence[str]]
T = TypeVar("T")
INTEGER = re.compile(r"[+-]?[0-9]{1,4000}")
DATE_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?"
    r"(?:Z|[+-][0-9]{2}(?::[0-9]{2})?)?"
)
# The characters that PHP's trim() removes.
WHITE_SPACE = " \t\n\r\0\x0b"
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
# The default bounds: characters of a text, and items of a list.
LONGEST_TEXT, MOST_ITEMS = 2000, 1000
SHORT_TEXT = 255
FLAG_WORDS = {"1": True, "true": True, "0": False, "false": False}
STRING: JsonObject = {"type": "string"}
TIME = "2026-01-31T12:00:00"


class CodedMessage(str):
    """A message with an error code."""

    code: str

    def __new__(cls, code: str, message: str) -> "CodedMessage":
        """Return the message with its code."""
        self = super().__new__(cls, message)
        self.code = code
        return self


def add_choices(schema: JsonObject, choices: Sequence[str]) -> JsonObject:
    """Return the JSON schema of a field with its choices; in a list each item has them."""
    if choices and "items" in schema:
        return {**schema, "items": {**schema["items"], "enum": [*choices]}}
    return {**schema, "enum": [*choices]} if choices else schema


def required(name: str, code: str = "rest_missing_callback_param", *also: str) -> JsonObject:
    """Return the arguments of a required field; `also`: errors with the same message."""
    message = CodedMessage(code, f"{name} is required.")
    return {"required": True, "error_messages": dict.fromkeys(("required", *also), message)}


class Field(fields.Field[T]):
    """A field with a description and types for JSON Schema and /wp-json.

    Where `json_type` is empty, `kind` is the type: a Python type that may contain schemas.
    """

    kind: Any = Any
    json_type: JsonObject = {}
    wordpress_type: JsonObject = STRING

    def __init__(self, about: str = "", *, choices: Choices = (), **kw: Any) -> None:
        super().__init__(**kw)
        self.about, self._choices = about, choices

    @property
    def choices(self) -> Sequence[str]:
        """The values that are allowed, or those of the items of a list; empty if all are."""
        return self._choices() if callable(self._choices) else self._choices

    @property
    def description(self) -> str:
        """The description of the field, or of the one that it overrides."""
        schemas = [getattr(base, "_declared_fields", {}) for base in type(self.parent).__mro__]
        descriptions = (fields[self.name].about for fields in schemas if self.name in fields)
        return next(filter(None, descriptions), "")


class Integer(Field[int]):
    """An integer from `minimum` to `maximum`, also as decimal digits in a string."""

    def __init__(
        self,
        about: str = "",
        minimum: float = -MAX_INTEGER,
        maximum: float = MAX_INTEGER,
        **kw: Any,
    ) -> None:
        super().__init__(about, **kw)
        self.minimum, self.maximum = minimum, maximum
        bounds = {"minimum": minimum, "maximum": maximum}
        finite = {name: bound for name, bound in bounds.items() if abs(bound) < inf}
        digits = {**STRING, "pattern": r"^\s*[+-]?[0-9]+\s*$"}
        self.wordpress_type = {"type": "integer", **finite}
        self.json_type = {"oneOf": [self.wordpress_type, digits]}

    def _deserialize(self, value: object, attr: str | None, data: Data, **kw: object) -> int:
        if isinstance(value, str) and INTEGER.fullmatch(value.strip()):
            value = int(value)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool):
            raise ValidationError(f"{attr} must be an integer.")
        if not self.minimum <= value <= self.maximum:
            raise ValidationError(f"{attr} must be from {self.minimum} to {self.maximum}.")
        return value


# An integer of any size, for filters: with one that no row can have, the list is empty.
Number = partial(Integer, minimum=-inf, maximum=inf)


class Flag(Field[bool]):
    """A boolean, also as 0 or 1 or as one of the words "0", "1", "true", "false"."""

    wordpress_type = {"type": "boolean"}
    json_type = {
        "oneOf": [
            {"type": "boolean"},
            {"type": "integer", "enum": [0, 1]},
            {**STRING, "pattern": "^([01]|[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$"},
        ]
    }

    def _deserialize(self, value: object, attr: str | None, data: Data, **kw: object) -> bool:
        if isinstance(value, str) and value.lower() in FLAG_WORDS:
            return FLAG_WORDS[value.lower()]
        if isinstance(value, int) and value in (0, 1):
            return bool(value)
        raise ValidationError(f"{attr} must be true or false.")


class Text(Field[str]):
    """A string of at most `longest` characters; `blank=False` refuses an empty one.

    The NUL character is always refused, other control characters with `line=True`. With `choices`
    it is one of them.
    """

    default_error_messages = {"blank": "must not be empty."}

    def __init__(
        self,
        about: str = "",
        choices: Choices = (),
        *,
        blank: bool = True,
        line: bool = False,
        longest: float = LONGEST_TEXT,
        **kw: Any,
    ) -> None:
        super().__init__(about, choices=choices, **kw)
        self.blank, self.line, self.longest = blank, line, longest
        min_length: JsonObject = {} if blank else {"minLength": 1}
        max_length = {"maxLength": longest} if longest < inf and not choices else {}
        pattern = {"pattern": r"^[^\u0000-\u001f\u007f-\u009f]*$"} if line else {}
        self.json_type = {**STRING, **min_length, **max_length, **pattern}

    def _deserialize(self, value: object, attr: str | None, data: Data, **kw: object) -> str:
        if not isinstance(value, str):
            raise ValidationError(f"{attr} must be a string.")
        if len(value) > self.longest:
            raise ValidationError(f"{attr} must not be longer than {self.longest} characters.")
        if "\0" in value:
            raise ValidationError(f"{attr} must not contain the character NUL.")
        if self.line and CONTROL.search(value):
            raise ValidationError(f"{attr} must not contain control characters.")
        if not value and not self.blank:
            raise self.make_error("blank")
        if self.choices and value not in self.choices:
            raise ValidationError(f"must be one of {', '.join(self.choices)}.")
        return value


class IdText(Text):
    """The text of an id, which may also be sent as an integer from 0."""

    def __init__(self, about: str = "", **kw: Any) -> None:
        super().__init__(about, **kw)
        number = {"type": "integer", "minimum": 0, "maximum": MAX_INTEGER}
        self.json_type = {"oneOf": [self.json_type, number]}
        self.wordpress_type = {"type": ["string", "integer"]}

    def _deserialize(self, value: object, attr: str | None, data: Data, **kw: object) -> str:
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_INTEGER:
            value = str(value)
        if not isinstance(value, str):
            raise ValidationError(f"{attr} must be a string, or an integer from 0.")
        return super()._deserialize(value, attr, data, **kw)


class RawText(Text):
    """A text as a string, or as an object with `raw`, as the edit context returns it.

    An object without `raw`, as other contexts return it, changes nothing. With `trim` white space
    around the text is removed, as WordPress does with titles.
    """

    def __init__(self, about: str = "", *, trim: bool = False, **kw: Any) -> None:
        super().__init__(about, **kw)
        self.trim = trim
        text = {**STRING, "description": "The text as it is to be stored."}
        required = {"required": ["raw"]} if self.required else {}
        raw = {"type": "object", "properties": {"raw": text}, **required}
        self.json_type = {"oneOf": [STRING, raw]}

    def _deserialize(self, value: object, attr: str | None, data: Data, **kw: object) -> Any:
        if isinstance(value, Mapping):
            if "raw" not in value and not self.required:
                # An update leaves the text as it is; a create has an empty one.
                root: Any = self.root
                return missing if root.partial else self.load_default
            value = value.get("raw")
        text = super()._deserialize(value, attr, data, **kw)
        return text.strip(WHITE_SPACE) if self.trim else text


class DateTime(Field[datetime]):
    """An ISO 8601 date and time, the offset optional, without fractions of seconds."""

    json_type = {**STRING, "pattern": DATE_TIME.pattern, "examples": [TIME]}
    wordpress_type = {**STRING, "format": "date-time"}

    def _deserialize(self, value: object, attr: str | None, data: Data, **kw: object) -> datetime:
        if isinstance(value, str) and DATE_TIME.fullmatch(value):
            with suppress(ValueError):
                return datetime.fromisoformat(value).replace(microsecond=0)
        raise ValidationError(f"{attr} must be a date and time such as {TIME}.")


class ListOf(Field[list[T]]):
    """A list of another field: a JSON or query array, or text with commas or blanks.

    It has from `min_items` to `max_items`. An empty text is an empty list; no item may be empty.
    """

    def __init__(
        self,
        about: str,
        inner: Field[T],
        *,
        min_items: int = 0,
        max_items: float = MOST_ITEMS,
        **kw: Any,
    ) -> None:
        super().__init__(about, choices=lambda: inner.choices, **kw)
        self.inner, self.min_items, self.max_items = inner, min_items, max_items
        bounds: JsonObject = {"minItems": min_items} if min_items else {}
        bounds |= {"maxItems": max_items} if max_items < MOST_ITEMS else {}
        self.json_type = {"type": "array", "items": inner.json_type, **bounds}
        self.wordpress_type = {"type": "array", "items": inner.wordpress_type, **bounds}

    def _deserialize(self, value: object, attr: str | None, data: Data, **kw: object) -> list[T]:
        if isinstance(value, str):
            value = re.split(r"[\s,]+", value.strip(", \t\r\n\f\v")) if value.strip(", ") else []
        elif isinstance(value, Mapping):
            value = list(value.values())
        elif not isinstance(value, Sequence):
            value = [value]
        if len(value) > self.max_items:
            raise ValidationError(f"{attr} must not have more than {self.max_items} items.")
        if len(value) < self.min_items:
            raise ValidationError(f"{attr} must have at least {self.min_items} item.")
        return [self.inner.deserialize(item, attr, data) for item in value]


class JsonList(ListOf[T]):
    """A list of another field, in JSON only."""

    def _deserialize(self, value: object, attr: str | None, data: Data, **kw: object) -> list[T]:
        if not isinstance(value, list):
            raise ValidationError(f"{attr} must be a list.")
        return super()._deserialize(value, attr, data, **kw)


class AnyList(JsonList[Any]):
    """A list of any values in JSON; the object that contains it bounds its length."""

    def __init__(self, about: str) -> None:
        super().__init__(about, Field(allow_none=True), max_items=inf)
        self.wordpress_type = {"type": "array"}


def check_keys(name: str | None, value: object) -> None:
    """Refuse a value with too many keys and items."""
    if count_keys(value) > MOST_META_KEYS:
        raise ValidationError(f"{name} must not have more than {MOST_META_KEYS} keys and items.")


class Nested(Field[JsonObject]):
    """An object of a schema, with a bound on its keys and items at any depth."""

    def __init__(self, about: str, schema: Schema, *, is_bounded: bool = True, **kw: Any) -> None:
        super().__init__(about, **kw)
        self.schema, self.kind, self.is_bounded = schema, type(schema), is_bounded
        inner: dict[str, Any] = schema.load_fields
        types = {name: field.wordpress_type for name, field in inner.items()}
        self.wordpress_type = {"type": "object", "properties": types}

    def _deserialize(self, value: Any, attr: str | None, data: Data, **kw: object) -> JsonObject:
        if self.is_bounded:
            check_keys(attr, value)
        loaded: JsonObject = self.schema.load(value)
        return loaded


class Ignored(Field[object]):
    """A field that clients send back as they read it, and that is ignored."""

    def __init__(self, about: str = "", json_type: JsonObject | None = None) -> None:
        super().__init__(about)
        self.json_type = json_type or {}

    def deserialize(
        self, value: object, attr: str | None = None, data: Data = None, **kw: object
    ) -> object:
        """Return the marker of a missing value, for null too."""
        return missing


class Output(Field[Any]):
    """A field of a response: the value of a column.

    `kind` is a Python type that may contain schemas, or a function that returns one. `columns`:
    those that the field needs; None for the column with its name, or with that of `attribute`. It
    is in every response; an `optional` one is left out where the row does not have it.
    """

    columns: Sequence[str] | None = None

    def __init__(
        self, about: str = "", kind: Any = str, *, optional: bool = False, **kw: Any
    ) -> None:
        super().__init__(about, dump_only=True, required=not optional, **kw)
        self.kind = kind

    def serialize(self, attr: str, obj: Any, accessor: object = None, **kw: object) -> Any:
        """Return the value of the field, in a fraction of the time of Marshmallow's method."""
        return self._show(obj)

    def _show(self, row: Any) -> Any:
        """Return the value of the field for a row."""
        name = self.attribute or self.name
        return row[name] if self.required else row.get(name, missing)


class Computed(Output):
    """A field computed from any columns."""

    columns: Sequence[str] | None = ()


class Constant(Computed):
    """A field that always has the same value, which is in no row."""

    def __init__(self, about: str, constant: str | int) -> None:
        super().__init__(about)
        # Some generators need the type of a text, and compare a typed `true` with a text.
        kind = STRING if isinstance(constant, str) else {}
        self.constant, self.json_type = constant, {**kind, "const": constant}

    def _show(self, row: Row) -> Any:
        return self.constant


class SameRow(Computed):
    """The same row, dumped by another schema."""

    def __init__(self, about: str, schema: Schema) -> None:
        super().__init__(about, type(schema))
        self.schema, self.columns = schema, columns_of(schema)

    def _show(self, row: Row) -> JsonObject:
        dumped: JsonObject = self.schema.dump(row)
        return dumped


class Rows(Output):
    """A list of rows, each dumped by a schema."""

    def __init__(self, about: str, schema: Schema, *, optional: bool = False) -> None:
        super().__init__(about, GenericAlias(list, type(schema)), optional=optional)
        self.schema = schema

    def _show(self, row: Row) -> Any:
        rows = super()._show(row)
        return rows if rows is missing else self.schema.dump(rows, many=True)


class Digits(Output):
    """An integer or flag, sent as a string of digits."""

    json_type: JsonObject = {**STRING, "pattern": "^[0-9]+$"}

    def _show(self, row: Row) -> str:
        return str(int(super()._show(row) or 0))


class UtcTime(Output):
    """A stored time, sent with the Z of UTC; null for an empty one."""

    json_type: JsonObject = {**STRING, "format": "date-time", "examples": [f"{TIME}Z"]}

    def _show(self, row: Row) -> str | None:
        value = super()._show(row)
        return f"{value}Z" if value else None


class StoredJson(Output):
    """A value that is stored as JSON text, and sent without being parsed."""

    def _show(self, row: Row) -> Any:
        return orjson.Fragment(super()._show(row))


class RowSchema(Schema):
    """A schema of rows whose fields are all an `Output` that no row lacks."""

    @cached_property
    def _outputs(self) -> list[tuple[str, str, Callable[..., Any]]]:
        """The name of each field, its column if that is only copied, and its `_show`."""
        fields: Mapping[str, Any] = self.dump_fields
        return [
            (name, (field.attribute or name) if type(field) is Output else "", field._show)
            for name, field in fields.items()
        ]

    def dump(self, obj: Any, *, many: bool | None = None) -> Any:
        """Return the JSON object of a row, in half the time of Marshmallow's own method."""
        if many:
            return [self.dump(row) for row in obj]
        return {name: obj[column] if column else show(obj) for name, column, show in self._outputs}


def columns_of(schema: Schema) -> tuple[str, ...]:
    """Return the columns that a schema needs to dump a row."""
    fields: Mapping[str, Any] = schema.dump_fields
    return tuple(
        dict.fromkeys(
            column
            for name, field in fields.items()
            for column in ((field.attribute or name,) if field.columns is None else field.columns)
        )
    )
