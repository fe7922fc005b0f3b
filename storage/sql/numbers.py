"""The integers that a column holds."""

from collections.abc import Iterable

MAX_INTEGER = 2**63 - 1


def storable(numbers: Iterable[int]) -> list[int]:
    """Return the numbers that fit into 64 bits; no row has any of the others."""
    return [number for number in numbers if abs(number) <= MAX_INTEGER]
