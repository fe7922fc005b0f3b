"""Windows of pages: from when and until when visitors see a page.

They are what `starts_at` and `ends_at` of the meta mean, where those hold a date, or a date and
time. Columns hold each bound: as local time of the site where it was given without an offset, in
UTC otherwise; NULL is no bound. So they follow from the meta alone, whatever the time zone of the
site, and a page is open or not when somebody looks.
"""

import re
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from functools import reduce
from math import inf
from operator import gt, le, or_
from typing import Any

from peewee import SQL, ColumnBase, Select, TextField, fn

from landform.storage.clock import Clock, Moment, utc_text
from landform.storage.engines.expressions import Comparison
from landform.storage.models import Page
from landform.storage.rows import Row, Values
from landform.storage.sql import Parameter, Prepared
from landform.storage.store import Store

BOUND = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:Z|[+-][0-9]{2}(?::?[0-5][0-9])?)?)?"
)
BOUNDS = ("starts_at", "ends_at")
NO_DATE = "not a date, such as 2026-01-31 or 2026-01-31T12:00:00+01:00; it has no effect"
NEVER = "not after meta.starts_at; visitors never see the page"
NO_WINDOW: Row = dict.fromkeys(("opens_local", "opens_utc", "closes_local", "closes_utc"))
COLUMNS = tuple(NO_WINDOW)
# The last bound up to an instant, and the first beyond it.
CLOSEST: tuple[tuple[Any, Comparison], ...] = ((fn.MAX, le), (fn.MIN, gt))
# The states of a page's window.
NOT_YET, OPEN, OVER = "not yet", "open", "over"


TURNS = Prepared(
    Select(
        columns=[
            Page.select(pick(column)).where(beyond(column, Parameter(name.partition("_")[2])))
            for pick, beyond in CLOSEST
            for name, column in ((name, getattr(Page, name)) for name in COLUMNS)
        ]
    )
)


def is_open(at: Moment) -> ColumnBase:
    """Return the condition that a page is open at a moment."""

    def holds(opens: TextField, closes: TextField, now: str) -> ColumnBase:
        return (fn.COALESCE(opens, SQL("''")) <= now) & (fn.COALESCE(closes, SQL("'~'")) > now)

    local = holds(Page.opens_local, Page.closes_local, at.local)
    return local & holds(Page.opens_utc, Page.closes_utc, at.utc)


def turns_between(at: Moment, until: Moment) -> ColumnBase:
    """Return the condition that the window of a page begins or ends after `at`, up to `until`."""
    found: list[ColumnBase] = [
        (column > getattr(at, kind)) & (column <= getattr(until, kind))
        for column, kind in ((getattr(Page, name), name.partition("_")[2]) for name in COLUMNS)
    ]
    return reduce(or_, found)


def columns(meta: Values) -> Row:
    """Return the columns of the window that a meta means."""
    found = dict(NO_WINDOW)
    for name, key in zip(("opens", "closes"), BOUNDS, strict=True):
        bound = parse(meta.get(key))
        if not isinstance(bound, datetime):
            if bound is None or (name == "closes" and bound == date.max):
                continue
            # The last day is one of the window.
            days = timedelta(days=name == "closes")
            bound = datetime.combine(bound + days, time.min)
        is_local = bound.tzinfo is None
        text = bound.isoformat() if is_local else utc_text(bound)
        found[f"{name}_local" if is_local else f"{name}_utc"] = text
    return found


def parse(text: object) -> date | datetime | None:
    """Return the date, or the date and time, that a text is; None for any other."""
    text = text.strip().upper() if isinstance(text, str) else ""
    with suppress(ValueError):
        if BOUND.fullmatch(text):
            moment = datetime.fromisoformat(text).replace(microsecond=0)
            return moment if len(text) > len("2026-12-31") else moment.date()
    return None


def problems(clock: Clock, sent: Values, stored: Values) -> list[str]:
    """Return what is wrong with the bounds in a meta that was sent."""
    given = [name for name in BOUNDS if sent.get(name)]
    if not given:
        return []
    if wrong := [f"meta.{name}" for name in given if not parse(sent[name])]:
        return [f"{', '.join(wrong)}: {NO_DATE}"]
    found = columns({**stored, **sent})
    # The beginning comes first.
    ends = [_seconds(clock, name, found[name]) for name in COLUMNS if found[name]]
    return [f"meta.ends_at: {NEVER}"] if len(ends) == 2 and ends[0] >= ends[1] else []


def state(page: Values, at: Moment) -> str:
    """Return the state of a page's window at a moment."""
    if (page["opens_local"] or "") > at.local or (page["opens_utc"] or "") > at.utc:
        return NOT_YET
    if (page["closes_local"] or "~") <= at.local or (page["closes_utc"] or "~") <= at.utc:
        return OVER
    return OPEN


def next_turn(clock: Clock, page: Values, at: Moment) -> float:
    """Return when the state of a window changes next, in seconds since 1970; maybe never."""
    return min(
        _seconds(clock, name, page[name])
        if page[name] and page[name] > (at.utc if name.endswith("utc") else at.local)
        else inf
        for name in COLUMNS
    )


def turns(store: Store, at: Moment) -> tuple[str, float]:
    """Return the last bounds of any pages before an instant, as one text, and when one is next.

    In seconds since 1970; infinite where there is none.
    """
    row = TURNS.row(store, {"local": at.local, "utc": at.utc})
    passed, following = row[: len(COLUMNS)], row[len(COLUMNS) :]
    ends = [_seconds(store.clock, *one) for one in zip(COLUMNS, following, strict=True) if one[1]]
    return " ".join(text or "-" for text in passed), min(ends, default=inf)


def _seconds(clock: Clock, name: str, text: str) -> float:
    """Return when a bound comes, in seconds since 1970, and not later.

    Of a local time that no clock shows, since they are set forward beyond it, that is before they
    are.
    """
    moment = datetime.fromisoformat(text)
    if name.endswith("utc"):
        return moment.replace(tzinfo=UTC).timestamp()
    with suppress(OverflowError):
        aware = moment.replace(tzinfo=clock.zone)
        return min(aware.timestamp(), aware.replace(fold=1).timestamp())
    return inf
