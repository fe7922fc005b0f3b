"""Old entries are deleted with all that is theirs, and no clock deletes young ones."""

from datetime import UTC, datetime, timedelta
from threading import Thread

import pytest
from applications import Client, Standing
from databases import run_sql
from desk import Desk
from flask import Flask

TABLES = ("entry", "entry_value", "feed_run")


@pytest.fixture
def desk(app: Flask, database_url: str) -> Desk:
    return Desk(app, database_url)


def age(desk: Desk, entry_id: str, days: int, status: str = "active") -> str:
    """Let an entry be so many days old, and return its id."""
    then = (datetime.now(UTC) - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%S")
    columns = f"created_utc = '{then}', modified_utc = '{then}', status = '{status}'"
    run_sql(desk.url, f"UPDATE entry SET {columns} WHERE id = {entry_id}")
    return entry_id


def ids(desk: Desk) -> list[str]:
    return [str(number) for (number,) in run_sql(desk.url, "SELECT id FROM entry ORDER BY id")]


@pytest.mark.settings(ENTRY_DAYS=60)
def test_old_entries_go_with_their_values_runs_and_an_event_each(desk: Desk) -> None:
    desk.add_feed("crm")
    old = [age(desk, desk.submit(f3=f"{number}"), 61) for number in range(3)]
    young = [age(desk, desk.submit(f3="young"), days) for days in (59, 0)]
    desk.deliver()
    assert ids(desk) == young
    for table in TABLES:
        assert run_sql(desk.url, f"SELECT count(*) FROM {table}") == [(2,)], table
    events = desk.get("/events?type=entry.deleted").get_json()
    assert [str(event["data"]["id"]) for event in events] == old
    assert {event["data"]["form_id"] for event in events} == {desk.form}


def test_spam_and_the_trash_go_after_30_days_and_others_stay(desk: Desk) -> None:
    kept = [age(desk, desk.submit(f3=status), days, status)
            for status, days in (("active", 4000), ("spam", 29), ("trash", 29))]  # fmt: skip
    for status in ("spam", "trash"):
        age(desk, desk.submit(f3=status), 31, status)
    # What was moved to the trash later counts from then on.
    kept.append(age(desk, desk.submit(f3="late"), 400))
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    run_sql(desk.url, f"UPDATE entry SET status = 'trash', modified_utc = '{now}' "
            f"WHERE id = {kept[-1]}")  # fmt: skip
    desk.deliver()
    assert ids(desk) == kept


@pytest.mark.parametrize("days", [30, "30"])
def test_a_form_says_how_long_its_entries_are_kept(desk: Desk, days: object) -> None:
    other = desk.form
    kept = age(desk, desk.submit(f3="of another form"), 500)
    desk.add_form(retention_days=days)
    assert desk.form != other
    age(desk, desk.submit(f3="old"), 31)
    kept_too = age(desk, desk.submit(f3="young"), 29)
    desk.deliver()
    assert ids(desk) == [kept, kept_too]


@pytest.mark.settings(ENTRY_DAYS=60)
def test_many_are_deleted_in_parts_and_a_clock_that_is_ahead_deletes_a_day(desk: Desk) -> None:
    young = desk.submit(f3="young")
    clock = desk.store.clock = Standing(at=datetime.now(UTC))
    desk.deliver()
    clock.at += timedelta(days=4000)
    desk.deliver()
    assert ids(desk) == [young]
    clock.at -= timedelta(days=4000)
    columns = "form_id, status, is_read, is_starred, created_utc, modified_utc, version, " \
              "source_url, ip, user_agent, properties, digest"  # fmt: skip
    for _ in range(9):
        run_sql(desk.url, f"INSERT INTO entry ({columns}) SELECT {columns} FROM entry")
    run_sql(desk.url, f"UPDATE entry SET created_utc = '2020-01-01T00:00:00' WHERE id > {young}")
    desk.deliver()
    assert ids(desk) == [young]


def test_many_entries_of_a_deleted_form_go_in_parts_and_others_write_meanwhile(desk: Desk) -> None:
    other, many = desk.submit(f3="of another form"), 4096
    desk.add_form()
    desk.submit(f3="one")
    columns = "status, is_read, is_starred, created_utc, modified_utc, version, " \
              "source_url, ip, user_agent, properties, digest, form_id"  # fmt: skip
    for _ in range(12):
        run_sql(desk.url, f"INSERT INTO entry ({columns}) SELECT {columns} FROM entry "
                f"WHERE form_id = {desk.form}")  # fmt: skip
    deleting = Thread(target=lambda: desk.delete(f"/forms/{desk.form}?force=1"))
    deleting.start()
    seen, reader = set(), Client(desk.application)
    while deleting.is_alive():
        left = run_sql(desk.url, f"SELECT count(*) FROM entry WHERE form_id = {desk.form}")[0][0]
        form = reader.get(f"/forms/{desk.form}").get_json()
        seen.add((0 < left < many, form.get("is_trash")))
        reader.post("/pages", json={"title": "Meanwhile"})
    deleting.join()
    assert (True, "1") in seen
    assert ids(desk) == [other]
    assert desk.get(f"/forms/{desk.form}").status_code == 404
    assert len(desk.get("/events?type=form.deleted").get_json()) == 1
