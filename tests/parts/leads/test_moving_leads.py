"""Forms and entries in exports, imports, comparisons, copies and checks."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from applications import service
from conftest import migrated
from databases import run_sql
from files import command, written

from landform.storage import Store

FORM: dict[str, Any] = {
    "title": "Contact",
    "fields": [{"id": 1, "type": "text", "label": "Contact"}, {"id": 2, "type": "number"}],
}


@pytest.fixture
def store(make_database: Callable[[], str]) -> Store:
    """A store with two forms, the second with a page, a feed and two entries."""
    store = migrated(make_database())
    client = service(store.url)
    for title in ("Other", "Contact"):
        assert client.post("/forms", json={**FORM, "title": title}).status_code == 201
    meta = {"form_id": "2"}
    page = client.post("/pages", json={"title": "A", "status": "publish", "meta": meta})
    feed = client.post("/forms/2/feeds", json={"addon_slug": "a", "meta": {"a": 1}})
    sent = {"input_1": "Ádá@example.com", "input_2": "7.5"}
    first = client.post("/forms/2/submissions", json=sent)
    second = client.post("/entries", json={"form_id": 2, "1": "b@example.com", "status": "spam"})
    assert {answer.status_code for answer in (page, feed, first, second)} <= {200, 201}
    client.store.dispose()
    return store


@pytest.fixture
def other(make_database: Callable[[], str]) -> Store:
    return migrated(make_database())


def exported(store: Store | str | Path, *options: str) -> list[dict[str, Any]]:
    result = command(store, "export", *options)
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def imported(store: Store, folder: Path, rows: list[dict[str, Any]], *options: str) -> Any:
    return command(store, "import", written(folder / "rows", rows), *options)


def test_forms_are_exported_and_entries_only_if_asked_for(store: Store) -> None:
    kinds = [row["resource"] for row in exported(store)]
    assert kinds == ["form", "form", "page", "feed"]
    assert [row["title"] for row in exported(store, "--forms")] == ["Other", "Contact"]
    rows = exported(store, "--entries")
    assert [row["resource"] for row in rows] == [*kinds, "entry", "entry"]
    assert rows[4]["values"] == {"1": "Ádá@example.com", "2": "7.5"}
    assert (rows[5]["form_id"], rows[5]["status"], rows[5]["id"]) == (2, "spam", 2)


def test_an_import_makes_the_same_forms_and_entries_which_can_be_searched(
    store: Store, other: Store, tmp_path: Path
) -> None:
    rows = exported(store, "--entries")
    assert imported(other, tmp_path, rows).output == "6 created, 0 changed, 0 unchanged\n"
    assert imported(other, tmp_path, rows).output == "0 created, 0 changed, 6 unchanged\n"
    assert exported(other, "--entries") == rows
    assert command(other, "verify").output == "Nothing is wrong.\n"
    client = service(other.url)
    for key, text, operator in (("1", "ada@EXAMPLE.com", "is"), ("2", "7", ">")):
        entry_filter = {"key": key, "value": text, "operator": operator}
        search = json.dumps({"field_filters": [entry_filter]})
        found = client.get("/entries", query_string={"search": search}).get_json()
        assert [entry["id"] for entry in found["entries"]] == ["1"]
    assert client.get("/runs").get_json() == []
    client.store.dispose()
    rows[4]["values"] = {"1": "new@example.com", "2": ""}
    changed = imported(other, tmp_path, rows)
    assert changed.output == "0 created, 1 changed, 5 unchanged\n"
    assert exported(other, "--entries")[4]["values"] == {"1": "new@example.com"}


def test_by_slug_forms_are_those_with_their_titles_and_what_belongs_to_them_follows(
    store: Store, other: Store, tmp_path: Path
) -> None:
    assert service(other.url).post("/forms", json=FORM).status_code == 201
    result = imported(other, tmp_path, exported(store), "--by", "slug")
    assert result.output == "3 created, 1 changed, 0 unchanged\n"
    rows = exported(other)
    assert [(row["id"], row["title"]) for row in rows[:2]] == [(1, "Contact"), (2, "Other")]
    assert (rows[2]["meta"]["form_id"], rows[3]["form_id"]) == ("1", 1)
    refused = imported(other, tmp_path, exported(store, "--entries"), "--by", "slug")
    assert (refused.exit_code, "entry 1 has no slug" in refused.output) == (1, True)


def test_a_mapped_form_is_the_one_that_is_here(store: Store, other: Store, tmp_path: Path) -> None:
    rows = exported(store, "--entries")
    assert imported(other, tmp_path, rows, "--map-form", "2=17").exit_code == 0
    rows = exported(other, "--entries")
    assert [row["title"] for row in rows if row["resource"] == "form"] == ["Other"]
    assert {row["form_id"] for row in rows if "form_id" in row} == {17}


def test_notes_are_exported_imported_and_copied_with_their_entry(
    store: Store, other: Store, make_database: Callable[[], str], tmp_path: Path
) -> None:
    client = service(store.url)
    for entry_id, value in ((1, "Old"), (2, "Deleted"), (1, "New")):
        assert client.post(f"/entries/{entry_id}/notes", json={"value": value}).status_code == 201
    assert client.delete("/notes/2").status_code == 200
    client.store.dispose()
    rows = exported(store, "--entries")
    assert [note["value"] for note in rows[4]["notes"]] == ["Old", "New"]
    assert imported(other, tmp_path, rows).output == "6 created, 0 changed, 0 unchanged\n"
    assert imported(other, tmp_path, rows).output == "0 created, 0 changed, 6 unchanged\n"
    assert exported(other, "--entries") == rows
    assert command(other, "verify").output == "Nothing is wrong.\n"
    target = make_database()
    if "sqlite" in store.url:
        target = f"sqlite:///{tmp_path}/copy.db"
    assert command(store, "copy", store.url, target).exit_code == 0
    for url in (other.url, target):
        client = service(url)
        notes = client.get("/entries/1/notes").get_json()
        assert [*notes] == ["1", "3"]
        # No id is given twice.
        assert client.post("/entries/2/notes", json={"value": "x"}).get_json()["id"] == "4"
        client.store.dispose()
    # A line of an earlier version has no notes, and leaves them alone.
    earlier = {**rows[4], "values": {"1": "x"}}
    del earlier["notes"], earlier["note_ids"]
    assert imported(other, tmp_path, [earlier]).output == "0 created, 1 changed, 0 unchanged\n"
    assert exported(other, "--entries")[4]["notes"] == rows[4]["notes"]
    taken = {**rows[5], "notes": rows[4]["notes"][:1], "note_ids": [1]}
    assert imported(other, tmp_path, [taken]).exit_code == 0
    after = exported(other, "--entries")
    assert (after[4]["note_ids"], len(after[5]["note_ids"])) == ([1, 3], 1)


WRONG = {
    "title": [("form", {"title": ""}), ("form", {"title": 1})],
    "meta": [("form", {"meta": []})],
    "fields": [("form", {"meta": {"fields": [1]}}), ("form", {"meta": {"fields": [{"id": -1}]}})],
    "confirmations": [("form", {"meta": {"confirmations": [1]}})],
    "status": [("entry", {"status": "gone"})],
    "created_utc": [("entry", {"created_utc": ""}), ("entry", {"created_utc": "soon"})],
    "values": [("entry", {"values": {"status": "spam"}}), ("entry", {"values": "x"})],
    "1": [("entry", {"values": {"1": ["a"]}}), ("entry", {"values": {"1": "\0"}})],
    "properties": [("entry", {"properties": {"x": 1}}), ("entry", {"properties": 1})],
    "notes": [("entry", {"notes": [1], "note_ids": [1]}), ("entry", {"notes": [{"value": "x"}]})],
    "note_ids": [("entry", {"note_ids": [1]}), ("entry", {"note_ids": ["x"]})],
    "nothing": [("entry", {"nothing": 1}), ("form", {"nothing": 1})],
}


def test_an_invalid_line_is_named_and_nothing_is_imported(
    store: Store, other: Store, tmp_path: Path
) -> None:
    lines = {row["resource"]: row for row in exported(store, "--entries")}
    wrong = [(name, case) for name, cases in WRONG.items() for case in cases]
    rows = [{**lines[resource], **change} for _, (resource, change) in wrong]
    result = imported(other, tmp_path, rows)
    assert (result.exit_code, "Nothing was imported." in result.output) == (1, True)
    for number, (name, _) in enumerate(wrong, 1):
        single = imported(other, tmp_path, [rows[number - 1]])
        assert f"line 1: {name}" in single.output, (number, single.output)
    assert exported(other, "--entries") == []


def test_verify_names_json_that_is_none_and_vacuum_computes_values_again(store: Store) -> None:
    query = "SELECT folded, number FROM entry_value ORDER BY entry_id, key"
    before = run_sql(store.url, query)
    run_sql(store.url, "UPDATE entry_value SET folded = 'x', number = 8 WHERE entry_id = 1")
    assert command(store, "vacuum").exit_code == 0
    assert run_sql(store.url, query) == before
    run_sql(store.url, "UPDATE form SET meta = '[]' WHERE id = 1")
    run_sql(store.url, "UPDATE entry SET properties = '{' WHERE id = 2")
    result = command(store, "verify")
    assert "1 rows of form whose meta" in result.output
    assert "1 rows of entry whose properties" in result.output


def test_copies_and_backups_hold_forms_and_entries(
    store: Store, make_database: Callable[[], str], tmp_path: Path
) -> None:
    target = make_database()
    if "sqlite" in store.url:
        target = f"sqlite:///{tmp_path}/copy.db"
    copied = command(store, "copy", store.url, target)
    assert copied.exit_code == 0, copied.output
    before = exported(store, "--entries")
    assert exported(target, "--entries") == before
    backup = tmp_path / "backup.db"
    if "sqlite" in store.url:
        assert command(store, "backup", backup).exit_code == 0
        assert exported(backup, "--entries") == before
