"""Conditional logic: the rules in the meta of a feed that decide whether it runs.

`feed_condition_conditional_logic` switches it on; `feed_condition_conditional_logic_object` has
`{"conditionalLogic": {"logicType": "all" or "any", "rules": [{"fieldId", "operator", "value"}]}}`.
docs/conditions.md describes the operators, and is a test.
"""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from landform.schemas.fields import WHITE_SPACE
from landform.service.planning.entries import OPERATORS, Entry, Operand, matches, operand, text_of

SWITCH = "feed_condition_conditional_logic"
LOGIC = "feed_condition_conditional_logic_object"
ALL, ANY = "all", "any"
# How many values an explanation has, and how many characters of each.
EXPLAINED_VALUES, EXPLAINED_CHARACTERS = 50, 100


class NotUnderstood(ValueError):
    """Invalid conditional logic; the text is the reason."""


class Rule(NamedTuple):
    """A rule: a field id or the name of a property, an operator and a value."""

    source: str
    operator: str
    target: Operand


class Condition(NamedTuple):
    """The rules of a feed, and whether `all` or `any` of them have to match."""

    logic: object
    rules: tuple[Rule, ...]

    @property
    def problem(self) -> str:
        """The reason why the condition can never be met; empty if there is none."""
        if self.logic not in (ALL, ANY):
            return f'logicType must be "{ALL}" or "{ANY}"'
        for number, rule in enumerate(self.rules, 1):
            if rule.operator not in OPERATORS:
                return f"the operator of rule {number} is none of {', '.join(OPERATORS)}"
        return ""


def condition_of(meta: str) -> Condition | None:
    """Return the condition in the JSON meta of a feed; None if the feed always runs.

    Raises `NotUnderstood`.
    """
    if SWITCH not in meta:
        return None
    try:
        settings = json.loads(meta)
    except (ValueError, RecursionError) as error:
        raise NotUnderstood("the meta of the feed is not JSON") from error
    return parse(settings)


def parse(meta: Mapping[str, Any]) -> Condition | None:
    """Return the condition in the meta of a feed; None if it is off or has no rules."""
    if meta.get(SWITCH) not in ("1", 1, True):
        return None
    wrapper = meta.get(LOGIC) or {}
    if not isinstance(wrapper, (dict, list)):
        raise NotUnderstood(f"{LOGIC} must be an object")
    return parse_logic(wrapper.get("conditionalLogic") if isinstance(wrapper, dict) else None)


def parse_logic(logic: object) -> Condition | None:
    """Return the condition of a `conditionalLogic`; None without rules. Raises `NotUnderstood`."""
    if not logic:
        return None
    if not isinstance(logic, dict):
        raise NotUnderstood("conditionalLogic must be an object")
    rules = logic.get("rules") or []
    # PHP writes a list with gaps as an object.
    rules = list(rules.values()) if isinstance(rules, dict) else rules
    if not isinstance(rules, list):
        raise NotUnderstood("rules must be a list")
    parsed = tuple(_rule(number, rule) for number, rule in enumerate(rules, 1))
    return Condition(logic.get("logicType"), parsed) if parsed else None


def is_met(condition: Condition, entry: Entry) -> bool:
    """Return whether the rules match an entry."""
    if condition.logic not in (ALL, ANY):
        return False
    decide = all if condition.logic == ALL else any
    return decide(_matches(rule, entry) for rule in condition.rules)


def explain(condition: Condition, entry: Entry) -> list[dict[str, object]]:
    """Return each rule with the texts that were compared, and its result."""
    return [
        {
            "fieldId": rule.source,
            "operator": rule.operator,
            "value": rule.target.text[:EXPLAINED_CHARACTERS],
            "values": [
                value.text[:EXPLAINED_CHARACTERS]
                for value in entry.values(rule.source)[:EXPLAINED_VALUES]
            ],
            "matches": _matches(rule, entry),
        }
        for rule in condition.rules
    ]


def _matches(rule: Rule, entry: Entry) -> bool:
    values = entry.values(rule.source)
    entry.count(values)
    if len(values) == 1:
        return matches(rule.operator, values[0], rule.target)
    # One of several values has to match; all of them for `is` a blank and `isnot` a text.
    decide = all if rule.operator == ("isnot" if rule.target.text else "is") else any
    return decide(matches(rule.operator, value, rule.target) for value in values)


def _rule(number: int, rule: object) -> Rule:
    if not isinstance(rule, dict):
        raise NotUnderstood(f"rule {number} must be an object")
    source, operator, target = (rule.get(name) for name in ("fieldId", "operator", "value"))
    if isinstance(source, bool) or not isinstance(source, (str, int, float)) or source == "":
        raise NotUnderstood(f"the fieldId of rule {number} must name a field")
    if not isinstance(operator, str):
        raise NotUnderstood(f"the operator of rule {number} must be a text")
    if isinstance(target, (dict, list)):
        raise NotUnderstood(f"the value of rule {number} must be a text")
    return Rule(text_of(source).strip(WHITE_SPACE), operator, operand(text_of(target)))
