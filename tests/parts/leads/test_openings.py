"""When a form takes submissions: its schedule, and how many entries it takes."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest
from applications import NOON, Client, Standing, store_of

FIELDS = [{"id": 1, "type": "text", "label": "Name"}]
BROWSER = {"Accept": "text/html"}
ZONE = "Europe/Berlin"


@pytest.fixture
def desk(client: Client) -> Client:
    client.post("/forms", json={"title": "Boats", "fields": FIELDS})
    client.page(title="Boat", slug="boat", status="publish", meta={"form_id": "1"})
    return client


def set_up(desk: Client, **settings: Any) -> None:
    answer = desk.put("/forms/1", json={"title": "Boats", "fields": FIELDS, **settings})
    assert (answer.status_code, answer.headers.get("X-Landform-Warning")) == (200, None)


def at(desk: Client, moment: str, zone: str = ZONE) -> None:
    """Set the clock of the service to a time in UTC."""
    when = datetime.fromisoformat(moment).replace(tzinfo=UTC)
    store_of(desk.application).clock = Standing(zone, when)


def send(desk: Client, name: str = "Ann", **headers: str) -> Any:
    body = {"input_1": name}
    return desk.anonymous.post("/forms/1/submissions", json=body, headers=headers)


def page(desk: Client, query: str = "") -> Any:
    return desk.anonymous.get(f"/boat/{query}", headers=BROWSER)


SCHEDULE = {
    "scheduleForm": True, "scheduleStart": "03/29/2026", "scheduleStartHour": "3",
    "scheduleStartMinute": "30", "scheduleStartAmpm": "am", "scheduleEnd": "03/31/2026",
    "scheduleEndHour": 12, "scheduleEndMinute": "00", "scheduleEndAmpm": "pm",
    "schedulePendingMessage": "<b>Soon</b>", "scheduleMessage": "It is over.",
}  # fmt: skip


@pytest.mark.parametrize(("moment", "notice"), [
    ("2026-03-29T01:29:59", "<b>Soon</b>"), ("2026-03-29T01:30:00", ""),
    ("2026-03-31T09:59:59", ""), ("2026-03-31T10:00:00", "It is over."),
])  # fmt: skip
def test_a_form_is_open_by_its_schedule_in_the_time_zone_of_the_site(
    desk: Client, moment: str, notice: str
) -> None:
    set_up(desk, **SCHEDULE)
    at(desk, moment)
    shown = page(desk).text.partition("<main")[2]
    assert (notice in shown, "<form" in shown) == (True, not notice)
    answer = send(desk)
    assert answer.status_code == (400 if notice else 200)
    if notice:
        told = notice.replace("<b>", "").replace("</b>", "")
        assert answer.get_json()["code"] == "form_restriction_error"
        assert answer.get_json()["message"] == told
        sent = desk.anonymous.post("/forms/1/submissions", data={"input_1": "x"}, headers=BROWSER)
        assert (sent.status_code, notice in sent.text, "<form" in sent.text) == (400, True, False)


def test_no_page_shows_a_form_past_its_end_and_none_is_cached_for_longer(desk: Client) -> None:
    set_up(desk, scheduleForm="1", scheduleEnd="2026-01-31")
    at(desk, "2026-01-30T22:59:30")
    shown = page(desk)
    assert ("<form" in shown.text, shown.headers["Cache-Control"]) == (True, "public, max-age=28")
    at(desk, "2026-01-30T23:00:00")
    assert "Sorry. This form is no longer available." in page(desk).text


@pytest.mark.parametrize(("settings", "reason"), [
    ({"scheduleForm": True, "scheduleStart": "soon"}, "its scheduleStart is no date"),
    ({**SCHEDULE, "scheduleEndHour": "25"}, "its scheduleEnd is no date"),
    ({"limitEntries": True, "limitEntriesCount": "x"}, "its limit of entries"),
    ({"limitEntries": True, "limitEntriesCount": 1, "limitEntriesPeriod": "hour"}, "its limit"),
])  # fmt: skip
def test_a_limit_or_schedule_that_cannot_be_read_closes_the_form_and_says_why(
    desk: Client, settings: dict[str, Any], reason: str
) -> None:
    answer = desk.put("/forms/1", json={"title": "Boats", "fields": FIELDS, **settings})
    assert reason in answer.headers["X-Landform-Warning"]
    assert send(desk).get_json()["code"] == "form_restriction_error"


@pytest.mark.parametrize(("period", "before", "inside", "after"), [
    ("", "2020-01-01T00:00:00", "2026-05-13T12:00:00", "2036-05-13T12:00:00"),
    ("day", "2026-05-12T21:59:59", "2026-05-12T22:00:00", "2026-05-13T22:00:00"),
    ("week", "2026-05-10T21:59:59", "2026-05-10T22:00:00", "2026-05-17T22:00:00"),
    ("month", "2026-04-30T21:59:59", "2026-04-30T22:00:00", "2026-05-31T22:00:00"),
    ("year", "2025-12-31T22:59:59", "2025-12-31T23:00:00", "2026-12-31T23:00:00"),
])  # fmt: skip
def test_a_form_takes_so_many_entries_in_a_period_of_the_site(
    desk: Client, period: str, before: str, inside: str, after: str
) -> None:
    limit = {"limitEntries": True, "limitEntriesCount": "2", "limitEntriesPeriod": period}
    set_up(desk, **limit, limitEntriesMessage="No boat is left.")
    taken = []
    for moment in (before, inside, "2026-05-13T12:00:00", "2026-05-13T12:00:01", after):
        at(desk, moment)
        taken.append(send(desk, moment).status_code)
    expected = [200, 200, 400, 400, 400] if not period else [200, 200, 200, 400, 200]
    assert taken == expected


LIMIT = {"limitEntries": "1", "limitEntriesCount": 3, "limitEntriesMessage": "No boat is left."}


@pytest.mark.settings(SUBMISSIONS_PER_MINUTE=100)
def test_the_last_place_is_given_once_and_a_repetition_is_thanked_again(desk: Client) -> None:
    set_up(desk, **LIMIT)
    assert send(desk, "First", **{"Idempotency-Key": "a"}).status_code == 200
    with ThreadPoolExecutor(8) as pool:
        answers = [*pool.map(lambda name: send(desk, name), map(str, range(8)))]
    assert sorted(answer.status_code for answer in answers) == [200] * 2 + [400] * 6
    assert send(desk, "First", **{"Idempotency-Key": "a"}).status_code == 200
    shown = page(desk)
    assert ("No boat is left." in shown.text, "<form" in shown.text) == (True, False)
    # Spam and the trash take no place.
    desk.put("/entries/1/properties", json={"status": "spam"})
    assert send(desk, "Late").status_code == 200


def test_a_page_shows_the_notice_once_the_last_entry_was_taken(desk: Client) -> None:
    set_up(desk, **{**LIMIT, "limitEntriesCount": 1})
    at(desk, NOON.isoformat()[:19])
    first = page(desk)
    assert ("<form" in first.text, first.headers["Cache-Control"]) == (True, "public, max-age=0")
    assert send(desk).status_code == 200
    # The service may show a page for a second.
    assert "No boat is left." in page(desk, "?later=1").text


@pytest.mark.settings(SITE_LANGUAGE="de")
def test_a_visitor_reads_in_the_language_of_the_site_why_a_form_takes_nothing(
    desk: Client,
) -> None:
    set_up(desk, scheduleForm=True, scheduleEnd="01/01/2026")
    assert "Dieses Formular ist leider nicht mehr verfügbar." in page(desk).text
    assert send(desk).get_json()["message"] == "Sorry. This form is no longer available."
