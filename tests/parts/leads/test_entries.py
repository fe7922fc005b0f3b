"""Entries by the API, beyond what was recorded of Gravity Forms."""

import json
from typing import Any

import pytest
from applications import Client, Site
from databases import run_sql
from flask import Flask

BROWSER = "Mozilla/5.0 (X11; Linux)"
SOURCE = "https://example.com/a page"
ENTRIES: list[dict[str, Any]] = [
    {"1": "Apple pie", "2": "10", "user_agent": BROWSER, "created_by": 1},
    {"1": "Ärger", "2": "9.5", "source_url": SOURCE, "created_by": None, "is_starred": 1},
    {"1": "apple", "2": "x", "date_created": "2026-01-02 10:00:00", "created_by": 2},
]
# Filters, and the ids of the entries that pass them.
FILTERS: list[tuple[str, str, Any, list[int]]] = [
    ("user_agent", "is", BROWSER, [1]),
    ("user_agent", "contains", "(X11; Linux)", [1]),
    ("source_url", "is", SOURCE, [2]),
    ("created_by", "is", "1", [1]),
    ("created_by", "isnot", "1", [2, 3]),
    ("created_by", "is", "", [2]),
    ("created_by", ">", "1", [3]),
    ("is_starred", "isnot", "1", [1, 3]),
    ("date_created", "<", "2026-01-02 10:00:01", [3]),
    ("date_created", "isnot", "2026-01-02 10:00:00", [1, 2]),
    ("id", "not in", ["1", "9" * 400, "²"], [2, 3]),
    ("1", "is", "ärger", [2]),
    ("1", "in", ["apple", "ARGER"], [2, 3]),
    ("1", "contains", "apple", [1, 3]),
    ("2", ">", "9.5", [1]),
    ("2", "<", "10", [2]),
    ("3", "is", "", [1, 2, 3]),
    ("0", "is", "10", [1]),
]


@pytest.fixture
def desk(client: Client) -> Client:
    """A client with a form that has three entries."""
    fields = [{"id": number, "type": "text", "label": "T"} for number in (1, 2, 3)]
    client.post("/forms", json={"title": "Form", "fields": fields})
    for entry in ENTRIES:
        assert client.post("/forms/1/entries", json=entry).status_code == 201
    return client


def test_filters_find_what_they_say(desk: Client) -> None:
    for key, operator, value, ids in FILTERS:
        rule = {"key": key, "operator": operator, "value": value}
        search = json.dumps({"field_filters": [rule]})
        answer = desk.get("/entries", query_string={"search": search})
        assert (rule, sorted(int(entry["id"]) for entry in answer.get_json()["entries"])) == (
            rule,
            ids,
        )


def test_an_entry_keeps_the_payment_that_it_is_sent_with(desk: Client) -> None:
    payment = {"payment_status": "Paid", "payment_amount": 9.5, "currency": "EUR"}
    entry = desk.post("/entries", json={"form_id": 1, **payment}).get_json()
    stored = {"payment_status": "Paid", "payment_amount": "9.5", "currency": "EUR"}
    assert desk.get(f"/entries/{entry['id']}").get_json().items() >= stored.items()
    desk.put(f"/entries/{entry['id']}", json={"payment_status": None})
    entry = desk.get(f"/entries/{entry['id']}").get_json()
    assert entry.items() >= {**stored, "payment_status": None}.items()
    answer = desk.put(f"/entries/{entry['id']}", json={"payment_status": ["Paid"]})
    assert (answer.status_code, [*answer.get_json()["data"]["params"]]) == (400, ["payment_status"])


def test_nothing_of_an_erased_person_is_kept_for_repeated_requests(
    desk: Client, database_url: str
) -> None:
    headers = {"Idempotency-Key": "k"}
    sent = {"input_1": "Ada Lovelace", "input_2": "x"}
    desk.post("/forms/1/submissions", json=sent, headers=headers)
    desk.post("/entries", json={"form_id": 1, "1": "Ada Lovelace"}, headers=headers)
    desk.post("/forms", json={"title": "Other", "fields": []}, headers={"Idempotency-Key": "f"})
    rows = run_sql(database_url, "SELECT * FROM kept_answer")
    assert "Other" in str(rows)
    assert "Lovelace" not in str(rows)


@pytest.mark.settings(SUBMISSIONS_PER_MINUTE=2)
def test_a_stranger_may_check_some_values_a_minute_and_still_submit(app: Flask) -> None:
    site = Site(app)
    site.visitor.post("/forms", json={"title": "Form", "fields": [{"id": 1, "type": "text"}]},
                      auth=("admin", "secret"))  # fmt: skip

    def send(path: str) -> int:
        url, headers = f"/forms/1/submissions{path}", {"Accept": "application/json"}
        return site.visitor.post(url, json={"input_1": "x"}, headers=headers).status_code

    assert [send("/validation") for _ in range(3)] == [200, 200, 429]
    assert [send("?_validate_only=1"), send(""), send(""), send("")] == [429, 200, 200, 429]
