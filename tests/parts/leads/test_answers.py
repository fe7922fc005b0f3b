"""Answers as people, browsers and clients give them: none is lost, changed or refused."""

import re
from datetime import timedelta
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest
from applications import NOON, Client, Standing, store_of
from werkzeug.datastructures import MultiDict

TEXT: dict[str, Any] = {"id": 9, "type": "text", "label": "T"}
BROWSER = {"Accept": "text/html"}
INPUT = re.compile(r'<input(?: id="\w*")? (?:type="hidden" )?name="(\w+)" value="([^"]*)"([^>]*)>')
OPTION = re.compile(r'<option value="([^"]*)"( selected)?>')


def make_form(client: Client, *fields: Any, **keys: Any) -> dict[str, Any]:
    """Create a form of these fields, and a page at /a/ that shows it."""
    form = client.post("/forms", json={"title": "F", "fields": [*fields], **keys}).get_json()
    client.page(title="A", slug="a", status="publish", meta={"form_id": str(form["id"])})
    return dict(form)


def html_of(client: Client, query: str = "") -> str:
    return str(client.anonymous.get(f"/a/{query}", headers=BROWSER).text)


def shown(client: Client, query: str = "") -> dict[str, str]:
    """Return what the form has at first, without the boxes and buttons that are not ticked."""
    found = {}
    for name, value, more in INPUT.findall(html_of(client, query)):
        if not re.search('type="(radio|checkbox)"', more) or " checked" in more:
            found[name] = unescape(value)
    return found


def send(client: Client, data: Any, **more: Any) -> Any:
    """Send the form of the page as a browser does."""
    data = MultiDict([("landform_page", "1"), *MultiDict(data).items(multi=True)])
    return client.anonymous.post("/forms/1/submissions", data=data, headers=BROWSER, **more)


def entries(client: Client) -> list[dict[str, Any]]:
    return list(client.get("/forms/1/entries").get_json()["entries"])


@pytest.mark.parametrize("value", [" red", "red \n", "\r\nred\r\n", "two\nlines ", "\tred"])
@pytest.mark.parametrize("kind", ["select", "radio", "checkbox"])
def test_a_choice_with_blanks_at_its_ends_can_be_chosen(
    client: Client, kind: str, value: str
) -> None:
    choices = [{"text": f" {value}", "value": value}, {"text": value}]
    make_form(client, {"id": 1, "type": kind, "choices": choices}, TEXT)
    html = html_of(client)
    pattern = r'<option value="([^"]+)"' if kind == "select" else r' value="([^"]*)" type="(?:r|c)'
    # What a browser sends of an attribute with a line break.
    offered = unescape(re.findall(pattern, html)[0]).replace("\n", "\r\n")
    name = "input_1_1" if kind == "checkbox" else "input_1"
    wrong = send(client, {name: offered, "input_9": "", "landform_once": "a"})
    assert wrong.status_code == 303, wrong.text
    assert client.post("/forms/1/submissions", json={name: value}).status_code == 200
    stored = value.replace("\r\n", "\n").strip()
    assert [entry[name[6:].replace("_", ".")] for entry in entries(client)] == [stored] * 2


def test_what_was_chosen_is_chosen_again_after_a_mistake(client: Client) -> None:
    choices = [{"text": "a", "value": " a\n"}, {"text": "b, c"}, {"text": "d"}]
    fields = [{"id": n, "type": kind, "choices": choices} for n, kind in
              enumerate(("select", "radio", "checkbox"), 1)]  # fmt: skip
    make_form(client, *fields, {**TEXT, "isRequired": True})
    data = MultiDict([("input_1", "a"), ("input_2", "b, c"), ("input_3", "a"), ("input_3", "d")])
    html = send(client, data).text
    assert [text for text, is_chosen in OPTION.findall(html) if is_chosen] == ["a"]
    ticked = [(name, value) for name, value, more in INPUT.findall(html) if " checked" in more]
    assert ticked == [("input_2", "b, c"), ("input_3_1", "a"), ("input_3_3", "d")]


def test_a_field_that_is_removed_while_its_page_is_open_makes_no_lead_spam(client: Client) -> None:
    form = make_form(client, TEXT, {"id": 10, "type": "text"}, {"id": 11, "type": "text"})
    open_page = {**shown(client), "input_9": "Ada", "input_10": "b", "input_11": "c"}
    assert 'name="input_12" type="text" tabindex' in html_of(client)
    for left in (2, 1):
        client.put("/forms/1", json={**form, "fields": form["fields"][:left]})
        assert send(client, {**open_page, "landform_once": str(left)}).status_code == 303
        assert 'name="input_12" type="text" tabindex' in html_of(client)
    assert [entry["status"] for entry in entries(client)] == ["active"] * 2
    send(client, {**open_page, "input_12": "spam"})
    assert len(entries(client)) == 2


@pytest.mark.parametrize("kept", [True, False])
def test_the_number_of_a_removed_field_is_never_given_again(client: Client, kept: bool) -> None:
    name = {"type": "name", "inputs": [{"id": "1.3", "label": "First"}]}
    body = {"title": "F", "fields": [TEXT, {"type": "text"}, {"type": "email"}]}
    form = client.post("/forms", json=body).get_json()
    assert [field["id"] for field in form["fields"]] == [9, 10, 11]
    client.post("/entries", json={"form_id": 1, "9": "a", "11": "b"})
    # A client that writes back what it read, and one that knows no `nextFieldId`.
    rest = {key: value for key, value in form.items() if kept or key != "nextFieldId"}
    client.put("/forms/1", json={**rest, "fields": [TEXT]})
    added = client.put("/forms/1", json={**rest, "fields": [TEXT, name, {"type": "text"}]})
    fields = added.get_json()["fields"]
    assert [field["id"] for field in fields] == [9, 12, 13]
    assert fields[1]["inputs"] == [{"id": "12.3", "label": "First"}]
    assert client.get("/entries/1").get_json()["11"] == "b"
    # A form of another site has had more fields; a number that no field can have means nothing.
    for sent, given in (("40", 40), (100_001, 1), ("x", 1), (None, 1)):
        moved = client.post("/forms", json={"title": "M", "nextFieldId": sent, "fields": [{}]})
        assert moved.get_json()["fields"][0]["id"] == given


BOXES = {"id": 1, "type": "checkbox", "choices": [{"text": text} for text in ("a", "b", "c")]}


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "multipart/form-data"])
@pytest.mark.parametrize("sent", [["a", "c"], ["a"], ["", "a", "b", "c"], ["b", "b"]])
def test_boxes_with_one_name_all_count(client: Client, sent: list[str], kind: str) -> None:
    consent = {"id": 2, "type": "consent", "checkboxLabel": "Yes"}
    make_form(client, BOXES, consent, TEXT)
    pairs = [("input_1", text) for text in sent]
    # Of an input that takes one value the last one counts, as after a hidden input.
    pairs += [("input_2_1", "0"), ("input_2_1", "1"), ("input_9", ""), ("input_9", "x")]
    assert send(client, MultiDict(pairs), content_type=kind).status_code == 303
    [entry] = entries(client)
    assert {entry[f"1.{n}"] for n in (1, 2, 3)} - {""} == {*sent} - {""}
    assert (entry["2.1"], entry["9"]) == ("1", "x")


COMMAS = [{"text": text} for text in ("a, b", "a", "b", "c,d,e", "c")]


@pytest.mark.parametrize(("text", "ticked"), [
    ("a, b", ["a, b"]), ("a,b", ["a", "b"]), ("b, a, b", ["a, b", "b"]),
    ("c,d,e,c", ["c,d,e", "c"]), ("x,a", ["a"]), ("c,d", ["c"]), ("", []), (",,", []),
])  # fmt: skip
def test_a_choice_with_a_comma_is_chosen_from_the_address_and_as_a_default(
    client: Client, text: str, ticked: list[str]
) -> None:
    boxes = {"id": 1, "type": "checkbox", "choices": COMMAS, "defaultValue": text}
    chosen = [{**one, "isSelected": one["text"] in ticked} for one in COMMAS]
    plain = {**boxes, "defaultValue": ""}
    asked = {**plain, "id": 3, "allowsPrepopulate": True, "inputName": "t"}
    make_form(client, boxes, {**plain, "id": 2, "choices": chosen}, asked)
    found = shown(client, f"?{urlencode({'t': text})}")
    for number in (1, 2, 3):
        boxes_of = [value for name, value in found.items() if name.startswith(f"input_{number}_")]
        assert sorted(boxes_of) == sorted(ticked), number


def test_hidden_names_and_boxes_have_all_their_parts(client: Client) -> None:
    hidden = {"visibility": "hidden", "allowsPrepopulate": True}
    parts = [{"id": f"1.{n}", "label": label, "name": label, "defaultValue": label.upper()}
             for n, label in ((3, "first"), (6, "last"))]  # fmt: skip
    many = [{"text": f"{n}", "isSelected": n in (2, 150)} for n in range(1, 181)]
    make_form(
        client,
        {"id": 1, "type": "name", "inputs": parts, **hidden},
        {**BOXES, "id": 2, "inputName": "t", **hidden},
        {"id": 3, "type": "checkbox", "choices": many, "visibility": "hidden"},
        {"id": 4, "type": "consent", "checkboxLabel": "Yes", "visibility": "hidden"},
        TEXT,
    )  # fmt: skip
    data = {**shown(client, "?last=Lovelace&t=a,c"), "input_9": "x"}
    assert send(client, data).status_code == 303
    [entry] = entries(client)
    assert {key: text for key, text in entry.items() if key[:2] in ("1.", "2.", "3.") and text} == {
        "1.3": "FIRST", "1.6": "Lovelace", "2.1": "a", "2.3": "c", "3.2": "2", "3.166": "150",
    }  # fmt: skip


COMMA = {"numberFormat": "decimal_comma"}


@pytest.mark.parametrize(("number", "stored", "more"), [
    (1e-7, "0.0000001", {}), (1e21, "1" + "0" * 21, {}), (-2.5e-10, "-0.00000000025", {}),
    (1.5, "1.5", COMMA), (1.234, "1.234", COMMA), (1e-7, "0.0000001", COMMA), (3.0, "3", COMMA),
    (1e-6, "0.000001", {"rangeMin": 1e-7, "rangeMax": 1e-5}), (1e-8, None, {"rangeMin": 1e-7}),
])  # fmt: skip
def test_numbers_in_json_are_stored_as_digits(
    client: Client, number: float, stored: str | None, more: Any
) -> None:
    make_form(client, {"id": 1, "type": "number", **more}, TEXT)
    sent = client.post("/forms/1/submissions", json={"input_1": number, "input_9": number})
    assert sent.status_code == (200 if stored else 400)
    client.post("/entries", json={"form_id": 1, "1": number})
    assert [entry["1"] for entry in entries(client)][1:] == ([stored] if stored else [])
    assert "e" not in entries(client)[0]["1"]


@pytest.mark.parametrize(("field", "text", "stored"), [
    ({"type": "email"}, "ada@example.com", "ada@example.com"),
    ({"type": "website"}, "https://example.com/", "https://example.com/"),
    ({"type": "number"}, "1,234.5", "1234.5"), ({"type": "date"}, "1/2/2026", "2026-01-02"),
    ({"type": "phone"}, "5555550100", "(555) 555-0100"),
    ({"type": "phone", "phoneFormat": "international"}, "+49 1", "+49 1"),
])  # fmt: skip
def test_blanks_that_nobody_sees_around_what_is_pasted_are_removed(
    client: Client, field: Any, text: str, stored: str
) -> None:
    make_form(client, {"id": 1, **field}, TEXT)
    for around in ("\xa0", "\u200b", "\u202a", "\ufeff", "\u2066 \u00ad", "\u3000\u200f"):
        for sent in (f"{around}{text}", f"{text}{around}", f"{around}{text}{around}"):
            answer = client.post("/forms/1/submissions", json={"input_1": sent, "input_9": sent})
            assert answer.status_code == 200, (around, answer.text)
    assert {entry["1"] for entry in entries(client)} == {stored}
    if field["type"] == "email":
        client.post("/entries", json={"form_id": 1, "1": "\u202abob@example.com\u202c"})
        erased = client.post("/entries/erase", json={"email": "\u2068bob@example.com\xa0"})
        assert erased.get_json() == {"erased": 1}


@pytest.mark.parametrize(("order", "text"), [
    ("", "12/31/2026"), ("mdy", "12/31/2026"), ("dmy", "31/12/2026"), ("dmy_dash", "31-12-2026"),
    ("dmy_dot", "31.12.2026"), ("ymd_slash", "2026/12/31"), ("ymd_dash", "2026-12-31"),
    ("ymd_dot", "2026.12.31"),
])  # fmt: skip
def test_a_date_to_begin_with_is_shown_by_browsers_whatever_its_format(
    client: Client, order: str, text: str
) -> None:
    date = {"id": 1, "type": "date", "dateFormat": order, "defaultValue": text}
    make_form(client, date, {**date, "id": 2, "defaultValue": "", "allowsPrepopulate": True,
                             "inputName": "d"}, {**TEXT, "isRequired": True})  # fmt: skip
    first = shown(client, f"?{urlencode({'d': text})}")
    assert (first["input_1"], first["input_2"]) == ("2026-12-31",) * 2
    again = send(client, {"input_1": text, "input_2": "soon"}).text
    assert re.search(r'name="input_1" value="2026-12-31"', again)


def test_only_the_same_load_of_a_page_or_half_a_minute_makes_a_repetition(client: Client) -> None:
    store_of(client.application).clock = Standing()
    make_form(client, TEXT)
    page = html_of(client)
    # The same for all: a script writes a value into it.
    assert page == html_of(client)
    assert '<input type="hidden" name="landform_once" value="">' in page
    assert page.count("<script>") == 1
    data = {**shown(client), "input_9": "Yes"}
    stored = [
        (send(client, {**data, "landform_once": once}).status_code, len(entries(client)))
        for once in ("a", "a", "b", "a", "b", "")
    ]
    assert stored == [(303, n) for n in (1, 1, 2, 2, 2, 3)]
    # Another answer is another entry, also where a browser has kept the page.
    send(client, {**data, "input_9": "No", "landform_once": "a"})
    assert len(entries(client)) == 4
    for seconds, number in ((30, 4), (61, 5)):
        later = NOON + timedelta(seconds=seconds)
        store_of(client.application).clock = Standing(at=later)
        send(client, data)
        assert len(entries(client)) == number
    send(client, {**data, "landform_once": "a"})
    assert len(entries(client)) == 5
