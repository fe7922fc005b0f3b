"""`landform import-wordpress` brings forms, and entries where they are asked for."""

import json
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest
from applications import service
from files import command

from landform.storage import Store

pytest.importorskip("landform.parts.moving_in")
STANDIN = Path(__file__).parents[1] / "moving_in/standin"
TIME = "2026-01-31 12:00:00"
FORM: dict[str, Any] = {
    "title": "Contact", "is_active": "1", "is_trash": "0", "date_created": TIME,
    "fields": [{"id": 1, "type": "text", "label": "Name", "inputs": None, "choices": ""}],
    "confirmations": {"c": {"id": "c", "isDefault": True, "type": "message", "message": "Hi"}},
}  # fmt: skip
UPLOAD = {"id": 1, "type": "fileupload", "label": "File", "conditionalLogic": {"rules": []}}
ENTRY: dict[str, Any] = {
    "form_id": "3", "status": "active", "is_read": "1", "is_starred": "0", "date_created": TIME,
    "date_updated": TIME, "created_by": None, "ip": "", "source_url": "https://a.example/",
    "user_agent": "", "currency": "USD", "post_id": None,
}  # fmt: skip


def test_forms_and_entries_keep_their_ids_and_changes_made_here(
    store: Store, tmp_path: Path
) -> None:
    variables = {"LANDFORM_WORDPRESS_PASSWORD": "admin-secret"}
    report_file = tmp_path / "report.json"
    with run_path(str(STANDIN / "server.py"))["StandIn"](STANDIN / "sites/campaigns") as site:

        def move(*options: str) -> Any:
            arguments = (site.url, "--user", "admin", "--probe", "2", "--only", "forms", *options)
            result = command(
                store, "import-wordpress", *arguments, "--report", report_file, **variables
            )
            assert result.exit_code in (0, 3), result.output
            return json.loads(report_file.read_bytes())

        site.forms = [{**FORM, "id": 3}, {**FORM, "id": 5, "is_active": "0", "fields": [UPLOAD]}]
        site.forms.append({**FORM, "id": 4, "fields": [{"id": -1}]})
        site.entries = [{**ENTRY, "id": str(number), "1": "Ádá"} for number in range(1, 121)]
        site.entries += [{**ENTRY, "id": "150", "status": "spam", "1": ["a", "b"]}]
        report = move()
        assert report["counts"] == {"form": {"created": 2, "left-out": 1}}
        texts = {note["text"]: note["ids"] for note in report["notes"]}
        assert len([text for text in texts if "fileupload" in text or "logic" in text]) == 2
        assert move("--entries")["counts"]["entry"] == {"created": 121}
        report = move("--entries")
        assert report["counts"]["entry"] == {"unchanged": 121}
        assert report["counts"]["form"]["unchanged"] == 2
        client = service(store.url)
        assert client.get("/forms/5").get_json()["is_active"] == "0"
        assert client.get("/entries/150").get_json()["1"] == '["a","b"]'
        search = json.dumps({"field_filters": [{"key": "1", "value": "ada"}]})
        listed = client.get("/entries", query_string={"search": search}).get_json()
        assert listed["total_count"] == 120
        assert client.put("/entries/1", json={"1": "here"}).status_code == 200
        site.entries[0]["1"] = site.entries[1]["1"] = "there"
        site.forms[0]["title"] = "New"
        report = move("--entries")
        assert report["counts"]["entry"] == {"conflict": 1, "updated": 1, "unchanged": 119}
        assert client.get("/forms/3").get_json()["title"] == "New"
        assert [client.get(f"/entries/{n}").get_json()["1"] for n in (1, 2)] == ["here", "there"]
        client.store.dispose()
    assert command(store, "verify").output == "Nothing is wrong.\n"


def test_with_new_ids_feeds_and_entries_follow_their_forms(store: Store) -> None:
    assert service(store.url).post("/forms", json={"title": "Here"}).status_code == 201
    variables = {"LANDFORM_WORDPRESS_PASSWORD": "admin-secret"}
    with run_path(str(STANDIN / "server.py"))["StandIn"](STANDIN / "sites/campaigns") as site:
        feed = {"id": "1", "form_id": "1", "is_active": "1", "addon_slug": "a", "meta": {"k": 1}}
        site.pages, site.feeds = [], [feed]
        site.forms, site.entries = [{**FORM, "id": 1}], [{**ENTRY, "id": "7", "form_id": "1"}]
        arguments = (site.url, "--user", "admin", "--probe", "0", "--new-ids", "--entries")
        for _ in range(2):
            dry = command(store, "import-wordpress", *arguments, "--dry-run", **variables)
            assert dry.exit_code == 0, dry.output
            moved = command(store, "import-wordpress", *arguments, **variables)
            assert moved.exit_code == 0, moved.output
    client = service(store.url)
    forms = {form["title"]: form["id"] for form in client.get("/forms").get_json().values()}
    assert (len(forms), forms["Here"]) == (2, "1")
    assert [feed["form_id"] for feed in client.get("/feeds").get_json()] == [forms["Contact"]]
    entries = client.get("/entries").get_json()["entries"]
    assert [entry["form_id"] for entry in entries] == [forms["Contact"]]
    client.store.dispose()
