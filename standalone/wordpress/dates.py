"""The dates of a site as landform stores them: in its local time, and in UTC."""

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from landform.standalone.wordpress.values import storable
from landform.storage.clock import Clock, Moment

# A local time can be no further from UTC than this: what is, was not written by a clock.
FARTHEST = timedelta(hours=26)


class SiteDates:
    """Reads the dates of a site. `index` has its time zone, `clock` that of landform."""

    def __init__(self, index: dict[str, Any], clock: Clock) -> None:
        self._clock = clock
        self.zone = _zone(index)
        named = str(index.get("timezone_string") or f"UTC{index.get('gmt_offset', 0)}")
        self.name = str(storable(named))
        self.is_same = self.zone is None or _offsets(self.zone) == _offsets(clock.zone)

    def read(self, local: object, gmt: object) -> Moment | None:
        """Return the moment that a date and its `_gmt` are; None where neither is a date.

        UTC counts, unless it is no date, or none that fits. Where both sites have the same zone the
        local date stays as it is: it may have been written when the site had another one.
        """
        here, there = _parse(local), _parse(gmt)
        if there and here and abs(here - there) > FARTHEST:
            there = None
        if there and here and self.is_same:
            return Moment(here.isoformat(), there.isoformat())
        if there:
            return self._clock.moment(there.replace(tzinfo=UTC))
        if here is None:
            return None
        return self._clock.moment(here if self.is_same else here.replace(tzinfo=self.zone))


def _parse(text: object) -> datetime | None:
    try:
        found = datetime.fromisoformat(str(text).strip())
    except ValueError:
        return None
    return found.replace(tzinfo=None, microsecond=0)


def _zone(index: dict[str, Any]) -> tzinfo | None:
    """Return the zone of a site; None where it does not say."""
    try:
        if name := index.get("timezone_string"):
            return ZoneInfo(str(name))
    except (ValueError, OSError, LookupError):
        pass
    try:
        return timezone(timedelta(hours=float(index["gmt_offset"])))
    except (KeyError, TypeError, ValueError, OverflowError):
        return None


def _offsets(zone: tzinfo) -> list[timedelta | None]:
    year = datetime.now(UTC).year
    return [zone.utcoffset(datetime(year, month, 1, 12)) for month in (1, 4, 7, 10)]
