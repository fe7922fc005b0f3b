"""When a form takes submissions, as its settings say: its limit of entries and its schedule."""

from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from typing import NamedTuple

from landform.parts.leads.intake.compound import joined_time, time_text
from landform.parts.leads.intake.fields import OFF, id_of
from landform.parts.leads.intake.formats import date_text
from landform.service.pipeline.json_codec import JsonObject
from landform.service.planning.entries import text_of

# The first day of a period, by a day in it.
PERIODS: Mapping[str, Callable[[date], date]] = {
    "day": lambda day: day,
    "week": lambda day: day - timedelta(days=day.weekday()),
    "month": lambda day: day.replace(day=1),
    "year": lambda day: day.replace(month=1, day=1),
}


class Limit(NamedTuple):
    """How many entries a form takes in a period; in all, without one."""

    most_entries: int
    period: str


def limit_of(form: JsonObject) -> Limit | None:
    """Return the limit of the entries of a form; None without. Raises `ValueError`."""
    if form.get("limitEntries") in OFF:
        return None
    count, period = id_of(form.get("limitEntriesCount")), text_of(form.get("limitEntriesPeriod"))
    if not count or period not in ("", *PERIODS):
        raise ValueError("its limit of entries has no number, or an unknown period")
    return Limit(count, period)


def schedule_of(form: JsonObject) -> tuple[datetime | None, datetime | None]:
    """Return when a form opens and closes, in the site's time; None: at no time.

    Raises `ValueError`.
    """
    if form.get("scheduleForm") in OFF:
        return None, None
    return _bound(form, "scheduleStart"), _bound(form, "scheduleEnd")


def _bound(form: JsonObject, name: str) -> datetime | None:
    day, hour, minute, half = (
        text_of(form.get(f"{name}{part}")).strip() for part in ("", "Hour", "Minute", "Ampm")
    )
    if not day:
        return None
    clock_time = joined_time((hour, minute or "00", half)) if hour else "00:00"
    read_day, read_time = date_text({}, day), time_text({"timeFormat": "24"}, clock_time)
    if not (read_day and read_time):
        raise ValueError(f"its {name} is no date and time")
    return datetime.fromisoformat(f"{read_day}T{read_time}")
