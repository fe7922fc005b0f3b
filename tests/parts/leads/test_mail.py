"""Mail: what counts as sent, who gets it, how it fails in words, and tests of feeds."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
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
        monkeypatch.setattr(f"landform.parts.leads.addons.smtp.{name}", 1.0)
    with scripted() as server:
        desk.smtp_url, server.replies = server.url, {command: says}
        began = time.monotonic()
        run = send(desk)
        assert time.monotonic() - began < 30
    assert (run["state"], run["retryable"]) == ("failed", True)
    assert (pause_of(run) > timedelta(hours=3)) == (command == ".")
