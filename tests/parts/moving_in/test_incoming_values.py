"""Conversion of totals, custom fields and columns of feeds."""

from typing import Any

import pytest

from landform.parts.moving_in.wordpress.convert import feed_numbers
from landform.parts.moving_in.wordpress.meta import MetaSources

# A value, the stored value, and whether there is a note.
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
ALL = [(name, *case) for name, cases in VALUES.items() for case in cases]


@pytest.mark.parametrize(("name", "value", "stored", "has_note"), ALL)
def test_invalid_columns_of_feeds_are_replaced_with_a_note(
    name: str, value: Any, stored: Any, has_note: bool
) -> None:
    notes: list[dict[str, Any]] = []
    source = {"form_id": "3", "feed_order": "0", "is_active": "1", name: value}
    assert feed_numbers(source, notes)[name] == stored
    assert [note["code"] for note in notes] == [f"replaced {name}"] * has_note


# The fields of a page, the options, some of the keys, and the lost fields.
FIELDS: dict[str, tuple[dict[str, Any], dict[str, str], dict[str, Any], list[str]]] = {
    "beside a key in a group": (
        {"acf": {"campaign": {"starts_at": "2026", "color": "red", "size": ""}}}, {},
        {"starts_at": "2026"}, ["acf.campaign.color"],
    ),
    "as a list with gaps": (
        {"acf": {"gallery": {"1": 11, "3": 12}}}, {}, {"gallery": [11, 12], "language": []}, [],
    ),
    "a whole group": ({"acf": {"look": {"color": "red"}}}, {}, {}, ["acf.look"]),
    "of the name of a key that is read from elsewhere": (
        {"meta": {"language": ["es"], "gallery": [1]}}, {"language": "meta.gallery"},
        {"language": [1], "gallery": [1]}, ["meta.language"],
    ),
    "the same in both places": (
        {"meta": {"form_id": "3"}, "acf": {"form_id": 3}}, {}, {"form_id": "3"}, [],
    ),
    "another in both places": (
        {"meta": {"form_id": "3"}, "acf": {"form_id": 4}}, {}, {"form_id": "3"}, ["acf.form_id"],
    ),
    "empty in the first place": (
        {"meta": {"starts_at": ""}, "acf": {"starts_at": "2026-01-01"}}, {},
        {"starts_at": "2026-01-01"}, [],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", FIELDS)
def test_fields_are_read_or_reported_as_lost(case: str) -> None:
    page, options, expected, lost = FIELDS[case]
    meta, _, notes = MetaSources(options).read(page)
    assert {key: meta[key] for key in expected} == expected
    codes = [note["code"].removeprefix("lost ") for note in notes if "lost" in note["code"]]
    assert codes == lost
