"""Plans: the feeds of a form that run for an entry, in order. Nothing is written."""

from collections.abc import Iterable, Mapping

from landform.parts import feed_runs
from landform.schemas.fields import JsonObject
from landform.service.planning.conditions import NotUnderstood, condition_of, explain, is_met
from landform.service.planning.entries import Entry
from landform.storage import Store, feeds
from landform.storage.rows import Row

COLUMNS = ("id", "version", "form_id", "addon_slug", "event_type", "is_active", "meta")


def plan(
    store: Store, form_id: int, request: JsonObject, most_bytes: int | None = None
) -> JsonObject:
    """Return the plan for a request, as `PlanRequest` loads it and `FeedPlan` dumps the plan."""
    form_ids = {form_id, 0} if request["form_0"] else {form_id}
    entry_id = request.get("entry_id")
    rows = feeds.list_feeds(store, {"form_id": sorted(form_ids)}, COLUMNS, most_bytes)
    runs = dict[int, bool]()
    if entry_id and feed_runs.are_stored():
        runs = feed_runs.feeds_of_entry(store, entry_id)
    planner = _Planner(rows, request, runs)
    planned, skipped = [], []
    for row in rows:
        if reason := planner.skip_reason(row):
            skipped.append(row | reason)
        else:
            key = feed_runs.run_key(store, row["id"], entry_id) if entry_id else None
            planned.append(row | {"run_key": key})
    return {
        "form_id": form_id,
        "entry_id": entry_id,
        **({"groups": _grouped(planned)} if request.get("group") else {"feeds": planned}),
        "problems": planner.problems,
        **({"skipped": skipped} if request["explain"] else {}),
    }


class _Planner:
    """Decides which feeds of a plan run.

    `runs`: for each feed that was run for the entry before, whether it may be run again now.
    """

    def __init__(self, rows: Iterable[Row], request: JsonObject, runs: Mapping[int, bool]) -> None:
        self._request, self._runs = request, runs
        self._entry = Entry(request["entry"], request["properties"])
        # The feeds with invalid logic, whether they run or not.
        self.problems: list[JsonObject] = []
        # The only feed of an add-on with `first_only`: one that was run before, or the first match.
        self._only: dict[str, int] = {}
        for row in rows:
            if row["id"] in runs:
                self._only.setdefault(row["addon_slug"], row["id"])

    def skip_reason(self, feed: Row) -> JsonObject:
        """Return the reason why a feed does not run, with details; empty if it runs."""
        request, addon = self._request, feed["addon_slug"]
        reasons = {
            "inactive": not feed["is_active"],
            "addon": (request.get("addon") or addon) != addon,
            "event_type": request.get("event_type", feed["event_type"]) != feed["event_type"],
            "already_run": not self._runs.get(feed["id"], True),
        }
        for reason, applies in reasons.items():
            if applies:
                return {"reason": reason}
        if unmet := self._unmet(feed):
            return unmet
        if addon in request["first_only"]:
            is_second = self._only.setdefault(addon, feed["id"]) != feed["id"]
            return {"reason": "first_only"} if is_second else {}
        return {}

    def _unmet(self, feed: Row) -> JsonObject:
        """Return why the condition of a feed is not met; empty if it is."""
        try:
            condition = condition_of(feed["meta"])
        except NotUnderstood as error:
            return {"reason": "condition", **self._report(feed, str(error))}
        if condition is None:
            return {}
        details = self._report(feed, condition.problem)
        if is_met(condition, self._entry):
            return {}
        if self._request["explain"]:
            details["rules"] = explain(condition, self._entry)
        return {"reason": "condition", **details}

    def _report(self, feed: Row, problem: str) -> JsonObject:
        """Add a problem of a feed to the plan, and return it; empty if there is none."""
        if not problem:
            return {}
        details = {"problem": f"The conditional logic cannot be understood: {problem}."}
        self.problems.append({"id": feed["id"], **details})
        return details


def _grouped(planned: list[JsonObject]) -> list[JsonObject]:
    """Group feeds by their add-ons, in the order of the first feed of each."""
    groups: dict[str, list[JsonObject]] = {}
    for feed in planned:
        groups.setdefault(feed["addon_slug"], []).append(feed)
    return [{"addon_slug": addon, "feeds": feeds} for addon, feeds in groups.items()]
