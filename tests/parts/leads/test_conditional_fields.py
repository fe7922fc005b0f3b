"""Conditional logic of forms: one table of answers for the service and for its script."""

from collections.abc import Iterator
from typing import Any

import pytest
from applications import ADMIN, Client, Site
from browsers import AXE, Page
from conftest import Server

BROWSER = {"Accept": "text/html"}
CHOICES = [{"text": name.upper(), "value": name} for name in ("a", "b")]


def rule(source: str, operator: str, value: str) -> dict[str, str]:
    return {"fieldId": source, "operator": operator, "value": value}


def logic(*rules: dict[str, str], kind: str = "all", action: str = "show") -> dict[str, Any]:
    return {"enabled": True, "actionType": action, "logicType": kind, "rules": [*rules]}


# What is asked, and what depends on it: each of these has the answer `x`.
ASKED: list[dict[str, Any]] = [
    {"id": 1, "type": "text"}, {"id": 2, "type": "number", "numberFormat": "decimal_comma"},
    {"id": 3, "type": "checkbox", "choices": CHOICES},
    {"id": 4, "type": "radio", "choices": CHOICES, "enableOtherChoice": True},
    {"id": 5, "type": "multiselect", "choices": CHOICES}, {"id": 6, "type": "time"},
    {"id": 7, "type": "name", "inputs": [{"id": "7.3", "label": "First"},
                                         {"id": "7.6", "label": "Last"}]},
    {"id": 8, "type": "consent", "checkboxLabel": "Yes"},
    {"id": 9, "type": "text", "adminOnly": True, "defaultValue": "x"},
    {"id": 10, "type": "address", "addressType": "us"},
]  # fmt: skip
SECTION, PLAIN_SECTION = 40, 42
DEPENDENT: dict[int, dict[str, Any]] = {
    20: logic(rule("1", "is", " Red ")),
    21: logic(rule("1", "starts_with", "r"), rule("1", "ends_with", "d"), kind="any",
              action="hide"),
    22: logic(rule("2", ">", "1000")), 23: logic(rule("2", "<", "1e3")),
    24: logic(rule("3", "is", "b")), 25: logic(rule("3", "isnot", "b")),
    26: logic(rule("3.1", "is", "")), 27: logic(rule("4", "is", "gf_other_choice")),
    28: logic(rule("4", "contains", "c")), 29: logic(rule("5", "is", "b")),
    30: logic(rule("6", "is", "02:05 pm")), 31: logic(rule("7", "is", "lee")),
    32: logic(rule("7.3", "is", "lee")), 33: logic(rule("8", "is", "1")),
    34: logic(rule("8", "is", "")), 35: logic(rule("9", "is", "")),
    # On others that depend themselves, also on a later one, on each other and on themselves.
    36: logic(rule("20", "is", "x")), 37: logic(rule("36", "is", "")),
    38: logic(rule("41", "is", "x")), 39: logic(rule("39", "is", "")),
    SECTION: logic(rule("1", "contains", "e")), 41: logic(rule("2", "is", "")),
    44: logic(rule("45", "is", "")), 45: logic(rule("44", "is", "")),
    46: logic(rule("99", "is", "")), 47: {"rules": []},
    48: {**logic(rule("1", "is", "never")), "enabled": False},
}  # fmt: skip
NESTED = {36, 37, 38, 39, 44, 45}
# What is shown without an answer.
BLANK = {21, 23, 25, 26, 34, 35, 37, 39, 43, 45, 46, 47, 48}
TABLE: list[tuple[dict[str, Any], set[int]]] = [
    ({"input_1": "-"}, BLANK),
    ({"input_1": "\tRED"}, {*BLANK, 20, 36, 38, 41} - {21, 37}),
    ({"input_1": "Reed", "input_2": "0"}, BLANK - {21}),
    ({"input_2": "1.000,5"}, {*BLANK, 22} - {23}),
    ({"input_3_2": "b"}, {*BLANK, 24} - {25}),
    ({"input_3_1": "a", "input_4": "a"}, BLANK - {26}),
    ({"input_5[]": ["a", "b"]}, {*BLANK, 29}),
    ({"input_6_1": "2", "input_6_2": "5", "input_6_3": "pm"}, {*BLANK, 30}),
    ({"input_7_3": "Ann", "input_7_6": "Lee"}, {*BLANK, 31}),
    ({"input_8_1": "1"}, {*BLANK, 33} - {34}),
    ({"input_4": "gf_other_choice", "input_4_other": "C"}, {*BLANK, 27, 28}),
]


def conditional_form() -> dict[str, Any]:
    """Return a form with all that depends; a section hides what is after it."""
    dependent = [
        {"id": number, "type": "section" if number in (SECTION, PLAIN_SECTION) else "text",
         "label": f"F{number}", "isRequired": True, "defaultValue": "x",
         "conditionalLogic": DEPENDENT.get(number, "")}
        for number in range(20, 49)
    ]  # fmt: skip
    asked = [{"label": f"F{field['id']}", **field} for field in ASKED]
    return {"title": "Depends", "fields": [*asked, *dependent]}


ANSWERS = {f"input_{number}": "x" for number in range(20, 49)}


@pytest.mark.parametrize(("sent", "shown"), TABLE)
def test_what_conditions_hide_is_neither_required_nor_stored(
    client: Client, sent: dict[str, Any], shown: set[int]
) -> None:
    answer = client.post("/forms", json=conditional_form())
    told = "Not carried out: rules about field 99, which is not there, compare with a blank."
    assert answer.headers["X-Landform-Warning"] == told
    sections = {SECTION, PLAIN_SECTION}
    answer = client.post("/forms/1/submissions", data={**ANSWERS, **sent})
    entry = client.get(f"/entries/{answer.get_json()['entry_id']}").get_json()
    stored = {number for number in range(20, 49) if number not in sections and entry[f"{number}"]}
    assert stored == shown
    answer = client.post("/forms/1/submissions", data=sent)
    # Without these answers others are shown that depend on them.
    required = {int(number) for number in answer.get_json()["validation_messages"]}
    assert required - NESTED == shown - NESTED


BUTTON = {"text": "Send", "conditionalLogic": logic(rule("1", "is", "yes"))}


def test_a_form_whose_button_is_hidden_takes_nothing_and_shows_what_was_typed(site: Site) -> None:
    fields = [{"id": 1, "type": "text", "label": "Sure?"}]
    site.visitor.post("/forms", json={"title": "F", "fields": fields, "button": BUTTON}, auth=ADMIN)
    api = {"Accept": "application/json"}
    answer = site.visitor.post("/forms/1/submissions", json={"input_1": "no"}, headers=api)
    assert (answer.status_code, answer.get_json()["code"]) == (400, "form_restriction_error")
    shown = site.visitor.post("/forms/1/submissions", data={"input_1": "no"}, headers=BROWSER)
    assert (shown.status_code, 'value="no"' in shown.text) == (400, True)
    sent = site.visitor.post("/forms/1/submissions", data={"input_1": "Yes"}, headers=BROWSER)
    assert sent.status_code == 303 or "Thanks" in sent.text


@pytest.mark.parametrize(("value", "reason"), [
    (logic(rule("1", "smells", "x")), "the operator of rule 1 is none of"),
    ({**logic(rule("1", "is", "x")), "logicType": "most"}, "logicType must be"),
    ("yes", "conditionalLogic must be an object"), ({"rules": ["x"]}, "rule 1 must be an object"),
    (logic(*[rule("1", "is", "x")] * 1001), "its fields have more than 1000 rules"),
])  # fmt: skip
def test_a_form_with_conditions_that_cannot_be_understood_is_not_shown_and_says_why(
    client: Client, value: Any, reason: str
) -> None:
    fields = [{"id": 1, "type": "text", "label": "A"},
              {"id": 2, "type": "text", "label": "B", "conditionalLogic": value}]  # fmt: skip
    answer = client.post("/forms", json={"title": "F", "fields": fields})
    assert (answer.status_code, reason in answer.headers["X-Landform-Warning"]) == (201, True)
    assert client.post("/forms/1/submissions", json={"input_1": "a"}).status_code == 400


# Fill in controls by their names as a person does, and return the fields that are shown.
FILL = """
const form = document.querySelector(".landform-form");
for (const control of form.elements) {
  const values = [arguments[0][control.name] ?? []].flat(), isSelect = control.tagName === "SELECT";
  if (control.type === "radio" || control.type === "checkbox") {
    control.checked = values.includes(control.value);
  } else if (/^input_[1-9](_|$)/.test(control.name)) {
    control.value = values[0] ?? (isSelect ? "am" : "");
  }
}
form.dispatchEvent(new Event("input"));
return [...form.querySelectorAll("input[name^=input_]:enabled")]
  .filter((one) => one.checkVisibility()).map((one) => Number(one.name.slice(6)))
  .filter((number) => number >= 20);
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("conditions"), LANDFORM_WORKERS="1").start()
    for form in (conditional_form(), {"title": "B", "fields": ASKED[:1], "button": BUTTON}):
        assert server.call("POST", "/forms", form)[0] == 201
    for form_id in ("1", "2"):
        page = {"title": "P", "slug": f"p{form_id}", "meta": {"form_id": form_id}}
        assert server.call("POST", "/pages", page)[0] == 201
    yield server
    server.stop()


@pytest.fixture
def browser(console_driver: Any, server: Server) -> Iterator[Page]:
    yield Page(console_driver, server)
    console_driver.get("about:blank")


@pytest.mark.clients
@pytest.mark.sqlite("browsers see nothing of the engine")
def test_the_script_shows_what_the_service_requires(server: Server, browser: Page) -> None:
    browser.driver.get(f"{server.url}/p1/")
    shown = [set(browser.driver.execute_script(FILL, sent)) for sent, _ in TABLE]
    assert shown == [expected for _, expected in TABLE]
    assert not AXE.exists() or browser.axe() == []
    browser.driver.get(f"{server.url}/p2/")
    button = browser.driver.find_element("css selector", ".landform-form button")
    seen = [button.is_displayed()]
    browser.driver.find_element("name", "input_1").send_keys("Yes")
    assert [*seen, button.is_displayed()] == [False, True]
    assert browser.errors() == []
