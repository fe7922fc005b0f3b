"""When a form takes submissions: its schedule, and how many entries it takes."""

from datetime import date, datetime, time
from math import inf
from typing import NamedTuple

from landform.parts.leads.errors import FormNotOpen
from landform.parts.leads.intake.form_html import clean_form
from landform.parts.leads.intake.limits import PERIODS, limit_of, schedule_of
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
    limit = limit_of(form)
    if not limit:
        return Opening(until=epoch(end))
    since = ""
    if limit.period:
        first_day = PERIODS[limit.period](date.fromisoformat(now.local[:10]))
        since = store.clock.moment(datetime.combine(first_day, time.min)).utc
    is_full = has_entries(store, form["id"], limit.most_entries, since)
    # Any entry may change it.
    return Opening(_notice(form, "limitEntriesMessage", FULL) if is_full else "", until=0.0)


def check_open(store: Store, form: JsonObject) -> None:
    """Raise `FormNotOpen` if a form takes no submissions now."""
    if notice := find_opening(store, form).notice:
        raise FormNotOpen(plain_text(notice))


def _notice(form: JsonObject, key: str, default: str) -> str:
    return clean_form(form).html.get(text_of(form.get(key))) or default
