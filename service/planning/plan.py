"""The plan: which feeds of a form run for an entry, in their order, and why the others do not."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from landform.service.planning.conditions import (
    Condition,
    NotUnderstood,
    Work,
    condition_of,
    explain,
    is_met,
)
from landform.service.planning.entries import Entry

Row = Mapping[str, Any]
# Stands for an event type of which nothing was said.
ANY = object()
PROBLEM = "The conditional logic cannot be understood: "


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
    """The feeds to run, in their order, and those that do not run."""

    feeds: list[Row]
    skipped: list[Skipped]


def make_plan(feeds: Iterable[Row], entry: Entry, wanted: Wanted, explained: bool) -> Plan:
    """Return the plan for feeds in the order in which they run.

    `explained`: with the rules of a condition that is not met. A feed whose condition cannot be
    understood is among the others in any case. Raises `TooMuchWork`.
    """
    planner = _Planner(list(feeds), entry, wanted, explained)
    plan = Plan([], [])
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
            return Skipped(feed, "condition", f"{PROBLEM}{error}.")
        if condition and not is_met(condition, self._entry, self._work):
            problem = condition.problem and f"{PROBLEM}{condition.problem}."
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
