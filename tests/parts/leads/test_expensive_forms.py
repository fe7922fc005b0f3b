"""Forms that would cost much: refused when they are written, and harmless if they are there."""

import json
from pathlib import Path
from typing import Any

import pytest
from applications import Client
from files import command, written

FIELD = {"id": 1, "type": "textarea", "label": "Message"}
BROWSER = {"Accept": "text/html"}
# HTML that takes long to clean, or becomes many times as long.
EXPENSIVE = ("&" * 400_000, "<b><p>" * 2_000, "<i>" * 10_001, "<" * 400_000)
PATH = "/forms/1/submissions"


def html_field(html: str, number: int = 2) -> dict[str, Any]:
    return {"id": number, "type": "html", "label": "", "content": html}


def with_confirmation(**keys: Any) -> dict[str, Any]:
    return {"confirmations": {"c": {"id": "c", "isDefault": True, "type": "message", **keys}}}


FIELDS: list[dict[str, Any]] = [
    *({"fields": [FIELD, html_field(html)]} for html in EXPENSIVE),
    {"fields": [{**FIELD, "description": EXPENSIVE[1]}]},
    # Each of them alone would be accepted.
    {"fields": [FIELD, *(html_field("<b><p>" * 90 + str(n), n) for n in range(2, 300))]},
]
REFUSED: list[tuple[str, dict[str, Any]]] = [
    *(("fields", form) for form in FIELDS),
    ("description", {"description": EXPENSIVE[0]}),
    ("confirmations", with_confirmation(message=EXPENSIVE[1])),
    ("confirmations", with_confirmation(message="x" * 100_001)),
    ("confirmations", with_confirmation(type="redirect", url="https://a.example/" + "#" * 2000)),
    ("confirmations", with_confirmation(type="page", queryString="x" * 2001)),
]


@pytest.mark.parametrize(("name", "form"), REFUSED)
def test_a_form_that_would_cost_much_is_refused(
    client: Client, name: str, form: dict[str, Any]
) -> None:
    old = client.post("/forms", json={"title": "A", "fields": [FIELD]}).get_json()
    new = {"title": "B", "fields": [FIELD], **form}
    for answer in (client.post("/forms", json=new), client.put("/forms/1", json=new)):
        assert answer.status_code == 400
        assert [*answer.get_json()["data"]["params"]] == [name]
    assert client.get("/forms/1").get_json() == old
    assert client.get("/forms/2").status_code == 404


def import_form(client: Client, url: str, folder: Path, **meta: Any) -> None:
    """Import a form as an earlier version could have it, and show it on a page."""
    times = dict.fromkeys(("date_created_utc", "modified_utc"), "2026-01-01T00:00:00")
    row = {"resource": "form", "id": 1, "version": 1, "title": "Old", "is_active": True, **times}
    stored = {"fields": [FIELD], **with_confirmation(message="Thanks"), **meta}
    rows = written(folder / "rows", [{**row, "is_trash": False, "meta": stored}])
    result = command(url, "import", rows)
    assert (result.exit_code, result.output) == (0, "1 created, 0 changed, 0 unchanged\n")
    client.page(slug="old", status="publish", meta={"form_id": "1"})
    assert command(url, "verify").output == "Nothing is wrong.\n"


@pytest.mark.parametrize("form", FIELDS)
def test_one_of_an_earlier_version_is_kept_and_not_shown(
    client: Client, database_url: str, tmp_path: Path, form: dict[str, Any]
) -> None:
    import_form(client, database_url, tmp_path, **form)
    for number in range(3):
        page = client.anonymous.get(f"/old/?n={number}", headers=BROWSER)
        assert (page.status_code, "<form" in page.text) == (200, False)
    refused = client.anonymous.post(PATH, json={"input_1": "x"})
    assert (refused.status_code, refused.get_json()["code"]) == (400, "form_restriction_error")
    read = client.get("/forms/1").get_json()
    assert len(read["fields"]) == len(form["fields"])
    assert client.put("/forms/1", json=read).status_code == 400
    warned = client.delete("/forms/1").headers["X-Landform-Warning"]
    assert "HTML" in warned


@pytest.mark.parametrize(
    ("confirmation", "shown"),
    [
        ({"message": EXPENSIVE[1]}, "Thanks for contacting us!"),
        ({"type": "redirect", "url": "https://a.example/" + "#" * 300_000 + "}"}, "Thanks"),
        # A value is in the message no more often than the limit allows.
        ({"message": "{all_fields}" * 8_000}, "xxx"),
        ({"message": "".join(f"{{M{number}:1}}" for number in range(20_000))}, "xxx"),
    ],
)
def test_a_confirmation_of_an_earlier_version_is_made_at_once(
    client: Client, database_url: str, tmp_path: Path, confirmation: dict[str, Any], shown: str
) -> None:
    import_form(client, database_url, tmp_path, **with_confirmation(**confirmation))
    answer = client.anonymous.post(PATH, json={"input_1": "x" * 9_000})
    assert answer.status_code == 200
    body = answer.get_json()
    assert (body["confirmation_type"], "confirmation_redirect" in body) == ("message", False)
    assert shown in body["confirmation_message"]
    assert len(answer.data) < 2_100_000
    assert client.get("/entries").get_json()["total_count"] == 1


def test_a_message_is_cleaned_for_front_ends_as_it_is_on_a_page(client: Client) -> None:
    attack = '<b onclick="x">Hi</b><script>x</script><a href="javascript:x">{M:1}</a>'
    form = {"title": "A", "fields": [FIELD], **with_confirmation(message=attack)}
    key = client.key("writer", "forms:write")
    assert client.post("/forms", json=form, headers=key).status_code == 201
    answer = client.anonymous.post(PATH, json={"input_1": "<i>Ada"})
    message = answer.get_json()["confirmation_message"]
    assert message == '<b>Hi</b><a rel="noopener noreferrer">&lt;i&gt;Ada</a>'


def test_a_long_answer_is_stored_whole_and_found(client: Client) -> None:
    limited = {**FIELD, "id": 2, "type": "text", "maxLength": 19_999}
    client.post("/forms", json={"title": "A", "fields": [FIELD, limited]})
    answer = "Ä word. " + "€ " * 9_990 + "Ende"
    refused = client.anonymous.post(PATH, json={"input_1": answer, "input_2": "x" * 20_000})
    messages = refused.get_json()["validation_messages"]
    assert messages == {"2": "Please enter at most 19999 characters."}
    odd = client.anonymous.post(PATH, json={"input_1": "\ufdfa" * 8_000}).get_json()
    assert "characters" in odd["validation_messages"]["1"]
    assert client.anonymous.post(PATH, json={"input_1": answer}).status_code == 200
    by_hand = client.post("/entries", json={"form_id": 1, "1": "x" * 20_000})
    assert by_hand.status_code == 201
    for operator, text, ids in (("contains", "ENDE", ["1"]), ("is", "x" * 2_000, [])):
        search = json.dumps({"field_filters": [{"key": "1", "operator": operator, "value": text}]})
        found = client.get("/entries", query_string={"search": search}).get_json()["entries"]
        assert [entry["id"] for entry in found] == ids
    assert client.get("/entries/1").get_json()["1"] == answer
    assert answer in client.get("/forms/1/entries", headers={"Accept": "text/csv"}).text
