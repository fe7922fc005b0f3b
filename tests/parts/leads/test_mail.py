"""Mail: what counts as sent, who gets it, how it fails in words, and tests of feeds."""

import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from applications import Standing, service
from desk import Desk
from flask import Flask
from mailboxes import ACCEPT, Say, mailbox, scripted

pytestmark = pytest.mark.settings(ADDON_PRIVATE=True)
SERVER = "smtp://127.0.0.1:9?from=leads@example.com"
STARTTLS = "250-mail.example.com\r\n250 STARTTLS"
TLS = {"EHLO": STARTTLS}
HELO = {"EHLO": "502 What?"}


@pytest.fixture
def desk(app: Flask, database_url: str) -> Desk:
    return Desk(app, database_url)


def send(desk: Desk, **meta: str) -> dict[str, Any]:
    """Send a mail of a new feed, and return its run."""
    feed = desk.add_feed("email", **{"toEmail": "sales@example.com", **meta})
    desk.submit(f2="ada@example.com", f3="Hello")
    desk.deliver()
    # No other mail is sent later.
    desk.put(f"/feeds/{feed}/properties", json={"is_active": False})
    return dict(desk.get(f"/runs?feed_id={feed}").get_json()[0])


def pause_of(run: dict[str, Any]) -> timedelta:
    return datetime.fromisoformat(run["retry_at"]) - datetime.fromisoformat(run["modified"])


@pytest.mark.slow
def test_a_mail_counts_as_sent_with_the_250_after_its_end_and_with_nothing_else(
    desk: Desk,
) -> None:
    good: list[dict[str, Any]] = [
        {}, {"": "220-mail\r\n220 ESMTP"}, {**HELO, "HELO": ACCEPT}, {"RCPT": "251 Forwarded"},
        {".": "250-OK\r\n250 Queued"}, {".": "250"}, {"QUIT": None},
    ]  # fmt: skip
    # Before the end of the mail: replies after which another attempt may help, and final ones.
    again: list[dict[str, Any]] = [
        {"": "HTTP/1.1 400 Bad Request"}, {"": "hello"}, {"": "250 OK"}, {"": "421 Later"},
        {"": None}, {"": "220 mail\r\n250 OK"}, {"": "2200 mail"}, {"": "220-mail\r\n250 OK"},
        {"": "+20 mail"}, {"EHLO": "220 mail", "HELO": "220 mail"}, {"EHLO": "hello"},
        {**HELO, "HELO": "354 Go on"}, {**TLS, "STARTTLS": ACCEPT}, {**TLS, "STARTTLS": "454 No"},
        {**TLS, "STARTTLS": "354 Go on"}, {**TLS, "STARTTLS": "220 Go on\r\n250 OK"},
        {"MAIL": "220 OK"}, {"MAIL": "354 Go on"}, {"MAIL": "451 Later"}, {"MAIL": "OK"},
        {"RCPT": "220 OK"}, {"RCPT": "354 Go on"}, {"RCPT": "450 Later"}, {"RCPT": None},
        {"DATA": ACCEPT}, {"DATA": "220 OK"}, {"DATA": "451 Later"}, {"DATA": "OK"},
        {"DATA": "354 Go on\r\n250 OK"}, {".": "451 Later"},
    ]  # fmt: skip
    final: list[dict[str, Any]] = [
        {"": "554 No"}, {**HELO, "HELO": "550 No"}, {**TLS, "STARTTLS": "554 No"},
        {"MAIL": "550 No"}, {"RCPT": "550 No"}, {"DATA": "554 No"}, {".": "554 No"},
    ]  # fmt: skip
    # After its end: replies that leave open whether it is sent. The next attempt would repeat it.
    unknown: list[dict[str, Any]] = [
        {".": "garbage"}, {".": "200 OK"}, {".": "354 Go on"}, {".": None}, {".": "2500 OK"},
        {".": "250-OK\r\n251 OK"}, {".": lambda say: say(b"250")},
    ]  # fmt: skip
    expected = [(good, ("success", False)), (again, ("failed", True)), (final, ("failed", False)),
                (unknown, ("failed", True))]  # fmt: skip
    with scripted() as server:
        desk.smtp_url = server.url
        for table, outcome in expected:
            for replies in table:
                server.replies = replies
                if table is unknown:
                    server.replies = {**replies, "": "220 mail"}
                run = send(desk)
                assert (run["state"], run["retryable"]) == outcome, (replies, run["message"])
                if run["retryable"]:
                    assert (pause_of(run) > timedelta(hours=3)) == (table is unknown), replies
    assert server.mails == len(good) + len(unknown) + 2


def drip(line: bytes, seconds: float) -> Callable[[Say], None]:
    """Return what sends a line again and again, for a minute."""

    def say_it(say: Say) -> None:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            say(line)
            time.sleep(seconds)

    return say_it


@pytest.mark.parametrize(("command", "says"), [
    ("", drip(b"220-mail\r\n", 0.1)), ("", drip(b"", 1)), ("EHLO", drip(b"250-mail\r\n", 0)),
    ("RCPT", drip(b"x", 0)), (".", drip(b"2", 0.1)), (".", drip(b"", 1)),
])  # fmt: skip
def test_a_server_that_drips_or_never_ends_has_little_time_and_few_bytes(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, command: str, says: Callable[[Say], None]
) -> None:
    for name in ("TIMEOUT", "LONGEST_CHECK"):
        monkeypatch.setattr(f"landform.parts.leads.addons.smtp.{name}", 0.3)
    with scripted() as server:
        desk.smtp_url, server.replies = server.url, {command: says}
        began = time.monotonic()
        run = send(desk)
        assert time.monotonic() - began < 30
    assert (run["state"], run["retryable"]) == ("failed", True)
    assert (pause_of(run) > timedelta(hours=3)) == (command == ".")


REFUSALS = {
    "550 5.1.1 ada@example.com": "no such mailbox (550)",
    "550 ada@example.com": "no such mailbox (550)",
    "550 5.7.1 Relaying denied": "the server does not send to it (550)",
    "552 5.2.2 Full": "the mailbox is full (552)",
    "450 4.2.0 Greylisted": "not now (450)",
    "599 5.9.9 ada@example.com": "code 599",
}


@pytest.mark.parametrize("line", REFUSALS)
def test_one_refused_address_keeps_no_other_from_the_mail_and_is_named(
    desk: Desk, line: str
) -> None:
    addresses = "sales@example.com, boss@example.com, {E-mail:2}"
    accepted = ("DATA", "sales@example.com")
    with mailbox(lambda *given: ACCEPT if set(accepted) & {*given} else line) as box:
        desk.smtp_url = box.url
        run = send(desk, toEmail=addresses)
        other = send(desk, toField="2")
    assert [recipients for recipients, _ in box.accepted] == [["sales@example.com"]]
    assert (run["state"], run["retryable"]) == ("failed", False)
    assert run["message"] == (
        "The mail was sent to the others. The mail server refused the address boss@example.com: "
        f"{REFUSALS[line]}; the address in {{E-mail:2}}: {REFUSALS[line]}."
    )
    # Nobody has got this one.
    words = f"The mail server refused the address in {{field 2}}: {REFUSALS[line]}."
    assert (other["message"], other["retryable"]) == (words, line.startswith("4"))
    assert "ada@" not in run["message"] + other["message"]


def test_each_attempt_has_the_same_id(desk: Desk) -> None:
    with mailbox(lambda command, _: ACCEPT if command == "RCPT" else "451 Later") as box:
        desk.smtp_url = box.url
        desk.add_feed("email", toEmail="sales@example.com")
        desk.submit(f3="Hello")
        desk.deliver()
        box.respond = lambda *_: ACCEPT
        desk.deliver(later=True)
    assert [mail["Message-ID"] for mail in box.refused] == [box.accepted[0][1]["Message-ID"]]


# Test mails.


def try_feed(desk: Desk, url: str, feed: int, status: int = 200) -> Any:
    """Send a test mail of a feed of a service with a mail server."""
    mailing = service(desk.url, SMTP_URL=url)
    answer = mailing.post(f"/feeds/{feed}/test")
    mailing.store.dispose()
    assert answer.status_code == status, answer.text
    return answer.get_json()


def test_a_test_mail_has_sample_values_and_goes_to_the_fixed_addresses_only(desk: Desk) -> None:
    choices = [{"text": "Red", "value": "r"}, {"text": "Blue", "value": "b"}]
    fields = [{"id": 1, "type": "name", "inputs": [{"id": "1.3"}, {"id": "1.6"}]},
              {"id": 2, "type": "email"}, {"id": 3, "type": "checkbox", "choices": choices},
              {"id": 4, "type": "consent", "checkboxLabel": "Yes"}, {"id": 5, "type": "html"},
              {"id": 6, "type": "date"}]  # fmt: skip
    desk.add_form(title="Order", fields=fields)
    tags = "{Name:1}, {E-mail:2}, {Colour:3}, {Consent:4}, {Day:6:value}, {date_dmy}"
    feed = desk.add_feed("email", toEmail="sales@example.com, {E-mail:2}", message=tags)
    desk.submit(f2="real@example.com")
    with mailbox() as box:
        answer = try_feed(desk, box.url, feed)
    assert answer == {
        "state": "success",
        "message": "A test mail was sent to sales@example.com.",
    }
    ((recipients, mail),) = box.accepted
    assert (recipients, mail["To"]) == (["sales@example.com"], "sales@example.com")
    assert mail["Subject"] == "Test: New entry: Order"
    text = mail.get_content()
    assert text.startswith("Sample Sample, ada@example.com, Red, Checked, 2026-01-31, ")
    assert "real@example.com" not in text
    # It is no run, and of a form that landform does not have it works too.
    assert len(desk.runs()) == 1
    other = desk.feed(form_id=99, addon_slug="email", meta={"toEmail": "a@example.com"})
    with mailbox() as box:
        assert try_feed(desk, box.url, other["id"])["state"] == "success"
    assert box.accepted[0][1]["Subject"] == "Test: New entry: Form 99"


def test_a_test_mail_that_fails_says_why(desk: Desk) -> None:
    feed = desk.add_feed("email", toEmail="sales@example.com")
    with mailbox(lambda *_: "550 5.1.1 Who?") as box:
        refused = try_feed(desk, box.url, feed)
    words = "The mail server refused the address sales@example.com: no such mailbox (550)."
    assert refused == {"state": "failed", "message": words}
    assert try_feed(desk, "", feed)["message"].startswith("No mail server is set up")
    desk.put(f"/feeds/{feed}/properties", json={"meta": {"toEmail": "us"}})
    assert "no valid address" in try_feed(desk, SERVER, feed)["message"]
    for meta in ({"toField": "2"}, {"toEmail": "{E-mail:2}"}):
        answer = try_feed(desk, SERVER, desk.add_feed("email", **meta), 400)
        assert answer["code"] == "rest_feed_not_testable"
    assert try_feed(desk, SERVER, desk.add_feed("crm"), 400)["code"] == "rest_feed_not_testable"
    assert try_feed(desk, SERVER, 999, 404)["code"] == "gf_feed_invalid_id"


def test_few_test_mails_are_sent_and_a_slow_server_holds_no_request(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("landform.parts.leads.addons.testing.MOST_SECONDS", 0.05)
    feed, over = desk.add_feed("email", toEmail="sales@example.com"), threading.Event()
    with scripted() as server:
        mailing = service(desk.url, SMTP_URL=server.url)
        # A minute in which all of it happens.
        mailing.store.clock = Standing()
        server.replies = {"": lambda say: over.wait(30) and None}
        answers = [mailing.post(f"/feeds/{feed}/test") for _ in range(6)]
        over.set()
        mailing.store.dispose()
    # The others are sent first: a process may be sending a few only.
    for thread in [one for one in threading.enumerate() if one.name == "landform-test-mail"]:
        thread.join(30)
    assert [answer.status_code for answer in answers] == [202] * 4 + [429] * 2
    assert answers[0].get_json()["state"] == "pending"
    assert answers[5].get_json()["code"] == "rest_too_many_test_mails"
