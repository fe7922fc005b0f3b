"""The plan of an entry: a run of each feed that its form asks for."""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from marshmallow import ValidationError

from landform.parts import feed_runs
from landform.parts.leads.intake.fields import input_ids, values_of
from landform.parts.leads.intake.logic import comparable
from landform.parts.leads.models import ACTIVE, ENTRY_KEYS, PROPERTIES
from landform.service.pipeline.json_codec import JsonObject
from landform.service.planning.conditions import NotUnderstood, condition_of
from landform.service.planning.plan import plan
from landform.storage.store import Store

log = logging.getLogger("landform")
TOO_EXPENSIVE = "The rules of the feeds of form %d compare too much: none runs for entry %s."


def after_submission(store: Store, form: JsonObject, entry: JsonObject) -> None:
    """Add a run of each feed that an entry asks for, in the transaction that stores the entry.

    Call it when an entry is new or becomes active again: a feed that was run does not run twice,
    and nothing runs for an entry that is not active.
    """
    if entry["status"] != ACTIVE or not feed_runs.are_stored():
        return
    values = comparable(form, values_of(entry))
    request = {"entry": values, "properties": entry, "form_0": False, "first_only": ()}
    try:
        planned = plan(store, int(form["id"]), {**request, "explain": False})
    except ValidationError:
        log.error(TOO_EXPENSIVE, form["id"], entry["id"])
        return
    feed_ids = [feed["id"] for feed in planned["feeds"]]
    feed_runs.add(store, int(form["id"]), feed_ids, str(entry["id"]))


def rules_problem(read_form: Callable[[], JsonObject | None], feed: Mapping[str, Any]) -> str:
    """Return what is wrong with the rules of a feed, whose form is read if it has some."""
    try:
        condition = condition_of(feed["meta"])
    except NotUnderstood as error:
        return f"The conditional logic cannot be understood: {error}."
    if condition is None:
        return ""
    if condition.problem:
        return f"The conditional logic cannot be met: {condition.problem}."
    form = read_form()
    if form is None:
        return ""
    field_ids = [str(field["id"]) for field in form["fields"]]
    known = {*field_ids, *input_ids(form), *ENTRY_KEYS, *PROPERTIES}
    unknown = ", ".join(rule.source for rule in condition.rules if rule.source not in known)
    text = f"Rules compare with a blank, as form {form['id']} has no field {unknown[:300]}."
    return text if unknown else ""


def forget_runs(store: Store, entry_ids: Sequence[int]) -> None:
    """Delete the runs of entries, in the transaction that deletes them for good."""
    if feed_runs.are_stored():
        feed_runs.delete(store, [str(number) for number in entry_ids])
