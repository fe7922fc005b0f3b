"""The operators of conditional logic, on two values: what Gravity Forms compares, and how.

Both are trimmed and lower-cased (ASCII). Where both look numeric to PHP they are compared as
numbers, otherwise as texts, character by character.
"""

import re
from collections.abc import Callable
from math import inf
from typing import NamedTuple

# What PHP's trim() takes away, and what its is_numeric() reads.
WHITE_SPACE = " \t\n\r\0\x0b"
NUMERIC = re.compile(
    r"[ \t\n\r\v\f]*[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?[ \t\n\r\v\f]*"
)
# Python reads no longer integer.
INTEGER = re.compile(r"\s*[+-]?[0-9]{1,4000}\s*", re.ASCII)


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


def needs_all(operator: str, target: Operand) -> bool:
    """Return whether each value of a list has to match, where otherwise any suffices."""
    return (operator == "isnot" and bool(target.text)) or (operator == "is" and not target.text)


def _lower(text: str) -> str:
    return text.lower() if text.isascii() else text.encode().lower().decode()


def _order(one: Operand, other: Operand) -> int:
    """Return -1, 0 or 1. A blank is below everything, since it is the shortest text."""
    for left, right in ((one.integer, other.integer), (one.number, other.number)):
        # Beyond what a double holds all numbers look the same.
        if left is not None and right is not None and (left != right or abs(left) != inf):
            return (left > right) - (left < right)
    return (one.text > other.text) - (one.text < other.text)


def _above(value: Operand, target: Operand) -> bool:
    return _order(value, target) > 0


def _below(value: Operand, target: Operand) -> bool:
    return _order(value, target) < 0


# Nothing contains a blank, begins or ends with one.
OPERATORS: dict[str, Callable[[Operand, Operand], bool]] = {
    "is": lambda value, target: _order(value, target) == 0,
    "isnot": lambda value, target: _order(value, target) != 0,
    ">": _above,
    "greater_than": _above,
    "<": _below,
    "less_than": _below,
    "contains": lambda value, target: bool(target.text) and target.text in value.text,
    "starts_with": lambda value, target: bool(target.text) and value.text.startswith(target.text),
    "ends_with": lambda value, target: bool(target.text) and value.text.endswith(target.text),
}
