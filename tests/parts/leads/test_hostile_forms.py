"""Forms with values of any type in any place: refused, or shown and submitted, never a 500."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from applications import Client
from flask import Flask

KINDS = (
    "text textarea email phone website number select radio checkbox name consent html section "
    "date hidden"
).split()
KEYS = (
    "label description placeholder maxLength rangeMin numberFormat dateFormat phoneFormat choices "
    "inputs isRequired noDuplicates defaultValue errorMessage visibility inputName content "
    "checkboxLabel autocompleteAttribute name isHidden text value isSelected"
).split()
FORM_KEYS = (
    "description button confirmations notifications message url pageId queryString isActive "
    "conditionalLogic type"
).split()
# Those of a confirmation that redirects.
REDIRECT_KEYS = ("message", "url", "pageId", "queryString", "type")
ODD: list[Any] = [True, 10**30, "<b>", [], ["a"], [{"value": []}], {"rules": [{"fieldId": []}]}]


def make_form(key: str, value: Any) -> dict[str, Any]:
    """Return a form of all types of fields with a value in every place of a key."""
    part = {"label": "L", "text": "A", "value": "a", key: value}
    fields = []
    for number, kind in enumerate(KINDS, 1):
        inputs = {"inputs": [{"id": f"{number}.3", "choices": [part], **part}]}
        more = inputs if kind in ("name", "checkbox") else {}
        fields.append({"type": kind, "choices": [part], **more, "allowsPrepopulate": True, **part})
    return {"title": "Form", "fields": fields}


@pytest.fixture
def desk(client: Client) -> Client:
    """A client with a form on a published page."""
    client.post("/forms", json=make_form("x", None))
    client.page(slug="p", status="publish", meta={"form_id": "1"})
    return client


def assert_no_500(desk: Client, form: dict[str, Any], name: object) -> bool:
    written = desk.put("/forms/1", json=form)
    assert written.status_code in (200, 400), (name, written.text)
    if written.status_code == 400:
        return False
    sent = {"input_1": "a", "input_10_3": "b", "input_9": ["a"]}
    html, path = {"Accept": "text/html"}, "/forms/1/submissions"
    for answer in (
        desk.anonymous.get("/p/", headers=html),
        desk.anonymous.post(path, json=sent),
        desk.anonymous.post(path, data={"input_1": "a", "landform_page": "1"}, headers=html),
    ):
        assert answer.status_code < 500, (name, answer.request.path)
    return True


@pytest.mark.settings(SUBMISSIONS_PER_MINUTE=1_000_000)
@pytest.mark.slow
def test_no_value_in_a_form_is_a_500_when_it_is_shown_or_submitted(desk: Client) -> None:
    forms = {(key, number): make_form(key, odd) for key in KEYS for number, odd in enumerate(ODD)}
    confirmation = {"id": "c", "isDefault": True, "message": "{all_fields} {L:1}"}
    for key in FORM_KEYS:
        for number, odd in enumerate(ODD):
            form = {"title": "Form", "fields": [{"type": "text", "label": "L"}], key: odd}
            for kind in ("message", "redirect") if key in REDIRECT_KEYS else ("message",):
                one = {**confirmation, "type": kind, "url": "https://example.com/", key: odd}
                forms[f"{kind} {key}", number] = {**form, "confirmations": {"c": one}}
    written = [assert_no_500(desk, form, name) for name, form in forms.items()]
    assert 150 < sum(written) < len(forms)
    for path in ("/entries?_labels=1", "/forms/1/entries?_labels=1"):
        assert desk.get(path).status_code == 200
    assert desk.get("/forms/1/entries", headers={"Accept": "text/csv"}).status_code == 200


def test_as_many_values_as_a_submission_may_have_can_each_be_sent_only_once(client: Client) -> None:
    fields: list[Any] = [{"id": number, "type": "text", "label": "L"} for number in range(1, 101)]
    # Gravity Forms leaves out every tenth number of a box.
    boxes = {f"input_101_{number}": f"c{number}" for number in range(1, 100) if number % 10}
    choices = [{"text": text, "value": text} for text in boxes.values()]
    fields.append({"id": 101, "type": "checkbox", "label": "L", "choices": choices})
    client.post(
        "/forms", json={"title": "F", "fields": [{**x, "noDuplicates": True} for x in fields]}
    )
    sent = {f"input_{number}": "A" for number in range(1, 101)} | boxes
    path = "/forms/1/submissions"
    assert client.post(path, json=sent).status_code == 200
    again = [client.post(where, json=sent) for where in (path, f"{path}/validation")]
    for answer in again:
        assert answer.status_code == 400
        assert len(answer.get_json()["validation_messages"]) == len(fields)
    assert client.get("/entries").get_json()["total_count"] == 1


def test_of_a_value_that_may_be_there_once_and_is_sent_at_the_same_time_one_is_stored(
    app: Flask,
) -> None:
    client = Client(app)
    field = {"id": 1, "type": "email", "label": "E-mail", "noDuplicates": True}
    client.post("/forms", json={"title": "F", "fields": [field]})

    def submit(number: int) -> int:
        # The same but for capitals.
        sent = {"input_1": f"{'aA'[number % 2]}da@example.com"}
        return Client(app).post("/forms/1/submissions", json=sent).status_code

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(submit, range(40))) == [200] + [400] * 39
    assert client.get("/entries").get_json()["total_count"] == 1
