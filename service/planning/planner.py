"""Makes plans for requests, commands and hosts: two queries at most, and nothing is written."""

import json
from collections.abc import Mapping
from typing import Any

from marshmallow import ValidationError

from landform.schemas.feed_plan import PlannedFeed, PlanRequest
from landform.schemas.serializers import Serializer, compile_serializer
from landform.service.planning.conditions import TooMuchWork
from landform.service.planning.entries import Entry
from landform.service.planning.plan import ANY, Plan, Row, Skipped, Wanted, make_plan
from landform.storage import Store, feeds, runs
from landform.storage.rows import Check, no_check

JsonObject = dict[str, Any]
VERSION = ("id", "version", "form_id", "addon_slug", "event_type")
COLUMNS = (*VERSION, "is_active", "meta")
TOO_MUCH = "The rules of this form's feeds compare too much with this entry."
REQUEST = PlanRequest()
dump_feed = compile_serializer(PlannedFeed())


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
    check_row: Check = no_check,
    dump: Serializer = dump_feed,
) -> JsonObject:
    """Return the plan that a loaded request wants; `dump` makes of a feed what is shown of it."""
    form_ids = {form_id, 0} if wanted["form_0"] else {form_id}
    entry_id = wanted.get("entry_id")
    rows = feeds.list_feeds(store, {"form_id": sorted(form_ids)}, COLUMNS, check_row)
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
    """Return the feeds whose logic cannot be understood; all that do not run, if asked for."""
    problems = [
        {"id": one.feed["id"], "problem": one.problem} for one in made.skipped if one.problem
    ]
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
