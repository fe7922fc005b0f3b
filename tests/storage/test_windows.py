"""Windows of pages: what a bound means, when a page is open, and the lists that ask for it."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from applications import Standing
from conftest import LIST, PAGE, migrated
from hypothesis import given, settings
from hypothesis import strategies as st

from landform.storage import Clock, pages
from landform.storage.pages import listing
from landform.storage.pages.scheduling import (
    BOUNDS,
    WINDOW_COLUMNS,
    next_change,
    window_columns,
    window_state,
)

NO_BOUND = dict.fromkeys(WINDOW_COLUMNS)
BERLIN = "Europe/Berlin"
MEANT = {
    "2026-12-24": {"opens_local": "2026-12-24T00:00:00"},
    " 2026-12-24 ": {"opens_local": "2026-12-24T00:00:00"},
    "2026-12-24T08:30": {"opens_local": "2026-12-24T08:30:00"},
    "2026-12-24 08:30:15.75": {"opens_local": "2026-12-24T08:30:15"},
    "2026-12-24T08:30:00Z": {"opens_utc": "2026-12-24T08:30:00"},
    "2026-12-24t08:30z": {"opens_utc": "2026-12-24T08:30:00"},
    "2026-12-24T00:30:00+01:00": {"opens_utc": "2026-12-23T23:30:00"},
    "2026-12-24T08:30-0530": {"opens_utc": "2026-12-24T14:00:00"},
    "0001-01-01T00:00:00+10:00": {"opens_utc": "0001-01-01T00:00:00"},
    "": {}, "soon": {}, "2026-02-30": {}, "2026-12-24T25:00": {}, "2026-12-24Z": {},
    "2026-12-24T08:30+01:60": {},
    "24.12.2026": {},
}  # fmt: skip


def test_a_bound_is_a_date_or_a_date_and_time_and_nothing_else() -> None:
    for text, columns in MEANT.items():
        assert window_columns({"starts_at": text, "ends_at": ""}) == NO_BOUND | columns, text


def test_the_day_on_which_a_window_ends_is_its_last() -> None:
    assert window_columns({"ends_at": "2026-12-31"})["closes_local"] == "2027-01-01T00:00:00"
    assert window_columns({"ends_at": "2026-12-31T18:00"})["closes_local"] == "2026-12-31T18:00:00"
    assert window_columns({"ends_at": "9999-12-31"}) == NO_BOUND
    assert window_columns({"starts_at": 5, "ends_at": ["2026-01-01"]}) == NO_BOUND


# A place, a window, and what is at which moments in UTC.
STATES: list[tuple[str, dict[str, str], dict[str, str]]] = [
    # It turns at the very second.
    ("UTC", {"starts_at": "2026-06-01T10:00", "ends_at": "2026-06-01T10:00:02Z"},
     {"2026-06-01T09:59:59": "not yet", "2026-06-01T10:00:00": "open",
      "2026-06-01T10:00:01": "open", "2026-06-01T10:00:02": "over"}),
    # A date is one of the place, and an offset counts anywhere.
    (BERLIN, {"starts_at": "2026-06-01", "ends_at": "2026-06-01T23:59:59+02:00"},
     {"2026-05-31T21:59:59": "not yet", "2026-05-31T22:00:00": "open",
      "2026-06-01T21:59:59": "over"}),
    # In Berlin 02:30 is never, as 02:00 is 03:00, at 01:00 UTC.
    (BERLIN, {"starts_at": "2026-03-29T02:30"},
     {"2026-03-29T00:59:59": "not yet", "2026-03-29T01:00:00": "open"}),
]  # fmt: skip


@pytest.mark.parametrize(("zone", "meta", "expected"), STATES)
def test_a_window_opens_and_closes_at_the_second_by_the_clock_of_its_place(
    zone: str, meta: dict[str, str], expected: dict[str, str]
) -> None:
    moments = {at: Clock(zone).moment(datetime.fromisoformat(f"{at}Z")) for at in expected}
    columns = window_columns(meta)
    assert {at: window_state(columns, moment) for at, moment in moments.items()} == expected


ZONES = [BERLIN, "America/St_Johns", "Australia/Lord_Howe", "Pacific/Apia", "Africa/Casablanca"]
hours = st.integers(0, 24 * 365 * 60 * 2)


@settings(max_examples=25)
@given(st.sampled_from(ZONES), hours, hours)
def test_no_state_outlives_the_next_turn(zone: str, at: int, bound: int) -> None:
    clock, start = Clock(zone), datetime(2026, 1, 1, tzinfo=UTC)
    begin = start + timedelta(minutes=at)
    page = window_columns({"starts_at": (start + timedelta(minutes=bound)).isoformat()[:19]})
    now, turn = clock.moment(begin), next_change(clock, page, clock.moment(begin))
    if turn == float("inf"):
        assert window_state(page, now) == "open"
    elif turn > begin.timestamp():
        before, after = (datetime.fromtimestamp(turn + step, UTC) for step in (-1, 24 * 3600))
        seen = [window_state(page, one) for one in (now, *map(clock.moment, (before, after)))]
        # Where clocks are set forward beyond it, it comes when they are.
        assert seen == ["not yet", "not yet", "open"]


def test_a_list_of_now_holds_until_the_next_turn_of_any_page(database_url: str) -> None:
    clock = Standing(BERLIN, datetime(2026, 5, 20, tzinfo=UTC))
    store, told = migrated(database_url, clock=clock), []
    with store.connection():
        for status, bounds in (
            ("publish", ("2026-06-01", "")), ("draft", ("", "2026-06-10T00:00+02:00")),
            ("publish", ("soon", "2026-05-01T10:00Z")),
        ):  # fmt: skip
            meta = dict(zip(BOUNDS, bounds, strict=True))
            pages.create(store, {**PAGE, "status": status, "meta": meta})
        for at in (clock.at, clock.at + timedelta(days=5), datetime(2026, 5, 31, 22, tzinfo=UTC)):
            clock.at = at
            state = listing.list_state(store, {**LIST, "open_at": "now"})
            told.append((state.until, state.last_window_change))
    midnight = datetime(2026, 6, 1, tzinfo=ZoneInfo(BERLIN)).timestamp()
    assert told[0] == told[1]
    assert told[0][0] == midnight
    assert told[2][1] != told[0][1]
    assert told[2][0] > midnight
    store.dispose()
