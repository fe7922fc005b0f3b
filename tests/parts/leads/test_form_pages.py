"""What people see of a form: links, required groups, two forms on a page, classes, own choices."""

import re
from typing import Any

import pytest
from applications import ADMIN, Site
from test_site_form import CHOICES, entries, main_of, make_form, make_page, send

RADIO = {"id": 1, "type": "radio", "label": "Size", "choices": CHOICES}
TEXT = {"id": 1, "type": "text", "label": "A", "allowsPrepopulate": True, "inputName": "a"}
LINK = 'Read <a href="https://example.com/terms">the terms</a> &amp; agree'


def test_links_in_consents_and_descriptions_are_links_and_stored_as_plain_text(site: Site) -> None:
    consent = {"id": 2, "type": "consent", "label": "Consent", "checkboxLabel": f"{LINK}<script>",
               "inputs": [{"id": "2.1"}, {"id": "2.2"}]}  # fmt: skip
    form = make_form(
        site, {**TEXT, "description": f"<p>{LINK}</p>"}, consent,
        description=f"{LINK}<img src=x onerror=x()>", message="<b>{Consent:2}</b>",
    )  # fmt: skip
    path = make_page(site, form)
    html = main_of(site.get(path))
    assert html.count('<a href="https://example.com/terms"') == 3
    assert "onerror" not in html
    assert "&lt;a" not in html
    assert '<div class="landform-help" id="input_1_1_help"><p>Read' in html
    sent = send(site, path, {"input_1": "x", "input_2_1": "1"})
    assert entries(site)[0]["2.2"] == "Read the terms & agree"
    shown = site.get(sent.headers["Location"])
    assert "<b>Read the terms &amp; agree</b>" in main_of(shown)
    # A page that was open before sends the words with their HTML.
    old = {"input_1": "y", "input_2_1": "1", "input_2_2": LINK}
    assert site.visitor.post("/forms/1/submissions", data=old).status_code == 200


def test_a_group_says_that_it_is_required_and_a_mistake_is_in_the_title(site: Site) -> None:
    boxes = {"id": 2, "type": "checkbox", "label": "Topics", "choices": CHOICES}
    fields = [{**field, "isRequired": True} for field in (RADIO, boxes)]
    path = make_page(site, make_form(site, *fields, {**RADIO, "id": 3}))
    html = main_of(site.get(path))
    assert len(re.findall(r"<legend>(?:Size|Topics).*?\(required\)</span></legend>", html)) == 2
    wrong = send(site, path, {})
    assert "<title>Not sent: A page – landform</title>" in wrong.text
    assert "Not sent" not in site.get(path).text


def test_the_same_form_twice_is_two_forms(site: Site) -> None:
    form = make_form(site, {**TEXT, "isRequired": True, "maxLength": 5}, message="Thanks!")
    path = make_page(site, form, content="[gravityform]\n\n<p>B</p>\n\n[gravityform id=1]")
    html = main_of(site.get(path))
    assert html.count("<form ") == 2
    ids = re.findall(r' id="([^"]*)"', html)
    assert len({*ids}) == len(ids)
    assert {*re.findall(r' for="([^"]*)"', html)} <= {*ids}
    second = {"landform_page": "1", "landform_number": "2", "input_1": "too long"}
    wrong = main_of(site.visitor.post("/forms/1/submissions", data=second))
    assert re.findall('name="input_1" value="(.*?)"', wrong) == ["", "too long"]
    assert wrong.index("<p>B</p>") < wrong.index('class="landform-error"')
    assert wrong.count('class="landform-error"') == 1
    sent = site.visitor.post("/forms/1/submissions", data={**second, "input_1": "ok"})
    thanked = main_of(site.get(sent.headers["Location"]))
    assert thanked.count("<form ") == 1
    assert thanked.index("<p>B</p>") < thanked.index("Thanks!")
    for number in ("0", "-1", "x", "9" * 30):
        data = {**second, "landform_number": number}
        assert site.visitor.post("/forms/1/submissions", data=data).status_code == 422


def test_a_visitor_may_choose_something_of_their_own(site: Site) -> None:
    form = make_form(site, {**RADIO, "enableOtherChoice": True, "isRequired": True})
    path = make_page(site, form)
    html = main_of(site.get(path))
    assert 'id="input_1_1_other" name="input_1" value="gf_other_choice" type="radio">' in html
    assert 'name="input_1_other" value="" type="text" aria-label="Other">' in html
    assert send(site, path, {"input_1": "gf_other_choice"}).status_code == 422
    own = {"input_1_other": "Huge <b>"}
    for number, values in enumerate(({"input_1": "gf_other_choice", **own}, own)):
        site.at(60 * number)
        assert send(site, path, values).status_code == 303
    assert [entry["1"] for entry in entries(site)] == ["Huge <b>"] * 2
    assert 'name="input_1_other"' not in site.get(make_page(site, make_form(site, RADIO))).text
    fields = {**RADIO, "enableOtherChoice": True}, {**TEXT, "id": 2, "maxLength": 1}
    other = make_form(site, *fields)
    wrong = send(
        site, make_page(site, other), {"input_1": "gf_other_choice", **own, "input_2": "ab"}
    )
    assert 'value="gf_other_choice" type="radio" checked>' in wrong.text
    assert 'name="input_1_other" value="Huge &lt;b&gt;"' in wrong.text


def test_forms_and_fields_have_the_classes_of_their_author(site: Site) -> None:
    section = {"id": 2, "type": "section", "cssClass": "b"}
    fields = {**TEXT, "cssClass": 'half "><script>'}, section, {**RADIO, "id": 3, "cssClass": "c d"}
    html = main_of(site.get(make_page(site, make_form(site, *fields, cssClass="wide dark"))))
    for text in ('"landform-form wide dark"', '"landform-field half script"',
                 '"landform-section b"', '"landform-field c d"'):  # fmt: skip
        assert f"class={text}" in html


@pytest.mark.parametrize(
    ("content", "query", "text", "ticked"),
    [
        ("[gravityform id=1 field_values='a=x%20y&t=red']", "", "x y", ["red"]),
        ('[gravityform id=1 field_values="a=x&t[]=red&t[]=blue"]', "", "x", ["red", "blue"]),
        ('<!-- wp:gravityforms/form {"formId":"1","fieldValues":"a=x]%5B&t[]=red"} /-->', "",
         "x][", ["red"]),
        ("[gravityform id=1 field_values='a=x&t=red']", "?a=z", "z", ["red"]),
        ("[gravityform id=1]", "?t[]=red&t[]=blue", "", ["red", "blue"]),
        ("[gravityform id=1]", "?t%5B0%5D=blue&a[]=1&a[]=2", "2", ["blue"]),
        ("[gravityform id=1]", "?t[]=red&t=blue&a=1&a[]=", "", ["blue"]),
    ],
)  # fmt: skip
def test_first_values_come_from_the_marker_and_the_address(
    site: Site, content: str, query: str, text: str, ticked: list[str]
) -> None:
    boxes: dict[str, Any] = {"id": 2, "type": "checkbox", "label": "T", "choices": CHOICES}
    make_form(site, TEXT, {**boxes, "allowsPrepopulate": True, "inputName": "t"})
    html = main_of(site.get(make_page(site, "", content=content) + query))
    assert f'name="input_1" value="{text}"' in html
    assert re.findall('value="([a-z]+)" type="checkbox" checked', html) == ticked


def test_the_address_that_a_mistake_left_leads_to_the_page(site: Site) -> None:
    form = make_form(site)
    submit = f"/forms/{form}/submissions"
    assert site.get(submit).headers["Location"] == "/"
    site.page(slug="draft", status="draft", meta={"form_id": form})
    path = make_page(site, form, slug="offer")
    for headers, location in (
        ({}, path), ({"Referer": f"http://localhost{path}?utm_source=x"}, f"{path}?utm_source=x"),
        ({"Referer": "https://evil.example/"}, path),
        ({"Referer": "http://localhost//evil.example"}, path),
        ({"Referer": f"http://localhost{submit}"}, path), ({"Referer": "http://[/"}, path),
    ):  # fmt: skip
        led = site.visitor.get(submit, headers=headers)
        assert (led.status_code, led.headers["Location"]) == (303, location)
        assert led.headers["Cache-Control"] == "no-store"
    assert site.get(submit, Accept="application/json").status_code == 405
    assert site.visitor.get(submit, auth=ADMIN).status_code == 303


def test_a_write_warns_of_a_confirmation_that_leads_to_a_page_that_nobody_sees(site: Site) -> None:
    draft, shown = site.page(status="draft")["id"], site.page()["id"]
    for page, is_dead in ((draft, True), (shown, False), (99, True), ("x", True), ("", True)):
        confirmation = {"id": "c", "name": "Th\u00e4nks", "type": "page", "pageId": page}
        form = {"title": "F", "fields": [TEXT], "confirmations": [confirmation]}
        written = site.visitor.post("/forms", json=form, auth=ADMIN)
        warning = written.headers.get("X-Landform-Warning", "")
        assert (written.status_code, ("do not see now: Th" in warning)) == (201, is_dead), page


def test_a_warning_is_on_one_line_whatever_it_names(site: Site) -> None:
    confirmation = {"id": "c", "name": "Th\r\nX-Evil: 1", "type": "page", "pageId": 99}
    form = {"title": "F", "fields": [TEXT], "confirmations": [confirmation]}
    rules = [{"fieldId": "9\r\nX-Evil: 1", "operator": "is", "value": ""}]
    logic = {"conditionalLogic": {"actionType": "show", "logicType": "all", "rules": rules}}
    meta = {
        "toEmail": "a@b.example", "feed_condition_conditional_logic": "1",
        "feed_condition_conditional_logic_object": logic,
    }  # fmt: skip
    for path, sent in (
        ("/forms", form),
        ("/forms/1/feeds", {"addon_slug": "email", "meta": meta}),
    ):
        written = site.visitor.post(path, json=sent, auth=ADMIN)
        assert (written.status_code, "X-Evil" in written.headers) == (201, False)
        assert " X-Evil: 1" in written.headers["X-Landform-Warning"]
