"""Conditional logic of the fields and the button of a form: what visitors see of it.

A field has it as `conditionalLogic`, as Gravity Forms writes it, with the operators of feeds
(`service/planning/conditions.py`). What is hidden is neither required nor stored. The script
`site/conditions.js` decides the same in a browser.
"""

from collections.abc import Mapping
from typing import NamedTuple

from landform.parts.leads.errors import FormNotSendable
from landform.parts.leads.intake import fields as f
from landform.parts.leads.intake.compound import chosen
from landform.parts.leads.intake.formats import normal
from landform.service.pipeline.json_codec import JsonObject
from landform.service.planning.conditions import (
    ALL,
    Condition,
    NotUnderstood,
    is_met,
    parse_logic,
)
from landform.service.planning.entries import BLANK, Entry, Operand
from landform.storage.rows import json_text

BUTTON = "button"
# How many rules the fields of a form may have together.
MOST_RULES = 1000
# The types whose values are compared in their stored form.
NORMALIZED = ("number", "time")


class Logic(NamedTuple):
    """When a field, or the `button`, is shown.

    Its section is shown, if it is in one with logic, and its condition is met; not met if it
    `hides`. Without a condition it follows its section.
    """

    id: str
    section: str
    condition: Condition | None
    hides: bool


class Answers(Entry):
    """Values that rules compare, without those of the `hidden` fields, which are blank."""

    def __init__(self, values: Mapping[str, str | list[str]]) -> None:
        super().__init__(values)
        self.hidden: set[str] = set()
        self._values_of = self.values
        self.values = self._visible  # type: ignore[assignment]

    def _visible(self, source: str) -> tuple[Operand, ...]:
        return (BLANK,) if source.partition(".")[0] in self.hidden else self._values_of(source)


def logic_of(form: JsonObject) -> list[Logic]:
    """Return the logic in a form, in the order of its fields. Raises `NotUnderstood`."""
    found, section = list[Logic](), ""
    for item in (*form["fields"], {**(form.get("button") or {}), "id": BUTTON}):
        logic, item_id = item.get("conditionalLogic") or {}, str(item["id"])
        if isinstance(logic, dict) and not logic.get("enabled", True):
            logic = {}
        if item.get("type") == "section" or item_id == BUTTON:
            section = ""
        try:
            condition = parse_logic(logic)
            if condition and condition.problem:
                raise NotUnderstood(condition.problem)
        except NotUnderstood as error:
            name = "its button" if item_id == BUTTON else f"field {item_id}"
            raise NotUnderstood(f"{name} has conditional logic: {error}") from None
        if condition or section:
            hides = bool(logic) and logic.get("actionType") == "hide"
            found.append(Logic(item_id, section, condition, hides))
        if item.get("type") == "section" and condition:
            section = item_id
    if sum(len(item.condition.rules) for item in found if item.condition) > MOST_RULES:
        raise NotUnderstood(f"its fields have more than {MOST_RULES} rules")
    return found


def visible_form(form: JsonObject, values: Mapping[str, str]) -> JsonObject:
    """Return a form with the fields that its visitor saw, who sent these values.

    Raises `FormNotSendable` if its button is hidden, and `ValidationError` for rules that compare
    too much.
    """
    logics = logic_of(form)
    if not logics:
        return form
    answers = Answers(_compared(form, values))
    # A rule may be about a later field. A circle ends too.
    for _ in range(len(logics) + 1):
        before = {*answers.hidden}
        for item in logics:
            is_hidden = item.section in answers.hidden or (
                item.condition is not None and is_met(item.condition, answers) == item.hides
            )
            (answers.hidden.add if is_hidden else answers.hidden.discard)(item.id)
        if answers.hidden == before:
            break
    if BUTTON in answers.hidden:
        raise FormNotSendable
    shown = [field for field in form["fields"] if str(field["id"]) not in answers.hidden]
    return {**form, "fields": shown}


def _compared(form: JsonObject, values: Mapping[str, str]) -> dict[str, str | list[str]]:
    """Return the values that visitors sent as rules compare them, by the ids of inputs."""
    compared = dict[str, str | list[str]]()
    for field in f.open_fields(form):
        offered = {"", *(value for _, value in f.choices_of(field))}
        for input_id in _compared_inputs(field):
            text = values.get(input_id, "")
            if f.takes_own_choice(field) and text not in offered:
                compared[input_id] = [text, f.OTHER_CHOICE]
            elif input_id in values:
                compared[input_id] = normal(field, text) if field["type"] in NORMALIZED else text
    return comparable(form, compared)


def comparable(
    form: JsonObject, values: Mapping[str, str | list[str]]
) -> dict[str, str | list[str]]:
    """Return values of an entry as rules compare them: of a multiselect each chosen value."""
    lists = {str(field["id"]) for field in form["fields"] if field["type"] == "multiselect"}
    return {key: chosen(str(text)) if key in lists else text for key, text in values.items()}


def _compared_inputs(field: JsonObject) -> list[str]:
    """Return the inputs of a field that rules compare: of a consent not its words."""
    inputs = [item.id for item in f.inputs_of(field)]
    return inputs[:1] if field["type"] == "consent" else inputs


def script_logic(form: JsonObject) -> str:
    """Return the logic in a form as JSON for `site/conditions.js`; empty without any.

    A rule names the controls that it compares: those of a time, which are one value, in a list, and
    radio buttons with a choice of one's own as `own`.
    """
    fields = {str(field["id"]): field for field in f.open_fields(form)}

    def controls(source: str) -> list[object]:
        field = fields.get(source.partition(".")[0])
        if field is None:
            return []
        names = [f.control_name(field, item_id) for item_id in _compared_inputs(field)]
        if "." in source:
            return [name for name in names if name == f.control_name(field, source)]
        if field["type"] == "time":
            return [[f.control_name(field, item.id) for item in f.shown_inputs(field)]]
        return [{"own": names[0]}] if f.takes_own_choice(field) else [*names]

    items = []
    for item in logic_of(form):
        logic, rules = item.condition or Condition(ALL, ())
        compared = [
            (rule.source.partition(".")[0], controls(rule.source), rule.operator, rule.target.text)
            for rule in rules
        ]
        items.append((item.id, item.section, item.hides, logic == ALL, compared))
    return json_text(items) if items else ""
