"""Feeds run by themselves: what each add-on sends for an entry, once, and what it never does."""

import csv
import io
import json
import logging
import ssl
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from threading import Event, Thread
from typing import Any
from urllib.parse import parse_qsl

import pytest
from applications import Standing, store_of, when
from conftest import needs
from databases import run_sql
from desk import HOOK, Desk
from flask import Flask
from mailboxes import ACCEPT, mailbox
from processes import until
from receivers import Receiver, receiver
from without_parts import copy_without, run_python

from landform.app import create_app
from landform.parts.leads import Leads
from landform.parts.leads.addons import AddonError
from landform.parts.leads.options import SMTP_URL
from landform.parts.leads.storage import entries, forms

pytestmark = pytest.mark.settings(ADDON_PRIVATE=True)
SECRET = "sesame-open"
SUCCESS = ("success", "")
HEADER_ROWS = [{"key": "gf_custom", "custom_key": "X-Token", "value": "gf_custom",
                "custom_value": SECRET}]  # fmt: skip


@pytest.fixture
def desk(app: Flask, database_url: str) -> Desk:
    return Desk(app, database_url)


@pytest.fixture
def hook() -> Iterator[Receiver]:
    with receiver() as accepting:
        yield accepting


def mapped(key: str, value: str, custom: str = "") -> dict[str, str]:
    """Return a row of a map of fields as Gravity Forms stores it."""
    return {"key": "gf_custom", "custom_key": key, "value": value, "custom_value": custom}


def test_an_entry_is_sent_once_with_the_key_of_its_run(desk: Desk, hook: Receiver) -> None:
    desk.add_feed(requestURL=hook.url, requestMethod="POST", requestFormat="json",
                  requestBodyType="all_fields", requestHeaders=HEADER_ROWS)  # fmt: skip
    entry_id = desk.submit(f2="ada@example.com", f3="Hello")
    assert (hook.received, desk.states()) == ([], [("pending", "")])
    desk.deliver()
    desk.deliver(later=True)
    ((_, entry, headers, _),) = hook.received
    assert (entry["id"], entry["2"], entry["3"]) == (entry_id, "ada@example.com", "Hello")
    (run,) = desk.runs()
    assert headers["Idempotency-Key"] == run["run_key"]
    assert headers["X-Token"] == SECRET
    assert (run["state"], run["attempt"], run["entry_id"]) == ("success", 1, entry_id)


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "GET", "POST"])
def test_the_chosen_values_are_sent_by_the_method_and_format_of_the_feed(
    desk: Desk, hook: Receiver, method: str
) -> None:
    rows = [mapped("mail", "2"), mapped("name", "1"), mapped("first", "1.3"),
            mapped("note", "gf_custom", "For {E-mail:2} & all"), mapped("form", "form_id"),
            {"key": "message", "value": "3"}]  # fmt: skip
    url, chosen = f"{hook.url}?from={{E-mail:2}}", {"requestFormat": "form", "fieldValues": rows}
    desk.add_feed(requestURL=url, requestMethod=method, requestBodyType="select_fields", **chosen)
    desk.submit(**{"f1_3": "Ada", "f1_6": "Lovelace", "f2": "a+b@example.com", "f3": "1 & 2\n3"})
    desk.deliver()
    ((sent, target),) = hook.targets
    query, body = target.partition("?")[2], hook.received[0][3].decode()
    assert sent == method
    values = {"mail": "a+b@example.com", "name": "Ada Lovelace", "first": "Ada", "form": "1",
              "note": "For a+b@example.com & all", "message": "1 & 2\n3"}  # fmt: skip
    source = {"from": "a+b@example.com"}
    assert dict(parse_qsl(query)) == (source | values if method == "GET" else source)
    assert dict(parse_qsl(body)) == ({} if method == "GET" else values)


def test_chosen_values_are_those_of_the_entry_and_merge_tags_are_for_people(
    desk: Desk, hook: Receiver
) -> None:
    choices = [{"text": "Red", "value": "r"}, {"text": "Blue", "value": "b"}]
    fields = [{"id": 1, "type": "select", "choices": choices},
              {"id": 2, "type": "checkbox", "choices": choices},
              {"id": 3, "type": "number"}, {"id": 4, "type": "date"}]  # fmt: skip
    desk.add_form(title="Order", fields=fields)
    rows = [mapped(key, key) for key in ("1", "2", "3", "4", "9", "currency")]
    text = "{T:1} {T:2} {T:3} {T:4}"
    desk.add_feed(requestURL=hook.url, requestMethod="POST", requestBodyType="select_fields",
                  fieldValues=[*rows, mapped("text", "gf_custom", text)])  # fmt: skip
    desk.submit(f1="r", f2_1="r", f2_2="b", f3="1234.5", f4="1/31/2026")
    desk.deliver()
    ((_, sent, _, _),) = hook.received
    assert sent.pop("text") == "Red Red, Blue 1,234.5 01/31/2026"
    values = {"1": "r", "2": "r, b", "3": "1234.5", "4": "2026-01-31", "9": "", "currency": "USD"}
    assert sent == values


NO_URL = "The feed has no http or https URL whose host is fixed."
NO_SERVER = "No mail server is set up: nothing is sent until there is one."
NO_ADDRESS = "The feed has no valid address in toEmail or toField."
SETTINGS: list[tuple[str, dict[str, Any], str | None]] = [
    ("email", {}, NO_ADDRESS), ("email", {"toEmail": "us"}, NO_ADDRESS),
    ("email", {"toEmail": "us@example.com,"}, NO_ADDRESS), ("email", {"toEmail": [1]}, NO_ADDRESS),
    ("email", {"toEmail": "j\u00f6rg@example.com"}, NO_ADDRESS),
    ("email", {"toEmail": ", ".join(["us@example.com"] * 21)}, NO_ADDRESS),
    ("email", {"toEmail": " us@example.com, {E-mail:2}"}, NO_SERVER),
    ("email", {"toField": 2}, NO_SERVER),
    (HOOK, {}, NO_URL), (HOOK, {"requestURL": 1}, NO_URL),
    (HOOK, {"requestURL": "https://{Name:1}/"}, NO_URL),
    (HOOK, {"requestURL": "http://a.example", "requestMethod": []}, None),
    (HOOK, {"requestURL": "http://a.example", "requestMethod": "HEAD"},
     "The method of the feed is unknown."),
    ("gravityformsslack", {"message": "x"}, NO_URL), ("crm", {}, None),
]  # fmt: skip


def test_a_write_of_a_feed_that_cannot_run_says_so(desk: Desk) -> None:
    path = f"/feeds/{desk.add_feed('crm')}"
    for addon, meta, problem in SETTINGS:
        body = {"form_id": desk.form, "addon_slug": addon, "meta": {"feedName": "F", **meta}}
        for written in (
            desk.post("/feeds", json=body), desk.post(f"/forms/{desk.form}/feeds", json=body),
            desk.put(path, json=body), desk.patch(path, json={"is_active": False}),
            desk.put(f"{path}/properties", json={"is_active": True}),
            desk.post(f"{path}/duplicate", json={}),
        ):  # fmt: skip
            assert written.status_code in (200, 201)
            assert written.headers.get("X-Landform-Warning") == problem, meta
    # A function of the host has settings of its own.
    desk.landing.addons |= dict.fromkeys((HOOK, "email", "gravityformsslack"))
    for addon, meta, _ in SETTINGS:
        body = {"form_id": desk.form, "addon_slug": addon, "meta": {"feedName": "F", **meta}}
        assert "X-Landform-Warning" not in desk.put(path, json=body).headers


RULES: list[tuple[tuple[str, ...], str | None]] = [
    (("9", "x"), "Rules compare with a blank, as form 1 has no field 9."),
    (("E-mail\u00a0\u263a", "x"),
     "Rules compare with a blank, as form 1 has no field E-mail\\xa0\\u263a."),
    (("1", "x", "near"), "The conditional logic cannot be met: the operator of rule 1 is none of"),
    (("", "x"), "The conditional logic cannot be understood: the fieldId of rule 1 must name a"),
    (("1.3", "x"), None), (("1", "x"), None), (("payment_status", "x"), None),
]  # fmt: skip


def test_a_write_of_a_feed_whose_rules_name_no_field_says_so(desk: Desk) -> None:
    for rule, problem in RULES:
        body = {"form_id": desk.form, "addon_slug": "crm", "meta": when(*rule)}
        for sent in (body, {**body, "form_id": 0}, {**body, "form_id": 99}):
            warning = desk.post("/feeds", json=sent).headers.get("X-Landform-Warning", "")
            # Other forms may have such a field.
            is_told = problem and (sent is body or "compare" not in problem)
            assert warning.startswith(problem) if is_told and problem else not warning, rule


def test_only_planned_feeds_run_and_only_for_active_entries(desk: Desk, hook: Receiver) -> None:
    rule = {"fieldId": "3", "operator": "is", "value": "yes"}
    logic = {"conditionalLogic": {"logicType": "all", "rules": [rule]}}
    desk.add_feed(requestURL=hook.url, feed_condition_conditional_logic="1",
                  feed_condition_conditional_logic_object=logic)  # fmt: skip
    inactive, second = desk.add_feed(requestURL=hook.url), desk.add_feed(requestURL=hook.url)
    desk.put(f"/feeds/{inactive}/properties", json={"is_active": False})
    desk.submit(f3="no")
    entry_id = desk.submit(f3="yes")
    assert [(run["feed_id"], run["entry_id"]) for run in desk.runs()] == [
        (second, "1"), (1, entry_id), (second, entry_id),
    ]  # fmt: skip
    # It becomes spam before the feeds run, and is none after all; an edit runs nothing more.
    desk.set_status(entry_id, "spam")
    desk.deliver()
    assert [entry["id"] for _, entry, _, _ in hook.received] == ["1"]
    for _ in range(2):
        desk.set_status(entry_id, "active")
        desk.edit(entry_id, f3="yes!")
        desk.deliver(later=True)
    assert [entry["id"] for _, entry, _, _ in hook.received] == ["1", entry_id, entry_id]
    assert {run["state"] for run in desk.runs()} == {"success"}


@pytest.mark.settings(METRICS=True)
def test_nothing_is_tried_again_for_what_is_off_in_the_trash_or_deleted(desk: Desk) -> None:
    tries = list[str]()

    def fail(meta: Any, entry: Any, form: Any, key: str) -> None:
        tries.append(meta["feedName"])
        raise AddonError("No.")

    desk.landing.addons["crm"] = fail
    off, _ = desk.add_feed("crm", feedName="off"), desk.add_feed("crm")
    form, entry_id = desk.form, desk.submit(f3="Hello")
    desk.deliver()
    assert sorted(tries) == ["F", "off"]

    def retry() -> list[tuple[str, str]]:
        """Try again what may be; return the states."""
        tries.clear()
        desk.deliver(later=True)
        return desk.states()

    desk.put(f"/feeds/{off}/properties", json={"is_active": False})
    assert (retry(), tries) == ([("failed", "No.")] * 2, ["F"])
    desk.put(f"/feeds/{off}/properties", json={"is_active": True})
    assert (retry(), sorted(tries)) == ([("failed", "No.")] * 2, ["F", "off"])
    assert 'landform_runs{state="failed"} 2.0' in desk.get("/metrics").text
    desk.ok(desk.delete(f"/feeds/{off}"))
    assert (retry()[1], tries) == (("failed", "No."), ["F"])
    assert 'landform_runs{state="failed"} 1.0' in desk.get("/metrics").text
    desk.set_status(entry_id, "trash")
    assert (retry(), tries) == ([("failed", "No.")], [])
    desk.set_status(entry_id, "active")
    assert (retry()[1], tries) == (("failed", "No."), ["F"])
    desk.ok(desk.delete(f"/forms/{form}"))
    assert (retry()[1], tries) == (("failed", "The form is in the trash."), [])
    assert desk.runs()[1]["retryable"] is False


def test_a_feed_that_nobody_here_runs_waits_for_an_outside_worker(desk: Desk) -> None:
    feed = desk.add_feed("gravityformsmailchimp")
    entry_id = desk.submit(f3="Hello")
    desk.deliver()
    (due,) = desk.get("/runs/due").get_json()
    assert (due["feed_id"], due["entry_id"], due["state"]) == (feed, entry_id, "pending")
    claimed = desk.post(f"/feeds/{feed}/runs", json={"entry_id": entry_id})
    assert (claimed.status_code, claimed.get_json()["attempt"]) == (201, 1)
    path = f"/feeds/{feed}/runs/{claimed.get_json()['id']}"
    assert desk.patch(path, json={"state": "success", "attempt": 1}).status_code == 200
    # A run of theirs, of an add-on that is here too, stays theirs.
    other = desk.add_feed(requestURL="http://127.0.0.1:9/")
    desk.post(f"/feeds/{other}/runs", json={"entry_id": "of-theirs", "lease": 1})
    desk.deliver(later=True)
    assert desk.get(f"/runs?feed_id={other}").get_json()[0]["attempt"] == 1


@pytest.mark.settings(METRICS=True)
@pytest.mark.parametrize(("status", "headers", "state", "least"), [
    (500, {}, "failed", 0), (404, {}, "failed", 0), (302, {"Location": "/"}, "failed", 0),
    (429, {"Retry-After": "600"}, "failed", 590), (400, {}, "final", 0), (422, {}, "final", 0),
    (410, {}, "final", 0), (414, {}, "final", 0), (431, {}, "final", 0),
])  # fmt: skip
def test_a_failure_is_tried_again_unless_that_cannot_help(
    desk: Desk, status: int, headers: dict[str, str], state: str, least: int
) -> None:
    answers = [(status, headers), (204, {})]
    # No pause ends by itself.
    store_of(desk.application).clock = Standing()
    with receiver(lambda _: answers[min(len(hook.received), 1)], SECRET.encode()) as hook:
        desk.add_feed(requestURL=hook.url)
        desk.submit(f3="Hello")
        desk.deliver()
        (run,) = desk.runs()
        failed = ("failed", f"The receiver answered {status}.")
        assert (run["state"], run["message"]) == failed
        assert run["retryable"] == (state != "final")
        metrics = desk.get("/metrics").text
        assert 'landform_runs{state="failed"} 1.0' in metrics
        assert 'landform_entries{status="active"} 1.0' in metrics
        assert 'landform_entries{status="spam"} 0.0' in metrics
        if least:
            assert not desk.get("/runs/due").get_json()
        desk.deliver(later=True)
    keys = [sent["Idempotency-Key"] for _, _, sent, _ in hook.received]
    assert keys == [run["run_key"]] * (1 if state == "final" else 2)
    assert desk.states()[0][0] == ("failed" if state == "final" else "success")
    types = [event["type"] for event in desk.get("/events?type=run.*").get_json()]
    assert types == ["run.failed", *([] if state == "final" else ["run.succeeded"])]


def test_pauses_double_up_to_six_hours_and_75_hours_of_them_are_the_end(desk: Desk) -> None:
    # By attempt: on a slow machine a first pause is over before the next look.
    waits = dict[int, float]()
    desk.landing.addons["crm"] = fails = lambda *_: (_ for _ in ()).throw(AddonError("No."))
    desk.add_feed("crm")
    desk.submit(f3="Hello")
    desk.deliver()
    while (run := desk.runs()[0])["retryable"] and len(waits) < 50:
        waits[run["attempt"]] = _seconds(run["modified"], run["retry_at"])
        desk.deliver(later=True)
    assert fails is desk.landing.addons["crm"]
    limits = {attempt: min(2.0 ** (attempt - 1), 6 * 3600) for attempt in waits}
    assert [wait for attempt, wait in waits.items()
            if not limits[attempt] * 0.9 - 2 <= wait <= limits[attempt] + 2] == []  # fmt: skip
    assert 72 * 3600 < sum(waits.values()) < 82 * 3600
    assert desk.states() == [("failed", "No.")]
    # A replay is one more attempt.
    desk.landing.addons["crm"] = lambda *_: None
    run_path = f"/feeds/1/runs/{run['id']}/replay"
    assert desk.post(run_path).status_code == 200
    desk.deliver()
    assert desk.states() == [SUCCESS]


def _seconds(start: str, end: str) -> float:
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()


# URLs of feeds, and why nothing is sent there.
REFUSED = [
    (None, "no http or https URL"), ("ftp://example.com/", "no http or https URL"),
    ("http://{Message:3}/", "no http or https URL"), ("{Message:3}", "no http or https URL"),
    ("http://example.com{Message:3}/", "no http or https URL"),
    ("http://127.0.0.1:9/", "private or reserved."),
    ("http://[::ffff:10.0.0.1]/", "private or reserved"),
    ("http://169.254.169.254/latest", "private or reserved"),
]  # fmt: skip


@pytest.mark.settings(ADDON_PRIVATE=False)
@pytest.mark.parametrize("addon", [HOOK, "gravityformsslack"])
def test_no_feed_and_no_visitor_leads_to_a_private_address(desk: Desk, addon: str) -> None:
    for url, _ in REFUSED:
        desk.add_feed(addon, requestURL=url, webhookURL=url)
    desk.submit(f3="127.0.0.1")
    desk.deliver()
    for (url, message), (state, text) in zip(REFUSED, desk.states(), strict=True):
        assert (url, state, message in text) == (url, "failed", True), text


def test_no_value_of_an_entry_becomes_a_header_or_another_target(
    desk: Desk, hook: Receiver
) -> None:
    rows = [mapped("X-Note", "gf_custom", "{Message:3}"), mapped("Host", "3"),
            mapped("idempotency-key", "3"), mapped("Content-Length", "3")]  # fmt: skip
    desk.add_feed(requestURL=f"{hook.url}/{{Message:3}}", requestHeaders=rows)
    desk.submit(f3="é\r\nX-Evil: 1\r\n\r\n../?#")
    desk.deliver()
    ((_, _, headers, _),) = hook.received
    assert "X-Evil" not in headers
    assert headers["X-Note"].startswith("%C3%A9%0")
    assert headers["Idempotency-Key"] == desk.runs()[0]["run_key"]
    ((_, target),) = hook.targets
    assert target.startswith("/hook/%C3%A9%0")
    assert not set("?#") & set(target)
    for text in (".", ".."):
        desk.submit(f3=text)
    desk.deliver()
    assert len(hook.received) == 1
    assert [run["retryable"] for run in desk.runs()[1:]] == [False, False]


@pytest.mark.parametrize(("meta", "message"), [
    ({"requestMethod": "GET"}, "The port must be from 1 to 65535, and the path not too long."),
    ({"requestURL": "https://a..b/"}, "This is not a label of a host name."),
    ({"requestURL": "https://a.example:99999/"},
     "The port must be from 1 to 65535, and the path not too long."),
])  # fmt: skip
def test_what_can_never_be_sent_is_final_at_once(
    desk: Desk, hook: Receiver, meta: dict[str, str], message: str
) -> None:
    desk.add_feed(**{"requestURL": hook.url, **meta})
    desk.add_feed("gravityformsslack", webhookURL=meta.get("requestURL", hook.url + "{Message:3}"))
    desk.submit(f3="x" * 4001)
    desk.deliver()
    assert desk.states() == [("failed", f"No answer: {message}")] * 2
    assert [run["retryable"] for run in desk.runs()] == [False] * 2


def test_slack_shows_values_as_text(desk: Desk, hook: Receiver) -> None:
    desk.add_feed("gravityformsslack", webhookURL=hook.url,
                  message="<!here> {E-mail:2}: {Message:3}")  # fmt: skip
    desk.submit(f2="ada@example.com", f3="<!channel> & <https://evil.example|click> {E-mail:2}")
    desk.deliver()
    text = hook.received[0][1]["text"]
    assert text.startswith("<!here> ada@example.com: &lt;!channel&gt; &amp; &lt;https://")
    assert text.endswith("{E-mail:2}")
    assert desk.states() == [SUCCESS]


# Mail.


def test_a_mail_arrives_once_with_the_values_of_the_entry(desk: Desk) -> None:
    with mailbox() as box:
        desk.smtp_url = box.url
        desk.add_feed("email", toEmail="sales@example.com, team@example.com", fromName="Größe & Co",
                      replyTo="{E-mail:2}", subject="New: {Name:1}",
                      message="{Message:3}\n\nFrom {E-mail:2}")  # fmt: skip
        desk.submit(**{"f1_3": "Ada", "f2": "ada@example.com", "f3": "Zürich\n.\n<b>bold</b>"})
        desk.deliver()
        desk.deliver(later=True)
    ((recipients, mail),) = box.accepted
    assert recipients == ["sales@example.com", "team@example.com"]
    assert mail["From"] == "Größe & Co <leads@example.com>"
    assert (mail["Reply-To"], mail["Subject"]) == ("ada@example.com", "New: Ada")
    assert mail["Message-ID"] == f"<{desk.runs()[0]['run_key']}@example.com>"
    lines = mail.get_content().splitlines()
    assert lines == ["Zürich", ".", "<b>bold</b>", "", "From ada@example.com"]


def test_a_consent_is_read_as_the_text_that_was_agreed_to(desk: Desk) -> None:
    desk.add_form(fields=[
        {"id": 1, "type": "email", "label": "E-mail"},
        {"id": 2, "type": "consent", "label": "News", "checkboxLabel": "Write to me"},
        {"id": 3, "type": "consent", "label": "Terms"}, {"id": 4, "type": "consent", "label": "No"},
        {"id": 5, "type": "consent", "label": "Then", "checkboxLabel": "I agree"},
    ])  # fmt: skip
    with mailbox() as box:
        desk.smtp_url = box.url
        desk.add_feed("email", toEmail="sales@example.com")
        agreed = {"f2_1": "1", "f3_1": "1", "f5_1": "1", "f5_2": "I agree"}
        entry_id = desk.submit(f1="ada@example.com", **agreed)
        desk.deliver()
    lines = box.accepted[0][1].get_content().splitlines()
    # A client of the API that sends no text stores none.
    texts = ["Checked", "Checked", "I agree"]
    labels = ("News", "Terms", "Then")
    assert lines[1:] == [f"{name}: {text}" for name, text in zip(labels, texts, strict=True)]
    answer = desk.get(f"/forms/{desk.form}/entries", headers={"Accept": "text/csv"})
    (row,) = csv.DictReader(io.StringIO(answer.data.decode("utf-8-sig"), newline=""))
    shown = [row[f"{name} (Consent)"] for name in ("News", "Terms", "Then", "No")]
    assert shown == [*texts, ""]
    assert desk.get(f"/entries/{entry_id}").get_json()["2.1"] == "1"


# What the library for mails decodes, to lines of their own, or folds without its quotes.
WORD = "=?utf-8?q?x=0D=0ABcc=3A_all=40example=2Ecom=0D=0A=0D=0Ahi?="
EVIL = [
    "x@example.com\r\nBcc: all@example.com\r\n\r\nhi\r\n.\r\nRCPT TO:<all@example.com>",
    *("a@example.com, b@example.com", "<a@example.com>", WORD, f"{WORD} é", f'=?x"{WORD}'),
    *("=?utf-8?q?x=0D=0ABcc=3A_y?=@example.com", f"boss@example.com, {'x' * 80} y"),
    *(f"{'é' * 90} <boss@example.com>, {WORD}", f'"Boss" <boss@example.com>,{" z" * 80}'),
    *("p\u0430ypal@example.com", "a\u202e@example.com", "a\x01b@example.com"),
]  # fmt: skip
MAIL_HEADERS = {
    *("From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "MIME-Version"),
    *("Content-Type", "Content-Transfer-Encoding"),
}


def test_no_value_becomes_a_header_a_recipient_or_a_command(desk: Desk) -> None:
    with mailbox() as box:
        desk.smtp_url = box.url
        tags = dict.fromkeys(("subject", "fromName", "replyTo", "message"), "{Message:3}")
        desk.add_feed("email", toEmail="sales@example.com", **tags)
        for meta in ({"toEmail": "{Message:3}"}, {"toField": "3"}, {}):
            desk.add_feed("email", **meta)
        for text in EVIL:
            desk.submit(f3=text)
        desk.deliver()
    assert [recipients for recipients, _ in box.accepted] == [["sales@example.com"]] * len(EVIL)
    for _, mail in box.accepted:
        assert {*mail.keys()} == MAIL_HEADERS
        assert [one.addr_spec for one in mail["From"].addresses] == ["leads@example.com"]
        assert mail["To"] == "sales@example.com"
    refused = [run["message"] for run in desk.runs() if run["state"] == "failed"]
    assert refused == [NO_ADDRESS] * 3 * len(EVIL)
    assert not any(run["retryable"] for run in desk.runs())


def test_a_visitor_is_answered_at_the_address_of_a_field(desk: Desk) -> None:
    with mailbox() as box:
        desk.smtp_url = box.url
        desk.add_feed("email", toField="2", message="Thank you.")
        desk.submit(f2="ada@example.com")
        desk.deliver()
    assert [recipients for recipients, _ in box.accepted] == [["ada@example.com"]]


def test_without_a_server_or_with_one_that_is_not_there_mail_waits(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    desk.add_feed("email", toEmail="sales@example.com")
    desk.submit(f3="Hello")
    with caplog.at_level(logging.WARNING):
        desk.deliver()
        assert desk.states() == [("failed", NO_SERVER)]
        desk.smtp_url = "smtp://name:sesame@127.0.0.1:9?from=leads@example.com"
        desk.deliver(later=True)
    assert desk.states() == [("failed", "The mail server cannot be reached.")]
    # Who operates the service gets to know more.
    assert "LANDFORM_SMTP_URL is not set" in caplog.text
    assert "ConnectionRefusedError" in caplog.text
    assert "sesame" not in caplog.text
    with mailbox() as box:
        desk.smtp_url = box.url
        desk.deliver(later=True)
    assert (len(box.accepted), desk.states()) == (1, [SUCCESS])


@needs("openssl")
def test_a_password_is_sent_encrypted_and_to_nobody_else(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, certificate = str(tmp_path / "key.pem"), str(tmp_path / "certificate.pem")
    request = ("openssl", "req", "-x509", "-nodes", "-newkey", "rsa:2048", "-subj", "/CN=localhost",
               "-addext", "subjectAltName=DNS:localhost")  # fmt: skip
    subprocess.run([*request, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    desk.add_feed("email", toEmail="sales@example.com")
    desk.submit(f3="Hello")
    with mailbox(tls=context) as box:
        url = box.url.replace("127.0.0.1", "leads%40example.com:sesame@localhost")
        desk.smtp_url = url.partition("?")[0]
        desk.deliver()
        # Nobody trusts the certificate yet.
        assert box.logins == []
        assert desk.states()[0][1] == "The certificate of the mail server is not trusted."
        monkeypatch.setenv("SSL_CERT_FILE", certificate)
        desk.deliver(later=True)
    assert box.logins == [(b"leads@example.com", b"sesame", True)]
    assert (box.accepted[0][1]["From"], desk.states()) == ("leads@example.com", [SUCCESS])
    # Another machine that offers no encryption gets no password.
    desk.submit(f3="Hello")
    with mailbox(auth_require_tls=False) as box:
        monkeypatch.setattr("landform.parts.leads.addons.smtp.LOOPBACK", ())
        desk.smtp_url = box.url.replace("//", "//leads:sesame@")
        desk.deliver()
    assert (box.logins, box.accepted) == ([], [])
    assert desk.states()[1] == (
        "failed",
        "The mail server offers no encryption, which a password needs.",
    )


def test_the_password_of_the_mail_server_is_shown_nowhere(database_url: str) -> None:
    url = f"smtps://leads:{SECRET}@mail.example.com?from=leads@example.com"
    part = Leads(smtp_url=url)  # type: ignore[arg-type]
    assert SECRET not in repr(part) + repr(part.smtp_url) + str(SMTP_URL.hide(part.smtp_url))
    for wrong in ("http://a@b.example", f"smtp://{SECRET}", f"smtp://h:x?from=a@b.example{SECRET}"):
        with pytest.raises(ValueError, match="SMTP_URL must be a URL such as smtp://") as raised:
            create_app({"DATABASE_URL": database_url, "SMTP_URL": wrong})
        assert SECRET not in str(raised.value)


# Add-ons of one's own.


def test_the_add_on_of_the_docs_runs_in_a_host(desk: Desk, hook: Receiver) -> None:
    docs = (Path(__file__).parents[3] / "docs/parts/leads.md").read_text()
    (code,) = (
        part for part in docs.split("```") if part.startswith("python") and "AddonError" in part
    )
    names: dict[str, Any] = {"landing": desk.landing}
    exec(code.removeprefix("python").replace("https://crm.example.com/contacts", hook.url), names)
    desk.add_feed("crm", apiKey=SECRET)
    entry_id = desk.submit(f2="ada@example.com")
    desk.deliver()
    assert (desk.states(), hook.received[0][1]["email"]) == ([SUCCESS], "ada@example.com")
    assert hook.received[0][2]["Idempotency-Key"] == desk.runs()[0]["run_key"]
    assert desk.runs()[0]["entry_id"] == entry_id


FAULT = "The attempt ended with a fault, which is in the log of the service."


class Odd(AddonError):
    """An error of a host that forgets the rest."""

    def __init__(self, text: Any) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text  # type: ignore[no-any-return]


@pytest.mark.parametrize(("error", "message"), [
    (AddonError("half \ud800 of a letter"), "half   of a letter"), (AddonError("a\0b\nc"), "a b c"),
    (AddonError(7), "7"), (AddonError(b"x"), "b'x'"), (AddonError("y" * 9999), "y" * 500),
    (AddonError("x", retry_after=float("nan")), "x"), (AddonError("x", retry_after=1e400), "x"),
    (AddonError("x", retry_after="60"), "x"), (AddonError("x", retry_after=None), FAULT),
    (AddonError("x", retryable="yes"), "x"), (Odd("z"), "z"), (Odd(None), FAULT),
])  # type: ignore[arg-type]  # fmt: skip
def test_an_add_on_may_fail_with_any_error_and_its_run_ends(
    desk: Desk, error: AddonError, message: str
) -> None:
    desk.landing.addons["crm"] = lambda *_: (_ for _ in ()).throw(error)
    desk.add_feed("crm")
    desk.submit(f3="Hello")
    desk.deliver()
    assert desk.states() == [("failed", message)]
    assert desk.runs()[0]["retryable"]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("error", [ValueError, SystemExit, KeyboardInterrupt, RecursionError])
def test_an_add_on_that_raises_has_failed_and_its_secrets_are_told_nobody(
    desk: Desk, caplog: pytest.LogCaptureFixture, error: type[BaseException]
) -> None:
    def subscribe(meta: Any, entry: Any, form: Any, run_key: str) -> None:
        raise error(f"{meta['apiKey']} {entry['2']}")

    desk.landing.addons["crm"] = subscribe
    desk.add_feed("crm", apiKey=SECRET)
    desk.submit(f2="ada@example.com")
    with caplog.at_level(logging.DEBUG):
        desk.deliver()
    assert desk.states() == [("failed", FAULT)]
    assert desk.runs()[0]["retryable"]
    assert "subscribe" in caplog.text
    assert error.__name__ in caplog.text
    shown = caplog.text + desk.get("/events?per_page=100").text + desk.get("/runs").text
    assert [word for word in (SECRET, "ada@example.com") if word in shown] == []


def test_three_feeds_that_hang_hold_up_no_other_form(desk: Desk) -> None:
    released, reached = Event(), Event()
    desk.landing.addons["slow"] = lambda *_: released.wait(60) and None
    desk.landing.addons["crm"] = lambda *_: reached.set()
    for number in range(3):
        desk.add_form(title=f"Form {number}")
        desk.add_feed("slow")
        for value in range(4):
            desk.submit(f3=f"{value}")
    desk.add_form()
    desk.add_feed("crm")
    desk.submit(f3="Hello")
    delivering = Thread(target=desk.deliver, daemon=True)
    delivering.start()
    try:
        assert reached.wait(5)
    finally:
        released.set()
        delivering.join(60)
    assert desk.states() == [SUCCESS] * 13


def test_an_attempt_that_does_not_end_is_given_up(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("landform.parts.worker.DEADLINE", 2)
    released, called = Event(), list[str]()

    def hang_once(meta: Any, entry: Any, form: Any, run_key: str) -> None:
        called.append(run_key)
        released.wait(60 if len(called) == 1 else 0)

    desk.landing.addons["crm"] = hang_once
    desk.add_feed("crm")
    desk.submit(f3="Hello")
    desk.deliver()
    assert desk.states() == [("failed", "The attempt did not end within 15 minutes.")]
    desk.deliver(later=True)
    released.set()
    assert (len(called), len(set(called)), desk.states()) == (2, 1, [SUCCESS])


def test_a_feed_that_fails_is_tried_with_one_entry_at_a_time(desk: Desk) -> None:
    called, working = list[str](), False

    def subscribe(meta: Any, entry: Any, form: Any, run_key: str) -> None:
        called.append(entry["id"])
        if not working:
            raise AddonError("No.")

    desk.landing.addons["crm"] = subscribe
    desk.add_feed("crm")
    stored = [desk.submit(f3=f"{number}") for number in range(20)]
    # The pause of a failure is stored: each of these knows nothing of the one before.
    for _ in range(5):
        desk.deliver()
    assert len(called) <= 5
    working = True
    for _ in range(3):
        desk.deliver(later=True)
    assert desk.states() == [SUCCESS] * 20
    assert set(called) == set(stored)


WITHOUT_RUNS = """
import sys
from landform.app import create_app
app = create_app({"DATABASE_URL": sys.argv[1]})
landing = app.blueprints["landform"]
client = app.test_client()
form = {"title": "Contact", "fields": [{"id": 1, "type": "text", "label": "Name"}]}
feed = {"form_id": 1, "addon_slug": "gravityformswebhooks", "meta": {"requestURL": "http://a.test"}}
for path, sent in ("/forms", form), ("/feeds", feed), ("/forms/1/submissions", {"input_1": "Ada"}):
    assert client.post(path, json=sent).status_code < 300
landing.deliver()
assert client.get("/entries/1").get_json()["1"] == "Ada"
"""


@pytest.mark.servers
def test_without_the_part_runs_entries_are_stored_and_nothing_runs(tmp_path: Path) -> None:
    copy = copy_without(tmp_path, "runs")
    done = run_python(copy, "-c", WITHOUT_RUNS, f"sqlite:///{tmp_path}/one.db")
    assert (done.returncode, done.stdout) == (0, "")


def test_an_installed_add_on_is_found_by_its_entry_point(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "crm-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: crm\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text("[landform.addons]\ncrm = crm_addon:subscribe\n")
    (tmp_path / "crm_addon.py").write_text(
        textwrap.dedent("""
        entries = []

        def subscribe(meta, entry, form, run_key):
            entries.append((meta["list"], entry["2"], form["title"]))
    """)
    )
    monkeypatch.syspath_prepend(tmp_path)
    desk.add_feed("crm", list="news")
    desk.submit(f2="ada@example.com")
    desk.deliver()
    assert sys.modules["crm_addon"].entries == [("news", "ada@example.com", "Newsletter")]
    assert desk.states() == [SUCCESS]


def test_a_host_takes_the_place_of_an_add_on_or_leaves_it_to_others(desk: Desk) -> None:
    desk.landing.addons |= {HOOK: lambda *_: None, "email": None}
    desk.add_feed()
    desk.add_feed("email")
    desk.submit(f3="Hello")
    desk.deliver()
    assert desk.states() == [SUCCESS, ("pending", "")]


def test_a_run_goes_with_its_entry_and_its_form(desk: Desk) -> None:
    desk.add_feed("crm")
    stored = [desk.submit(f3=f"{number}") for number in range(3)]
    with desk.store.connection():
        entries.delete_entry(desk.store, int(stored[0]))
    assert [run["entry_id"] for run in desk.runs()] == stored[1:]
    with desk.store.connection():
        forms.delete_form(desk.store, desk.form)
    assert desk.runs() == []
