"""Lists of entries and forms are bounded by what they would hold, not by their rows alone."""

from typing import Any

import pytest
from applications import Client

LONG = "x" * 9_000
BOUND = 100_000


@pytest.fixture
def desk(client: Client) -> Client:
    """A client with forms of a long description, and entries with long values."""
    fields: list[dict[str, Any]] = [
        {"id": number, "type": "text", "label": LONG[:1000]} for number in range(1, 16)
    ]
    for title in ("A", "B", "C", "D", "E", "F", "G", "H"):
        sent = {"title": title, "fields": fields}
        assert client.post("/forms", json=sent).status_code == 201
    for number in range(8):
        values = {"1": LONG, "2": LONG, "3": "short", "payment_status": LONG}
        sent = {"form_id": number % 2 + 1, **values}
        assert client.post("/entries", json=sent).status_code == 201
    return client


@pytest.mark.settings(MAX_RESPONSE_BYTES=BOUND)
@pytest.mark.parametrize(
    ("path", "is_small"),
    [
        ("/entries", False),
        ("/entries?include=1,2,3,4,5,6,7,8", False),
        ("/forms/1/entries", True),
        ("/entries?paging[page_size]=2", True),
        ("/entries?include=1,2", True),
        ("/entries?include=1,2,3,4,5,6,7,8&_field_ids=id,3", True),
        ("/entries?_field_ids=id,3", True),
        ("/entries?_field_ids=id,3&_labels=1", True),
        ("/entries?_field_ids=id&_labels=1", True),
        ("/entries?include=1,2,3,4,5,6,7,8&_field_ids=id,3,4,5,6,7,8,9,10,11,12,13,14,15&_labels=1",
         False),
        ("/forms", True),
        ("/forms?include=1,2", True),
        ("/forms?include=1,2,3,4,5,6,7,8", False),
    ],
)  # fmt: skip
def test_what_would_be_too_large_is_a_400(desk: Client, path: str, is_small: bool) -> None:
    answer = desk.get(path)
    assert answer.status_code == (200 if is_small else 400)
    assert is_small or f"more than {BOUND} bytes" in answer.get_json()["message"]


def test_chosen_keys_are_those_of_whole_entries(desk: Client) -> None:
    for query in ("?sorting[key]=id", "?include=1,2,3"):
        whole = desk.get(f"/entries{query}").get_json()
        chosen = desk.get(f"/entries{query}&_field_ids=id,3").get_json()
        whole = whole.get("entries") or [*whole.values()]
        chosen = chosen.get("entries") or [*chosen.values()]
        assert chosen == [{"id": entry["id"], "3": entry["3"]} for entry in whole]
        assert len(chosen) in (3, 8)
