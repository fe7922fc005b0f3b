"""Forms by the API and what they take, beyond what was recorded of Gravity Forms."""

from typing import Any

import pytest
from applications import Client

TEXT: dict[str, Any] = {"id": 9, "type": "text", "label": "T"}
COMMA = {"type": "number", "numberFormat": "decimal_comma", "rangeMin": "1,5"}
TWICE = {"type": "email", "emailConfirmEnabled": True}
INTERNAL = {
    "type": "select", "visibility": "administrative", "isRequired": True,
    "choices": [{"text": "Done", "value": "done"},
                {"text": "New", "value": "new", "isSelected": True}],
}  # fmt: skip
BOXES = {"type": "checkbox", "choices": [{"text": letter} for letter in "abc"]}
OWN = {**BOXES, "type": "radio", "enableOtherChoice": True}
EXACTLY = {**BOXES, "choiceLimit": "exactly", "choiceLimitNumber": "2"}
RANGE = {**BOXES, "choiceLimit": "range", "choiceLimitMin": 2, "choiceLimitMax": ""}
AT_MOST = {**BOXES, "choiceLimit": "range", "choiceLimitMax": "1"}
HIDDEN = {"visibility": "administrative"}
UNSEEN = {"visibility": "hidden", "isRequired": True, "noDuplicates": True}
PARTS = {"type": "date", "dateType": "datedropdown"}
TAGS = (
    "{date_mdy} {date_dmy} {C:8:upper} {C:8:value,urlencode} {T:9:nl2br} {T:7:value} {A:6.1} "
    "{A:6.1:value}"
)
# Fields, what is sent for them, and what is stored; None for what is refused.
SENT: list[tuple[dict[str, Any], dict[str, Any], dict[str, str] | None]] = [
    *(({"type": "email"}, {"input_1": text}, {"1": text}) for text in ("a@b.co", ".a..@b.co")),
    *(
        ({"type": "email"}, {"input_1": text}, None)
        for text in ("a@b.c", "a@b.12", "a@b.co-", "a@b..co", "a@b@c.co", f"{'a' * 65}@b.co")
    ),
    (TWICE, {"input_1_2": "a@b.co"}, None),
    (TWICE, {}, {"1": ""}),
    *(
        ({"type": "website"}, {"input_1": url}, {"1": url})
        for url in ("https://acme.test./", "HTTPS://a.test")
    ),
    *(({"type": "website"}, {"input_1": url}, None) for url in ("HTTP:/a.test", "http://a..b")),
    (COMMA, {"input_1": "1.234,5"}, {"1": "1234.5"}),
    *((COMMA, {"input_1": text}, None) for text in ("1,4", "1.6")),
    ({"type": "number", "numberFormat": "currency"}, {"input_1": "$1,234.50"}, {"1": "1234.5"}),
    *(
        ({"type": "number", "numberFormat": "currency"}, {"input_1": text}, {"1": stored})
        for text, stored in (("$5.00", "5"), ("100", "100"))
    ),
    ({"type": "number"}, {"input_1": "1234,567.0"}, {"1": "1234567.0"}),
    *(({"type": "number"}, {"input_1": text}, None) for text in ("1,50", "1,,234", ",123", "-")),
    ({"type": "date"}, {"input_1": "1/2/2026"}, {"1": "2026-01-02"}),
    *(
        ({"type": "date"}, {"input_1": text}, None)
        for text in ("1/2/26", "1/002/2026", "1/2/20260")
    ),
    *(
        ({"type": "date", "dateFormat": order}, {"input_1": "5.3.2026"}, {"1": "2026-03-05"})
        for order in ("dmy_dash", "ymd_slash")
    ),
    *(
        ({**PARTS, "dateFormat": order}, {"input_1": parts}, {"1": stored})
        for order, parts, stored in (
            ("", ["3", "5", "2026"], "2026-03-05"),
            ("dmy", [5, 3, 2026], "2026-03-05"),
            ("ymd_dot", ["2026", "3", "5"], "2026-03-05"),
            ("", ["", "", ""], ""),
            ("", [], ""),
            ("", "2026-03-05", "2026-03-05"),
        )
    ),
    *((PARTS, {"input_1": parts}, None) for parts in (["3", "5", ""], ["3", "5"], [[3], 5, 2026])),
    ({"type": "date"}, {"input_1": ["3", "5", "2026"]}, None),
    (
        {"type": "consent", "checkboxLabel": "Yes"},
        {"input_1_1": "1", "input_1_2": "Yes"},
        {"1.1": "1", "1.2": "Yes"},
    ),
    ({"type": "consent", "label": "Yes"}, {"input_1_1": "0", "input_1_2": "Yes"}, {"1.2": ""}),
    ({"type": "text"}, {"input_1": "x", "source_page": None, "target_page": None}, {"1": "x"}),
    ({"type": "text"}, {"input_1": "x", "field_values": "a=1"}, {"1": "x"}),
    ({"type": "text"}, {"input_1": "x", "field_values": {"a": 1}}, None),
    ({**BOXES, "choiceLimit": "unlimited"}, {"input_1": [*"abc"]}, {"1.3": "c"}),
    (EXACTLY, {}, {"1.1": ""}),
    (EXACTLY, {"input_1": [*"ac"]}, {"1.1": "a", "1.2": "", "1.3": "c"}),
    *((EXACTLY, {"input_1": [*texts]}, None) for texts in ("a", "abc")),
    (RANGE, {"input_1": [*"abc"]}, {"1.2": "b"}),
    (RANGE, {"input_1_1": "a"}, None),
    (AT_MOST, {"input_1_2": "b"}, {"1.2": "b"}),
    (AT_MOST, {"input_1": [*"ab"]}, None),
    (OWN, {"input_1": "gf_other_choice", "input_1_other": "c"}, {"1": "c"}),
    (OWN, {"input_1": "gf_other_choice"}, {"1": ""}),
    ({**OWN, "isRequired": True}, {"input_1": "gf_other_choice"}, None),
    ({**OWN, "enableOtherChoice": False}, {"input_1": "gf_other_choice"}, None),
    (INTERNAL, {}, {"1": "new"}),
    ({"type": "text", **UNSEEN}, {}, {"1": ""}),
    ({"type": "website", **UNSEEN}, {"input_1": "odd"}, {"1": "odd"}),
    ({**TWICE, **UNSEEN}, {"input_1_2": "a@b.co"}, {"1": ""}),
    ({**BOXES, **UNSEEN}, {"input_1_1": "b"}, None),
    (INTERNAL, {"input_1": "mine"}, {"1": "new"}),
    *(
        ({"type": kind, **HIDDEN, "defaultValue": default}, {}, {"1": stored})
        for kind, default, stored in (
            ("number", " 1,000 ", "1000"),
            ("date", "1/2/2026", "2026-01-02"),
            ("email", " a@b.co\n", "a@b.co"),
            ("text", "a\0b", ""),
            ("text", "x" * 20_000, "x" * 20_000),
        )
    ),
]


def test_values_are_checked_and_stored_as_gravity_forms_does(client: Client) -> None:
    for number, (field, sent, stored) in enumerate(SENT):
        form = {"title": f"Form {number}", "fields": [{"id": 1, **field}, TEXT]}
        path = f"/forms/{client.post('/forms', json=form).get_json()['id']}"
        answer = client.post(f"{path}/submissions", json={"input_9": "x", **sent})
        entries = client.get(f"{path}/entries").get_json()["entries"]
        found = {key: entries[0][key] for key in stored or ()} if entries else None
        assert (field, sent, answer.status_code, found) == (
            *(field, sent, 400 if stored is None else 200, stored),
        )


def test_a_field_that_visitors_do_not_see_holds_up_no_submission(client: Client) -> None:
    fields = [{"id": 1, "type": "text", **UNSEEN}, TEXT]
    client.post("/forms", json={"title": "Form", "fields": fields})
    for _ in range(2):
        sent = client.post("/forms/1/submissions", json={"input_1": "ad"})
        assert sent.status_code == 200
    checked = client.post("/forms/1/submissions/validation", json={})
    assert [*checked.get_json()["validation_messages"]] == ["9"]


def test_a_confirmation_has_the_day_and_the_values_of_its_entry(client: Client) -> None:
    message = {"id": "c", "isDefault": True, "type": "message", "message": TAGS}
    color = {"id": 8, "type": "select", "choices": [{"text": "Red", "value": "r"}]}
    consent = {"id": 6, "type": "consent", "checkboxLabel": "Yes"}
    form = {"title": "Form", "fields": [TEXT, color, consent], "confirmations": {"c": message}}
    client.post("/forms", json=form)
    body = {"input_9": "x", "input_8": "r", "input_6_1": "1"}
    sent = client.post("/forms/1/submissions", json=body).get_json()
    year, month, day = client.get("/entries/1").get_json()["date_created"][:10].split("-")
    shown = f"{month}/{day}/{year} {day}/{month}/{year} Red r x {{T:7:value}} Checked 1"
    assert sent["confirmation_message"] == shown


# A field, what is sent, and what the merge tags {T:1}, {T:1:value} and {T:1:dmy_dot} show.
SHOWN: list[tuple[dict[str, Any], str, str]] = [
    ({"type": "number"}, "-1234567.50", "-1,234,567.50 -1234567.50 -1,234,567.50"),
    ({"type": "number", "numberFormat": "decimal_comma"}, "1.234,5", "1.234,5 1234,5 1.234,5"),
    ({"type": "number", "numberFormat": "currency"}, "1234.5", "$1,234.50 $1,234.50 $1,234.50"),
    ({"type": "number"}, "9" * 30, " ".join(["9" * 30] * 3)),
    ({"type": "date"}, "1/31/2026", "01/31/2026 2026-01-31 31.01.2026"),
    ({"type": "date", "dateFormat": "dmy"}, "31/1/2026", "31/01/2026 2026-01-31 31.01.2026"),
    ({"type": "date", "dateFormat": "ymd_dash"}, "2026-1-31", "2026-01-31 2026-01-31 31.01.2026"),
    ({"type": "date", "dateFormat": "odd"}, "2026-1-31", "01/31/2026 2026-01-31 31.01.2026"),
    ({"type": "text"}, "2026-01-31", "2026-01-31 2026-01-31 2026-01-31"),
]


def test_a_number_and_a_date_are_shown_in_the_format_of_their_field(client: Client) -> None:
    tags = "{T:1} {T:1:value} {T:1:dmy_dot}"
    message = {"id": "c", "isDefault": True, "type": "message", "message": f"{tags} {{all_fields}}"}
    for number, (field, sent, shown) in enumerate(SHOWN, 1):
        form = {"title": f"Form {number}", "fields": [{"id": 1, "label": "L", **field}]}
        client.post("/forms", json={**form, "confirmations": [message]})
        answer = client.post(f"/forms/{number}/submissions", json={"input_1": sent})
        fields = f"<dl><dt>L</dt><dd>{shown.split()[0]}</dd></dl>"
        assert answer.get_json()["confirmation_message"] == f"{shown} {fields}"


@pytest.mark.parametrize(
    ("address", "leads"),
    [("https://example.com/danke?name={Name:1}", True), ("danke", False), ("/danke", False),
     ("", False), ("https://{Name:1}/", False), ("https:///danke", False),
     ("ftp://a.example", False)],
)  # fmt: skip
def test_a_write_of_a_form_says_which_redirect_leads_nowhere(
    client: Client, address: str, leads: bool
) -> None:
    thanks = {"name": "Grüße", "type": "redirect", "url": address, "isDefault": True}
    form = {"title": "Form", "fields": [TEXT], "confirmations": [thanks]}
    made = client.post("/forms", json=form)
    for written in (made, client.put("/forms/1", json=made.get_json())):
        warning = written.headers.get("X-Landform-Warning", "")
        assert ("instead of a redirect" in warning and "Gr\\xfc" in warning) is not leads
    sent = client.post("/forms/1/submissions", json={"input_9": "x"}).get_json()
    assert sent["confirmation_type"] == ("redirect" if leads else "message")
    assert "X-Landform-Warning" not in client.get("/forms/1").headers


def test_an_entry_of_a_form_with_many_fields_can_be_written_back_as_it_was_read(
    client: Client,
) -> None:
    fields = [{"id": number, "type": "text", **(HIDDEN if number < 250 else {}),
               "defaultValue": "x"} for number in range(100, 500)]  # fmt: skip
    client.post("/forms", json={"title": "Form", "fields": [*fields, TEXT]})
    assert client.post("/forms/1/submissions", json={"input_9": "sent"}).status_code == 200
    for values in ({}, {str(number): "y" for number in range(100, 400)}):
        entry = {**client.get("/entries/1").get_json(), **values}
        written = client.put("/entries/1", json=entry)
        assert (written.status_code, len(entry) > 401) == (200, True)
        assert {**written.get_json(), "date_updated": ""} == {**entry, "date_updated": ""}


def test_a_list_of_forms_has_active_ones_unless_others_are_asked_for(client: Client) -> None:
    for title, more in (("On", {}), ("Off", {"is_active": False}), ("Old", {})):
        client.post("/forms", json={"title": title, **more})
    client.delete("/forms/3")
    for query, titles in (
        ("", ["On"]),
        ("?status=inactive", ["Off"]),
        ("?status=trash", ["Old"]),
        ("?status=all", ["Off", "On"]),
    ):
        listed = client.get(f"/forms{query}").get_json().values()
        assert (query, [form["title"] for form in listed]) == (query, titles)
    for query in ("", "&include=1"):
        # As in WordPress an object by ids becomes a list with `_fields`.
        assert client.get(f"/forms?_fields=title{query}").get_json() == [{"title": "On"}]


def test_a_title_in_use_gets_a_number_in_capitals_or_not(client: Client) -> None:
    for title in ("Form", "FORM", "Other"):
        client.post("/forms", json={"title": title})
    for number, title, stored in (
        (2, "form", "form (1)"),
        (3, "Form", "Form (2)"),
        (1, "form", "form"),
    ):
        answer = client.put(f"/forms/{number}", json={"title": title, "fields": []})
        assert answer.get_json()["title"] == stored


def test_a_form_can_be_written_back_as_it_was_read_whatever_its_title(client: Client) -> None:
    for number, title in enumerate(("Form", "Form", "x" * 255, "x" * 255), 1):
        client.post("/forms", json={"title": title})
        if number == 1:
            client.delete("/forms/1")
    for number in range(1, 5):
        form = client.get(f"/forms/{number}").get_json()
        assert client.put(f"/forms/{number}", json=form).get_json() == form


def test_writes_of_forms_that_cannot_be_are_refused_with_the_codes_of_gravity_forms(
    client: Client,
) -> None:
    unknown = client.put("/forms/9", json={"title": "Form", "fields": []})
    assert (unknown.status_code, unknown.get_json()["code"]) == (404, "not_found")
    form = client.post("/forms", json={"title": "Form", "fields": [TEXT]}).get_json()
    for sent, code in (({"title": "New"}, "missing_fields"), ({"fields": []}, "missing_title")):
        refused = client.put("/forms/1", json=sent)
        assert (refused.status_code, refused.get_json()["code"]) == (400, code)
    assert client.get("/forms/1").get_json() == form
    encoded = client.post("/forms", data={"title": "Form"})
    assert (encoded.status_code, encoded.get_json()["code"]) == (400, "missing_form")
    assert [*client.get("/forms?status=all").get_json()] == ["1"]
