"""Plans: which feeds of a form run for an entry, in their order, and why the others do not.

A plan takes three queries at most, one of them for the time, and writes nothing.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from marshmallow import ValidationError

from landform.schemas.feed_plan import PlannedFeed, PlanRequest
from landform.schemas.responses import Serializer, compile_serializer
from landform.service.planning.conditions import (
    Condition,
    NotUnderstood,
    TooMuchWork,
    Work,
    condition_of,
    explain,
    is_met,
)
from landform.service.planning.entries import Entry
from landform.storage import Store, feeds, runs

JsonObject = dict[str, Any]
Row = Mapping[str, Any]
# Stands for an event type of which nothing was said.
ANY = object()
PROBLEM = "The conditional logic cannot be understood: "
VERSION = ("id", "version", "form_id", "addon_slug", "event_type")
COLUMNS = (*VERSION, "is_active", "meta")
TOO_MUCH = "The rules of this form's feeds compare too much with this entry."
REQUEST = PlanRequest()
dump_feed = compile_serializer(PlannedFeed())


class Wanted(NamedTuple):
    """What a plan is asked for beside the form and the entry.

    `first_only`: the add-ons of which one feed runs at most. `runs`: for each feed that was run for
    the entry before, whether it may be run again now.
    """

    addon: str | None = None
    event_type: object = ANY
    first_only: Collection[str] = ()
    runs: Mapping[int, bool] = {}


class Skipped(NamedTuple):
    """A feed that does not run: one reason, and what it was, or the rules, that led to it."""

    feed: Row
    reason: str
    problem: str = ""
    rules: list[dict[str, object]] | None = None


class Plan(NamedTuple):
    """The feeds to run, in their order, those that do not, and problems by the ids of feeds."""

    feeds: list[Row]
    skipped: list[Skipped]
    problems: dict[int, str]


def make_plan(feeds: Iterable[Row], entry: Entry, wanted: Wanted, explained: bool) -> Plan:
    """Return the plan for feeds in the order in which they run.

    `explained`: with the rules of a condition that is not met. A feed whose condition cannot be
    understood is among the others in any case. Raises `TooMuchWork`.
    """
    planner = _Planner(list(feeds), entry, wanted, explained)
    plan = Plan([], [], planner.problems)
    for feed in planner.feeds:
        skipped = planner.decide(feed)
        if skipped is None:
            plan.feeds.append(feed)
        else:
            plan.skipped.append(skipped)
    return plan


class _Planner:
    """Decides on the feeds of one plan, one after the other."""

    def __init__(self, feeds: list[Row], entry: Entry, wanted: Wanted, explained: bool) -> None:
        self.feeds = feeds
        self._entry, self._wanted, self._explained = entry, wanted, explained
        self._work = Work()
        self.problems: dict[int, str] = {}
        # The one feed of such an add-on: the one that was run already, or else the first match.
        self._only: dict[str, int] = {}
        for feed in feeds:
            if feed["id"] in wanted.runs and feed["addon_slug"] in wanted.first_only:
                self._only.setdefault(feed["addon_slug"], feed["id"])

    def decide(self, feed: Row) -> Skipped | None:
        """Return why a feed does not run; None where it does."""
        if reason := self._unfit(feed):
            return Skipped(feed, reason)
        try:
            condition = condition_of(feed["meta"])
        except NotUnderstood as error:
            problem = self.problems[feed["id"]] = f"{PROBLEM}{error}."
            return Skipped(feed, "condition", problem)
        problem = f"{PROBLEM}{condition.problem}." if condition and condition.problem else ""
        if problem:
            self.problems[feed["id"]] = problem
        if condition and not is_met(condition, self._entry, self._work):
            return Skipped(feed, "condition", problem, self._rules(condition))
        if self._is_second(feed):
            return Skipped(feed, "first_only")
        return None

    def _unfit(self, feed: Row) -> str:
        """Return the reason that needs no look at the condition, if there is one."""
        wanted = self._wanted
        if not feed["is_active"]:
            return "inactive"
        if wanted.addon and feed["addon_slug"] != wanted.addon:
            return "addon"
        if wanted.event_type is not ANY and feed["event_type"] != wanted.event_type:
            return "event_type"
        return "" if wanted.runs.get(feed["id"], True) else "already_run"

    def _rules(self, condition: Condition) -> list[dict[str, object]] | None:
        if not self._explained:
            return None
        return [one.shown() for one in explain(condition, self._entry, self._work)]

    def _is_second(self, feed: Row) -> bool:
        addon = feed["addon_slug"]
        if addon not in self._wanted.first_only:
            return False
        return bool(self._only.setdefault(addon, feed["id"]) != feed["id"])


def plan_feeds(store: Store, form_id: int, request: Mapping[str, Any]) -> JsonObject:
    """Return which feeds of a form run for an entry: for a host, as the operation responds.

    `request`: what the body of that holds, `entry` at least. Nothing is written. Raises
    Marshmallow's `ValidationError` for a request that is wrong, which holds no value of the entry.
    """
    with store.connection():
        return plan(store, form_id, REQUEST.load(dict(request)), dump=_plain)


def plan(
    store: Store,
    form_id: int,
    wanted: Mapping[str, Any],
    *,
    most_bytes: int | None = None,
    dump: Serializer = dump_feed,
) -> JsonObject:
    """Return the plan that a loaded request wants; `dump` makes of a feed what is shown of it."""
    form_ids = {form_id, 0} if wanted["form_0"] else {form_id}
    entry_id = wanted.get("entry_id")
    rows = feeds.list_feeds(store, {"form_id": sorted(form_ids)}, COLUMNS, most_bytes)
    asked = Wanted(
        wanted.get("addon"),
        wanted.get("event_type", ANY),
        frozenset(wanted["first_only"]),
        runs.of_entry(store, entry_id) if entry_id else {},
    )
    entry = Entry(wanted["entry"], wanted["properties"])
    try:
        made = make_plan(rows, entry, asked, wanted["explain"])
    except TooMuchWork as error:
        raise ValidationError(TOO_MUCH, "entry") from error
    shown = [dump({**row, "run_key": _key(store, row, entry_id)}) for row in made.feeds]
    answer: JsonObject = {"form_id": form_id, "entry_id": entry_id}
    answer |= {"groups": _grouped(shown)} if wanted.get("group") else {"feeds": shown}
    return {**answer, **_explained(made, wanted["explain"])}


def _key(store: Store, feed: Row, entry_id: str | None) -> str | None:
    """Return the key of a run; without an id of the entry nothing tells it from others."""
    return runs.run_key(store, feed["id"], entry_id) if entry_id else None


def _plain(feed: Row) -> JsonObject:
    shown = {name: feed[name] for name in (*VERSION, "run_key")}
    return {**shown, "meta": json.loads(feed["meta"])}


def _grouped(shown: list[JsonObject]) -> list[JsonObject]:
    """Return the feeds by their add-ons, those first whose first feed comes first."""
    groups: dict[str, list[JsonObject]] = {}
    for feed in shown:
        groups.setdefault(feed["addon_slug"], []).append(feed)
    return [{"addon_slug": addon, "feeds": found} for addon, found in groups.items()]


def _explained(made: Plan, explain: bool) -> JsonObject:
    """Return the feeds whose logic is wrong; all that do not run, if asked for."""
    problems = [{"id": number, "problem": text} for number, text in made.problems.items()]
    shown = {"skipped": [_skipped(one) for one in made.skipped]} if explain else {}
    return {"problems": problems, **shown}


def _skipped(one: Skipped) -> JsonObject:
    shown = {name: one.feed[name] for name in VERSION}
    shown["reason"] = one.reason
    if one.problem:
        shown["problem"] = one.problem
    if one.rules is not None:
        shown["rules"] = one.rules
    return shown
