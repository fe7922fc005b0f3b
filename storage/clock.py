"""The site's time: dates are stored as local text, and as UTC text for comparisons with now."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta, tzinfo
from email.utils import parsedate_to_datetime
from math import inf
from time import time
from typing import NamedTuple
from zoneinfo import ZoneInfo

DAY = timedelta(days=1)
FIRST, LAST = "0001-01-01T00:00:00", "9999-12-31T23:59:59"


class Moment(NamedTuple):
    """One instant, both ways as `YYYY-MM-DDTHH:MM:SS` without a zone."""

    local: str
    utc: str


class Clock:
    """Converts instants to the site's local time. `timezone` is an IANA name."""

    def __init__(self, timezone: str = "UTC") -> None:
        self.zone = ZoneInfo(timezone)
        # The last second that was converted, and its moment.
        self._last = 0, Moment("", "")

    def now(self) -> Moment:
        """Return the present moment, to the second."""
        second, (known, moment) = int(time()), self._last
        if second != known:
            moment = self.moment(datetime.fromtimestamp(second, UTC))
            self._last = second, moment
        return moment

    def seconds(self) -> float:
        """Return the present time in seconds since 1970."""
        return time()

    def moment(self, value: datetime) -> Moment:
        """Return the moment of a datetime; one without an offset is the site's local time."""
        aware = value.replace(tzinfo=self.zone) if value.tzinfo is None else value
        local = _text(value) if value.tzinfo is None else _in_zone(aware, self.zone)
        return Moment(local, _in_zone(aware, UTC))

    def local_text(self, utc: str) -> str:
        """Return UTC text as local text; it may have a blank in place of the `T`."""
        return self.moment(datetime.fromisoformat(utc).replace(tzinfo=UTC)).local


def earlier(utc: str, by: timedelta) -> str:
    """Return UTC text of an earlier time."""
    return _text(datetime.fromisoformat(utc) - by)


def epoch(utc: str | None) -> float:
    """Return UTC text in seconds since 1970; infinity for None."""
    return datetime.fromisoformat(utc).replace(tzinfo=UTC).timestamp() if utc else inf


def utc_text(value: datetime) -> str:
    """Return a datetime with an offset as UTC text."""
    return _in_zone(value, UTC)


def retry_after(value: str) -> float | None:
    """Return the seconds of a header `Retry-After`; None for an invalid one."""
    if value.strip().isdecimal():
        return float(value)
    with suppress(ValueError, OverflowError):
        return max(0.0, parsedate_to_datetime(value).timestamp() - time())
    return None


def _in_zone(value: datetime, zone: tzinfo) -> str:
    # At the ends of the calendar a shift of zone leaves it; the end itself sorts the same.
    try:
        return _text(value.astimezone(zone))
    except OverflowError:
        return FIRST if value.year == 1 else LAST


def _text(value: datetime) -> str:
    # strftime does not pad years below 1000 on every platform.
    return value.replace(tzinfo=None, microsecond=0).isoformat()
