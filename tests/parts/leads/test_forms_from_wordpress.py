"""`landform import-wordpress` brings forms, and entries where they are asked for."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest
from applications import service
from files import command

from landform.storage import Store

http = pytest.importorskip("landform.parts.moving_in.wordpress.client")
OWN_SITE = Path(__file__).parents[1] / "moving_in/own_site.py"
pytestmark = pytest.mark.servers
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
    with run_path(str(OWN_SITE))["OwnSite"]() as site:
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
    assert len([text for text in texts if "fileupload" in text]) == 1
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


def test_forms_move_where_the_first_one_was_deleted(site: Any, move: Mover, client: Any) -> None:
    site.forms = [{**FORM, "id": 2}, {**FORM, "id": 7, "is_active": "0"}, {**FORM, "id": 300}]
    site.feeds = [{**FEED, "form_id": "300"}]
    report = move.twice(site.url, "--probe", "3")
    assert (report["counts"], report["exit_code"]) == (
        {"form": {"created": 3}, "feed": {"created": 1}}, 0,
    )  # fmt: skip
    assert client.get("/forms/7").get_json()["is_active"] == "0"
    assert [feed["form_id"] for feed in client.get("/feeds").get_json()] == ["300"]


PLUGIN = json.dumps({"code": "internal_server_error", "message": "", "data": {"status": 500}})
BROKEN: dict[str, Any] = {
    "a plugin's 500": (500, {}, PLUGIN),
    "a 500 of HTML": (500, {}, "<h1>Critical error</h1>"),
    "no JSON": (200, {}, "gone"),
    "a number that no JSON has": (200, {}, json.dumps({**FORM, "id": 7, "ratio": float("inf")})),
    "another value": (200, {}, "[1]"),
    "a firewall's 403": (403, {}, "<h1>Blocked</h1>"),
    "a 404 that is not WordPress's": (404, {}, '{"message": "no route"}'),
    "a cut response": (200, {"Content-Length": "9999", "Connection": "close"}, "{"),
}


@pytest.mark.parametrize("answer", BROKEN)
def test_what_cannot_be_read_is_left_out_and_everything_else_moves(
    site: Any, move: Mover, client: Any, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    monkeypatch.setattr(http, "pause", lambda failures: 0.01)
    monkeypatch.setattr(http, "MIN_PAUSE", 0.01)
    site.forms = [{**FORM, "id": number} for number in (2, 7, 9)]
    site.feeds = [{**FEED, "id": number} for number in ("1", "2", "9")]
    site.feeds[1]["is_active"] = "0"
    site.entries = site.entries[:3]
    # One entry breaks the list, one inactive feed and one form only themselves.
    broken = re.compile(r"/forms/7\b|/feeds/2\b|/entries/2\b|/entries\?(?!.*_field_ids)")
    site.front = lambda path: BROKEN[answer] if broken.search(path) else None
    report = move(site.url, "--probe", "0", "--entries")
    assert [(row["resource"], row["id"]) for row in report["left_out"]] == [
        ("form", 7), ("feed", 2), ("entry", 2),
    ]  # fmt: skip
    assert (report["exit_code"], report["problems"]) == (3, [])
    assert {row["why"][0]["code"] for row in report["left_out"]} == {"unreadable"}
    assert report["counts"] == {
        name: {"created": 2, "left-out": 1} for name in ("form", "feed", "entry")
    }
    # What was read before stays, and is not taken for deleted.
    site.front = lambda path: None
    assert move(site.url, "--probe", "0", "--entries")["counts"]["form"]["created"] == 1
    before, site.front = move.exported(), lambda path: BROKEN[answer] if "/7" in path else None
    report = move(site.url, "--probe", "0", "--delete")
    assert (report["gone_there"], report["deleted"], move.exported()) == ([], [], before)


def test_without_the_list_forms_are_found_by_their_ids(site: Any, move: Mover) -> None:
    site.front = lambda path: (200, {}, "gone") if path.endswith("/forms") else None
    report = move(site.url, "--only", "forms", "--probe", "5", codes=(1,))
    assert report["counts"] == {"form": {"created": 2, "left-out": 1}}
    assert "The list of forms could not be read" in report["problems"][0]
    site.front = lambda path: (200, {}, "gone") if "/forms" in path else None
    report = move(site.url, "--probe", "5", codes=(1,))
    assert report["counts"] == {}
    assert "The list of forms could not be read" in report["problems"][0]


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


RULES = [{"fieldId": "1", "operator": "is", "value": "Sales"}]
LOGIC = {"actionType": "show", "logicType": "all", "rules": RULES}
MAIL: dict[str, Any] = {
    "id": "5f0", "isActive": True, "name": "Admin", "event": "form_submission", "toType": "email",
    "to": "a@shop.example", "subject": "New: {form_title}", "message": "{all_fields}",
    "replyTo": "{Email:2}", "fromName": "Shop", "from": "", "conditionalLogic": None,
}  # fmt: skip
# What differs from MAIL, the meta of the feed, and what the note says.
TEXTS = {"fromName": "Shop", "replyTo": "{Email:2}", "subject": "New: {form_title}"}
SENT = {"feedName": "Admin", **TEXTS, "message": "{all_fields}"}
SWITCH, OBJECT = "feed_condition_conditional_logic", "feed_condition_conditional_logic_object"
NOTIFICATIONS: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({}, {**SENT, "toEmail": "a@shop.example"},
     "on: to a@shop.example; reply to {Email:2}; from Shop; subject New: {form_title}; "
     "message {all_fields}"),
    ({"toType": "field", "to": "2"}, {**SENT, "toField": "2"}, "to the address in field 2;"),
    ({"toType": "routing", "to": "", "routing": [{"email": "b@shop.example", **RULES[0]}]}, SENT,
     "{all_fields}; not carried over: routing"),
    ({"to": "{admin_email}", "from": "{admin_email}", "cc": "c@x", "bcc": "d@x",
      "enableAttachments": True, "message": "<p>Hi {user:login}</p>"},
     {**SENT, "toEmail": "{admin_email}", "message": "<p>Hi {user:login}</p>", "cc": "c@x",
      "bcc": "d@x", "messageFormat": "html"},
     "not carried over: from, attachments, {user:login}"),
    ({"conditionalLogic": LOGIC},
     {**SENT, "toEmail": "a@shop.example", SWITCH: "1", OBJECT: {"conditionalLogic": LOGIC}},
     "if all of 1 is Sales"),
    ({"conditionalLogic": {**LOGIC, "rules": [{**RULES[0], "operator": "smells"}]}},
     {**SENT, "toEmail": "a@shop.example", SWITCH: "1", OBJECT: {"conditionalLogic": {
         **LOGIC, "rules": [{**RULES[0], "operator": "smells"}]}}},
     "not carried over: the operator of rule 1 is none of"),
]  # fmt: skip
LEFT_OUT = {"event form_saved": {"event": "form_saved"}, "is not active": {"isActive": False}}


def test_each_active_notification_becomes_an_inactive_feed_with_a_note(
    site: Any, move: Mover, client: Any
) -> None:
    changes = [*(changes for changes, _, _ in NOTIFICATIONS), *LEFT_OUT.values()]
    mails = [{**MAIL, **values, "id": str(n)} for n, values in enumerate(changes)]
    # Files and older versions have them in a list.
    form = {**FORM, "id": 4, "notifications": [*mails, "x", None]}
    site.forms = [{**FORM, "id": 3, "notifications": {mail["id"]: mail for mail in mails}}, form]
    for outcome in ("created", "unchanged"):
        report = move.twice(site.url, *SMALL)
        assert report["counts"]["notification"] == {outcome: 2 * len(NOTIFICATIONS)}
    notes = {note["text"]: note for note in report["notes"] if note["ids"] == [3, 4]}
    feeds = client.get("/forms/3/feeds").get_json()
    assert [feed["meta"] for feed in feeds] == [meta for _, meta, _ in NOTIFICATIONS]
    assert {(feed["addon_slug"], feed["is_active"]) for feed in feeds} == {("email", "0")}
    # Beyond all ids of Gravity Forms, whose columns have 24 bits.
    assert [int(feed["id"]) for feed in feeds] == [2**24 + n for n in range(len(feeds))]
    for text in (*(text for _, _, text in NOTIFICATIONS), *LEFT_OUT):
        codes = {note["code"] for whole, note in notes.items() if text in whole}
        assert codes == {"notification-left-out" if text in LEFT_OUT else "notification"}, text


def test_notifications_follow_the_rules_of_repeated_imports(
    site: Any, move: Mover, client: Any
) -> None:
    mails = {str(n): {**MAIL, "id": str(n), "subject": f"S{n}"} for n in range(1, 6)}
    # Forms that were duplicated have notifications with the same ids.
    site.forms = [{**FORM, "id": number, "notifications": mails} for number in (3, 4)]
    site.feeds = [{**FEED, "id": "9"}]
    everything = ("--probe", "0")
    assert move(site.url, *everything)["counts"]["notification"] == {"created": 10}
    site.feeds = []
    assert move(site.url, "--only", "feeds")["gone_there"] == [{"resource": "feed", "id": 9}]
    first = 2**24
    # 1 is switched on and changed there, 2 switched on, 3 changed there, 4 deleted, 5 both gone.
    for number in (first, first + 1):
        assert client.patch(f"/feeds/{number}", json={"is_active": True}).status_code == 200
    assert client.delete(f"/feeds/{first + 3}").status_code == 200
    changed = {number: {**mails[number], "subject": "New"} for number in ("1", "3")}
    site.forms[0]["notifications"] = {"2": mails["2"], "4": mails["4"], **changed}
    report = move(site.url, *SMALL)
    assert report["counts"]["notification"] == {
        "unchanged": 5, "conflict": 1, "kept": 2, "updated": 1,
    }  # fmt: skip
    assert [row["id"] for row in report["conflicts"]] == [first]
    assert [row["id"] for row in report["kept"]] == [first + 1, first + 3]
    assert report["gone_there"] == [{"resource": "notification", "id": first + 4}]
    assert client.get(f"/feeds/{first + 2}").get_json()["meta"]["subject"] == "New"
    site.front = lambda path: (200, {}, "broken") if "/forms/4" in path else None
    report = move(site.url, *SMALL, "--delete")
    assert report["deleted"] == [{"resource": "notification", "id": first + 4, "why": []}]
    # With their form they go, but not what was changed here.
    site.front, site.forms = lambda path: None, []
    report = move.twice(site.url, *SMALL, "--delete")
    assert report["counts"]["notification"] == {"deleted": 7, "conflict": 2}


def test_an_interrupted_import_of_entries_goes_on_when_it_is_run_again(
    site: Any, move: Mover, client: Any
) -> None:
    site.entries = [{**ENTRY, "id": str(number), "1": "A"} for number in range(1, 122)]
    requested: list[str] = []
    # From the second page of entries on the site answers nothing.
    site.front = lambda path: (
        (200, {}, "gone")
        if requested.append(path) or any("current_page%5D=2" in path for path in requested)
        else None
    )
    report = move(site.url, *SMALL, "--requests", "1", codes=(1,))
    assert report["counts"]["entry"] == {"created": 100}
    assert "run the same command again" in report["problems"][-1]
    site.front = lambda path: None
    # The report is that of an import without the interruption.
    assert move(site.url, *SMALL, "--requests", "1")["counts"]["entry"] == {"created": 121}
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
