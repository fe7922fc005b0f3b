"""Notes on entries: who reads and writes them, and that they go where their entry goes."""

from datetime import UTC, datetime
from typing import Any

import pytest
from databases import run_sql
from desk import Desk
from flask import Flask

NOTE = {"value": "Called back: <b>wants</b> an offer. Ünï"}


@pytest.fixture
def desk(app: Flask, database_url: str) -> Desk:
    """A client with a form and two entries."""
    desk = Desk(app, database_url)
    for email in ("ada@example.com", "bob@example.com"):
        desk.submit(f2=email)
    return desk


@pytest.mark.parametrize("base", ["", "/wp-json/gf/v2"])
def test_a_note_is_written_read_changed_and_deleted(desk: Desk, base: str) -> None:
    path = f"{base}/entries/1/notes"
    empty = desk.get(path)
    assert (empty.status_code, empty.get_json(), empty.headers["Cache-Control"]) == (
        200, [], "no-store",
    )  # fmt: skip
    created = desk.post(path, json={**NOTE, "id": 77, "entry_id": 2, "user_name": "Eve"})
    note = created.get_json()
    assert created.status_code == 201
    assert created.headers["Location"].endswith(f"{base}/notes/1")
    age = datetime.now(UTC) - datetime.fromisoformat(f"{note['date_created']}+00:00")
    assert abs(age.total_seconds()) < 100
    same = {"id": "1", "entry_id": "1", "user_name": "admin", "note_type": "user", **NOTE}
    assert note == {**same, "date_created": note["date_created"]}
    second = desk.post(path, json={"value": "Second"}).get_json()
    assert desk.get(path).get_json() == {"1": note, "2": second}
    assert desk.get(f"{base}/entries/2/notes").get_json() == []
    assert desk.get(f"{base}/notes/1").get_json() == note
    # As it was read, with another text.
    changed = {**note, "value": "Other"}
    assert desk.put(f"{base}/notes/1", json=note).get_json() == note
    answers = [desk.put(f"{base}/notes/1", json=changed), desk.get(f"{base}/notes/1")]
    assert [(each.status_code, each.get_json()) for each in answers] == [(200, changed)] * 2
    deleted = desk.delete(f"{base}/notes/1")
    assert (deleted.status_code, deleted.get_json()) == (
        200, {"deleted": True, "previous": changed},
    )  # fmt: skip
    assert [*desk.get(path).get_json()] == ["2"]


def test_what_is_not_there_is_a_404_and_wrong_bodies_change_nothing(desk: Desk) -> None:
    desk.post("/entries/1/notes", json=NOTE)
    for entry_id in (0, 99, 10**18, 10**30):
        for method in ("GET", "POST"):
            answer = desk.open(f"/entries/{entry_id}/notes", method=method, json=NOTE)
            assert (answer.status_code, answer.get_json()["code"]) == (404, "gf_entry_invalid_id")
    for note_id in (0, 99, 10**30):
        for method in ("GET", "PUT", "DELETE"):
            answer = desk.open(f"/notes/{note_id}", method=method, json=NOTE)
            assert (answer.status_code, answer.get_json()["code"]) == (404, "gf_note_invalid_id")
    wrong: list[tuple[Any, str]] = [
        ({}, "missing_entry"), ([], "missing_entry"), (None, "missing_entry"),
        ({"user_name": "Eve"}, "rest_missing_callback_param"),
        ({"value": None}, "rest_missing_callback_param"),
        *(({"value": value}, "rest_invalid_param") for value in ("", 1, ["x"], {}, "\0")),
        ({"value": "x" * 20_001}, "rest_invalid_param"),
    ]  # fmt: skip
    for method, path in (("POST", "/entries/1/notes"), ("PUT", "/notes/1")):
        for body, code in wrong:
            answer = desk.open(path, method=method, json=body)
            assert (body, answer.status_code, answer.get_json()["code"]) == (body, 400, code)
    kept = desk.get("/entries/1/notes").get_json()
    assert [note["value"] for note in kept.values()] == [NOTE["value"]]


def test_who_may_only_write_sees_neither_texts_nor_authors(desk: Desk) -> None:
    desk.post("/entries/1/notes", json=NOTE)
    key = desk.key("writer", "entries:write")
    for method, path in (("PUT", "/notes/1"), ("DELETE", "/notes/1")):
        answer = desk.anonymous.open(path, method=method, json={"value": "New"}, headers=key)
        assert answer.status_code == 200
        assert not any(text in answer.text for text in ("admin", "New", "Called"))
    answer = desk.anonymous.post("/entries/1/notes", json=NOTE, headers=key)
    assert answer.status_code == 201
    assert desk.get("/notes/2").get_json()["user_name"] == "writer"


@pytest.mark.parametrize("way", ["delete", "erase", "form", "age"])
def test_notes_go_with_their_entry(desk: Desk, way: str) -> None:
    for entry_id in (1, 2):
        desk.post(f"/entries/{entry_id}/notes", json=NOTE)
    desk.delete("/entries/1")
    assert desk.get("/notes/1").status_code == 200
    if way == "delete":
        desk.delete("/entries/1?force=1")
    elif way == "erase":
        assert desk.post("/entries/erase", json={"email": "ada@example.com"}).status_code == 200
    elif way == "form":
        assert desk.delete(f"/forms/{desk.form}?force=1").status_code == 200
        desk.deliver()
    else:
        old = "'2020-01-01T00:00:00'"
        run_sql(
            desk.url, f"UPDATE entry SET created_utc = {old}, modified_utc = {old} WHERE id = 1"
        )
        desk.deliver()
    assert desk.get("/notes/1").status_code == 404
    assert desk.get("/entries/1/notes").status_code == 404
    assert run_sql(desk.url, "SELECT count(*) FROM entry_note") == [(way != "form",)]


@pytest.mark.settings(MAX_RESPONSE_BYTES=30_000)
def test_a_list_of_notes_is_bounded(desk: Desk) -> None:
    for _ in range(2):
        assert desk.post("/entries/1/notes", json={"value": "x" * 20_000}).status_code == 201
    assert desk.get("/entries/1/notes").status_code == 400
    assert desk.get("/notes/1").status_code == 200
