"""Entries by the API, beyond what was recorded of Gravity Forms."""

import csv
import io
import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from applications import Client, Site
from databases import run_sql
from files import command
from flask import Flask

BROWSER = "Mozilla/5.0 (X11; Linux)"
SOURCE = "https://example.com/a page"
ENTRIES: list[dict[str, Any]] = [
    {"1": "Apple pie", "2": "10", "5.2": "b", "user_agent": BROWSER, "created_by": 1},
    {
        "1": "Ärger",
        "2": "9.5",
        "source_url": SOURCE,
        "created_by": None,
        "is_starred": 1,
        "currency": "EUR",
        "payment_status": "Paid",
        "payment_amount": "10.5",
    },
    {"1": "apple", "2": "x", "date_created": "2026-01-02 10:00:00", "created_by": 2},
]
BOXES = {
    "id": 5, "type": "checkbox", "label": "Topics",
    "choices": [{"text": "A", "value": "a"}, {"text": "Bees", "value": "b"}],
}  # fmt: skip
MANY = [f"1{number:06}" for number in range(198)]
DAYS = [f"2{number:03}-02-01" for number in range(199)]
# Filters, and the ids of the entries that pass them.
FILTERS: list[tuple[str, str, Any, list[int]]] = [
    ("user_agent", "is", BROWSER.upper(), [1]),
    ("user_agent", "contains", "(X11; Linux)", [1]),
    ("user_agent", "like", "MOZILLA/_.0%", [1]),
    ("status", "not like", "ACT%", []),
    ("status", "is", "Active", [1, 2, 3]),
    ("currency", "is", "usd", [1, 3]),
    ("currency", "contains", "E", [2]),
    ("payment_status", "is", "", [1, 3]),
    ("payment_status", "isnot", "paid", [1, 3]),
    ("payment_amount", ">", "9.25", [2]),
    ("payment_amount", "is", "10.50", [2]),
    ("payment_amount", "isnot", "9", [1, 2, 3]),
    ("payment_amount", "is", "", [1, 3]),
    ("payment_amount", "contains", "x", []),
    ("source_url", "is", SOURCE, [2]),
    ("created_by", "is", "1", [1]),
    ("created_by", "isnot", "1", [2, 3]),
    ("created_by", "is", "", [2]),
    ("created_by", ">", "1", [3]),
    ("is_starred", "isnot", "1", [1, 3]),
    ("date_created", "<", "2026-01-02 10:00:01", [3]),
    ("date_created", "isnot", "2026-01-02 10:00:00", [1, 2]),
    ("date_created", "is", "2026-01-02", [3]),
    ("date_created", "<=", "2026-01-02", []),
    ("id", "<=", "2", [1, 2]),
    ("id", "not in", ["1", "9" * 400, "²"], [2, 3]),
    ("1", "is", "ärger", [2]),
    ("1", "in", ["apple", "ARGER"], [2, 3]),
    ("1", "contains", "apple", [1, 3]),
    ("1", "like", "apple", [3]),
    ("1", "like", "%P_e", [1, 3]),
    ("1", "like", "a\\", []),
    ("1", "not like", "apple%", [2]),
    ("1", "is not", "apple", [1, 2]),
    ("2", ">", "9.5", [1]),
    ("2", ">=", "9.5", [1, 2]),
    ("2", "<", "10", [2]),
    ("3", "is", "", [1, 2, 3]),
    ("0", "is", "10", [1]),
    ("5", "is", "b", [1]),
    ("5", "isnot", "b", [2, 3]),
    ("5.1", "is", "b", []),
    # The text of a choice, in any input.
    ("0", "is", "Bees", [1]),
    ("", "contains", "ee", [1]),
    ("0", "like", "bees", [1]),
    ("0", "in", [*MANY, "bees", "9.5"], [1, 2]),
    ("0", "isnot", "Bees", [1, 2, 3]),
    ("0", ">", "ee", [3]),
    ("0", "in", [], []),
    ("5", "is", "Bees", []),
    ("1", "in", [*MANY, "apple", ""], [3]),
    ("2", "not in", [*MANY, "X"], [1, 2]),
    ("3", "in", MANY, []),
    ("0", "in", [*MANY, "9.5"], [2]),
    ("5", "in", [*MANY, "b", ""], [1, 2, 3]),
    ("id", "in", ["1", *MANY], [1]),
    ("created_by", "not in", [*MANY, ""], [1, 3]),
    ("is_starred", "in", ["1", *MANY], [2]),
    ("user_agent", "in", [*MANY, BROWSER], [1]),
    ("date_created", "in", [*DAYS, "2026-01-02 09:00:00"], [3]),
    ("date_created", "not in", DAYS, [1, 2, 3]),
    ("id", "in", [], []),
    ("1", "in", [], []),
    ("date_created", "in", [], []),
]


@pytest.fixture
def desk(client: Client) -> Client:
    """A client with a form that has three entries."""
    fields: list[Any] = [{"id": number, "type": "text", "label": "T"} for number in (1, 2, 3)]
    fields += [{"id": 4, "type": "number"}, BOXES]
    client.post("/forms", json={"title": "Form", "fields": fields})
    for entry in ENTRIES:
        assert client.post("/forms/1/entries", json=entry).status_code == 201
    return client


def test_filters_find_what_they_say(desk: Client) -> None:
    assert desk.put("/entries/1", json={**ENTRIES[0], "4": "7.50", "form_id": 0}).status_code == 200
    for key, operator, value, ids in FILTERS:
        rule = {"key": key, "operator": operator, "value": value}
        search = json.dumps({"field_filters": [rule]})
        answer = desk.get("/entries", query_string={"search": search})
        assert (rule, sorted(int(entry["id"]) for entry in answer.get_json()["entries"])) == (
            rule,
            ids,
        )
    # Values of number fields are compared as numbers, and others with `is_numeric`.
    for rule, ids in (
        ({"key": "4", "value": "7.5"}, ["1"]),
        ({"key": "4", "value": "7.5", "operator": "isnot"}, ["3", "2"]),
        ({"key": "2", "value": "10.0"}, []),
        ({"key": "2", "value": "10.0", "is_numeric": True}, ["1"]),
    ):
        search = json.dumps({"field_filters": [rule]})
        listed = desk.get("/forms/1/entries", query_string={"search": search}).get_json()
        assert (rule, [entry["id"] for entry in listed["entries"]]) == (rule, ids)


def test_a_search_of_any_field_reads_the_choices_of_few_forms(
    desk: Client, database_url: str
) -> None:
    field = {"id": 1, "type": "radio", "choices": [{"text": 'A "yacht" \\ boat', "value": "x"}]}
    desk.post("/forms", json={"title": "Other", "fields": [field]})
    desk.post("/forms/2/entries", json={"1": "x"})
    names = "title, is_active, is_trash, date_created_utc, modified_utc, version, meta"
    for _ in range(10):
        copy = f"INSERT INTO form ({names}) SELECT {names} FROM form WHERE id <> 2"
        run_sql(database_url, copy)

    def search(text: str) -> tuple[int, Any]:
        search = json.dumps({"field_filters": [{"value": text, "operator": "contains"}]})
        reply = desk.get("/entries", query_string={"search": search})
        return reply.status_code, reply.get_json().get("total_count")

    assert [search(text) for text in ('"YACHT" \\ b', "Ärger")] == [(200, 1), (200, 1)]
    # In the label of a field of all copies.
    assert search("topics") == (503, None)


def test_a_search_that_no_database_reads_is_refused_and_an_unknown_status_finds_nothing(
    desk: Client,
) -> None:
    # A character that becomes 18.
    long = {"key": "1", "operator": "like", "value": 1000 * "\ufdfa"}

    def search(text: str) -> tuple[int, Any]:
        answer = desk.get("/entries", query_string={"search": text})
        wrong = answer.get_json().get("data", {}).get("params", {})
        return answer.status_code, [*wrong] or answer.get_json()["total_count"]

    for text in (
        r'{"status": ["\ud800"]}',
        r'{"field_filters": [{"key": "1", "value": "\ud800"}]}',
        r'{"field_filters": [{"key": "1", "value": "\u0000"}]}',
        json.dumps({"field_filters": [long]}),
    ):
        assert (text, search(text)) == (text, (400, ["search"]))
    for text, count in (
        (r'{"status": "\u0000"}', 0),
        (r'{"status": ["x", "\u0000"]}', 0),
        ('{"status": []}', 0),
        (json.dumps({"status": [*map(str, range(500)), "active"]}), len(ENTRIES)),
    ):
        assert (text, search(text)) == (text, (200, count))


def test_a_list_has_the_order_and_the_statuses_that_are_asked_for(desk: Client) -> None:
    for value, status, year in (
        ("9", "active", 2020),
        ("10", "active", 2019),
        ("100", "spam", 2018),
    ):
        date = f"{year}-01-01 10:00:00"
        entry = {"2": value, "4": value, "status": status, "date_created": date}
        desk.post("/forms/1/entries", json=entry)

    def ids(path: str, **query: str) -> str:
        answer = desk.get(path, query_string=query)
        return " ".join(entry["id"] for entry in answer.get_json()["entries"])

    assert ids("/entries") == "5 4 3 2 1"
    up = {"sorting[direction]": "ASC", "search": '{"field_filters": [{"key": "4", "value": "", '
          '"operator": "isnot"}], "status": ["active", "spam"]}'}  # fmt: skip
    assert ids("/entries", **up) == "4 5 6"
    for query, found in (
        ({"sorting[key]": "4"}, "4 5 6"),
        ({"sorting[key]": "4", "sorting[is_numeric]": "0"}, "5 6 4"),
        ({"sorting[key]": "2"}, "5 6 4"),
        ({"sorting[key]": "2", "sorting[is_numeric]": "1"}, "4 5 6"),
    ):
        assert (query, ids("/forms/1/entries", **up, **query)) == (query, found)
    for key, found in (("payment_amount", "2 5"), ("currency", "5 4"), ("created_by", "3 5")):
        assert (key, ids("/entries", **{"sorting[key]": key})[:3]) == (key, found)
    assert ids("/entries", search='{"end_date": "2020-01-01 00:00:00"}') == "5 4"
    orders = {ids("/entries", **{"sorting[direction]": "rand"}) for _ in range(30)}
    assert len(orders) > 1
    assert {" ".join(sorted(order.split())) for order in orders} == {"1 2 3 4 5"}
    # As PHP writes a search without criteria.
    assert ids("/entries", search="[]", paging="", sorting="") == "5 4 3 2 1"
    assert ids("/entries", search=quote('{"start_date": "2026-01-03"}')) == "2 1"
    for form_ids, found in (("form_ids=0", 5), ("form_ids=0&form_ids[]=2", 0), ("form_ids=1", 5)):
        listed = desk.get(f"/entries?_labels=1&{form_ids}").get_json()
        assert (form_ids, listed["total_count"]) == (form_ids, found)
        # Once for one form without brackets.
        assert ("_labels" in listed) == (form_ids == "form_ids=1")
        assert all(("_labels" in entry) != ("_labels" in listed) for entry in listed["entries"])
    assert desk.get("/entries?include=1&_fields=1").get_json() == [{"1": "Apple pie"}]
    labels = desk.get("/entries/1?_labels=1&_field_ids=5.2").get_json()
    assert labels == {"5.2": "b", "_labels": {"5": {"5": "Topics", "5.1": "A", "5.2": "Bees"}}}
    # As in PHP, none are an empty list.
    assert desk.get("/entries/1?_labels=1&_field_ids=id").get_json() == {"id": "1", "_labels": []}
    for path, body in (("/entries", {"form_id": 0}), ("/forms/0/entries", {"1": "x"})):
        assert desk.post(path, json=body).get_json()["code"] == "empty_form_id"


@pytest.mark.settings(TIMEZONE="America/New_York")
def test_the_days_of_a_search_are_those_of_the_site(desk: Client) -> None:
    """On 1 November 2026 the clock shows half past one twice."""
    for number, date in enumerate(
        ("2026-11-01 03:59:59", "2026-11-01 04:00:00", "2026-11-01 06:30:00", "2026-11-02 04:59:59",
         "2026-11-02 05:00:00"), start=10,
    ):  # fmt: skip
        desk.post("/forms/1/entries", json={"1": str(number), "date_created": date})

    def search(**criteria: Any) -> str:
        answer = desk.get("/entries", query_string={"search": json.dumps(criteria)}).get_json()
        values = [entry["1"] for entry in answer["entries"] if entry["1"].isdecimal()]
        return " ".join(reversed(values))

    def by(operator: str, value: Any) -> str:
        rule = {"key": "date_created", "operator": operator, "value": value}
        return search(field_filters=[rule])

    assert search(start_date="2026-11-01", end_date="2026-11-01") == "11 12 13"
    assert search(end_date="2026-11-01 01:30:00") == "10 11 12"
    assert search(start_date="2026-11-01 23:59:59") == "13 14"
    assert by("is", "2026-11-01") == "11 12 13"
    assert by("isnot", "2026-11-01") == "10 14"
    assert by("in", ["2026-10-31", "2026-11-02 12:00:00"]) == "10 14"
    # As in Gravity Forms other operators compare the time that an entry has.
    assert by(">=", "2026-11-02 04:59:59") == "13 14"


def test_a_write_without_an_entry_is_refused_and_null_is_not_sent(desk: Client) -> None:
    before = desk.get("/entries/1").get_json()
    for method, path in (
        ("PUT", "/entries/1"),
        ("POST", "/forms/1/entries"),
    ):
        for sent in ({"json": {}}, {"json": []}, {"data": {"1": "x"}}, {}):
            answer = desk.open(path, method=method, **sent)
            assert (answer.status_code, answer.get_json()["code"]) == (400, "missing_entry")
    assert desk.get("/entries/1").get_json() == before
    assert desk.get("/entries").get_json()["total_count"] == len(ENTRIES)
    columns = ("is_read", "is_starred", "status", "ip", "source_url", "user_agent", "date_created")
    sent = {**before, **dict.fromkeys(columns), "date_updated": ""}
    written = desk.put("/entries/1", json=sent).get_json()
    assert {**written, "date_updated": ""} == {**before, "date_updated": ""}
    properties = {"created_by": 5, "source_url": SOURCE, "is_read": True, "ip": None, "1": "x"}
    assert desk.put("/entries/1/properties", json=properties).status_code == 200
    changed = {"created_by": "5", "source_url": SOURCE, "is_read": "1"}
    after = desk.get("/entries/1").get_json()
    assert {**after, "date_updated": ""} == {**before, **changed, "date_updated": ""}
    missing = desk.post("/entries", json={"form_id": None}).get_json()
    assert (missing["code"], missing["data"]["params"]) == (
        "rest_missing_callback_param",
        ["form_id"],
    )


def test_an_entry_keeps_the_payment_that_it_is_sent_with(desk: Client) -> None:
    payment = {"payment_status": "Paid", "payment_amount": 9.5, "currency": "EUR"}
    entry = desk.post("/entries", json={"form_id": 1, **payment}).get_json()
    stored = {"payment_status": "Paid", "payment_amount": "9.5", "currency": "EUR"}
    assert desk.get(f"/entries/{entry['id']}").get_json().items() >= stored.items()
    one = f"/entries/{entry['id']}"
    for path in (one, f"{one}/properties"):
        sent = {"payment_status": None, "transaction_id": path}
        assert desk.put(path, json=sent).status_code == 200
        read = desk.get(f"/entries/{entry['id']}").get_json()
        assert read.items() >= {**stored, **sent}.items()
        answer = desk.put(path, json={"payment_status": ["Paid"]})
        assert [*answer.get_json()["data"]["params"]] == ["payment_status"]


def test_an_amount_that_is_no_number_is_none(desk: Client) -> None:
    for amount in ("x", "", "5 EUR", "1.2.3", "1-2", "--3", "-", "9" * 400, "-7"):
        desk.post("/forms/1/entries", json={"1": amount, "payment_amount": amount})

    def amounts(**query: str) -> list[str]:
        entries = desk.get("/entries", query_string=query).get_json()["entries"]
        return [entry["payment_amount"] for entry in entries]

    for operator, value, expected in (
        ("<", "1", ["-7"]),
        (">", "1", ["10.5"]),
        ("is", "0", []),
        ("is", "-7.0", ["-7"]),
    ):
        rule = {"key": "payment_amount", "operator": operator, "value": value}
        assert (rule, amounts(search=json.dumps({"field_filters": [rule]}))) == (rule, expected)
    assert amounts(**{"sorting[key]": "payment_amount"})[:2] == ["10.5", "-7"]


def test_who_may_write_entries_only_sees_nothing_that_was_sent(desk: Client) -> None:
    sent = {"1": "Hidden", "ip": "192.0.2.7", "source_url": SOURCE, "transaction_id": "Hidden"}
    for number in (1, 2):
        assert desk.put(f"/entries/{number}", json=sent).status_code == 200
    everything = desk.get("/entries/2").get_json()
    key = desk.key("writer", "entries:write")
    # A PUT keeps the values of fields that the form has no more.
    desk.put("/forms/1", json={"title": "Form", "fields": []})
    requests = [("PUT", 1, {"is_read": 1}), ("DELETE", 1, None), ("DELETE", 2, {"force": True})]
    for method, number, body in requests:
        response = desk.anonymous.open(f"/entries/{number}", method=method, json=body, headers=key)
        assert response.status_code == 200
        assert not any(text in response.text for text in ("Hidden", "192.0.2.7", SOURCE))
        written = response.get_json().get("previous") or response.get_json()
        assert written.keys() == everything.keys() - {"1", "2", "3", "4", "5.1", "5.2"}
        assert written["id"] == str(number)


@pytest.mark.parametrize("path", ["/forms/1", "/entries/1"])
def test_a_contradiction_deletes_nothing_for_good(desk: Client, path: str) -> None:
    """The query has priority, as in a delete of a page."""
    sent: list[dict[str, Any]] = [{"json": {"force": True}}, {"data": {"force": "1"}}]
    for number, body in enumerate(sent):
        # The second time it is in the trash.
        expected = (200, 410)[number]
        assert desk.delete(f"{path}?force=0", **body).status_code == expected
        assert desk.get(path).status_code == 200
    assert desk.delete(path, **sent[1]).get_json()["deleted"] is True


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


def test_what_is_only_checked_is_not_stored_also_for_a_browser(desk: Client) -> None:
    for accept in ("text/html", "application/json"):
        response = desk.anonymous.post(
            "/forms/1/submissions?_validate_only=1",
            data={"input_1": "x"},
            headers={"Accept": accept},
        )
        assert response.get_json()["is_valid"] is True
    for path, sent, pages, is_spam in (
        ("", {"source_page": 3, "target_page": 4}, (0, 3), False),
        ("/validation", {"source_page": "0"}, (0, 0), False),
        ("/validation", {"source_page": 3, "target_page": 4}, (4, 3), None),
        ("?_validate_only=1", {"source_page": 2, "target_page": 4}, (4, 2), None),
        ("", {"source_page": 2, "input_4": "x"}, (1, 2), None),
        ("/validation", {"source_page": 2, "target_page": 4, "input_4": "x"}, (1, 2), None),
    ):
        body = {"input_1": "x", **sent}
        reply = desk.post(f"/forms/1/submissions{path}", json=body).get_json()
        found = (reply["page_number"], reply["source_page_number"]), reply.get("is_spam")
        assert (path, sent, *found) == (path, sent, pages, is_spam)
    desk.delete("/entries/4?force=1")
    assert desk.get("/entries").get_json()["total_count"] == len(ENTRIES)


def test_a_csv_has_every_entry_of_a_search_and_no_formula(desk: Client) -> None:
    fields = [{"id": 1, "type": "text", "label": "Nick"},
              {"id": 5, "type": "checkbox", "label": "Topics",
               "choices": [{"text": "=1+1", "value": "a"}]}]  # fmt: skip
    form = desk.post("/forms", json={"title": "Csv", "fields": fields}).get_json()["id"]
    values = [f"{start}cmd|' /C calc'!A0" for start in ("=", "+", "-", "@", "\t=", "\r")]
    texts = [*values, *['Quoted "Ü",\nline'] * 120]
    for text in texts:
        desk.post(f"/forms/{form}/entries", json={"1": text, "5.1": "a" if text in values else ""})
    desk.post(f"/forms/{form}/entries", json={"1": "in the trash", "status": "trash"})
    path, headers = f"/forms/{form}/entries", {"Accept": "text/csv"}
    answer = desk.get(path, headers=headers)
    assert answer.content_type == "text/csv; charset=utf-8"
    assert (
        answer.headers["Content-Disposition"] == f'attachment; filename="form-{form}-entries.csv"'
    )
    assert answer.headers["Cache-Control"] == "no-store"
    assert "Accept" in answer.headers["Vary"]
    assert answer.data.startswith("\ufeff".encode())
    head, *rows = csv.reader(io.StringIO(answer.data.decode("utf-8-sig"), newline=""))
    assert head == ["Entry Id", "Entry Date (UTC)", "Nick", "Topics (=1+1)", "Source Url", "Status"]
    assert [row[2] for row in rows] == [*(f"'{text}" for text in values), *texts[len(values) :]]
    search = {"search": '{"field_filters": [{"key": "5.1", "value": "a"}]}'}
    assert desk.get(path, headers=headers, query_string=search).text.count("\r\n") == 7
    assert desk.head(path, headers=headers).data == b""
    for accept in ("*/*", "text/csv;q=0.5, application/json"):
        assert desk.get(path, headers={"Accept": accept}).is_json
    wrong = desk.get(path, headers=headers, query_string={"search": "{"})
    assert (wrong.status_code, [*wrong.get_json()["data"]["params"]]) == (400, ["search"])
    assert desk.anonymous.get(path, headers=headers).status_code == 401
    assert desk.get("/forms/99/entries", headers=headers).get_json()["total_count"] == 0


def test_a_csv_keeps_numbers_phones_and_removed_fields(desk: Client) -> None:
    plain = ["-7.5", "-1,234.50", "+4", "-1e5", "+49 30 123456", "+1 (555) 123-4567", "+49/30-12.3"]
    formulas = [
        "-1-2",
        "+A1",
        "-",
        "+",
        "--5",
        "-7.5x",
        "=1",
        "+1+2",
        "-7 ",
        "+49 30\n1",
        "-\u0661",
    ]
    fields = [{"id": 1, "type": "phone", "label": "Phone"},
              {"id": 2, "type": "name", "inputs": [{"id": "2.3"}, {"id": "2.10"}]},
              {"id": 3, "type": "text", "label": "Other"}]  # fmt: skip
    form = desk.post("/forms", json={"title": "Csv", "fields": fields}).get_json()["id"]
    for number, text in enumerate([*plain, *formulas]):
        values = {"1": text} if number else {"1": text, "2.10": "L", "2.3": "A", "3": "=x"}
        assert desk.post(f"/forms/{form}/entries", json=values).status_code == 201
    desk.put(f"/forms/{form}", json={"title": "Csv", "fields": fields[:1]})
    answer = desk.get(f"/forms/{form}/entries", headers={"Accept": "text/csv"})
    head, *rows = csv.reader(io.StringIO(answer.data.decode("utf-8-sig"), newline=""))
    removed = [f"Field {key} (removed)" for key in ("2.3", "2.10", "3")]
    assert head[2:-2] == ["Phone", *removed]
    assert rows[0][3:-2] == ["A", "L", "'=x"]
    assert [row[2] for row in rows] == [*plain, *(f"'{text}" for text in formulas)]


def test_commands_export_a_form_and_erase_a_person(
    desk: Client, database_url: str, tmp_path: Path
) -> None:
    fields = [{"id": 2, "type": "email", "label": "E-mail"}]
    form = desk.post("/forms", json={"title": "Mail", "fields": fields}).get_json()["id"]
    for email in ("Ada@example.com", "bob@example.com"):
        desk.post(f"/forms/{form}/entries", json={"2": email})
    target = tmp_path / "entries.csv"
    assert command(database_url, "entries", "export", form, target).exit_code == 0
    assert target.read_text("utf-8-sig").splitlines()[0] == (
        "Entry Id,Entry Date (UTC),E-mail,Source Url,Status"
    )
    assert target.stat().st_mode & 0o777 == 0o600
    again = command(database_url, "entries", "export", form, target)
    assert (again.exit_code, "--force replaces it" in again.output) == (1, True)
    printed = command(database_url, "entries", "export", form, "--status", "trash").output
    assert printed.splitlines() == ["\ufeffEntry Id,Entry Date (UTC),E-mail,Source Url,Status"]
    missing = command(database_url, "entries", "export", 99)
    assert (missing.exit_code, missing.output) == (1, "Error: There is no form 99.\n")
    asked = command(database_url, "entries", "erase", "ada@example.com")
    assert (asked.exit_code, "for good?" in asked.output) == (1, True)
    for number in (1, 0):
        erased = command(database_url, "entries", "erase", "ada@example.com", "--yes")
        assert (erased.exit_code, erased.output) == (0, f"{number} erased\n")
    assert "ada" not in command(database_url, "entries", "export", form).output.lower()


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        *(("/entries", body, "rest_missing_callback_param")
          for body in (None, {}, [], {"1": "x"}, {"form_id": None, "1": "x"})),
        *(("/entries", {"form_id": form_id, "1": "x"}, "invalid_form_id")
          for form_id in (99999, -1, "-1", 10**30, -(10**18))),
        *(("/entries", {"form_id": form_id, "1": "x"}, "empty_form_id") for form_id in (0, "0")),
        ("/forms/99999/entries", {"1": "x"}, "invalid_form_id"),
        (f"/forms/{10**30}/entries", {"form_id": 1, "1": "x"}, "invalid_form_id"),
    ],
)  # fmt: skip
def test_an_entry_needs_a_form_that_is_there(desk: Client, path: str, body: Any, code: str) -> None:
    for base in ("", "/wp-json/gf/v2"):
        answer = desk.post(f"{base}{path}", json=body)
        assert (answer.status_code, answer.get_json()["code"]) == (400, code)
        if code == "rest_missing_callback_param":
            assert answer.get_json()["data"]["params"] == ["form_id"]
    assert desk.get("/entries").get_json()["total_count"] == len(ENTRIES)
    changed = desk.put("/entries/1", json={"form_id": -1, "1": "x"})
    assert changed.get_json()["code"] == "invalid_form_id"


PARTLY = {"title": "Form", "fields": [
    {"id": 1, "type": "text"}, {"id": 2, "type": "email"}, BOXES,
    {"id": 6, "type": "name", "inputs": [{"id": "6.3", "label": "First"}]},
]}  # fmt: skip
WHOLE = {"1": "a", "2": "a@example.com", "5.2": "b", "6.3": "Ada"}


@pytest.mark.parametrize(("method", "path"), [
    ("POST", "/entries"), ("POST", "/forms/1/entries"), ("PUT", "/entries/1"),
    ("PATCH", "/entries/1"), ("PUT", "/wp-json/gf/v2/entries/1"),
])  # fmt: skip
def test_a_write_names_the_keys_that_it_does_not_store_and_a_strict_one_is_refused(
    client: Client, method: str, path: str
) -> None:
    client.post("/forms", json=PARTLY)
    client.post("/entries", json={"form_id": 1, **WHOLE})
    body = {"form_id": 1, **WHOLE, "5": "a, b", "6.9": "x", "9": "y", "own": "z"}
    before = client.get("/entries").get_json()
    strict = {"Prefer": "handling=strict"}
    refused = client.open(path, method=method, json=body, headers=strict)
    assert (refused.status_code, [*refused.get_json()["data"]["params"]]) == (
        400, ["5", "6.9", "9", "own"])  # fmt: skip
    assert client.get("/entries").get_json() == before
    answer = client.open(path, method=method, json=body)
    assert answer.headers["X-Landform-Ignored"] == "5, 6.9, 9, own"
    assert {"5", "6.9", "9", "own"}.isdisjoint(answer.get_json())
    # What was read may be written as it is, also a value of a field that was removed.
    client.put("/forms/1", json={**PARTLY, "fields": PARTLY["fields"][1:]})
    entry = client.get("/entries/1?_labels=1").get_json()
    assert entry["1"] == "a"
    for verb in ("PUT", "PATCH"):
        again = client.open("/entries/1", method=verb, json=entry, headers=strict)
        assert (again.status_code, again.headers.get("X-Landform-Warning")) == (200, None)
    changed = client.put("/entries/1", json={**entry, "1": "b"})
    assert changed.headers["X-Landform-Ignored"] == "1"


def test_put_names_what_it_blanks_and_patch_changes_only_what_is_sent(client: Client) -> None:
    client.post("/forms", json=PARTLY)
    for _ in range(2):
        client.post("/entries", json={"form_id": 1, "is_starred": 1, **WHOLE})
    reply = client.put("/entries/1", json={"is_read": 1, "2": ""})
    warning = "Blank now, as they were not sent: 1, 5.2, 6.3."
    assert reply.headers["X-Landform-Warning"] == warning
    before = client.get("/entries/2").get_json()
    for body in ({"is_read": 1}, {"2": ""}, {"5.1": "a", "5.2": None}, {"status": "spam"}):
        reply = client.patch("/entries/2", json=body)
        assert (reply.status_code, reply.headers.get("X-Landform-Warning")) == (200, None)
    assert client.patch("/wp-json/gf/v2/entries/2", json={"1": "z"}).get_json()["1"] == "z"
    after = client.get("/entries/2").get_json()
    written = {"is_read": "1", "2": "", "5.1": "a", "5.2": "", "status": "spam", "1": "z"}
    assert after == {**before, **written, "date_updated": after["date_updated"]}
    # To a form that lacks some fields: these values stay, and a search finds them in that form.
    client.post("/forms", json={"title": "Other", "fields": [{"id": 2, "type": "text"}]})
    moved = client.patch("/entries/2", json={"form_id": 2, "2": "new"}).get_json()
    assert (moved["form_id"], moved["1"], moved["2"], moved["6.3"]) == ("2", "z", "new", "Ada")
    search = '{"status": "any", "field_filters": [{"key": "6.3", "value": "ada"}]}'
    found = client.get("/forms/2/entries", query_string={"search": search}).get_json()
    assert found["total_count"] == 1
    for path, body, code in (
        ("/entries/99", {"1": "x"}, "not_found"), ("/entries/1", {}, "missing_entry"),
        ("/entries/1", {"form_id": 99}, "invalid_form_id"),
    ):  # fmt: skip
        assert client.patch(path, json=body).get_json()["code"] == code
    old = {"If-Match": '"entry1_x.1.y"'}
    assert client.patch("/entries/1", json={"1": "x"}, headers=old).status_code == 412


@pytest.mark.parametrize(("status", "number"), [
    ("any", 3), ("ANY", 3), (["any"], 3), (["spam", "any"], 3), (["spam", "x"], 1), ("all", 0),
])  # fmt: skip
def test_the_status_any_finds_entries_of_all_statuses(
    client: Client, status: object, number: int
) -> None:
    client.post("/forms", json=PARTLY)
    for one in ("active", "spam", "trash"):
        client.post("/entries", json={"form_id": 1, "1": "x", "status": one})
    query = {"search": json.dumps({"status": status})}
    for headers in ({}, {"Accept": "text/csv"}):
        answer = client.get("/forms/1/entries", query_string=query, headers=headers)
        assert (answer.text.count("\n") - 1 if headers else len(answer.json["entries"])) == number


@pytest.mark.settings(TIMEZONE="America/New_York")
def test_a_csv_has_the_times_of_the_site_and_names_its_zone(client: Client) -> None:
    client.post("/forms", json=PARTLY)
    for month, local in ((1, "2025-12-31 20:30:00"), (7, "2026-06-30 21:30:00")):
        time = f"2026-0{month}-01 01:30:00"
        client.post("/entries", json={"form_id": 1, "1": local, "date_created": time})
    rows = client.get("/forms/1/entries", headers={"Accept": "text/csv"}).text
    for row in csv.DictReader(io.StringIO(rows)):
        assert row["Entry Date (America/New_York)"] == row["Field 1"]
