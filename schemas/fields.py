"""Fields of requests and responses.

A field of a request says what it is, what it takes and within which bounds. It has the quirks of
WordPress's clients: numbers and flags as text, lists as commas. What cannot be meant is refused,
never bent into something else. A message may carry the error code that it stands for
(`CodedMessage`); without one it is an invalid parameter.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from math import inf
from typing import Any, TypeVar

import orjson
from marshmallow import Schema, ValidationError, fields, missing

from landform.storage.rows import MOST_META_KEYS, count_keys

JsonObject = dict[str, Any]
# What a field is a part of.
Data = Mapping[str, Any] | None
T = TypeVar("T")
MAX_INTEGER = 2**63 - 1
INTEGER = re.compile(r"[+-]?[0-9]{1,4000}")
DATE_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?"
    r"(?:Z|[+-][0-9]{2}(?::[0-9]{2})?)?"
)
# What PHP's trim() takes away.
WHITE_SPACE = " \t\n\r\0\x0b"
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
# Bounds where a field names no other one: the characters of a text, and the items of a list.
LONGEST_TEXT, MOST_ITEMS = 2000, 1000
SHORT_TEXT = 255
FLAGS = {"1": True, "true": True, "0": False, "false": False}
STRING: JsonObject = {"type": "string"}
TIME = "2026-01-31T12:00:00"


class CodedMessage(str):
    """A message that says which error code it stands for."""

    code: str

    def __new__(cls, code: str, message: str) -> "CodedMessage":
        """Return the message, with its code."""
        self = super().__new__(cls, message)
        self.code = code
        return self


def required(name: str, code: str = "rest_missing_callback_param", *also: str) -> JsonObject:
    """Return the arguments of a field that has to be there; `also`: neither "null" nor "blank"."""
    message = CodedMessage(code, f"{name} is required.")
    return {"required": True, "error_messages": dict.fromkeys(("required", *also), message)}


class Field(fields.Field[T]):
    """A field: what it is in a sentence, and its type as JSON schema, in /wp-json and in Python.

    Where `json_type` is empty, `kind` says it: a Python type, in which schemas may stand.
    """

    kind: Any = Any
    json_type: JsonObject = {}
    wordpress_type: JsonObject = STRING
    python_type = ""
    choices: Sequence[str] = ()
    needs = ""

    def __init__(self, about: str = "", **kw: Any) -> None:
        super().__init__(**kw)
        self.about = about

    @property
    def description(self) -> str:
        """The sentence of the field, or of the one that it stands for in a schema above."""
        above = [getattr(schema, "_declared_fields", {}) for schema in type(self.parent).__mro__]
        found = (declared[self.name].about for declared in above if self.name in declared)
        return next(filter(None, found), "")


AnyField = Field[Any]


class Integer(Field[int]):
    """An integer from `minimum` to `maximum`, also as decimal digits in a string."""

    python_type = "int"

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
        finite = {name: of for name, of in bounds.items() if abs(of) < inf}
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


# An integer of any size, for filters: one that no row can have finds nothing.
Number = partial(Integer, minimum=-inf, maximum=inf)


class Flag(Field[bool]):
    """A boolean, also as 0 or 1 or as one of the words "0", "1", "true", "false"."""

    python_type, wordpress_type = "bool", {"type": "boolean"}
    json_type = {
        "oneOf": [
            {"type": "boolean"},
            {"type": "integer", "enum": [0, 1]},
            {**STRING, "pattern": "^([01]|[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$"},
        ]
    }

    def _deserialize(self, value: object, attr: str | None, data: Data, **kw: object) -> bool:
        if isinstance(value, str) and value.lower() in FLAGS:
            return FLAGS[value.lower()]
        if isinstance(value, int) and value in (0, 1):
            return bool(value)
        raise ValidationError(f"{attr} must be true or false.")


class Text(Field[str]):
    """A string of `longest` characters at most; `blank=False` refuses the empty one.

    No field takes the NUL character, one in a `line` no control character. With `choices` it is one
    of these. Without the parameter that it `needs` it is ignored.
    """

    default_error_messages = {"blank": "must not be empty."}

    def __init__(
        self,
        about: str = "",
        choices: Sequence[str] = (),
        *,
        blank: bool = True,
        line: bool = False,
        longest: float = LONGEST_TEXT,
        needs: str = "",
        **kw: Any,
    ) -> None:
        super().__init__(about, **kw)
        self.choices, self.blank, self.line = choices, blank, line
        self.longest, self.needs = longest, needs
        least: JsonObject = {} if blank else {"minLength": 1}
        # A longer text fills the line of a request, which the server refuses on its own.
        most = {"maxLength": longest} if longest <= SHORT_TEXT else {}
        plain = {"pattern": r"^[^\u0000-\u001f\u007f-\u009f]*$"} if line else {}
        self.json_type = {**STRING, **least, **most, **plain}
        words = ", ".join(f'"{choice}"' for choice in choices)
        self.python_type = f"Literal[{words}]" if words else "str"

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
    """A text that holds an id, also given as an integer from 0."""

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
    """A text given as a string, or as the object with `raw` that the edit context returns.

    An object without `raw`, as other contexts return it, says nothing about the text. White space
    around it is removed where `trim` says so, as WordPress does with titles.
    """

    def __init__(self, about: str = "", *, trim: bool = False, **kw: Any) -> None:
        super().__init__(about, **kw)
        self.trim = trim
        text = {**STRING, "description": "The text as it is to be stored."}
        needed = {"required": ["raw"]} if self.required else {}
        raw = {"type": "object", "properties": {"raw": text}, **needed}
        self.json_type, self.python_type = {"oneOf": [STRING, raw]}, "str | Mapping[str, str]"

    def _deserialize(self, value: object, attr: str | None, data: Data, **kw: object) -> Any:
        if isinstance(value, Mapping):
            if "raw" not in value and not self.required:
                # Of an update nothing, of a create the empty text.
                root: Any = self.root
                return missing if root.partial else self.load_default
            value = value.get("raw")
        text = super()._deserialize(value, attr, data, **kw)
        return text.strip(WHITE_SPACE) if self.trim else text


class DateTime(Field[datetime]):
    """An ISO 8601 date with time, with or without an offset; fractions of seconds are dropped."""

    json_type = {**STRING, "pattern": DATE_TIME.pattern, "examples": [TIME]}
    python_type, wordpress_type = "datetime | str", {**STRING, "format": "date-time"}

    def _deserialize(self, value: object, attr: str | None, data: Data, **kw: object) -> datetime:
        if isinstance(value, str) and DATE_TIME.fullmatch(value):
            with suppress(ValueError):
                return datetime.fromisoformat(value).replace(microsecond=0)
        raise ValidationError(f"{attr} must be a date and time such as {TIME}.")


class ListOf(Field[list[T]]):
    """A list of what another field takes: a JSON or query array, or text with commas or blanks.

    It has from `least` to `most` items. An empty text is an empty list; an empty item is refused.
    """

    def __init__(
        self,
        about: str,
        inner: Field[T],
        *,
        least: int = 0,
        most: float = MOST_ITEMS,
        **kw: Any,
    ) -> None:
        super().__init__(about, **kw)
        self.inner, self.least, self.most = inner, least, most
        enum = {"enum": inner.choices} if inner.choices else {}
        bound: JsonObject = {"minItems": least} if least else {}
        bound |= {"maxItems": most} if most < MOST_ITEMS else {}
        self.json_type = {"type": "array", "items": {**inner.json_type, **enum}, **bound}
        self.wordpress_type = {"type": "array", "items": {**inner.wordpress_type, **enum}, **bound}
        self.python_type = f"{inner.python_type} | Sequence[{inner.python_type}]"

    def _deserialize(self, value: object, attr: str | None, data: Data, **kw: object) -> list[T]:
        if isinstance(value, str):
            value = re.split(r"[\s,]+", value.strip(", \t\r\n\f\v")) if value.strip(", ") else []
        elif isinstance(value, Mapping):
            value = list(value.values())
        elif not isinstance(value, Sequence):
            value = [value]
        if len(value) > self.most:
            raise ValidationError(f"{attr} must not have more than {self.most} items.")
        if len(value) < self.least:
            raise ValidationError(f"{attr} must have at least {self.least} item.")
        return [self.inner.deserialize(item, attr, data) for item in value]


class JsonList(ListOf[T]):
    """A list of what another field takes, in JSON only."""

    def __init__(self, about: str, inner: Field[T], **kw: Any) -> None:
        super().__init__(about, inner, **kw)
        self.python_type = f"Sequence[{inner.python_type or 'Any'}]"

    def _deserialize(self, value: object, attr: str | None, data: Data, **kw: object) -> list[T]:
        if not isinstance(value, list):
            raise ValidationError(f"{attr} must be a list.")
        return super()._deserialize(value, attr, data, **kw)


class AnyList(JsonList[Any]):
    """A list of any values, as many as the object that it is in may have, in JSON only."""

    def __init__(self, about: str) -> None:
        super().__init__(about, Field(allow_none=True), most=inf)
        self.wordpress_type = {"type": "array"}


def check_keys(name: str | None, value: object) -> None:
    """Refuse a value that holds too many keys and items."""
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
    """A field that clients write back as they read it, and that nothing is made of.

    `only`: the values that they can have read. Whoever sends any other one is told that it is
    ignored.
    """

    def __init__(self, about: str = "", *, only: Sequence[object] | None = None) -> None:
        super().__init__(about)
        self.only = only
        self.json_type = {"type": ["string", "null"]} if only == [None] else {}

    def deserialize(
        self, value: object, attr: str | None = None, data: Data = None, **kw: object
    ) -> object:
        """Return nothing, for null too."""
        return missing


Row = Mapping[str, Any]


class Shown(Field[Any]):
    """A field of a response: the value of a column, or what `_serialize` makes of a row.

    `kind` is a Python type, in which schemas may stand. `columns`: those that the field is made of;
    None for the one that has its name, or that `attribute` names. It is in every response, unless
    it is `optional`.
    """

    columns: Sequence[str] | None = None

    def __init__(
        self,
        about: str = "",
        kind: Any = str,
        *,
        choices: Sequence[str] = (),
        optional: bool = False,
        **kw: Any,
    ) -> None:
        super().__init__(about, dump_only=True, required=not optional, **kw)
        self.kind, self.choices = kind, choices

    def serialize(self, attr: str, obj: Row, accessor: object = None, **kw: object) -> Any:
        """Return what is sent of a row. Marshmallow's own way takes twice as long."""
        return self._serialize(obj[self.attribute or attr], attr, obj)


class Computed(Shown):
    """A field that is made of several columns, or of none; `_serialize` gets None as its value."""

    columns: Sequence[str] | None = ()

    def serialize(self, attr: str, obj: Row, accessor: object = None, **kw: object) -> Any:
        """Return what is sent of a row."""
        return self._serialize(None, attr, obj)


class Constant(Computed):
    """A field that has one value only, which no row holds."""

    def __init__(self, about: str, constant: str | int) -> None:
        super().__init__(about)
        # Some generators need the type of a text, and compare a typed `true` with a text.
        kind = STRING if isinstance(constant, str) else {}
        self.constant, self.json_type = constant, {**kind, "const": constant}
        self.python_type = f"Literal[{constant!r}]"

    def _serialize(self, value: object, attr: str | None, obj: Any, **kw: object) -> Any:
        return self.constant


class Part(Computed):
    """An object of another schema, made of the same row."""

    def __init__(self, about: str, schema: Schema) -> None:
        super().__init__(about, type(schema))
        self.schema, self.columns = schema, columns_of(schema)

    def _serialize(self, value: object, attr: str | None, obj: Any, **kw: object) -> JsonObject:
        shown: JsonObject = self.schema.dump(obj)
        return shown


class Digits(Shown):
    """An integer or flag that responses show as a string of digits."""

    json_type: JsonObject = {**STRING, "pattern": "^[0-9]+$"}

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kw: object) -> str:
        return str(int(value or 0))


class UtcTime(Shown):
    """A stored time, shown with the Z of UTC; null where there is none."""

    json_type: JsonObject = {**STRING, "format": "date-time", "examples": [f"{TIME}Z"]}

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kw: object) -> str | None:
        return f"{value}Z" if value else None


class StoredJson(Shown):
    """A value that rows hold as JSON text, which goes into the response without being parsed."""

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kw: object) -> Any:
        return orjson.Fragment(value)


def columns_of(schema: Schema) -> tuple[str, ...]:
    """Return the columns that a row needs for a schema to dump it."""
    fields: Mapping[str, Any] = schema.dump_fields
    return tuple(
        dict.fromkeys(
            column
            for name, field in fields.items()
            for column in ((field.attribute or name,) if field.columns is None else field.columns)
        )
    )
