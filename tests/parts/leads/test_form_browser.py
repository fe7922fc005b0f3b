"""The form on a page in a real browser, for a validator of HTML and a checker of accessibility."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsers import Page, has_tools, validate
from conftest import Server, needs
from selenium.webdriver import ActionChains, Keys
from test_site_form import FIELDS, GOOD

TITLES = {"english": "Join", "german": "Jetzt dabei sein", "arabic": "انضم"}
LANGUAGES = {"english": "en", "german": "de-AT", "arabic": "ar"}
pytestmark = [
    pytest.mark.clients,
    pytest.mark.sqlite("browsers see nothing of the engine"),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    # In any order, they send more in a minute than one visitor may.
    variables = {"LANDFORM_WORKERS": "1", "LANDFORM_SUBMISSIONS_PER_MINUTE": "1000"}
    server = Server(tmp_path_factory.mktemp("form"), **variables).start()
    message = "<p>Thanks, {Name:1.3}!</p>"
    thanks = {"id": "c", "name": "C", "isDefault": True, "type": "message", "message": message}
    form = {"title": "Join us", "fields": FIELDS, "confirmations": {"c": thanks}}
    assert server.call("POST", "/forms", form)[0] == 201
    for slug, title in TITLES.items():
        meta = {"form_id": "1", "language": [LANGUAGES[slug]]}
        page = {"title": title, "slug": slug, "content": "Words.", "meta": meta}
        assert server.call("POST", "/pages", page)[0] == 201
    yield server
    server.stop()


@pytest.fixture
def browser(console_driver: Any, site: Server) -> Iterator[Page]:
    browser = Page(console_driver, site)
    browser.width(390)
    console_driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
    browser.errors()
    yield browser
    console_driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    console_driver.get("about:blank")


def fill(browser: Page, **values: str) -> None:
    """Type into inputs by their names, without the checks of the browser."""
    script = "document.querySelectorAll('.landform-form').forEach((one) => one.noValidate = true)"
    browser.driver.execute_script(script)
    for name, text in values.items():
        field = browser.driver.find_element("name", name)
        if field.get_attribute("type") == "checkbox":
            field.click()
        else:
            field.clear()
            field.send_keys(text)


@has_tools
def test_form_errors_and_confirmation_are_accessible_and_fit_a_phone(
    site: Server, browser: Page
) -> None:
    driver = browser.driver
    for number, slug in enumerate(TITLES):
        driver.get(f"{site.url}/{slug}/")

        def check(step: str, slug: str = slug) -> None:
            for width, dark in ((320, False), (320, True), (1280, True)):
                browser.width(width, dark=dark)
                found = (slug, step, width, browser.overflows(), browser.axe())
                assert found == (slug, step, width, False, [])

        check("form")
        direction = driver.execute_script("return getComputedStyle(document.forms[0]).direction")
        assert direction == ("rtl" if slug == "arabic" else "ltr")
        fill(browser, input_2="ann")
        driver.find_element("css selector", ".landform-form button").click()
        browser.find("//*[@id='form_1_problems']")
        assert driver.switch_to.active_element.get_attribute("id") == "form_1_problems"
        assert driver.find_element("name", "input_2").get_attribute("value") == "ann"
        check("errors")
        fill(browser, **{**GOOD, "input_1_3": f"Ann{number}"})
        driver.find_element("css selector", ".landform-form button").click()
        browser.sees(f"Thanks, Ann{number}!")
        assert driver.switch_to.active_element.get_attribute("role") == "status"
        check("confirmation")
    assert browser.errors() == []


def test_a_visitor_without_scripts_sends_a_form(site: Server, browser: Page) -> None:
    driver = browser.driver
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    driver.get(f"{site.url}/english/?from=mail")
    for name, text in GOOD.items():
        field = driver.find_element("name", name)
        field.click() if name == "input_7_1" else field.send_keys(text)
    driver.find_element("name", "input_2").submit()
    browser.until(lambda: "submitted=" in driver.current_url)
    assert "Thanks, Ann!" in driver.page_source
    address = driver.current_url
    driver.refresh()
    assert "Thanks, Ann!" in driver.page_source
    driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
    driver.get(address)
    assert "Thanks, !" in driver.page_source
    _, listed = site.call("GET", "/forms/1/entries")
    sent = [one for one in listed["entries"] if one["8"] == "mail"]
    assert [one["2"] for one in sent] == ["ann@example.com"]


SHOWN_BY_YES = {
    "actionType": "show", "logicType": "all",
    "rules": [{"fieldId": "1", "operator": "is", "value": "yes"}],
}  # fmt: skip
CHOICES = [{"text": text, "value": text} for text in ("red", "blue")]
KINDS = ("text", "text", "textarea", "text", "email", "website", "phone", "text", "number", "date",
         "time", "select", "radio", "checkbox", "multiselect", "name", "address", "section",
         "consent", "text")  # fmt: skip
# What is typed into the inputs of a kind, or the key that chooses.
TYPED = {"email": "a@b.de", "url": "https://b.de", "tel": "0301234567", "number": "7",
         "date": "05062030", "checkbox": " ", "radio": " ", "submit": ""}  # fmt: skip

NAMED = {
    "input_1": "yes", "input_9": "7", "input_11_1": "7", "input_11_2": "30", "input_11_3": "pm",
}  # fmt: skip


@has_tools
@pytest.mark.parametrize("has_scripts", [True, False])
@pytest.mark.parametrize("language", ["en", "de"])
def test_twenty_fields_with_conditions_are_filled_in_by_keyboard(
    site: Server, browser: Page, language: str, has_scripts: bool
) -> None:
    fields: list[dict[str, Any]] = []
    for number, kind in enumerate(KINDS, 1):
        field: dict[str, Any] = {"id": number, "type": kind, "label": f"{kind} {number}"}
        field |= {"choices": CHOICES} if kind in ("select", "radio", "multiselect") else {}
        field |= {"isRequired": True} if kind in ("email", "consent") or number == 4 else {}
        if kind == "phone":
            field["phoneFormat"] = "international"
        if kind == "checkbox":
            boxes = [{"id": f"{number}.{box}", "label": one["text"]}
                     for box, one in enumerate(CHOICES, 1)]  # fmt: skip
            field |= {"choices": CHOICES, "inputs": boxes}
        # Number 2 is shown, and 4, which is required, is not.
        if number in (2, 4):
            field["conditionalLogic"] = {
                **SHOWN_BY_YES,
                "actionType": "show" if number == 2 else "hide",
            }
        fields.append(field)
    _, form = site.call("POST", "/forms", {"title": "Twenty", "fields": fields})
    meta = {"form_id": str(form["id"]), "language": [language]}
    _, page = site.call("POST", "/pages", {"title": f"Twenty {language}", "meta": meta})
    driver = browser.driver
    disabled = {"value": not has_scripts}
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", disabled)
    driver.get(f"{site.url}/{page['slug']}/")
    if has_scripts:
        assert browser.axe() == []
    reached = []
    for _ in range(80):
        ActionChains(driver).send_keys(Keys.TAB).perform()
        focused = driver.switch_to.active_element
        name, kind = focused.get_attribute("name") or "", focused.get_attribute("type")
        if kind == "submit":
            break
        if name.startswith("input_"):
            reached.append(name)
            typed = NAMED.get(name) or TYPED.get(kind or "", "blue")
            ActionChains(driver).send_keys(typed).perform()
    else:
        raise AssertionError(f"The button is not reached: {reached}")
    assert ("input_4" in reached) != has_scripts
    assert "input_2" in reached
    ActionChains(driver).send_keys(Keys.ENTER).perform()
    browser.until(lambda: "submitted=" in driver.current_url)
    if has_scripts:
        assert browser.axe() == []
        assert browser.errors() == []
    (entry,) = site.call("GET", f"/forms/{form['id']}/entries")[1]["entries"]
    assert (entry["1"], entry["2"], entry["4"]) == ("yes", "blue", "")
    assert (entry["5"], entry["9"], entry["10"]) == ("a@b.de", "7", "2030-05-06")


AUTOFILL = {
    "NAME_FIRST": "Eve", "NAME_LAST": "Lee", "EMAIL_ADDRESS": "eve@example.com",
    "COMPANY_NAME": "ACME",
}  # fmt: skip


def test_autofill_fills_what_people_see_and_the_entry_is_no_spam(
    site: Server, browser: Page
) -> None:
    driver = browser.driver
    driver.get(f"{site.url}/english/")
    for domain in ("DOM", "Autofill"):
        driver.execute_cdp_cmd(f"{domain}.enable", {})
    document = driver.execute_cdp_cmd("DOM.getDocument", {})["root"]["nodeId"]
    field = {"nodeId": document, "selector": "[name=input_2]"}
    node = driver.execute_cdp_cmd("DOM.querySelector", field)
    described = driver.execute_cdp_cmd("DOM.describeNode", node)["node"]
    address = [{"name": name, "value": value} for name, value in AUTOFILL.items()]
    trigger = {"fieldId": described["backendNodeId"], "address": {"fields": address}}

    def is_filled() -> bool:
        driver.execute_cdp_cmd("Autofill.trigger", trigger)
        return bool(driver.find_element("name", "input_2").get_attribute("value"))

    # The browser reads the form some time after it has shown it.
    browser.until(is_filled)
    names = ("input_1_3", "input_1_6", "input_2", "input_15", "input_16")
    filled = [driver.find_element("name", name).get_attribute("value") for name in names]
    # The last one is for robots only.
    assert filled == ["Eve", "Lee", "eve@example.com", "", ""]
    driver.find_element("name", "input_7_1").click()
    driver.find_element("css selector", ".landform-form button").click()
    browser.sees("Thanks, Eve!")
    _, listed = site.call("GET", "/forms/1/entries")
    assert [one["status"] for one in listed["entries"] if one["1.3"] == "Eve"] == ["active"]


def test_a_form_has_another_value_each_time_that_it_is_shown_also_by_back(
    site: Server, browser: Page
) -> None:
    driver = browser.driver

    def once() -> str:
        return str(driver.find_element("name", "landform_once").get_attribute("value"))

    driver.get(f"{site.url}/english/")
    values = [once()]
    for leave in (driver.refresh, lambda: driver.get(f"{site.url}/german/")):
        leave()
        values.append(once())
    driver.back()
    browser.until(lambda: once() and once() not in values)
    assert len({*values, once(), ""}) == len(values) + 2
    assert browser.errors() == []


@has_tools
@needs("node")
def test_a_validator_finds_nothing_in_form_errors_and_confirmation(
    site: Server, tmp_path: Path
) -> None:
    kind = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html"}
    action = "/forms/1/submissions"
    found = {"alone": site.send("POST", action, kind, b"input_2=x")[2]}
    for number, slug in enumerate(TITLES, 1):
        found[slug] = site.send("GET", f"/{slug}/", {}, None)[2]
        wrong = f"landform_page={number}&input_2=x".encode()
        found[f"{slug}-errors"] = site.send("POST", action, kind, wrong)[2]
        assert f'value="{number}"'.encode() in found[f"{slug}-errors"]
    body = b"landform_page=1&input_1_3=A&input_1_6=B&input_2=a%40b.de&input_7_1=1"
    # What it is redirected to.
    found["confirmation"] = site.send("POST", action, kind, body)[2]
    assert b"Thanks" in found["confirmation"]
    validate(tmp_path, **found)
