"""Fields of responses, and serializers: what makes the object that is sent of a row."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import orjson
from marshmallow import Schema

from landform.schemas.fields import STRING, TIME, Field, JsonObject

Row = Mapping[str, Any]
Serializer = Callable[[Row], JsonObject]


class Shown(Field[Any]):
    """A field whose value is sent as it is: of a Python type, in which schemas may stand."""

    def __init__(
        self,
        about: str = "",
        kind: Any = str,
        *,
        choices: Sequence[str] = (),
        **kw: Any,
    ) -> None:
        super().__init__(about, **kw)
        self.kind, self.choices = kind, choices

    def show(self, value: Any) -> Any:
        """Return what is sent of a value."""
        return value


class Constant(Shown):
    """A field that has one value only, which no row holds."""

    def __init__(self, about: str, constant: str | int) -> None:
        super().__init__(about)
        self.constant, self.json_type = constant, {"default": constant}
        self.python_type = f"Literal[{constant!r}]"


class Digits(Shown):
    """An integer or flag that responses show as a string of digits."""

    json_type: JsonObject = {**STRING, "pattern": "^[0-9]+$"}

    def show(self, value: Any) -> Any:
        """Return the digits."""
        return str(int(value or 0))


class UtcTime(Shown):
    """A stored time, shown with the Z of UTC."""

    json_type: JsonObject = {**STRING, "format": "date-time", "examples": [f"{TIME}Z"]}

    def show(self, value: Any) -> Any:
        """Return the time; None where there is none."""
        return f"{value}Z" if value else None


class StoredJson(Shown):
    """A value that rows hold as JSON text, which goes into the response without being parsed."""

    def show(self, value: Any) -> Any:
        """Return what goes into the response."""
        return orjson.Fragment(value)


def compile_serializer(schema: Schema, ready: Collection[str] = ()) -> Serializer:
    """Return what makes of a row the object that is sent, with every field of the schema.

    `ready`: the fields whose values are as they are sent.
    """
    fields: dict[str, Any] = schema.dump_fields
    constants = {name: one.constant for name, one in fields.items() if isinstance(one, Constant)}
    found = {name: one for name, one in fields.items() if name not in constants}
    names, sources = [*found], [one.attribute or name for name, one in found.items()]
    shows = [
        (name, one.show)
        for name, one in found.items()
        if type(one) is not Shown and name not in ready
    ]

    def dump(row: Row) -> JsonObject:
        values = dict(zip(names, map(row.__getitem__, sources), strict=True))
        for name, show in shows:
            values[name] = show(values[name])
        values.update(constants)
        return values

    return dump
