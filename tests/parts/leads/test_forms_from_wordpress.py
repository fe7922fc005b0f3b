"""`landform import-wordpress` brings forms, and entries where they are asked for."""

import json
from collections.abc import Iterator
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
FEED = {"id": "1", "form_id": "3", "is_active": "1", "addon_slug": "a", "meta": {"k": 1}}
SMALL = ("--only", "forms", "--probe", "2", "--entries")
WXR = (
    '<rss xmlns:wp="http://wordpress.org/export/1.2/"><channel>'
    "<wp:base_blog_url>https://shop.example</wp:base_blog_url></channel></rss>"
)


@pytest.fixture
def site() -> Iterator[Any]:
    """A WordPress with three forms, one of them inactive, and entries of the first."""
    with run_path(str(STANDIN / "server.py"))["StandIn"](STANDIN / "sites/campaigns") as site:
        site.pages, site.feeds = [], []
        site.forms = [{**FORM, "id": 3}, {**FORM, "id": 5, "is_active": "0", "fields": [UPLOAD]}]
        site.forms.append({**FORM, "id": 4, "fields": [{"id": -1}]})
        site.entries = [{**ENTRY, "id": str(number), "1": "Ádá"} for number in range(1, 21)]
        site.entries += [{**ENTRY, "id": "150", "status": "spam", "1": ["a", "b"]}]
        yield site


class Mover:
    """Runs `landform import-wordpress`, and reads its report."""

    def __init__(self, store: Store, folder: Path) -> None:
        self.store, self.file = store, folder / "report.json"

    def __call__(self, source: Any, *options: object, codes: tuple[int, ...] = (0, 3)) -> Any:
        user = ["--user", "admin"] if str(source).startswith("http") else []
        arguments = ["import-wordpress", source, *user, *options, "--report", self.file]
        variables = {"LANDFORM_WORDPRESS_PASSWORD": "admin-secret"}
        result = command(self.store, *arguments, **variables)
        assert result.exit_code in codes, result.output
        return json.loads(self.file.read_bytes())

    def twice(self, *arguments: object) -> Any:
        """Run with `--dry-run`, and then without, which has to do what the first said."""
        before = self.exported()
        said = self(*arguments, "--dry-run")
        assert self.exported() == before
        done = self(*arguments)
        same = ("counts", "deleted", "conflicts", "kept", "left_out", "gone_there", "exit_code")
        assert {name: said[name] for name in same} == {name: done[name] for name in same}
        return done

    def exported(self) -> str:
        return command(self.store, "export", "--entries").stdout


@pytest.fixture
def move(store: Store, tmp_path: Path) -> Iterator[Mover]:
    yield Mover(store, tmp_path)
    assert command(store, "verify").output == "Nothing is wrong.\n"


@pytest.fixture
def client(store: Store) -> Iterator[Any]:
    client = service(store.url)
    yield client
    client.store.dispose()


def test_forms_and_entries_keep_their_ids_and_changes_made_here(
    site: Any, move: Mover, client: Any
) -> None:
    # Gravity Forms' routes answer where a plugin has turned those of WordPress off.
    report = move.twice(f"{site.url}/restoff", *SMALL[:-1])
    assert report["counts"] == {"form": {"created": 2, "left-out": 1}}
    texts = {note["text"]: note["ids"] for note in report["notes"]}
    assert len([text for text in texts if "fileupload" in text or "logic" in text]) == 2
    assert move.twice(site.url, *SMALL)["counts"]["entry"] == {"created": 21}
    before = move.exported()
    report = move.twice(site.url, *SMALL)
    assert report["counts"]["entry"] == {"unchanged": 21}
    assert report["counts"]["form"]["unchanged"] == 2
    assert move.exported() == before
    assert client.get("/forms/5").get_json()["is_active"] == "0"
    assert client.get("/entries/150").get_json()["1"] == '["a","b"]'
    search = json.dumps({"field_filters": [{"key": "1", "value": "ada"}]})
    listed = client.get("/entries", query_string={"search": search}).get_json()
    assert listed["total_count"] == 20
    assert client.put("/entries/1", json={"1": "here"}).status_code == 200
    site.entries[0]["1"] = site.entries[1]["1"] = "there"
    site.forms[0]["title"] = "New"
    report = move.twice(site.url, *SMALL)
    assert report["counts"]["entry"] == {"conflict": 1, "updated": 1, "unchanged": 19}
    assert client.get("/forms/3").get_json()["title"] == "New"
    assert [client.get(f"/entries/{n}").get_json()["1"] for n in (1, 2)] == ["here", "there"]


def test_what_was_deleted_there_is_deleted_here_unless_it_was_changed(
    site: Any, move: Mover, client: Any
) -> None:
    site.forms[2] = {**FORM, "id": 6, "is_active": "0", "is_trash": "1"}
    move(site.url, *SMALL)
    assert client.put("/entries/2", json={"1": "here"}).status_code == 200
    assert client.delete("/entries/4", query_string={"force": "1"}).status_code == 200
    changed = {**client.get("/forms/5").get_json(), "title": "Here"}
    assert client.put("/forms/5", json=changed).status_code == 200
    site.forms, site.entries = [], site.entries[4:]
    # What a server in front of the site says does not count.
    site.front = lambda path: (404, {}, "nginx") if "/entries/1?" in path else None
    gone = [{"resource": "form", "id": number} for number in (3, 5, 6)]
    gone += [{"resource": "entry", "id": number} for number in (2, 3, 4)]
    before = move.exported()
    assert move.twice(site.url, *SMALL)["gone_there"] == gone
    assert move.exported() == before
    report = move.twice(site.url, *SMALL, "--delete")
    assert report["counts"]["form"] == {"deleted": 2, "conflict": 1}
    assert report["counts"]["entry"] == {"unchanged": 17, "deleted": 2, "conflict": 1}
    assert [(row["resource"], row["id"]) for row in report["conflicts"]] == [
        ("form", 5), ("entry", 2),
    ]  # fmt: skip
    forms = [client.get(f"/forms/{number}").get_json() for number in (3, 5, 6)]
    assert [form["is_trash"] for form in forms] == ["1", "0", "1"]
    codes = [client.get(f"/entries/{number}").status_code for number in (1, 2, 3, 4, 5)]
    assert codes == [200, 200, 404, 404, 200]
    deleted = [event["id"] for event in client.get("/events?type=entry.deleted").get_json()]
    assert len(deleted) == 2
    site.front = lambda path: None
    assert move.twice(site.url, *SMALL, "--delete")["counts"]["entry"]["deleted"] == 1
    before = move.exported()
    counts = move.twice(site.url, *SMALL, "--delete")["counts"]
    assert counts == {"form": {"conflict": 1}, "entry": {"unchanged": 17, "conflict": 1}}
    assert move.exported() == before


def test_an_interrupted_import_of_entries_goes_on_when_it_is_run_again(
    site: Any, move: Mover, client: Any
) -> None:
    site.entries = [{**ENTRY, "id": str(number), "1": "A"} for number in range(1, 122)]
    site.front = lambda path: (200, {}, "gone") if "current_page%5D=2" in path else None
    report = move(site.url, *SMALL, codes=(1,))
    assert report["counts"]["entry"] == {"created": 100}
    assert "run the same command again" in report["problems"][-1]
    site.front = lambda path: None
    # The report is that of an import without the interruption.
    assert move(site.url, *SMALL)["counts"]["entry"] == {"created": 121}
    assert client.get("/entries").get_json()["total_count"] == 121
    assert move.twice(site.url, *SMALL)["counts"]["entry"] == {"unchanged": 121}


def test_with_new_ids_feeds_and_entries_follow_their_forms(
    site: Any, move: Mover, client: Any
) -> None:
    assert client.post("/forms", json={"title": "Here"}).status_code == 201
    site.feeds, site.forms = [{**FEED, "form_id": "1"}], [{**FORM, "id": 1}]
    site.entries = [{**ENTRY, "id": "7", "form_id": "1"}]
    for outcome in ("created", "unchanged"):
        report = move.twice(site.url, "--probe", "0", "--new-ids", "--entries")
        assert report["counts"] == {name: {outcome: 1} for name in ("form", "feed", "entry")}
    forms = {form["title"]: form["id"] for form in client.get("/forms").get_json().values()}
    assert (len(forms), forms["Here"]) == (2, "1")
    assert [feed["form_id"] for feed in client.get("/feeds").get_json()] == [forms["Contact"]]
    entries = client.get("/entries").get_json()["entries"]
    assert [entry["form_id"] for entry in entries] == [forms["Contact"]]


@pytest.mark.parametrize("new_ids", [(), ("--new-ids",)])
def test_a_file_of_gravity_forms_has_forms_with_their_feeds(
    move: Mover, client: Any, tmp_path: Path, new_ids: tuple[str, ...]
) -> None:
    pytest.importorskip("defusedxml")
    assert client.post("/forms", json={"title": "Here"}).status_code == 201
    # Files have confirmations in a list; other programs leave out their ids.
    confirmations = [*FORM["confirmations"].values(), {"type": "message", "message": "Bye"}]
    form = {**FORM, "id": 3, "title": "From there", "confirmations": confirmations}
    others = {"1": {**FORM, "id": 4, "fields": [UPLOAD]}, "2": {"id": 5}, "3": {"title": "No id"}}
    files = tmp_path / "export.xml", tmp_path / "forms.json"
    files[0].write_text(WXR)
    files[1].write_text(json.dumps({"0": {**form, "feeds": [FEED]}, **others, "version": "2.10.2"}))
    arguments = (files[0], "--forms", files[1], *new_ids)
    report = move.twice(*arguments)
    assert report["counts"] == {"form": {"created": 2, "left-out": 1}, "feed": {"created": 1}}
    assert (report["without_id"], report["exit_code"]) == (1, 3)
    assert "form-not-shown" in {note["code"] for note in report["notes"]}
    (feed,) = client.get("/feeds").get_json()
    form = client.get(f"/forms/{feed['form_id']}").get_json()
    assert (form["title"], len(form["confirmations"])) == ("From there", 2)
    assert form["confirmations"]["c"] == FORM["confirmations"]["c"]
    assert (form["id"] == 3) == (not new_ids)
    before = move.exported()
    assert move.twice(*arguments)["counts"]["form"] == {"unchanged": 2, "left-out": 1}
    assert move.exported() == before


NOTE = {
    "id": "7", "entry_id": "1", "user_id": "1", "date_created": TIME, "value": "Called back.",
    "note_type": "user", "user_name": "Ada", "sub_type": None,
}  # fmt: skip


def test_notes_come_with_their_entries_and_what_cannot_be_read_stops_nothing(
    site: Any, move: Mover, client: Any
) -> None:
    answers: dict[str, Any] = {"/entries/1/notes": {"7": NOTE}, "/entries/2/notes": []}

    def front(path: str) -> Any:
        place = path.partition("/gf/v2")[2].partition("?")[0]
        if place.endswith("/notes"):
            answer = answers.get(place, [])
            return answer if isinstance(answer, tuple) else (200, {}, json.dumps(answer))
        return None

    site.front = front
    assert move.twice(site.url, *SMALL)["counts"]["entry"] == {"created": 21}
    note = {key: NOTE[key] for key in ("id", "entry_id", "user_name", "date_created", "value")}
    assert client.get("/entries/1/notes").get_json() == {"7": {**note, "note_type": "user"}}
    assert move.twice(site.url, *SMALL)["counts"]["entry"] == {"unchanged": 21}
    # A note that is written here is a change made here.
    assert client.post("/entries/2/notes", json={"value": "Here"}).status_code == 201
    answers["/entries/1/notes"] = {"7": {**NOTE, "value": "Changed."}, "9": {**NOTE, "id": "9"}}
    report = move.twice(site.url, *SMALL)
    assert report["counts"]["entry"] == {"updated": 1, "kept": 1, "unchanged": 19}
    assert [*client.get("/entries/1/notes").get_json()] == ["7", "9"]
    # Another note has this id here.
    answers["/entries/3/notes"] = {"9": {**NOTE, "id": "9", "value": "Third"}}
    for outcome in ("updated", "unchanged"):
        assert move(site.url, *SMALL)["counts"]["entry"].get(outcome, 0) >= 1
    third = [*client.get("/entries/3/notes").get_json().values()]
    assert [each["value"] for each in third] == ["Third"]
    kept = {number: client.get(f"/entries/{number}/notes").get_json() for number in (1, 2, 3)}
    answers |= {"/entries/1/notes": (400, {}, "x"), "/entries/2/notes": (200, {}, "x")}
    report = move(site.url, *SMALL, codes=(1,))
    assert len([text for text in report["problems"] if "notes on entry" in text]) == 2
    refused = (403, {}, json.dumps({"code": "rest_forbidden"}))
    answers |= dict.fromkeys(("/entries/1/notes", "/entries/2/notes"), refused)
    report = move(site.url, *SMALL)
    assert [text for text in report["warnings"] if "notes" in text][1:] == [
        "No more notes on entries were read."
    ]
    for number, notes in kept.items():
        assert client.get(f"/entries/{number}/notes").get_json() == notes
