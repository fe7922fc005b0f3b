"""The form on a page, as visitors without scripts meet it, and what strangers must not do."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from applications import NOON, Client, Site, Standing, store_of
from flask import Flask
from flask.testing import FlaskClient

FORM: dict[str, Any] = {
    "title": "Win a boat",
    "fields": [
        {"id": 1, "type": "name", "label": "Name",
         "inputs": [{"id": "1.3", "label": "First"}, {"id": "1.6", "label": "Last"}]},
        {"id": 2, "type": "email", "label": "E-mail", "isRequired": True},
        {"id": 3, "type": "consent", "label": "Consent", "checkboxLabel": "Write to me",
         "isRequired": True},
        {"id": 4, "type": "hidden", "label": "Campaign", "allowsPrepopulate": True,
         "inputName": "utm_source"},
    ],
    "confirmations": {"c": {"id": "c", "isDefault": True, "type": "message",
                            "message": "Thanks, {First:1.3}!"}},
}  # fmt: skip
VALID = {"input_1_3": "Ada", "input_2": "ada@example.com", "input_3_1": "1"}
BROWSER = {"Accept": "text/html"}


@pytest.fixture
def desk(client: Client) -> Client:
    """A client with a form on a published page, and a feed."""
    assert client.post("/forms", json=FORM).get_json()["id"] == 1
    client.page(title="Boat", slug="boat", status="publish", meta={"form_id": "1"})
    client.feed(form_id=1, addon_slug="crm")
    return client


def shown(visitor: FlaskClient, query: str = "") -> tuple[str, dict[str, str]]:
    """Return the HTML of the page, and the hidden inputs of its form."""
    html = visitor.get(f"/boat/{query}", headers=BROWSER).get_data(as_text=True)
    return html, hidden_inputs(html)


def hidden_inputs(html: str) -> dict[str, str]:
    """Return the values of the hidden inputs of a form."""
    return dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', html))


def send(visitor: FlaskClient, **values: str) -> Any:
    """Send the form of the page as a browser does."""
    data = {**shown(visitor)[1], **values}
    return visitor.post("/forms/1/submissions", data=data, headers=BROWSER)


def entries(desk: Client, status: str = "active") -> list[dict[str, Any]]:
    """Return the entries with a status."""
    answer = desk.get("/entries", query_string={"search": f'{{"status": "{status}"}}'})
    return list(answer.get_json()["entries"])


def test_a_visitor_sends_the_form_and_only_that_browser_sees_its_values(desk: Client) -> None:
    visitor = desk.anonymous
    html, _ = shown(visitor)
    for part in ('autocomplete="given-name"', 'type="email"', "Write to me", "required"):
        assert part in html
    sent = send(visitor, **VALID)
    assert (sent.status_code, sent.headers["Cache-Control"]) == (303, "no-store")
    address = sent.headers["Location"]
    assert "Ada" not in address
    assert "Thanks, Ada!" in visitor.get(address, headers=BROWSER).text
    # Beside a cookie of somebody else whose bytes are not UTF-8.
    cookie = visitor.get_cookie("landform_submitted", path="/boat/").value
    both = {**BROWSER, "Cookie": f"other=\xe9; landform_submitted={cookie}"}
    alone = desk.application.test_client(use_cookies=False)
    assert "Thanks, Ada!" in alone.get(address, headers=both).text
    other = desk.application.test_client().get(address, headers=BROWSER)
    assert "Thanks, !" in other.text
    assert other.headers["Cache-Control"] == "private, no-store"
    forged = address[:-6] + "AAAAAA"
    assert "<form" in visitor.get(forged, headers=BROWSER).text
    [entry] = entries(desk)
    assert (entry["1.3"], entry["2"], entry["ip"]) == ("Ada", "ada@example.com", "")
    [run] = desk.get("/runs").get_json()
    assert (run["state"], run["entry_id"]) == ("pending", entry["id"])
    # Again, as by a double click.
    assert send(visitor, **VALID).status_code == 303
    assert len(entries(desk)) == 1
    events = desk.get("/events?type=entry.*").get_json()
    assert [event["type"] for event in events] == ["entry.created"]
    assert "ada@example.com" not in str(events)


def test_who_fills_the_field_that_nobody_sees_is_spam_and_starts_no_feed(desk: Client) -> None:
    assert send(desk.anonymous, **VALID, input_5="http://spam.example").status_code == 303
    [spam] = entries(desk, "spam")
    assert desk.get("/runs").get_json() == []
    body = {"status": "active"}
    assert desk.put(f"/entries/{spam['id']}/properties", json=body).status_code == 200
    assert [run["entry_id"] for run in desk.get("/runs").get_json()] == [spam["id"]]


@pytest.mark.parametrize(
    ("referer", "source"),
    [
        ("http://localhost/boat/?utm_source=x&password=p&preview=1.a#top",
         "http://localhost/boat/?utm_source=x"),
        ("http://localhost/boat/?submitted=abc", "http://localhost/boat/"),
        ("https://other.example/?utm_source=x", "http://localhost/boat/"),
        ("http://[x", "http://localhost/boat/"),
        # A form with messages.
        ("http://localhost/forms/1/submissions", "http://localhost/boat/"),
        ("", "http://localhost/boat/"),
    ],
)  # fmt: skip
def test_an_entry_knows_its_page_without_secrets_and_no_address(
    desk: Client, referer: str, source: str
) -> None:
    headers = {**BROWSER, "User-Agent": "B" * 300}

    def submit(values: dict[str, str], referer: str) -> Any:
        sent = {**headers, "Referer": referer}
        return desk.anonymous.post("/forms/1/submissions", data=values, headers=sent)

    first = shown(desk.anonymous, "?utm_source=x")[1]
    assert submit({**first, **VALID}, referer).status_code == 303
    # The same after two mistakes, which are shown at the address of the submission.
    wrong = submit(first, referer).text
    wrong = submit(hidden_inputs(wrong), "http://localhost/forms/1/submissions").text
    again = {**hidden_inputs(wrong), **VALID, "input_1_3": "Bo"}
    back = submit(again, "http://localhost/forms/1/submissions").headers["Location"]
    assert back.startswith("/boat/?submitted=")
    stored = [(entry["source_url"], entry["4"], entry["ip"]) for entry in entries(desk)]
    assert stored == [(source, "x", "")] * 2
    assert entries(desk)[0]["user_agent"] == "B" * 250


@pytest.mark.parametrize(
    "text",
    ["//evil.example/?a=1", "/\\evil.example", "https://evil.example", "/.//evil.example", "/x",
     "#/x", "a=1\r\nb", "x" * 3000],
)  # fmt: skip
def test_no_submission_from_a_page_names_another_page(desk: Client, text: str) -> None:
    data = {**shown(desk.anonymous)[1], **VALID, "landform_return": text}
    sent = desk.anonymous.post("/forms/1/submissions", data=data, headers=BROWSER)
    assert sent.headers["Location"].startswith("/boat/?submitted=")
    assert entries(desk)[0]["source_url"].partition("?")[0] == "http://localhost/boat/"


@pytest.mark.settings(SUBMISSIONS_PER_MINUTE=6)
def test_a_stranger_may_send_some_submissions_a_minute_whatever_becomes_of_them(app: Flask) -> None:
    store_of(app).clock = Standing()
    site = Site(app)
    fields = [{**field, "noDuplicates": field["id"] == 2} for field in FORM["fields"]]
    site.visitor.post("/forms", json={**FORM, "fields": fields}, auth=("admin", "secret"))

    def submit(email: object, key: str = "", address: str = "192.0.2.7", auth: Any = None) -> Any:
        headers = {"Accept": "application/json"} | ({"Idempotency-Key": key} if key else {})
        return app.test_client().post(
            "/forms/1/submissions",
            json={**VALID, "input_2": email},
            headers=headers,
            environ_overrides={"REMOTE_ADDR": address},
            auth=auth,
        )

    # Stored, a duplicate, another body for its key, an invalid address, a wrong type, stored.
    first = [("a@example.com", "k"), ("a@example.com", ""), ("b@example.com", "k"), ("b", ""),
             ({}, ""), ("b@example.com", "")]  # fmt: skip
    sent = [submit(*one) for one in (*first, ("c@example.com", ""), ("d@example.com", ""))]
    assert [answer.status_code for answer in sent] == [200, 400, 422, 400, 400, 200, 429, 429]
    assert sent[-1].get_json()["code"] == "rest_too_many_submissions"
    assert 0 < int(sent[-1].headers["Retry-After"]) <= 60
    # A caller with credentials is no stranger, wherever it calls from.
    assert submit("f@example.com", auth=("admin", "secret")).status_code == 200
    with ThreadPoolExecutor(8) as pool:
        texts = [f"{number}@example.com" for number in range(16)]
        together = list(pool.map(lambda text: submit(text, address="192.0.2.8"), texts))
    assert sorted(answer.status_code for answer in together) == [200] * 6 + [429] * 10
    store_of(app).clock = Standing(at=NOON + timedelta(minutes=1))
    # What is in the trash is no duplicate.
    site.visitor.delete("/entries/1", auth=("admin", "secret"))
    sent = [submit(text) for text in ("a@example.com", "e@example.com", "b@example.com")]
    assert [answer.status_code for answer in sent] == [200, 200, 400]
    listed = site.visitor.get("/entries", auth=("admin", "secret")).get_json()
    assert listed["total_count"] == 10


@pytest.mark.parametrize(("key", "value", "reason", "allowed"), [
    ("requireLogin", True, "it requires a login", "0"),
    ("limitEntries", True, "its limit of entries has no number", "0"),
    ("fields", [{"id": 1, "type": "fileupload"}], "field 1 has", FORM["fields"]),
])  # fmt: skip
def test_a_form_that_asks_for_what_is_not_carried_out_takes_nothing(
    desk: Client, key: str, value: object, reason: str, allowed: object
) -> None:
    answer = desk.put("/forms/1", json={**FORM, key: value})
    assert f"cannot be shown or submitted: {reason}" in answer.headers["X-Landform-Warning"]
    assert "<form " not in shown(desk.anonymous)[0]
    refused = desk.anonymous.post("/forms/1/submissions", json=VALID)
    assert (refused.status_code, refused.get_json()["code"]) == (400, "form_restriction_error")
    answer = desk.put("/forms/1", json={**FORM, key: allowed})
    assert "X-Landform-Warning" not in answer.headers
    assert desk.anonymous.post("/forms/1/submissions", json=VALID).status_code == 200


@pytest.mark.settings(SUBMISSIONS=False)
def test_the_public_side_can_be_switched_off(client: Client) -> None:
    client.post("/forms", json=FORM)
    client.page(title="Boat", slug="boat", status="publish", meta={"form_id": "1"})
    page = client.anonymous.get("/boat/", headers=BROWSER)
    assert (page.status_code, "<form" in page.text) == (200, False)
    sent = client.anonymous.post("/forms/1/submissions", data=VALID, headers=BROWSER)
    assert (sent.status_code, "<form" in sent.text) == (400, False)
    refused = client.anonymous.post("/forms/1/submissions", json=VALID)
    assert refused.get_json()["code"] == "form_restriction_error"
    assert client.post("/forms/1/submissions", json=VALID).status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        {"input_2": ["a@example.com"]},
        {"input_2": {"a": 1}},
        {"input_1_3": "a\0b"},
        {f"input_{number}": "x" for number in range(201)},
        {f"input_1_{number}": "x" * 3_000 for number in range(100)},
    ],
    ids=("a list", "an object", "NUL", "too many", "too large"),
)
def test_values_that_cannot_be_stored_are_refused_and_store_nothing(
    desk: Client, body: dict[str, Any]
) -> None:
    answer = desk.anonymous.post("/forms/1/submissions", json=body)
    assert answer.status_code in (400, 413), answer.text
    assert answer.get_json()["code"] in ("rest_invalid_param", "rest_body_too_large")
    assert entries(desk) == []


def test_a_long_body_is_refused_before_it_is_parsed(desk: Client) -> None:
    valid = json.dumps(VALID)
    for spaces, status in ((900_000, 200), (1_100_000, 413)):
        sent = {"data": valid + " " * spaces, "content_type": "application/json"}
        assert desk.anonymous.post("/forms/1/submissions", **sent).status_code == status


def test_clients_are_shown_the_names_that_a_form_lacks_and_browsers_may_send_any(
    desk: Client,
) -> None:
    boxes = {"id": 5, "type": "checkbox", "choices": [{"text": "A", "value": "a"}]}
    other = {"id": 6, "type": "radio", "choices": [], "enableOtherChoice": True}
    secret = {"id": 7, "type": "text", "visibility": "administrative"}
    fields = [*FORM["fields"], boxes, other, secret]
    assert desk.put("/forms/1", json={**FORM, "fields": fields}).status_code == 200
    known = {**VALID, "input_1.6": "L", "input_5": ["a"], "input_6": "gf_other_choice",
             "input_6_other": "x", "input_8": "", "source_page": 1, "target_page": 0,
             "field_values": "", **shown(desk.anonymous)[1]}  # fmt: skip
    more = {**known, "input_99": "y", "input_7": "z", "utm_source": "ad"}
    for path in ("", "/validation"):
        for body, ignored in ((known, None), (more, "input_7, input_99, utm_source")):
            for strict in (False, True):
                headers = {"Prefer": "handling=strict"} if strict else {}
                url = f"/forms/1/submissions{path}"
                answer = desk.anonymous.post(url, json=body, headers=headers)
                assert answer.status_code == (400 if ignored and strict else 200)
                if strict and ignored:
                    params = answer.get_json()["data"]["params"]
                    assert ", ".join(params) == ignored
                else:
                    assert answer.headers.get("X-Landform-Ignored") == ignored
    stored = len(entries(desk))
    data = {**shown(desk.anonymous)[1], **VALID, "utm_source": "ad"}
    headers = {**BROWSER, "Prefer": "handling=strict"}
    answer = desk.anonymous.post("/forms/1/submissions", data=data, headers=headers)
    assert (answer.status_code, len(entries(desk))) == (303, stored + 1)


def test_a_repeated_key_is_one_entry_and_another_body_or_a_part_of_it_is_refused(
    desk: Client,
) -> None:
    headers = {"Idempotency-Key": "k"}
    ids = {
        desk.post("/forms/1/submissions", json=VALID, headers=headers).get_json()["entry_id"]
        for _ in range(2)
    }
    assert len(ids) == 1
    # Who guesses a key does not see the name, which the confirmation shows.
    without_name = {**VALID, "input_1_3": ""}
    for other in ({**VALID, "input_2": "b@example.com"}, without_name):
        answer = desk.anonymous.post("/forms/1/submissions", json=other, headers=headers)
        assert (answer.status_code, "Ada" in answer.text) == (422, False)
    headers = {"Idempotency-Key": "k" * 256}
    refused = desk.post("/forms/1/submissions", json=VALID, headers=headers)
    assert list(refused.get_json()["data"]["params"]) == ["Idempotency-Key"]


def test_a_repetition_is_the_same_entry_also_after_the_form_was_changed(desk: Client) -> None:
    state = {"id": 9, "type": "text", "visibility": "administrative", "defaultValue": "new"}
    client = {"Idempotency-Key": "k"}
    agreed = {**VALID, "input_3_2": "Write to me"}
    for default in ("new", "open"):
        fields = [*FORM["fields"][:3], {**state, "defaultValue": default}]
        assert desk.put("/forms/1", json={**FORM, "fields": fields}).status_code == 200
        assert send(desk.anonymous, **VALID).status_code == 303
        assert desk.post("/forms/1/submissions", json=agreed, headers=client).status_code == 200
    assert [entry["9"] for entry in entries(desk)] == ["new", "new"]


def test_a_consent_on_a_page_is_stored_with_the_words_that_the_page_had(desk: Client) -> None:
    send(desk.anonymous, **VALID)
    words = {**FORM["fields"][2], "checkboxLabel": "Sell my address"}
    desk.put("/forms/1", json={**FORM, "fields": [*FORM["fields"][:2], words]})
    assert entries(desk)[0]["3.2"] == "Write to me"
    exported = desk.get("/forms/1/entries", headers={"Accept": "text/csv"}).text
    assert ("Write to me" in exported, "Sell" in exported) == (True, False)


OTHER_WORDS = (
    (400, "Sell my address"), (400, "write to me"), (400, "<b>Write</b> you"), (200, ""),
    (200, "Write to me"), (200, " <i>Write</i> to\r\nme "),
)  # fmt: skip


@pytest.mark.parametrize(("status", "words"), OTHER_WORDS)
@pytest.mark.parametrize("ticked", ["1", "0", None])
def test_a_consent_to_other_words_than_those_of_the_form_is_refused(
    desk: Client, status: int, words: str, ticked: str | None
) -> None:
    consent = {**FORM["fields"][2], "checkboxLabel": "Write <b>to me</b>", "isRequired": False}
    desk.put("/forms/1", json={**FORM, "fields": [*FORM["fields"][:2], consent]})
    sent = {"input_2": "ada@example.com", "input_3_1": ticked, "input_3_2": words}
    for path, client in (("", desk.anonymous), ("/validation", desk)):
        answer = client.post(f"/forms/1/submissions{path}", json=sent)
        messages = answer.get_json().get("validation_messages", ())
        assert (answer.status_code, [*messages]) == (status, ["3"] if status == 400 else [])
    stored = [entry["3.2"] for entry in entries(desk)]
    agreed = "Write to me" if ticked == "1" and words else ""
    assert stored == ([agreed] if status == 200 else [])
    # Nobody reads them who writes an entry by hand.
    by_hand = desk.post("/entries", json={"form_id": 1, "3.1": "1", "3.2": "Other words"})
    assert by_hand.get_json()["3.2"] == "Other words"


def test_a_page_that_was_open_while_a_consent_changed_gets_its_new_words(desk: Client) -> None:
    visitor = desk.anonymous
    data = {**shown(visitor)[1], **VALID}
    consent = {**FORM["fields"][2], "checkboxLabel": 'To "me"\nand <b>them</b>'}
    fields = [*FORM["fields"][:2], consent, FORM["fields"][3]]
    desk.put("/forms/1", json={**FORM, "fields": fields})
    refused = visitor.post("/forms/1/submissions", data=data, headers=BROWSER)
    assert refused.status_code == 422
    assert "and <b>them</b></label>" in refused.text
    assert 'value="ada@example.com"' in refused.text
    # Nobody ticked the box of these words.
    assert not re.search(r'name="input_3_1"[^>]* checked', refused.text)
    again = {**data, "input_3_2": unescape(hidden_inputs(refused.text)["input_3_2"])}
    sent = visitor.post("/forms/1/submissions", data=again, headers=BROWSER)
    assert sent.status_code == 303
    assert [entry["3.2"] for entry in entries(desk)] == ['To "me"\nand them']


def main_text(page: str) -> str:
    """Return the text of the confirmation that a page shows."""
    found = re.search(r'role="status"[^>]*>([^<]*)</div>', page)
    assert found, page
    return found[1].strip()


def edit(desk: Client, entry_id: str, **values: str) -> None:
    entry = desk.get(f"/entries/{entry_id}").get_json()
    assert desk.put(f"/entries/{entry_id}", json={**entry, **values}).status_code == 200


def test_a_repetition_shows_what_it_sent_and_nothing_that_others_wrote(desk: Client) -> None:
    message = {**FORM["confirmations"]["c"], "message": "{First:1.3} {user_agent} {embed_url}"}
    desk.put("/forms/1", json={**FORM, "confirmations": {"c": message}})
    first, second = desk.anonymous, desk.application.test_client()
    sent = {**VALID, "landform_page": "1"}
    agents = {**BROWSER, "User-Agent": "First"}, {**BROWSER, "User-Agent": "Second"}

    def thanks(visitor: FlaskClient, headers: dict[str, str]) -> str:
        reply = visitor.post("/forms/1/submissions", data=sent, headers=headers)
        page = visitor.get(reply.headers["Location"], headers=BROWSER)
        return main_text(page.text)

    shown_first = [thanks(first, agents[0]) for _ in range(2)]
    assert shown_first == ["Ada First http://localhost/boat/"] * 2
    assert thanks(second, agents[1]) == ""
    [entry] = entries(desk)
    edit(desk, entry["id"], **{"1.3": "Secret"})
    assert thanks(first, agents[0]) == ""
    assert len(entries(desk)) == 1
    # Without a page the confirmation is in the response itself.
    alone = [
        visitor.post("/forms/1/submissions", data=VALID, headers=headers).text
        for visitor, headers in zip((first, second), agents, strict=True)
    ]
    assert ["Ada First" in alone[0], "Ada Second" in alone[1]] == [True, True]


def test_erasing_a_person_takes_every_entry_in_every_status(desk: Client) -> None:
    for status in ("active", "spam", "trash"):
        body = {"form_id": 1, "2": "Ada@Example.com", "status": status}
        assert desk.post("/entries", json=body).status_code == 201
    desk.post("/entries", json={"form_id": 1, "2": "other@example.com"})
    desk.post("/entries", json={"form_id": 1, "1.3": "ada@example.com"})
    # Searches take it for the same, but it is that of another person.
    desk.post("/entries", json={"form_id": 1, "2": "adà@example.com"})
    answer = desk.post("/entries/erase", json={"email": "ada@example.com"})
    assert answer.get_json() == {"erased": 3}
    assert len(entries(desk)) == 3
    answer = desk.post("/entries/erase", json={"email": "ADA\u0300@example.com"})
    assert answer.get_json() == {"erased": 1}
    assert desk.post("/entries/erase", json={"email": "ada@example.com"}).get_json() == {
        "erased": 0
    }
    # Nor is an address kept whose field the form no longer has.
    desk.put("/forms/1", json={**FORM, "fields": FORM["fields"][:1]})
    erased = desk.post("/entries/erase", json={"email": "other@example.com"}).get_json()
    assert erased == {"erased": 1}
