"""The values of an entry, as the rules of conditional logic look them up."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from landform.service.planning.operators import BLANK, Operand, operand

# The id of a field, or of one of its inputs.
FIELD = re.compile(r"[0-9]+")
INPUT = re.compile(r"([0-9]+)\.([0-9]+)")
# A value: a text, a number, a flag or nothing.
Scalar = str | int | float | bool | None
Values = Mapping[str, Scalar | Sequence[Scalar]]


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
        self._found: dict[str, tuple[Operand, ...]] = {}
        self._inputs: dict[str, list[str]] | None = None

    def values(self, source: str) -> tuple[Operand, ...]:
        """Return what a rule means by the id of a field or input, or the name of a property.

        There is always one at least: a field that the entry lacks is blank.
        """
        found = self._found.get(source)
        if found is None:
            found = self._found[source] = self._look_up(source)
        return found

    def _look_up(self, source: str) -> tuple[Operand, ...]:
        if INPUT.fullmatch(source):
            return _operands(self._fields.get(source)) or (BLANK,)
        if not FIELD.fullmatch(source):
            where = self._properties if source in self._properties else self._fields
            return _operands(where.get(source)) or (BLANK,)
        inputs = [one for name in self._inputs_of(source) for one in _operands(self._fields[name])]
        own = _operands(self._fields.get(source))
        if inputs and own == (BLANK,):
            own = ()
        return (*own, *inputs) or (BLANK,)

    def _inputs_of(self, field: str) -> list[str]:
        """Return the ids of a field's inputs that the entry has, in their order."""
        if self._inputs is None:
            found: dict[str, list[tuple[int, str]]] = defaultdict(list)
            for name in self._fields:
                if match := INPUT.fullmatch(name):
                    found[match[1]].append((len(match[2]), name))
            self._inputs = {
                field: [name for _, name in sorted(names)] for field, names in found.items()
            }
        return self._inputs.get(field, [])


def _operands(value: Scalar | Sequence[Scalar]) -> tuple[Operand, ...]:
    """Return each value as it is compared: of `label|price` the label counts."""
    items = (value,) if value is None or isinstance(value, (str, int, float)) else value
    return tuple(operand(text_of(item).partition("|")[0]) for item in items)
