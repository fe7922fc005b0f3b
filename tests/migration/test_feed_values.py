"""Values of a feed that landform cannot hold are replaced, and named."""

from typing import Any

import pytest

from landform.standalone.wordpress.convert import feed_numbers

# A value, what becomes of it, and whether that is noted.
VALUES: dict[str, list[tuple[Any, Any, bool]]] = {
    "form_id": [
        ("3", 3, False), (3.0, 3, False), ("0", 0, False), (None, 0, True), ("abc", 0, True),
        ([], 0, True), ("2.5", 0, True),
    ],
    "feed_order": [
        ("2", 2, False), (None, 0, False), ("", 0, False), ("-5", 0, True), ("1.5", 0, True),
    ],
    "is_active": [
        ("1", True, False), (1, True, False), (True, True, False), ("0", False, False),
        (False, False, False), (None, False, False), ("yes", False, True),
    ],
}  # fmt: skip
ALL = [(name, *one) for name, values in VALUES.items() for one in values]


@pytest.mark.parametrize(("name", "value", "stored", "is_told"), ALL)
def test_what_is_replaced_is_told(name: str, value: Any, stored: Any, is_told: bool) -> None:
    notes: list[dict[str, Any]] = []
    given = {"form_id": "3", "feed_order": "0", "is_active": "1", name: value}
    assert feed_numbers(given, notes)[name] == stored
    assert notes == ([{"code": "replaced", "name": name}] if is_told else [])
