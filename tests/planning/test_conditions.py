"""Conditional logic does what docs/conditions.md says, and keeps the laws of its algebra."""

import json
import re
from typing import Any

import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st
from marshmallow import ValidationError

from landform.service.planning.conditions import NotUnderstood, condition_of, is_met, parse
from landform.service.planning.entries import OPERATORS, Entry, matches, operand

PAGE = (ROOT / "tests/planning/conditions.md").read_text()
DOCS = (ROOT / "docs/conditions.md").read_text()
VERDICTS = {"yes": True, "no": False}
ON = {"feed_condition_conditional_logic": "1"}


def rows(heading: str) -> list[list[str]]:
    """Return the cells of each row of the table below a heading."""
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ", maxsplit=1)[0]
    lines = [line for line in section.splitlines() if line.startswith("|")][2:]
    return [
        [cell.strip().strip("`").replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in lines
    ]


OPERATOR_ROWS, FIELD_ROWS = rows("The table of operators"), rows("Which values a field has")


def test_every_operator_is_in_the_docs_and_in_the_table() -> None:
    assert [name for name in OPERATORS if f"`{name}`" not in DOCS] == []
    assert {cells[1] for cells in OPERATOR_ROWS} >= set(OPERATORS)


def logic(rules: object, logic_type: object = "all", **more: object) -> dict[str, Any]:
    """Return the meta of a feed with conditional logic that is on."""
    of = {"actionType": "show", "logicType": logic_type, "rules": rules, **more}
    return {**ON, "feed_condition_conditional_logic_object": {"conditionalLogic": of}}


def rule(source: object = "3", operator: object = "is", value: object = "a") -> dict[str, object]:
    return {"fieldId": source, "operator": operator, "value": value}


def runs(meta: dict[str, Any], fields: dict[str, Any], **properties: Any) -> bool:
    """Return whether a feed with this meta runs for an entry."""
    condition = condition_of(json.dumps(meta))
    return condition is None or is_met(condition, Entry(fields, properties))


@pytest.mark.parametrize("cells", OPERATOR_ROWS, ids=lambda cells: " ".join(cells[:3]))
def test_an_operator_does_what_the_table_says(cells: list[str]) -> None:
    has, operator, value, verdict, _ = cells
    fields = {} if has == "-" else {"3": json.loads(has)}
    found = runs(logic([rule("3", operator, json.loads(value))]), fields)
    assert found is VERDICTS[verdict]


@pytest.mark.parametrize("cells", FIELD_ROWS, ids=lambda cells: " ".join(cells[:4]))
def test_a_field_has_the_values_that_the_table_says(cells: list[str]) -> None:
    entry, source, operator, value, verdict, _ = cells
    found = runs(logic([rule(json.loads(source), operator, json.loads(value))]), json.loads(entry))
    assert found is VERDICTS[verdict]


def test_logic_decides_where_it_is_on() -> None:
    for switch in ("1", 1, True, "0", 0, False, None, "", "yes", "true", 2, [], ["1"], {}):
        meta = {**logic([rule()]), "feed_condition_conditional_logic": switch}
        assert runs(meta, {"3": "a"})
        assert runs(meta, {"3": "b"}) is not (switch in ("1", 1)), switch
    del meta["feed_condition_conditional_logic"]
    assert runs(meta, {"3": "b"})


@pytest.mark.parametrize("wrapper", [
    None, [], {}, "", {"rules": [rule()]}, [rule()], {"conditionalLogic": None},
    {"conditionalLogic": []}, {"conditionalLogic": {}}, {"conditionalLogic": {"rules": []}},
    {"conditionalLogic": {"rules": None, "logicType": "all"}},
    {"conditionalLogic": {"rules": {}, "logicType": "never"}},
])  # fmt: skip
def test_a_feed_without_rules_runs(wrapper: object) -> None:
    assert runs({**ON, "feed_condition_conditional_logic_object": wrapper}, {})
    assert runs(ON, {})


@pytest.mark.parametrize(("meta", "wrong"), [
    ({**ON, "feed_condition_conditional_logic_object": "x"}, "must be an object"),
    ({**ON, "feed_condition_conditional_logic_object": {"conditionalLogic": "x"}}, "must be an"),
    (logic("x"), "rules must be a list"),
    (logic([None]), "rule 1 must be an object"),
    (logic([rule(), "x"]), "rule 2 must be an object"),
    (logic([{"operator": "is", "value": "a"}]), "the fieldId of rule 1"),
    (logic([rule("")]), "the fieldId of rule 1"),
    (logic([rule(True)]), "the fieldId of rule 1"),
    (logic([rule(["3"])]), "the fieldId of rule 1"),
    (logic([rule("3", None)]), "the operator of rule 1"),
    (logic([rule("3", "is", ["a"])]), "the value of rule 1"),
])  # fmt: skip
def test_logic_that_cannot_be_understood_says_why(meta: dict[str, Any], wrong: str) -> None:
    with pytest.raises(NotUnderstood, match=wrong):
        condition_of(json.dumps(meta))
    with pytest.raises(NotUnderstood, match="not JSON"):
        condition_of(json.dumps(meta)[:-1])


TWO = [rule("1"), rule("2")]


@pytest.mark.parametrize(("meta", "matching"), [
    (logic(TWO, "all"), ["aa"]), (logic(TWO, "any"), ["aa", "ab", "ba"]),
    # As PHP writes a list with gaps.
    (logic({"0": TWO[0], "2": TWO[1]}), ["aa"]),
    *((logic(TWO, actionType=action), ["aa"]) for action in ("hide", None, 7)),
    *((logic(TWO, other), []) for other in ("ALL", "none", "", None, 1, True, ["all"])),
])  # fmt: skip
def test_the_type_of_the_logic_says_how_many_rules_have_to_match(
    meta: dict[str, Any], matching: list[str]
) -> None:
    entries = ("aa", "ab", "ba", "bb")
    assert [has for has in entries if runs(meta, {"1": has[0], "2": has[1]})] == matching


def test_a_property_overrides_an_entry_key_of_its_name_but_no_field_number() -> None:
    meta = logic([rule("payment_status", "is", "Paid")])
    assert runs(meta, {"payment_status": "Failed"}, payment_status="Paid")
    assert not runs(meta, {"payment_status": "Paid"}, payment_status="Failed")
    assert not runs(logic([rule("3")]), {"3": "b"}, **{"3": "a"})


def test_work_is_bounded() -> None:
    condition = parse(logic([rule("3", "contains", "x")] * 1000))
    assert condition is not None
    values = {"3": ["a" * 1000] * 5000}
    with pytest.raises(ValidationError):
        is_met(condition._replace(logic="any"), Entry(values))
    # `all` ends at the first rule that does not match.
    assert not is_met(condition, Entry(values))


# The laws.

texts = st.text(st.sampled_from("aAbB019.-+eE_ \t\0|é\f")) | st.text(max_size=8)
numerals = st.from_regex(
    r"[+-]?([0-9]{1,25}(\.[0-9]{0,5})?|\.[0-9]{1,5})([eE][+-]?[0-9]{1,3})?", fullmatch=True
)


def one(operator: str, value: str, target: str) -> bool:
    return matches(operator, operand(value), operand(target))


@given(texts | numerals, texts | numerals)
def test_exactly_one_of_below_is_and_above_holds(value: str, target: str) -> None:
    assert [one(name, value, target) for name in ("<", "is", ">")].count(True) == 1
    assert one("is", value, target) is not one("isnot", value, target)
