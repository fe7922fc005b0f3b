"""Fields that hold the seven keys of the meta are read, and all others are named as lost."""

from typing import Any

import pytest

from landform.standalone.wordpress.meta import MetaSources

# The fields of a page, the options, what is read of three keys, and what is lost.
FIELDS: dict[str, tuple[dict[str, Any], dict[str, str], dict[str, Any], list[str]]] = {
    "beside a key in a group": (
        {"acf": {"campaign": {"starts_at": "2026", "color": "red", "size": ""}}}, {},
        {"starts_at": "2026"}, ["acf.campaign.color"],
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
