"""What becomes of addresses, values of PHP, custom fields and columns of feeds."""

from typing import Any

import pytest

from landform.parts.moving_in.wordpress.convert import feed_numbers
from landform.parts.moving_in.wordpress.meta import MetaSources
from landform.parts.moving_in.wordpress.site import Answer


@pytest.mark.parametrize("text", ["9" * 5000, "-1", "x", "\xb2"])
def test_a_total_that_is_no_number_counts_as_none(text: str) -> None:
    assert not Answer([], {"X-WP-Total": text}).total


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


# The fields of a page, the options, what is read of three keys, and what is lost.
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


@pytest.mark.parametrize("what", FIELDS)
def test_a_field_is_read_or_named_as_lost(what: str) -> None:
    page, given, read, lost = FIELDS[what]
    sources = MetaSources(given)
    meta, _, notes = sources.read(page)
    assert {key: meta[key] for key in read} == read
    assert [note["name"] for note in notes if note["code"] == "lost"] == lost
