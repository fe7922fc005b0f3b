"""Sites unlike the recorded one: small bounds, many hidden pages, other fields, nothing."""

import copy
import json
import re
import shlex
import signal
import threading
from pathlib import Path
from typing import Any

import pytest
from comparing import SITE
from conftest import PAGE, ROOT
from moving_in import move, stand_in

from landform.parts.moving_in.wordpress import client
from landform.storage import Store, pages
from landform.storage.pages import revisions

pytestmark = pytest.mark.sqlite("what a site has has nothing to do with the engine")

PAGES = ("--only", "pages")
GUIDE = ROOT / "docs/parts/moving-in.md"


@pytest.fixture(scope="module")
def small(stand_in: Any) -> Any:
    with stand_in(SITE) as site:
        site.feeds = []
        yield site


@pytest.fixture
def own(small: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A site of a few pages and no feeds, which a test may change."""
    plain = next(one for one in small.pages if one["edit"]["id"] == 2)
    pages = [made(plain, number) for number in range(1, 13)]
    for name in ("mode", "most", "kept", "moved", "front", "feeds"):
        monkeypatch.setattr(small, name, copy.copy(getattr(small, name)))
    monkeypatch.setattr(small, "pages", pages)
    return small


def made(plain: Any, number: int) -> Any:
    page = copy.deepcopy(plain)
    page["edit"] |= {"id": number, "slug": f"page-{number}"}
    return page


@pytest.mark.parametrize("shown", [(1, 12), (5, 6), (1, 2, 3, 5, 6)])
def test_pages_behind_many_hidden_ones_are_found(own: Any, move: Any, shown: Any) -> None:
    own.most = 2
    for page in own.pages:
        page["editors"] = ["admin", *(["own"] if page["edit"]["id"] in shown else [])]
    move(own.url, *PAGES, user="own")
    assert [row["id"] for row in move.rows()] == [*shown]
    assert move.report["hidden_pages"] == 12 - len(shown)


@pytest.mark.parametrize("most", [5, 100])
def test_all_pages_come_where_a_proxy_removes_how_many_there_are(
    own: Any, move: Any, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    if most < 100:
        own.most = most
    else:
        own.pages = [made(own.pages[0], number) for number in range(1, 251)]
    own.pages[3]["editors"] = []
    handler = own.RequestHandlerClass
    answer = handler.of_site

    def behind_a_proxy(self: Any, *request: Any) -> Any:
        status, headers, body = answer(self, *request)
        kept = {name: text for name, text in headers.items() if not name.startswith("X-WP-")}
        return status, kept, body

    monkeypatch.setattr(handler, "of_site", behind_a_proxy)
    for outcome in ("created", "unchanged"):
        result = move(own.url, *PAGES)
        assert result.exit_code == 0, result.output
        assert move.report["counts"]["page"] == {outcome: len(own.pages) - 1}
        assert "not known whether pages are hidden from admin" in result.output
        assert (move.report["gone_there"], move.report["hidden_pages"]) == ([], 0)


def test_a_site_that_leads_elsewhere_on_the_way_stops_an_import_that_has_begun(
    own: Any, move: Any
) -> None:
    own.most = 5
    away = {"Location": "https://elsewhere.invalid/"}
    own.front = lambda rest: (302, away, "") if "include=6" in rest else None
    told = move(own.url, *PAGES)
    assert (told.exit_code, len(move.rows())) == (1, 5)
    assert "leads to https://elsewhere.invalid" in told.output
    assert "What was read is stored" in told.output
    assert move.report["counts"]["page"] == {"created": 5}
    own.front = lambda rest: None
    assert move(own.url, *PAGES).exit_code == 0
    assert move.report["counts"]["page"] == {"created": 12}


def test_a_page_created_here_during_an_import_gets_no_id_of_the_site(own: Any, move: Any) -> None:
    own.most = 5
    own.pages[-1]["edit"]["id"] = 2**63 - 1
    service, created, once = Store(move.store.url), [], iter([True])

    def meanwhile(rest: str) -> None:
        if "include=" in rest and next(once, False):
            with service.connection():
                created.append(pages.create(service, PAGE)["id"])

    move(own.url, *PAGES, "--dry-run")
    with service.connection():
        assert service.database.last_ids()["page"] == 0
    own.front = meanwhile
    move(own.url, *PAGES)
    service.dispose()
    assert (created, move.report["conflicts"]) == ([12], [])
    assert move.report["counts"]["page"] == {"created": 11}


def test_a_site_may_have_neither_pages_nor_feeds(own: Any, move: Any) -> None:
    own.pages = []
    result = move(own.url, "--probe", "3")
    assert (result.exit_code, move.rows(), move.report["problems"]) == (0, [], [])


def test_what_has_an_id_that_is_none_stops_nothing_and_is_counted(own: Any, move: Any) -> None:
    own.pages[-1]["edit"]["id"] = 2**63
    own.pages[-2]["edit"]["id"], own.pages[-3]["edit"]["id"] = -4, 10**30
    result = move(own.url, *PAGES)
    assert (result.exit_code, [row["id"] for row in move.rows()]) == (3, [*range(1, 10)])
    assert move.report["hidden_pages"] == 3


def test_a_feed_with_an_id_that_no_database_holds_makes_nobody_ask_up_to_it(
    own: Any, move: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    feed = {"form_id": "1", "is_active": "1", "addon_slug": "a", "meta": {"k": "v"}}
    feeds = [{**feed, "id": "3"}, {**feed, "id": str(2**64 - 1)}]
    monkeypatch.setattr(own, "feeds", feeds)
    result = move(own.url, "--only", "feeds", "--probe", "5")
    assert result.exit_code == 0, result.output
    assert [(row["resource"], row["id"]) for row in move.rows()] == [("feed", 3)]


def test_the_commands_of_the_guide_move_a_site_in(
    own: Any, move: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    commands = re.findall(r"landform ([\w-]+ https://shop\.example[^`\n]*)", GUIDE.read_text())
    assert len(commands) == 2
    for command in commands:
        told = move.run(*shlex.split(command.replace("https://shop.example", own.url)), user="mig")
        assert told.exit_code == 0, told.output
    assert len(move.rows()) == 12
    assert (tmp_path / "report.json").exists()


HALVES: dict[str, dict[str, Any]] = {
    "slug": {"slug": "a\ud800b"}, "link": {"link": "{home}/\udc00/"},
    "status": {"status": "\ud800"},
    "name": {"meta": {"co\ud800r": "x"}}, "text": {"title": {"raw": "T\ud83d"}},
    "template": {"template": "\ud800"}, "password": {"password": "p\ud800"},
}  # fmt: skip


@pytest.mark.parametrize("where", HALVES)
def test_half_a_character_stops_nothing_and_is_replaced(own: Any, move: Any, where: str) -> None:
    own.pages = own.pages[:3]
    own.pages[1]["edit"] |= HALVES[where]
    result = move(own.url, *PAGES)
    left_out = [2] if where == "status" else []
    assert [row["id"] for row in move.rows()] == [n for n in (1, 2, 3) if n not in left_out]
    assert [row["id"] for row in move.report["left_out"]] == left_out, result.output
    told = [note["ids"] for note in move.report["notes"] if note["code"] == "nul"]
    assert told == ([] if left_out else [[2]])
    assert where != "text" or move.row("page", 2)["title_raw"] == "T\ufffd"


def test_a_status_that_the_site_refuses_is_named(own: Any, move: Any) -> None:
    result = move(own.url, *PAGES, "--status", "nosuch")
    assert (result.exit_code, move.rows()) == (2, [])
    assert "status" in result.output


INDEX: dict[str, dict[str, Any]] = {
    "a home that is none": {"home": "http://[bad"},
    "a home of another type": {"home": ["x"], "url": None},
    "half a character in its home": {"home": "http://a\ud800b/"},
    "no namespaces": {"namespaces": None},
    "numbered namespaces": {"namespaces": {"1": "wp/v2"}},
    "an offset without end": {"timezone_string": "", "gmt_offset": "inf"},
    "half a character in its zone": {"timezone_string": "a\ud800b", "gmt_offset": 3},
}


@pytest.mark.parametrize("what", INDEX)
def test_an_odd_index_keeps_no_page_away(own: Any, move: Any, what: str) -> None:
    for key in [key for key in own.kept if key[0] == ""]:
        own.kept[key] = copy.deepcopy(own.kept[key])
        own.kept[key]["body"] |= INDEX[what]
    result = move(own.url, *PAGES)
    assert (result.exit_code, len(move.rows())) == (0, 12), result.output


def test_a_password_that_is_missing_is_said(
    own: Any, move: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(move, "environment", lambda _: {})
    result = move.run("import-wordpress", own.url, "--user", "admin")
    assert result.exit_code == 2
    assert "There is no application password: set LANDFORM_WORDPRESS_PASSWORD" in result.output


NONE = "is no address of a site"
NOWHERE = {
    "http://[bad": NONE, "http://": NONE, "http:///x": NONE, "http://host:abc/": NONE,
    "http://127.0.0.1:99999/": NONE, "http://a..b/": "is no address of a server",
    "http://a b/": "http://a%20b/ cannot be found",
    "http://nosuch.invalid/": "cannot be found: there is no such host",
    "http://münchen.invalid/": "http://xn--mnchen-3ya.invalid/ cannot be found",
    "http://127.0.0.1:1/": "cannot be reached: no server answers there",
}  # fmt: skip


@pytest.mark.parametrize("url", NOWHERE)
def test_an_address_that_leads_nowhere_is_named_with_the_reason(move: Any, url: str) -> None:
    result = move.run("import-wordpress", url, "--user", "admin", "--timeout", "2")
    assert result.exit_code == 2, result.output
    assert NOWHERE[url] in " ".join(result.output.split())


@pytest.mark.parametrize("when", ["0", "Wed, 21 Oct 2015 07:28:00 GMT"])
def test_a_site_that_asks_for_no_time_is_given_some(
    own: Any, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    own.front = lambda rest: (503, {"Retry-After": when}, "")
    waits: list[float] = []
    pause = client.pause
    monkeypatch.setattr(client, "pause", lambda count: waits.append(pause(count)) or 0)
    asking = client.Client(own.url, "admin", "secret", concurrency=1, timeout=5, agent="test")
    assert asking.get(own.url).status == 503
    asking.close()
    assert waits == sorted(waits)
    assert (waits[0], waits[-1]) == (client.MIN_PAUSE, client.MAX_PAUSE)


def test_ctrl_c_leaves_a_report_of_what_was_done(own: Any, move: Any) -> None:
    own.most = 5
    # A second one would end the next test.
    once = [False] * 99 + [True]
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    main = threading.main_thread().ident
    own.front = lambda rest: (
        signal.pthread_kill(main, signal.SIGINT) if "include=6" in rest and once.pop() else None
    )
    try:
        told = move(own.url, *PAGES, "--requests", "1")
    finally:
        signal.signal(signal.SIGINT, before)
    assert (told.exit_code, move.report["counts"]["page"]) == (1, {"created": 5}), told.output
    assert "Interrupted.\nWhat was read is stored" in told.output


def test_what_the_switch_takes_away_is_counted(own: Any, move: Any) -> None:
    content = """<p>[gravityform id="3"] [[shown]] [x] [1]</p>[gallery]
    <img src="https://shop.example/wp-content/uploads/2026/07/a.png">
    <a href="/wp-content/uploads/b.pdf">b</a><!-- wp:x {"a":["b"]} -->"""
    for page in own.pages[:2]:
        page["edit"]["content"] = {"raw": content}
    told = move(own.url, *PAGES, "--dry-run")
    found = {note["code"]: note["ids"] for note in move.report["notes"] if note["ids"] == [1, 2]}
    names = ("media /wp-content/uploads/", "media /wp-content/uploads/2026/07/")
    assert found.keys() == {*names, "shortcode gallery", "shortcode gravityform"}
    assert "visitors see [gallery] as text, since nothing renders it here: page 1, 2" in told.output


def test_what_no_request_may_send_is_stored_and_noted(own: Any, move: Any) -> None:
    own.pages[0]["edit"] |= {"password": "p" * 300}
    assert move(own.url, *PAGES).exit_code == 0
    assert len(move.row("page", 1)["password"]) == 300
    told = [note for note in move.report["notes"] if note["code"] == "beyond-bounds password"]
    assert [note["ids"] for note in told] == [[1]]


def test_a_feed_that_is_nested_too_deep_is_left_out_in_words(own: Any, move: Any) -> None:
    deep: Any = "x"
    for _ in range(600):
        deep = [deep]
    feed = {"form_id": "1", "is_active": "1", "addon_slug": "a"}
    own.feeds = [{**feed, "id": "3", "meta": {"k": deep}}, {**feed, "id": "4", "meta": {"k": 1}}]
    told = move(own.url, "--only", "feeds", "--probe", "0")
    assert (told.exit_code, [row["id"] for row in move.rows()]) == (3, [4]), told.output
    assert move.report["left_out"][0]["why"][0]["text"] == "is nested too deep"
    assert "up to 4 were asked for one by one, and 0 feeds found so" in told.output
    assert "One beyond was not looked for (--probe 0)." in told.output


def test_revisions_come_along_where_they_may_be_read(own: Any, move: Any) -> None:
    def states(rest: str) -> Any:
        number = int(rest.partition("/pages/")[2].partition("/")[0] or 0)
        if "/revisions" not in rest or number == 3:
            return (403, {}, '{"code": "rest_cannot_read"}') if number == 3 else None
        page = own.pages[number - 1]["edit"]
        texts = [("First", "a"), ("Second", "a"), (page["title"]["raw"], page["content"]["raw"])]
        found = [
            {"id": 100 + place, "author": 7 + place, "modified": f"2026-01-0{place + 1}T12:00:00",
             "modified_gmt": f"2026-01-0{place + 1}T11:00:00",
             "title": {"raw": title}, "content": {"raw": content}}
            for place, (title, content) in enumerate(texts)
        ]  # fmt: skip
        return 200, {}, json.dumps(found[::-1])

    own.pages = own.pages[:3]
    own.front = states
    told = move(own.url, *PAGES, "--revisions")
    assert told.exit_code == 0
    assert "The revisions of page 3 could not be read (rest_cannot_read)." in told.output
    with move.store.connection():
        found = [revisions.all_of(move.store, number) for number in (1, 2, 3)]
    for one in found[:2]:
        shown = [
            (row["title_raw"], row["author"], row["replaced_by"], row["changed"]) for row in one
        ]
        assert shown == [("First", 7, 8, ["title"]), ("Second", 8, 9, ["title", "content"])]
        assert one[0]["modified_utc"] == "2026-01-01T11:00:00"
        assert one[1]["content_rendered"].strip() == "<p>a</p>"
    assert found[2] == []
    move(own.url, *PAGES)
    assert move.report["counts"]["page"] == {"unchanged": 3}
