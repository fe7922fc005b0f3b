"""The values of an entry as rules look them up, and the operators that compare them.

Gravity Forms' way: both sides are trimmed and lower-cased (ASCII). Where both look numeric to PHP
they are compared as numbers, otherwise as texts, character by character.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from math import inf
from typing import NamedTuple

from marshmallow import ValidationError

# The id of a field, or of one of its inputs.
FIELD = re.compile(r"[0-9]+")
INPUT = re.compile(r"([0-9]+)\.([0-9]+)")
# A value: a text, a number, a flag or nothing.
Scalar = str | int | float | bool | None
Values = Mapping[str, Scalar | Sequence[Scalar]]
# What PHP's trim() takes away, and what its is_numeric() reads.
WHITE_SPACE = " \t\n\r\0\x0b"
NUMERIC = re.compile(
    r"[ \t\n\r\v\f]*[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?[ \t\n\r\v\f]*"
)
# Python reads no longer integer.
INTEGER = re.compile(r"\s*[+-]?[0-9]{1,4000}\s*", re.ASCII)
# How much one plan may compare: values, and per 256 characters of them as much again.
MOST_COMPARED, CHARACTERS = 300_000, 256
TOO_MUCH = "The rules of this form's feeds compare too much with this entry."


class Operand(NamedTuple):
    """One side of a comparison: its text and, where it looks numeric, its number.

    `integer` is exact; `number` is the double that PHP would make of it.
    """

    text: str
    integer: int | None = None
    number: float | None = None


BLANK = Operand("")


def operand(text: str) -> Operand:
    """Return a text as it is compared."""
    text = _lower(text.strip(WHITE_SPACE))
    if not text:
        return BLANK
    # Almost everything that is no number is recognized by its last character.
    if text[-1] not in "0123456789. \t\n\r\v\f" or not NUMERIC.fullmatch(text):
        return Operand(text)
    return Operand(text, int(text) if INTEGER.fullmatch(text) else None, float(text))


def matches(operator: str, value: Operand, target: Operand) -> bool:
    """Return whether a value matches a target; no operator but those below ever does."""
    compare = OPERATORS.get(operator)
    return compare is not None and compare(value, target)


def _lower(text: str) -> str:
    return text.lower() if text.isascii() else text.encode().lower().decode()


def _order(one: Operand, other: Operand) -> int:
    """Return -1, 0 or 1. A blank is below everything, since it is the shortest text."""
    for left, right in ((one.integer, other.integer), (one.number, other.number)):
        # Beyond what a double holds all numbers look the same.
        if left is not None and right is not None and (left != right or abs(left) != inf):
            return (left > right) - (left < right)
    return (one.text > other.text) - (one.text < other.text)


# Nothing contains a blank, begins or ends with one.
OPERATORS: dict[str, Callable[[Operand, Operand], bool]] = {
    "is": lambda value, target: _order(value, target) == 0,
    "isnot": lambda value, target: _order(value, target) != 0,
    ">": lambda value, target: _order(value, target) > 0,
    "greater_than": lambda value, target: _order(value, target) > 0,
    "<": lambda value, target: _order(value, target) < 0,
    "less_than": lambda value, target: _order(value, target) < 0,
    "contains": lambda value, target: bool(target.text) and target.text in value.text,
    "starts_with": lambda value, target: bool(target.text) and value.text.startswith(target.text),
    "ends_with": lambda value, target: bool(target.text) and value.text.endswith(target.text),
}


def text_of(value: Scalar) -> str:
    """Return a value as PHP writes it: true is 1, false and null are blank, 3.0 is 3."""
    if value is None or value is False:
        return ""
    if value is True:
        return "1"
    return str(value).removesuffix(".0") if isinstance(value, float) else str(value)


class Entry:
    """One submission: the values of its fields by id, and its properties by name."""

    def __init__(self, fields: Values, properties: Values | None = None) -> None:
        self._fields, self._properties = fields, properties or {}
        self.values = cache(self._look_up)
        self._left = MOST_COMPARED
        # The ids of the inputs of each field, in their order: those of 3 are 3.1, 3.2 and 3.10.
        self._inputs: dict[str, list[str]] = defaultdict(list)
        for name in sorted(fields, key=lambda name: (len(name), name)):
            if match := INPUT.fullmatch(name):
                self._inputs[match[1]].append(name)

    def count(self, values: tuple[Operand, ...]) -> None:
        """Count a comparison with values; raises `ValidationError` for one too many."""
        self._left -= 1 + len(values) + sum(len(one.text) // CHARACTERS for one in values)
        if self._left < 0:
            raise ValidationError(TOO_MUCH, "entry")

    def _look_up(self, source: str) -> tuple[Operand, ...]:
        """Return what a rule means by the id of a field or input, or the name of a property.

        There is always one at least: a field that the entry lacks is blank.
        """
        if INPUT.fullmatch(source):
            return _operands(self._fields.get(source)) or (BLANK,)
        if not FIELD.fullmatch(source):
            where = self._properties if source in self._properties else self._fields
            return _operands(where.get(source)) or (BLANK,)
        inputs = [
            one for name in self._inputs.get(source, ()) for one in _operands(self._fields[name])
        ]
        own = _operands(self._fields.get(source))
        if inputs and own == (BLANK,):
            own = ()
        return (*own, *inputs) or (BLANK,)


def _operands(value: Scalar | Sequence[Scalar]) -> tuple[Operand, ...]:
    """Return each value as it is compared: of `label|price` the label counts."""
    items = (value,) if value is None or isinstance(value, (str, int, float)) else value
    return tuple(operand(text_of(item).partition("|")[0]) for item in items)
