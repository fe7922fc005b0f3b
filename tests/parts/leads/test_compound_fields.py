"""Addresses, times and lists of choices: on the page, stored, and wherever answers are shown."""

from typing import Any

import pytest
from applications import ADMIN, Client, Site

API, BROWSER = {"Accept": "application/json"}, {"Accept": "text/html"}
LABELS = ("Street Address", "Address Line 2", "City", "State / Province", "ZIP / Postal Code")
INPUTS = [{"id": f"1.{part}", "label": label} for part, label in enumerate((*LABELS, "Country"), 1)]
COLORS = [{"text": "Red", "value": "red"}, {"text": "Sky, sea", "value": "blue, \u00fc"}]
ADDRESS = {"id": 1, "type": "address", "label": "Where", "inputs": INPUTS, "isRequired": True}
TIME = {"id": 2, "type": "time", "label": "When", "inputs": [{"id": "2.1", "label": "HH"}]}
LIST = {"id": 3, "type": "multiselect", "label": "Colors", "choices": COLORS}
STREET = {"input_1_1": "1 Main St", "input_1_3": "Springfield", "input_1_5": "62701"}


def make_form(client: Client, *fields: dict[str, Any], **more: Any) -> None:
    answer = client.post("/forms", json={"title": "F", "fields": fields, **more})
    assert (answer.status_code, "X-Landform-Warning" in answer.headers) == (201, False)


def submit(client: Client, values: Any, **how: Any) -> Any:
    return client.post("/forms/1/submissions", headers=API, **{"json": values, **how})


def last_entry(client: Client) -> dict[str, Any]:
    return dict(client.get("/entries").get_json()["entries"][0])


@pytest.mark.parametrize(("kind", "sent", "wrong", "stored"), [
    ({"addressType": "international"}, {"input_1_4": "IL"}, True, None),
    ({"addressType": "international"}, {"input_1_4": "IL", "input_1_6": "Peru"}, False,
     ["1 Main St", "", "Springfield", "IL", "62701", "Peru"]),
    ({"addressType": "us"}, {"input_1_4": "Illinois", "input_1_6": "Mars"}, False,
     ["1 Main St", "", "Springfield", "Illinois", "62701", "United States"]),
    ({"addressType": "us"}, {}, True, None),
    ({"addressType": "canadian", "hideState": True}, {}, False,
     ["1 Main St", "", "Springfield", "", "62701", "Canada"]),
    ({"inputs": None}, {"input_1_2": "Flat 2", "input_1_4": "IL", "input_1_6": "Peru"}, False,
     ["1 Main St", "Flat 2", "Springfield", "IL", "62701", "Peru"]),
])  # fmt: skip
def test_an_address_needs_its_parts_and_that_of_a_country_has_that(
    client: Client, kind: dict[str, Any], sent: dict[str, str], wrong: bool, stored: Any
) -> None:
    make_form(client, {**ADDRESS, **kind})
    answer = submit(client, {**STREET, **sent})
    assert answer.status_code == (400 if wrong else 200)
    if stored:
        entry = last_entry(client)
        assert [entry[f"1.{part}"] for part in range(1, 7)] == stored


def test_an_address_that_is_left_out_stores_nothing(client: Client) -> None:
    optional = {**ADDRESS, "isRequired": False, "addressType": "us"}
    make_form(client, optional, {"id": 2, "type": "text", "label": "A"})
    assert submit(client, {"input_2": "a", "input_1_1": ""}).status_code == 200
    assert last_entry(client)["1.6"] == ""


@pytest.mark.parametrize(("settings", "sent", "stored"), [
    ({}, {"input_2_1": "2", "input_2_2": "5", "input_2_3": "pm"}, "02:05 pm"),
    ({}, {"input_2": ["12", "00", "am"]}, "12:00 am"), ({}, {"input_2": "9:30 AM"}, "09:30 am"),
    ({}, {"input_2": "14:30"}, "02:30 pm"), ({}, {"input_2": "00:10:00"}, "12:10 am"),
    ({"timeFormat": "24"}, {"input_2_1": "23", "input_2_2": "59"}, "23:59"),
    ({"timeFormat": "24"}, {"input_2": "02:30 pm"}, "14:30"),
    *(({}, {"input_2": text}, None) for text in ("13:00 pm", "0:10 am", "12:60", "24:00", "noon")),
    *(({}, {f"input_2_{part}": "7", "input_2_3": "am"}, None) for part in (1, 2)),
    ({}, {"input_2_1": "", "input_2_2": "", "input_2_3": "am"}, ""),
    ({"isRequired": True}, {"input_2_1": "", "input_2_2": "", "input_2_3": "am"}, None),
])  # fmt: skip
def test_a_time_is_stored_in_the_format_of_its_field(
    client: Client, settings: dict[str, Any], sent: dict[str, Any], stored: str | None
) -> None:
    make_form(client, {**TIME, **settings}, {"id": 1, "type": "text", "label": "A"})
    answer = submit(client, {**sent, "input_1": "a"})
    wrong = answer.get_json().get("validation_messages", {})
    assert [*wrong] == ([] if stored is not None else ["2"])
    if stored is not None:
        assert last_entry(client)["2"] == stored


@pytest.mark.parametrize(("how", "stored"), [
    ({"json": {"input_3": ["red", "blue, \u00fc"]}}, '["red","blue, \u00fc"]'),
    ({"json": {"input_3": "red"}}, '["red"]'), ({"json": {"input_3": '["red"]'}}, '["red"]'),
    ({"data": {"input_3[]": ["red", "blue, \u00fc"]}}, '["red","blue, \u00fc"]'),
    ({"json": {"input_3": []}}, ""), ({"json": {"input_3": ["red", "green"]}}, None),
])  # fmt: skip
def test_a_multiselect_stores_a_list_of_offered_choices(
    client: Client, how: dict[str, Any], stored: str | None
) -> None:
    make_form(client, LIST, {"id": 1, "type": "text", "defaultValue": "x", "adminOnly": True},
              {"id": 2, "type": "text", "label": "A"})  # fmt: skip
    values = {**(how.get("json") or how["data"]), "input_2": "a"}
    answer = submit(client, None, **{next(iter(how)): values})
    assert answer.status_code == (200 if stored is not None else 400)
    if stored is not None:
        assert last_entry(client)["3"] == stored


def test_an_entry_takes_a_list_for_a_multiselect_and_returns_its_json_text(client: Client) -> None:
    boxes = {"id": 4, "type": "checkbox", "label": "Size", "choices": COLORS}
    make_form(client, LIST, boxes, {"id": 5, "type": "text", "label": "A"})
    stored = '["red","blue, \u00fc"]'
    created = client.post("/entries", json={"form_id": 1, "3": [" red", "", "blue, \u00fc"]})
    assert (created.status_code, created.get_json()["3"]) == (201, stored)
    for method, path, sent, then in (
        ("PUT", "/entries/1", {"3": ["red"], "5": "a"}, '["red"]'),
        ("PUT", "/entries/1", {"3": stored, "5": "a"}, stored),
        ("PATCH", "/entries/1", {"3": [7]}, '["7"]'), ("PATCH", "/entries/1", {"3": []}, ""),
        ("POST", "/forms/1/entries", {"3": ["red"]}, '["red"]'),
    ):  # fmt: skip
        assert client.open(path, method=method, json=sent).get_json()["3"] == then
    assert last_entry(client)["3"] == '["red"]'
    for key, wrong in (("3", [["red"]]), ("3", {"a": "red"}), ("3", ["a\0"]), ("5", ["a"]),
                       ("4.1", ["red"]), ("4", ["red"])):  # fmt: skip
        refused = client.patch("/entries/1", json={key: wrong, "is_read": "1"}).get_json()
        assert (refused["code"], [*refused["data"]["params"]]) == ("rest_invalid_param", [key])
    assert client.get("/entries/1").get_json()["is_read"] == "0"


def test_answers_are_texts_in_tags_and_tables_and_lists_in_rules(client: Client) -> None:
    rules = {"logicType": "all", "rules": [{"fieldId": "3", "operator": "is", "value": "red"}]}
    message = "{Where:1}; {When:2}; {Colors:3}; {Colors:3:value}"
    red = {"id": "r", "type": "message", "message": message, "conditionalLogic": rules}
    plain = {"id": "p", "isDefault": True, "type": "message", "message": "Other."}
    form = [{**ADDRESS, "addressType": "us"}, TIME, LIST]
    make_form(client, *form, confirmations={"r": red, "p": plain})
    meta = {"feed_condition_conditional_logic": "1",
            "feed_condition_conditional_logic_object": {"conditionalLogic": rules}}  # fmt: skip
    client.feed(form_id=1, addon_slug="crm", meta=meta)
    sent = {**STREET, "input_1_4": "Illinois", "input_2": "9:30 am"}
    sent |= {"input_3": ["red", "blue, \u00fc"]}
    answer = submit(client, sent)
    assert answer.get_json()["confirmation_message"] == (
        "1 Main St, Springfield, Illinois, 62701, United States; 09:30 am; Red, Sky, sea; "
        "red, blue, \u00fc"
    )
    assert len(client.get("/runs").get_json()) == 1
    exported = client.get("/forms/1/entries", headers={"Accept": "text/csv"}).text
    assert "Where (State)" in exported
    assert '09:30 am,"Red, Sky, sea"' in exported


def test_the_page_shows_parts_and_boxes_and_what_was_typed_again(site: Site) -> None:
    fields = [
        {**ADDRESS, "addressType": "us", "defaultState": "Ohio"},
        {**TIME, "defaultValue": "14:30"}, {**LIST, "isRequired": True},
    ]  # fmt: skip
    site.visitor.post("/forms", json={"title": "F", "fields": fields}, auth=ADMIN)
    site.page(slug="p", meta={"form_id": "1"})
    html = site.get("/p/").text
    for part in (
        'name="input_1_1" value="" required type="text" autocomplete="address-line1"',
        '<label for="input_1_1_4">State</label>', '<option value="Ohio" selected>Ohio</option>',
        '<label for="input_1_1_5">ZIP Code</label>', 'name="input_2_1" value="02"',
        '<option value="pm" selected>pm</option>', 'name="input_3[]" value="red" type="checkbox">',
        'name="input_3[]" value="blue, \u00fc" type="checkbox">',
    ):  # fmt: skip
        assert part in html, part
    assert ('name="input_1_6"' in html, 'name="input_2"' in html) == (False, False)
    typed = {"input_1_1": "1 Main St", "input_1_4": "Utah", "input_2_1": "7", "input_2_2": "x",
             "input_2_3": "am", "input_3[]": ["red"]}  # fmt: skip
    again = site.visitor.post("/forms/1/submissions", data=typed, headers=BROWSER)
    assert again.status_code == 422
    for part in (
        'value="1 Main St"', '<option value="Utah" selected>', 'name="input_2_1" value="7"',
        'name="input_2_2" value="x"', 'name="input_3[]" value="red" type="checkbox" checked',
    ):  # fmt: skip
        assert part in again.text, part
