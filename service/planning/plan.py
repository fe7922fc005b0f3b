"""Plans: which feeds of a form run for an entry, in their order, and why the others do not.

A plan takes three queries at most, one of them for the time, and writes nothing.
"""

from collections.abc import Iterable, Mapping

from landform.schemas.feed_plan import PlannedFeed
from landform.schemas.fields import JsonObject
from landform.service.planning.conditions import NotUnderstood, condition_of, explain, is_met
from landform.service.planning.entries import Entry
from landform.storage import Store, feeds, runs
from landform.storage.rows import Row

VERSION = ("id", "version", "form_id", "addon_slug", "event_type")
COLUMNS = (*VERSION, "is_active", "meta")
PLANNED = PlannedFeed()


def plan(
    store: Store, form_id: int, wanted: JsonObject, most_bytes: int | None = None
) -> JsonObject:
    """Return the plan that a request wants, as `PlanRequest` loads it; nothing is written."""
    form_ids = {form_id, 0} if wanted["form_0"] else {form_id}
    entry_id = wanted.get("entry_id")
    rows = feeds.list_feeds(store, {"form_id": sorted(form_ids)}, COLUMNS, most_bytes)
    planner = _Planner(rows, wanted, runs.of_entry(store, entry_id) if entry_id else {})
    planned, skipped = [], []
    for row in rows:
        if why := planner.why_not(row):
            skipped.append({**{name: row[name] for name in VERSION}, **why})
        else:
            # Without an id of the entry nothing tells a run from others.
            key = runs.run_key(store, row["id"], entry_id) if entry_id else None
            planned.append(PLANNED.dump({**row, "run_key": key}))
    return {
        "form_id": form_id,
        "entry_id": entry_id,
        **({"groups": _grouped(planned)} if wanted.get("group") else {"feeds": planned}),
        "problems": planner.problems,
        **({"skipped": skipped} if wanted["explain"] else {}),
    }


class _Planner:
    """Decides on the feeds of one plan, one after the other.

    `runs`: for each feed that was run for the entry before, whether it may be run again now.
    """

    def __init__(self, rows: Iterable[Row], wanted: JsonObject, runs: Mapping[int, bool]) -> None:
        self._wanted, self._runs = wanted, runs
        self._entry = Entry(wanted["entry"], wanted["properties"])
        # The feeds whose logic is wrong, whether they run or not.
        self.problems: list[JsonObject] = []
        # The one feed of an add-on: the one that was run already, or else the first match.
        self._only: dict[str, int] = {}
        for row in rows:
            if row["id"] in runs:
                self._only.setdefault(row["addon_slug"], row["id"])

    def why_not(self, feed: Row) -> JsonObject:
        """Return the reason for which a feed does not run, with what led to it; empty for none."""
        wanted, addon = self._wanted, feed["addon_slug"]
        unfit = {
            "inactive": not feed["is_active"],
            "addon": (wanted.get("addon") or addon) != addon,
            "event_type": wanted.get("event_type", feed["event_type"]) != feed["event_type"],
            "already_run": not self._runs.get(feed["id"], True),
        }
        for reason, is_so in unfit.items():
            if is_so:
                return {"reason": reason}
        if unmet := self._unmet(feed):
            return unmet
        if addon in wanted["first_only"]:
            is_second = self._only.setdefault(addon, feed["id"]) != feed["id"]
            return {"reason": "first_only"} if is_second else {}
        return {}

    def _unmet(self, feed: Row) -> JsonObject:
        """Return why the condition of a feed is not met; empty where it is."""
        try:
            condition = condition_of(feed["meta"])
        except NotUnderstood as error:
            return {"reason": "condition", **self._report(feed, str(error))}
        if condition is None:
            return {}
        shown = self._report(feed, condition.problem)
        if is_met(condition, self._entry):
            return {}
        if self._wanted["explain"]:
            shown["rules"] = explain(condition, self._entry)
        return {"reason": "condition", **shown}

    def _report(self, feed: Row, problem: str) -> JsonObject:
        """Take down what is wrong with the logic of a feed, and return it; empty for nothing."""
        if not problem:
            return {}
        found = {"problem": f"The conditional logic cannot be understood: {problem}."}
        self.problems.append({"id": feed["id"], **found})
        return found


def _grouped(shown: list[JsonObject]) -> list[JsonObject]:
    """Return the feeds by their add-ons, those first whose first feed comes first."""
    groups: dict[str, list[JsonObject]] = {}
    for feed in shown:
        groups.setdefault(feed["addon_slug"], []).append(feed)
    return [{"addon_slug": addon, "feeds": found} for addon, found in groups.items()]
