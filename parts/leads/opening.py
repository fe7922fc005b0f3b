"""When a form takes submissions: its schedule, and how many entries it takes."""

from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from math import inf
from typing import NamedTuple

from landform.parts.leads.errors import FormNotOpen
from landform.parts.leads.intake.compound import joined_time, time_text
from landform.parts.leads.intake.fields import OFF, id_of
from landform.parts.leads.intake.form_html import clean_form
from landform.parts.leads.intake.formats import date_text
from landform.parts.leads.storage.entries import has_entries
from landform.service.pipeline.json_codec import JsonObject
from landform.service.planning.entries import text_of
from landform.service.site.catalogs import Message
from landform.service.site.documents import plain_text
from landform.storage.clock import epoch
from landform.storage.store import Store

NOT_YET = Message("This form is not yet available.")
OVER = Message("Sorry. This form is no longer available.")
FULL = Message("Sorry. This form is no longer accepting new submissions.")

# The first day of a period, by a day in it.
PERIODS: Mapping[str, Callable[[date], date]] = {
    "day": lambda day: day,
    "week": lambda day: day - timedelta(days=day.weekday()),
    "month": lambda day: day.replace(day=1),
    "year": lambda day: day.replace(month=1, day=1),
}


class Opening(NamedTuple):
    """Why a form takes nothing now, in HTML, or nothing; `until` a time in seconds since 1970."""

    notice: str = ""
    until: float = inf


ALWAYS_OPEN = Opening()


def find_opening(store: Store, form: JsonObject) -> Opening:
    """Return whether a form takes submissions now. Inside a write no other entry comes between."""
    now = store.clock.now()
    start, end = (store.clock.moment(bound).utc if bound else None for bound in schedule_of(form))
    if start and now.utc < start:
        return Opening(_notice(form, "schedulePendingMessage", NOT_YET), epoch(start))
    if end and now.utc >= end:
        return Opening(_notice(form, "scheduleMessage", OVER))
    if (limit := limit_of(form)) is None:
        return Opening(until=epoch(end))
    most_entries, period = limit
    since = ""
    if period:
        first_day = PERIODS[period](date.fromisoformat(now.local[:10]))
        since = store.clock.moment(datetime.combine(first_day, time.min)).utc
    is_full = has_entries(store, form["id"], most_entries, since)
    # Any entry may change it.
    return Opening(_notice(form, "limitEntriesMessage", FULL) if is_full else "", until=0.0)


def check_open(store: Store, form: JsonObject) -> None:
    """Raise `FormNotOpen` if a form takes no submissions now."""
    if notice := find_opening(store, form).notice:
        raise FormNotOpen(plain_text(notice))


def _notice(form: JsonObject, key: str, default: str) -> str:
    return clean_form(form).html.get(text_of(form.get(key))) or default


def limit_of(form: JsonObject) -> tuple[int, str] | None:
    """Return how many entries a form takes and in which period, empty for in all; None without.

    Raises `ValueError`.
    """
    if form.get("limitEntries") in OFF:
        return None
    count, period = id_of(form.get("limitEntriesCount")), text_of(form.get("limitEntriesPeriod"))
    if not count or period not in ("", *PERIODS):
        raise ValueError("its limit of entries has no number, or an unknown period")
    return count, period


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
