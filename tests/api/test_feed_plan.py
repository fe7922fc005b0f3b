"""The plan: which feeds run for an entry, in their order, and why the others do not."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from applications import Client, when

SECRET_VALUE = "ada.lovelace@example.com"


Make = Callable[..., dict[str, Any]]


@pytest.fixture
def plan(client: Client) -> Make:
    """Ask for a plan, of form 1 unless another one is named."""

    def ask(fields: Any = None, form: int = 1, query: str = "", **body: Any) -> dict[str, Any]:
        sent = {"entry": fields or {}, **body}
        answer = client.post(f"/forms/{form}/feeds/plan{query}", json=sent)
        assert answer.status_code == 200, answer.text
        return answer.get_json()

    return ask


def ids(made: dict[str, Any]) -> list[int]:
    return [feed["id"] for feed in made["feeds"]]


def reasons(made: dict[str, Any]) -> dict[int, str]:
    return {feed["id"]: feed["reason"] for feed in made["skipped"]}


def test_the_active_feeds_of_the_form_run_by_feed_order_then_id(client: Client, plan: Make) -> None:
    client.feed(feed_order=2)
    client.feed(feed_order=1, addon_slug="crm", meta={"k": [1, 2.5, None]})
    client.feed(feed_order=1)
    client.feed(form_id=2)
    client.feed(feed_order=0, is_active=False)
    made = plan()
    assert ids(made) == [2, 3, 1]
    assert made["feeds"][0] == {
        "id": 2, "version": 1, "form_id": 1, "addon_slug": "crm", "event_type": None,
        "meta": {"k": [1, 2.5, None]}, "run_key": None,
    }  # fmt: skip
    assert made | {"feeds": []} == {"form_id": 1, "entry_id": None, "feeds": [], "problems": []}
    assert plan(form=10**19, entry_id="e", explain=True)["skipped"] == []


def test_a_condition_decides_and_each_rule_is_explained(client: Client, plan: Make) -> None:
    client.feed(meta=when("1", "Yes"))
    assert ids(plan({"1": " yes|10"})) == [1]
    made = plan({"1": ["No ", "maybe|5"]}, explain=True)
    assert made["feeds"] == []
    (skipped,) = made["skipped"]
    assert (skipped["reason"], skipped["version"]) == ("condition", 1)
    assert skipped["rules"] == [
        {"fieldId": "1", "operator": "is", "value": "yes", "values": ["no", "maybe"],
         "matches": False},
    ]  # fmt: skip
    assert "skipped" not in plan({"1": "no"})
    client.feed(form_id=2, meta=when("1", "x" * 500))
    (skipped,) = plan({"1": ["y" * 500] * 80}, form=2, explain=True)["skipped"]
    (rule,) = skipped["rules"]
    assert (rule["value"], rule["values"]) == ("x" * 100, ["y" * 100] * 50)


def test_wrong_logic_is_a_problem_whether_the_feed_runs_or_not(client: Client, plan: Make) -> None:
    right, wrong = ({"fieldId": "1", "operator": name, "value": "a"} for name in ("is", "equals"))
    for logic_type, rules in (("all", "broken"), ("all", [right, wrong]), ("any", [right, wrong])):
        meta = when("1", "a")
        logic = meta["feed_condition_conditional_logic_object"]["conditionalLogic"]
        logic |= {"logicType": logic_type, "rules": rules}
        client.feed(meta=meta)
    made = plan({"1": "a"}, explain=True)
    assert (ids(made), [one["id"] for one in made["problems"]]) == ([3], [1, 2, 3])
    problem = "The conditional logic cannot be understood: rules must be a list."
    assert made["problems"][0]["problem"] == made["skipped"][0]["problem"] == problem
    assert reasons(made) == {1: "condition", 2: "condition"}
    assert "the operator of rule 2 is none of is, isnot, >," in made["problems"][1]["problem"]


def test_every_feed_that_does_not_run_has_one_reason(client: Client, plan: Make) -> None:
    for feed in (
        {"addon_slug": "b", "is_active": False}, {"addon_slug": "b"}, {},
        {"meta": when("1", "x")}, {}, {}, {"form_id": 0},
    ):  # fmt: skip
        client.feed(**{"addon_slug": "a", **feed})
    client.patch("/feeds/3", json={"event_type": "refund"})
    made = plan({}, addon="a", event_type=None, first_only=["a"], explain=True)
    assert ids(made) == [5]
    assert reasons(made) == {
        1: "inactive", 2: "addon", 3: "event_type", 4: "condition", 6: "first_only",
    }  # fmt: skip
    assert ids(plan(event_type="refund")) == [3]
    assert ids(plan(event_type="other")) == []
    assert ids(plan()) == [2, 3, 5, 6]
    for made in (plan(group="addon"), plan(query="?group=addon")):
        groups = [(one["addon_slug"], ids(one)) for one in made["groups"]]
        assert (groups, "feeds" in made) == ([("b", [2]), ("a", [3, 5, 6])], False)
    # Those of form 0 run only when they are asked for, in the order of all.
    client.patch("/feeds/6", json={"feed_order": 1})
    assert ids(plan(form_0=True)) == [2, 3, 5, 7, 6]
    assert ids(plan(form=0)) == ids(plan(form=0, form_0=True)) == ids(plan(form=5, form_0=True))


WRONG: list[tuple[dict[str, Any], str]] = [
    ({}, "entry"),
    ({"entry": "x"}, "entry"),
    ({"entry": {"1": {"a": SECRET_VALUE}}}, "entry"),
    ({"entry": {"k" * 201: "v"}}, "entry"),
    ({"entry": {"1": "v" * 65_537}}, "entry"),
    ({"entry": {"1": ["v"] * 5_000}}, "entry"),
    # The feed of the test would have to compare too much.
    ({"entry": {"1": ["straw"] * 4_900}}, "entry"),
    ({"entry": {}, "properties": {"a": [[SECRET_VALUE]]}}, "properties"),
    ({"entry": {}, "entry_id": 1.5}, "entry_id"),
    ({"entry": {}, "entry_id": "e" * 201}, "entry_id"),
    ({"entry": {}, "entry_id": "a\n"}, "entry_id"),
    ({"entry": {}, "event_type": 7}, "event_type"),
    ({"entry": {}, "first_only": [7]}, "first_only"),
    ({"entry": {}, "group": "form"}, "group"),
    ({"entry": {}, "entryid": "17"}, "entryid"),
]


def test_a_wrong_request_names_the_parameter_and_no_value_is_shown_logged_or_stored(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    meta = when("1", "needle", "contains")
    logic = meta["feed_condition_conditional_logic_object"]["conditionalLogic"]
    logic |= {"logicType": "any", "rules": logic["rules"] * 1_000}
    client.feed(meta=meta)
    for body, named in WRONG:
        answer = client.post("/forms/1/feeds/plan", json=body)
        assert answer.status_code == 400, (body, answer.text)
        assert named in answer.get_json()["data"]["params"], body
        assert SECRET_VALUE not in answer.text
        assert "vvv" not in answer.text
    most = {"entry": {"1": [SECRET_VALUE] * 4_999}, "entry_id": "e", "explain": True}
    assert client.post("/forms/2/feeds/plan", json=most).status_code == 200
    assert SECRET_VALUE not in caplog.text
    if client.store.database.name.endswith(".db"):
        folder = Path(client.store.database.name).parent
        assert not [file for file in folder.glob("*.db*") if b"lovelace" in file.read_bytes()]


@pytest.mark.settings(MAX_RESPONSE_BYTES=1000)
def test_a_response_that_would_be_too_large_is_refused(client: Client) -> None:
    for _ in range(3):
        client.feed(meta={"k": "v" * 400})
    answer = client.post("/forms/1/feeds/plan", json={"entry": {}})
    assert (answer.status_code, "addon" in answer.get_json()["data"]["params"]) == (400, True)
