"""Scheduled pages and windows: from when, and until when, visitors see a page.

A page is due when its stored status is `future` and its date has come. Writers of pages and the
deliverer store that. Readers write nothing and do not wait for it: they see a due page as it will
be stored, as published and with the next version.

The window of a page is given by `starts_at` and `ends_at` in its meta, each a date, or a date and
time. A bound without an offset is stored as local time of the site, another one in UTC; NULL is
no bound. So the columns follow from the meta alone, in any time zone of the site, and whether a
page is open is computed when it is read.
"""

import json
import re
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from datetime import time as time_of_day
from functools import reduce
from math import inf
from operator import and_, gt, le, or_
from typing import Any, NamedTuple

from peewee import SQL, ColumnBase, Select, fn

from landform.storage import events
from landform.storage.clock import Clock, Moment, epoch, utc_text
from landform.storage.engines.expressions import Comparison
from landform.storage.models import Page, ResourceVersion, StoreInfo
from landform.storage.rows import Row, Values
from landform.storage.sql import Parameter, Prepared
from landform.storage.store import Store

# A write stores no more pages than this, so that it takes little time; the next one goes on.
MOST_AT_ONCE = 50

# The status as a literal, so that the partial index of these pages is used.
FUTURE = Page.status == SQL("'future'")
FIRST = Page.select(fn.MIN(Page.date_utc)).where(FUTURE)
IS_DUE = Page.date_utc <= Parameter("due")
# The last date of a future page that has come, and the first that has not.
STATE = Prepared(
    ResourceVersion.select(
        ResourceVersion.version,
        StoreInfo.select(StoreInfo.generation),
        Page.select(fn.MAX(Page.date_utc)).where(FUTURE, IS_DUE),
        Page.select(fn.MIN(Page.date_utc)).where(FUTURE, Page.date_utc > Parameter("due")),
    ).where(ResourceVersion.name == SQL("'page'"))
)
SOONEST = Page.select(Page.id).where(FUTURE, IS_DUE).order_by(Page.date_utc).limit(MOST_AT_ONCE)
PUBLISH = Prepared(
    Page.update(status="publish", version=Page.version + 1)
    .where(Page.id.in_(SOONEST))
    .returning(Page.id, Page.version, Page.slug, Page.date_utc)
)

BOUND = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:Z|[+-][0-9]{2}(?::?[0-5][0-9])?)?)?"
)
BOUNDS = ("starts_at", "ends_at")
NO_DATE = "not a date, such as 2026-01-31 or 2026-01-31T12:00:00+01:00; it has no effect"
NEVER = "not after meta.starts_at; visitors never see the page"
NO_WINDOW: Row = dict.fromkeys(Page.window)
# The columns of a window, and the attribute of a `Moment` that each is compared with.
WINDOW_COLUMNS = {name: name.partition("_")[2] for name in NO_WINDOW}
BOUND_COLUMNS = [(getattr(Page, name), kind) for name, kind in WINDOW_COLUMNS.items()]
# The last bound up to an instant, and the first beyond it.
CLOSEST: tuple[tuple[Any, Comparison], ...] = ((fn.MAX, le), (fn.MIN, gt))
# The states of a page's window.
NOT_YET, OPEN, OVER = "not yet", "open", "over"
WINDOW_CHANGES = Prepared(
    Select(
        columns=[
            Page.select(pick(column)).where(beyond(column, Parameter(kind)))
            for pick, beyond in CLOSEST
            for column, kind in BOUND_COLUMNS
        ]
    )
)


class CollectionState(NamedTuple):
    """The state of all pages together: two equal states mean equal pages.

    `version` is the stored one in a `generation` of the store. Future pages dated up to
    `publish_up_to` (UTC text) are due; none where it is empty. The state is valid `until` a time
    (seconds since 1970) or the next write. `last_window_change`: the last bounds of windows that
    have passed, for lists that depend on them.
    """

    version: int
    generation: str
    until: float
    publish_up_to: str
    last_window_change: str = ""

    @property
    def etag_parts(self) -> list[str]:
        """The texts that distinguish states of one version, since time passes without writes."""
        return [text for text in (self.publish_up_to, self.last_window_change) if text]


class Validity(NamedTuple):
    """The generation of a page, and the time until which it is valid without a write."""

    generation: str
    until: float


def is_due(first: str | None, now: str) -> bool:
    """Return whether the date of the first future page has come; both are UTC text."""
    return first is not None and first <= now


def read_state(store: Store) -> CollectionState:
    """Return the present state of all pages; pages that are due count as published."""
    version, generation, due, following = STATE.row(store, {"due": store.clock.now().utc})
    return CollectionState(int(version), generation, epoch(following), due or "")


def publish_due_pages(store: Store) -> None:
    """Store all due pages as published, at most 50 in each transaction."""
    count = MOST_AT_ONCE
    while count == MOST_AT_ONCE and read_state(store).publish_up_to:
        count = store.write_queue.run(lambda: publish_due(store, store.clock.now().utc))


def publish_due(store: Store, now: str) -> int:
    """Store up to `MOST_AT_ONCE` due pages as published; return how many.

    `now` is UTC text. Use in the transaction of a write, which must not rely on it for the page
    that it writes.
    """
    due = sorted(PUBLISH.run(store, {"due": now}).fetchall(), key=lambda row: row[-1])
    for page_id, version, slug, when in due:
        page = {"id": page_id, "version": version, "slug": slug, "status": "publish"}
        data = {"resource": "page", **page, "changed": ["status"]}
        events.write(store, ["page.published"], data, when)
    return len(due)


def as_published(row: Row, publish_up_to: str) -> Row:
    """Return the row of a page, as published if it is due up to a date (UTC text).

    The row needs `status` and `date_utc`.
    """
    if row["status"] != "future" or row["date_utc"] > publish_up_to:
        return row
    version = {"version": row["version"] + 1} if "version" in row else {}
    return {**row, "status": "publish", **version}


def next_version(row: Row) -> int:
    """Return the version of a row after a write.

    A future page skips one, which is that of the page as published: readers may have seen it
    already, if a clock is set back or that of another machine is behind.
    """
    return int(row["version"]) + (2 if row.get("status") == "future" else 1)


def is_open(local: Any, utc: Any) -> ColumnBase:
    """Return the condition that a page is open at a moment."""
    conditions: list[ColumnBase] = [
        (fn.COALESCE(opens, SQL("''")) <= now) & (fn.COALESCE(closes, SQL("'~'")) > now)
        for opens, closes, now in (
            (Page.opens_local, Page.closes_local, local),
            (Page.opens_utc, Page.closes_utc, utc),
        )
    ]
    return reduce(and_, conditions)


def changes_between(local: Any, utc: Any, until_local: Any, until_utc: Any) -> ColumnBase:
    """Return the condition that a window begins or ends after a moment, up to another one."""
    bounds = {"local": (local, until_local), "utc": (utc, until_utc)}
    changes: list[ColumnBase] = [
        (column > bounds[kind][0]) & (column <= bounds[kind][1]) for column, kind in BOUND_COLUMNS
    ]
    return reduce(or_, changes)


def window_columns(meta: Values) -> Row:
    """Return the columns for the window of a page, from its meta."""
    columns = dict(NO_WINDOW)
    for name, key in zip(("opens", "closes"), BOUNDS, strict=True):
        bound = parse_bound(meta.get(key))
        if not isinstance(bound, datetime):
            if bound is None or (name == "closes" and bound == date.max):
                continue
            # The last day is one of the window.
            days = 1 if name == "closes" else 0
            bound = datetime.combine(bound + timedelta(days), time_of_day.min)
        is_local = bound.tzinfo is None
        text = bound.isoformat() if is_local else utc_text(bound)
        columns[f"{name}_local" if is_local else f"{name}_utc"] = text
    return columns


def parse_bound(text: object) -> date | datetime | None:
    """Parse a date, or a date and time; return None for any other value."""
    text = text.strip().upper() if isinstance(text, str) else ""
    with suppress(ValueError):
        if BOUND.fullmatch(text):
            moment = datetime.fromisoformat(text).replace(microsecond=0)
            return moment if len(text) > len("2026-12-31") else moment.date()
    return None


def window_problems(clock: Clock, sent: Values, stored: str) -> list[str]:
    """Return warnings about the bounds in a meta that was sent, each a sentence.

    `stored`: the meta after the write, as JSON.
    """
    names = [name for name in BOUNDS if sent.get(name)]
    if not names:
        return []
    if wrong := [f"meta.{name}" for name in names if not parse_bound(sent[name])]:
        return [f"{', '.join(wrong)}: {NO_DATE}"]
    window = window_columns({**json.loads(stored), **sent})
    # The beginning comes first.
    ends = [_bound_seconds(clock, name, text) for name, text in window.items() if text]
    return [f"meta.ends_at: {NEVER}"] if len(ends) == 2 and ends[0] >= ends[1] else []


def window_state(page: Values, at: Moment) -> str:
    """Return the state of a page's window at a moment."""
    if (page["opens_local"] or "") > at.local or (page["opens_utc"] or "") > at.utc:
        return NOT_YET
    if (page["closes_local"] or "~") <= at.local or (page["closes_utc"] or "~") <= at.utc:
        return OVER
    return OPEN


def next_change(clock: Clock, page: Values, at: Moment) -> float:
    """Return the time of the next change of a window, in seconds since 1970, or infinity."""
    changes = [
        _bound_seconds(clock, name, page[name])
        for name, kind in WINDOW_COLUMNS.items()
        if page[name] and page[name] > getattr(at, kind)
    ]
    return min(changes, default=inf)


def window_changes(store: Store, at: Moment) -> tuple[str, float]:
    """Return the last bounds of all pages before an instant, and the time of the next one.

    The bounds are one text; the time is in seconds since 1970, or infinite.
    """
    row = WINDOW_CHANGES.row(store, {"local": at.local, "utc": at.utc})
    passed, following = row[: len(WINDOW_COLUMNS)], row[len(WINDOW_COLUMNS) :]
    change = next_change(store.clock, dict(zip(WINDOW_COLUMNS, following, strict=True)), at)
    return " ".join(text or "-" for text in passed), change


def _bound_seconds(clock: Clock, name: str, text: str) -> float:
    """Return the time of a bound in seconds since 1970.

    A local time that clocks show twice, or never, counts as the earlier of its two readings, so
    that nothing is cached for too long.
    """
    moment = datetime.fromisoformat(text)
    if name.endswith("utc"):
        return moment.replace(tzinfo=UTC).timestamp()
    with suppress(OverflowError):
        aware = moment.replace(tzinfo=clock.zone)
        return min(aware.timestamp(), aware.replace(fold=1).timestamp())
    return inf
