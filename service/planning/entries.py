"""The values of an entry, and the operators of rules.

As in Gravity Forms, both sides are trimmed and lower-cased (ASCII). If both look numeric to PHP
they are compared as numbers, otherwise as texts, character by character.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import cache
from math import inf
from typing import NamedTuple

from marshmallow import ValidationError

from landform.schemas.fields import WHITE_SPACE

# The id of a field, and of one of its inputs.
FIELD = re.compile(r"[0-9]+")
INPUT = re.compile(r"([0-9]+)\.([0-9]+)")
# A value: a text, a number, a flag or nothing.
Scalar = str | int | float | bool | None
FieldValues = Mapping[str, Scalar | Sequence[Scalar]]
# The texts that PHP's is_numeric() accepts.
NUMERIC = re.compile(
    r"[ \t\n\r\v\f]*[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?[ \t\n\r\v\f]*"
)
# Python parses integers of at most so many digits.
INTEGER = re.compile(r"\s*[+-]?[0-9]{1,4000}\s*", re.ASCII)
# How many values one plan may compare; each 256 characters of a value count as another one.
MOST_COMPARED, CHARACTERS = 300_000, 256
TOO_EXPENSIVE = "The rules of this form's feeds compare too much with this entry."


class Operand(NamedTuple):
    """One side of a comparison: its text and, if it looks numeric, its number.

    `integer` is exact; `number` is a double, as in PHP.
    """

    text: str
    integer: int | None = None
    number: float | None = None


BLANK = Operand("")


def operand(text: str) -> Operand:
    """Return the operand for a text, trimmed and lower-cased."""
    text = text.strip(WHITE_SPACE)
    # Of other letters than those of ASCII PHP changes none.
    text = text.lower() if text.isascii() else text.encode().lower().decode()
    if not text:
        return BLANK
    # The last character already shows that most texts are not numbers.
    if text[-1] not in "0123456789. \t\n\r\v\f" or not NUMERIC.fullmatch(text):
        return Operand(text)
    return Operand(text, int(text) if INTEGER.fullmatch(text) else None, float(text))


def matches(operator: str, value: Operand, target: Operand) -> bool:
    """Return whether a value matches a target; an unknown operator never matches."""
    compare = OPERATORS.get(operator)
    return compare is not None and compare(value, target)


def _compare(value: Operand, target: Operand) -> int:
    """Return -1, 0 or 1. A blank is smaller than any other value, as the shortest text."""
    pairs = (value.integer, target.integer), (value.number, target.number)
    for left, right in pairs:
        # Numbers that are too large for a double are all infinite.
        if left is not None and right is not None and (left != right or abs(left) != inf):
            return (left > right) - (left < right)
    return (value.text > target.text) - (value.text < target.text)


# A blank target never matches the last three.
OPERATORS: dict[str, Callable[[Operand, Operand], bool]] = {
    "is": lambda value, target: _compare(value, target) == 0,
    "isnot": lambda value, target: _compare(value, target) != 0,
    ">": lambda value, target: _compare(value, target) > 0,
    "greater_than": lambda value, target: _compare(value, target) > 0,
    "<": lambda value, target: _compare(value, target) < 0,
    "less_than": lambda value, target: _compare(value, target) < 0,
    "contains": lambda value, target: bool(target.text) and target.text in value.text,
    "starts_with": lambda value, target: bool(target.text) and value.text.startswith(target.text),
    "ends_with": lambda value, target: bool(target.text) and value.text.endswith(target.text),
}


def text_of(value: Scalar) -> str:
    """Return a value as a text: true is 1, false and null are blank, 3.0 is 3, 1e-2 is 0.01."""
    if value is None or value is False:
        return ""
    if value is True:
        return "1"
    is_float = isinstance(value, float)
    return f"{Decimal(repr(value)):f}".removesuffix(".0") if is_float else str(value)


class Entry:
    """An entry of a form: the values of its fields by id, and its properties by name."""

    def __init__(self, fields: FieldValues, properties: FieldValues | None = None) -> None:
        self._fields, self._properties = fields, properties or {}
        self.values = cache(self._look_up)
        self._left = MOST_COMPARED
        # The ids of the inputs of each field in order, such as 3.1, 3.2 and 3.10 of 3.
        self._inputs: dict[str, list[str]] = defaultdict(list)
        for name in sorted(fields, key=lambda name: (len(name), name)):
            if match := INPUT.fullmatch(name):
                self._inputs[match[1]].append(name)

    def count(self, values: tuple[Operand, ...]) -> None:
        """Count a comparison with values; raises `ValidationError` if there are too many."""
        self._left -= 1 + len(values) + sum(len(value.text) // CHARACTERS for value in values)
        if self._left < 0:
            raise ValidationError(TOO_EXPENSIVE, "entry")

    def _look_up(self, source: str) -> tuple[Operand, ...]:
        """Return the values of a field, an input or a property; a missing one is blank."""
        if INPUT.fullmatch(source):
            return _operands(self._fields.get(source)) or (BLANK,)
        if not FIELD.fullmatch(source):
            values = self._properties if source in self._properties else self._fields
            return _operands(values.get(source)) or (BLANK,)
        inputs = [self._fields[name] for name in self._inputs.get(source, ())]
        input_values = [value for item in inputs for value in _operands(item)]
        field_values = _operands(self._fields.get(source))
        if input_values and field_values == (BLANK,):
            field_values = ()
        return (*field_values, *input_values) or (BLANK,)


def _operands(value: Scalar | Sequence[Scalar]) -> tuple[Operand, ...]:
    """Return the operand of each value; of `label|price` it is the label."""
    items = (value,) if value is None or isinstance(value, (str, int, float)) else value
    return tuple(operand(text_of(item).partition("|")[0]) for item in items)
