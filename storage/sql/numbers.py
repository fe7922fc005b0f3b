"""The integers that a column holds."""

from collections.abc import Iterable

MAX_INTEGER = 2**63 - 1


def storable(numbers: Iterable[int]) -> list[int]:
    """Return the numbers that any row could bear; the others name no row."""
    return [number for number in numbers if abs(number) <= MAX_INTEGER]
