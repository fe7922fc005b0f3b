"""Sites with small limits, hidden pages, invalid values, or nothing."""

import copy
import json
import re
import shlex
import signal
import threading
from pathlib import Path
from typing import Any

import pytest
from conftest import PAGE, ROOT
from files import command
from moving_in import PAGES, move, plain_page, recorded_site, server, small_site

from landform.parts.moving_in.wordpress import client
from landform.storage import Store, pages

pytestmark = pytest.mark.sqlite("what a site has has nothing to do with the engine")

GUIDE = ROOT / "docs/parts/moving-in.md"


@pytest.mark.parametrize("visible", [(1, 12), (5, 6), (1, 2, 3, 5, 6)])
def test_pages_behind_many_hidden_ones_are_read(small_site: Any, move: Any, visible: Any) -> None:
    small_site.most = 2
    for page in small_site.pages:
        page["editors"] = ["admin", *(["own"] if page["edit"]["id"] in visible else [])]
    move(small_site.url, user="own")
    assert move.ids() == [*visible]
    assert move.report["hidden_pages"] == 12 - len(visible)


@pytest.mark.parametrize("per_page", [5, 100])
def test_all_pages_are_read_if_a_proxy_removes_their_number(
    small_site: Any, move: Any, monkeypatch: pytest.MonkeyPatch, per_page: int
) -> None:
    if per_page < 100:
        small_site.most = per_page
    else:
        small_site.pages = [plain_page(small_site.pages[0], number) for number in range(1, 121)]
    small_site.pages[3]["editors"] = []
    handler = small_site.RequestHandlerClass
    answer = handler.of_site

    def behind_a_proxy(self: Any, *request: Any) -> Any:
        status, headers, body = answer(self, *request)
        headers = {name: text for name, text in headers.items() if not name.startswith("X-WP-")}
        return status, headers, body

    monkeypatch.setattr(handler, "of_site", behind_a_proxy)
    for outcome in ("created", "unchanged"):
        result = move(small_site.url)
        assert result.exit_code == 0, result.output
        assert move.report["counts"]["page"] == {outcome: len(small_site.pages) - 1}
        assert "not known whether pages are hidden from admin" in result.output
        assert (move.report["gone_there"], move.report["hidden_pages"]) == ([], 0)


def test_a_redirect_to_another_host_stops_a_started_import(small_site: Any, move: Any) -> None:
    small_site.most = 5
    away = {"Location": "https://elsewhere.invalid/"}
    small_site.front = lambda path: (302, away, "") if "include=6" in path else None
    result = move(small_site.url)
    assert (result.exit_code, len(move.rows())) == (1, 5)
    assert "leads to https://elsewhere.invalid" in result.output
    assert "What was read is stored" in result.output
    assert move.report["counts"]["page"] == {"created": 5}
    small_site.front = lambda path: None
    assert move(small_site.url).exit_code == 0
    assert move.report["counts"]["page"] == {"created": 12}


def test_a_page_that_is_created_during_an_import_gets_no_id_of_the_site(
    small_site: Any, move: Any
) -> None:
    small_site.most = 5
    small_site.pages[-1]["edit"]["id"] = 2**63 - 1
    service, created, once = Store(move.store.url), [], iter([True])

    def front(path: str) -> None:
        if "include=" in path and next(once, False):
            with service.connection():
                created.append(pages.create(service, PAGE)["id"])

    move(small_site.url, "--dry-run")
    with service.connection():
        assert service.database.last_ids()["page"] == 0
    small_site.front = front
    move(small_site.url)
    service.dispose()
    assert (created, move.report["conflicts"]) == ([12], [])
    assert move.report["counts"]["page"] == {"created": 11}


def test_pages_with_invalid_ids_are_left_out_and_counted(small_site: Any, move: Any) -> None:
    small_site.pages[-1]["edit"]["id"] = 2**63
    small_site.pages[-2]["edit"]["id"], small_site.pages[-3]["edit"]["id"] = -4, 10**30
    result = move(small_site.url)
    assert (result.exit_code, move.ids()) == (3, [*range(1, 10)])
    assert move.report["hidden_pages"] == 3


def test_a_feed_with_a_huge_id_causes_no_requests_up_to_it(small_site: Any, move: Any) -> None:
    feed = {"form_id": "1", "is_active": "1", "addon_slug": "a", "meta": {"k": "v"}}
    small_site.feeds = [{**feed, "id": "3"}, {**feed, "id": str(2**64 - 1)}]
    result = move(small_site.url, "--only", "feeds", "--probe", "5")
    assert result.exit_code == 0, result.output
    assert [(row["resource"], row["id"]) for row in move.rows()] == [("feed", 3)]


def test_the_commands_of_the_guide_import_a_site(
    small_site: Any, move: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    commands = re.findall(r"landform ([\w-]+ https://shop\.example[^`\n]*)", GUIDE.read_text())
    assert len(commands) == 2
    for line in commands:
        arguments = shlex.split(line.replace("https://shop.example", small_site.url))
        result = move.run(*arguments, "--probe", "0", user="mig")
        assert result.exit_code == 0, result.output
    assert len(move.rows()) == 12
    assert (tmp_path / "report.json").exists()


SURROGATES: dict[str, dict[str, Any]] = {
    "slug": {"slug": "a\ud800b"}, "link": {"link": "{home}/\udc00/"},
    "status": {"status": "\ud800"},
    "name": {"meta": {"co\ud800r": "x"}}, "text": {"title": {"raw": "T\ud83d"}},
    "template": {"template": "\ud800"}, "password": {"password": "p" * 300 + "\ud800"},
}  # fmt: skip


def test_unpaired_surrogates_are_replaced_and_long_values_reported(
    small_site: Any, move: Any
) -> None:
    numbers = dict(zip(SURROGATES, range(1, 12), strict=False))
    for name, number in numbers.items():
        small_site.pages[number - 1]["edit"] |= SURROGATES[name]
    result = move(small_site.url)
    left_out = numbers.pop("status")
    # A value beyond the limits of requests is stored.
    assert move.row("page", numbers["password"])["password"] == "p" * 300 + "\ufffd"
    assert move.ids_with("beyond-bounds password") == {numbers["password"]}
    assert move.ids() == [number for number in range(1, 13) if number != left_out]
    assert [row["id"] for row in move.report["left_out"]] == [left_out], result.output
    assert move.ids_with("nul") == {*numbers.values()}
    assert move.row("page", numbers["text"])["title_raw"] == "T\ufffd"


def test_a_status_that_the_site_refuses_is_reported(small_site: Any, move: Any) -> None:
    result = move(small_site.url, *PAGES, "--status", "nosuch")
    assert (result.exit_code, move.rows()) == (2, [])
    assert "status" in result.output


INDEXES: dict[str, dict[str, Any]] = {
    "an invalid home": {"home": "http://[bad"},
    "a home of another type": {"home": ["x"], "url": None},
    "half a character in its home": {"home": "http://a\ud800b/"},
    "no namespaces": {"namespaces": None},
    "numbered namespaces": {"namespaces": {"1": "wp/v2"}},
    "an offset without end": {"timezone_string": "", "gmt_offset": "inf"},
    "half a character in its zone": {"timezone_string": "a\ud800b", "gmt_offset": 3},
}


@pytest.mark.parametrize("case", INDEXES)
def test_an_invalid_index_prevents_no_import(small_site: Any, move: Any, case: str) -> None:
    small_site.pages = small_site.pages[:2]
    for key in [key for key in small_site.kept if key[0] == ""]:
        small_site.kept[key] = copy.deepcopy(small_site.kept[key])
        small_site.kept[key]["body"] |= INDEXES[case]
    result = move(small_site.url, *PAGES)
    assert (result.exit_code, len(move.rows())) == (0, 2), result.output


def test_a_missing_password_is_reported(
    small_site: Any, move: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(move, "environment", lambda _: {})
    result = move.run("import-wordpress", small_site.url, "--user", "admin")
    assert result.exit_code == 2
    assert "There is no application password: set LANDFORM_WORDPRESS_PASSWORD" in result.output


INVALID = "is no address of a site"
UNREACHABLE = {
    "http://[bad": INVALID, "http://": INVALID, "http:///x": INVALID, "http://host:abc/": INVALID,
    "http://127.0.0.1:99999/": INVALID, "http://a..b/": "is no address of a server",
    "http://a b/": "http://a%20b/ cannot be found",
    "http://nosuch.invalid/": "cannot be found: there is no such host",
    "http://münchen.invalid/": "http://xn--mnchen-3ya.invalid/ cannot be found",
    "http://127.0.0.1:1/": "cannot be reached: no server answers there",
}  # fmt: skip


def test_the_reason_why_a_site_is_unreachable_is_shown(move: Any) -> None:
    for url, reason in UNREACHABLE.items():
        result = move.run("import-wordpress", url, "--user", "admin", "--timeout", "2")
        assert result.exit_code == 2, result.output
        assert reason in " ".join(result.output.split()), url


@pytest.mark.parametrize("when", ["0", "Wed, 21 Oct 2015 07:28:00 GMT"])
def test_the_client_pauses_also_if_the_site_does_not_ask_for_it(
    small_site: Any, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    small_site.front = lambda path: (503, {"Retry-After": when}, "")
    waits: list[float] = []
    pause = client.pause
    monkeypatch.setattr(client, "pause", lambda count: waits.append(pause(count)) or 0)
    new_client = client.Client(
        small_site.url, "admin", "secret", concurrency=1, timeout=5, agent="test"
    )
    assert new_client.get(small_site.url).status == 503
    new_client.close()
    assert waits == sorted(waits)
    assert (waits[0], waits[-1]) == (client.MIN_PAUSE, client.MAX_PAUSE)


def test_an_import_that_is_interrupted_by_ctrl_c_has_a_report(small_site: Any, move: Any) -> None:
    small_site.most = 5
    # A second signal would end the next test.
    once = [False] * 99 + [True]
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    main = threading.main_thread().ident
    small_site.front = lambda path: (
        signal.pthread_kill(main, signal.SIGINT) if "include=6" in path and once.pop() else None
    )
    try:
        result = move(small_site.url, "--requests", "1")
    finally:
        signal.signal(signal.SIGINT, before)
    assert (result.exit_code, move.report["counts"]["page"]) == (1, {"created": 5}), result.output
    assert "Interrupted.\nWhat was read is stored" in result.output


def test_shortcodes_and_uploads_are_reported(small_site: Any, move: Any) -> None:
    content = """<p>[gravityform id="3"] [[shown]] [x] [1]</p>[gallery]
    <img src="https://shop.example/wp-content/uploads/2026/07/a.png">
    <a href="/wp-content/uploads/b.pdf">b</a><!-- wp:x {"a":["b"]} -->"""
    for page in small_site.pages[:2]:
        page["edit"]["content"] = {"raw": content}
    result = move(small_site.url, "--dry-run")
    codes = {note["code"] for note in move.report["notes"] if note["ids"] == [1, 2]}
    names = ("media /wp-content/uploads/", "media /wp-content/uploads/2026/07/")
    assert codes == {*names, "shortcode gallery", "shortcode gravityform"}
    assert (
        "visitors see [gallery] as text, since nothing renders it here: page 1, 2" in result.output
    )


def test_a_feed_that_is_nested_too_deep_is_left_out(small_site: Any, move: Any) -> None:
    deep: Any = "x"
    for _ in range(600):
        deep = [deep]
    feed = {"form_id": "1", "is_active": "1", "addon_slug": "a"}
    small_site.feeds = [
        {**feed, "id": "3", "meta": {"k": deep}},
        {**feed, "id": "4", "meta": {"k": 1}},
    ]
    result = move(small_site.url, "--only", "feeds", "--probe", "0")
    assert (result.exit_code, move.ids()) == (3, [4]), result.output
    assert move.report["left_out"][0]["why"][0]["text"] == "is nested too deep"
    assert "up to 4 were asked for one by one, and 0 feeds found so" in result.output
    assert "One beyond was not looked for (--probe 0)." in result.output


def test_readable_revisions_are_imported(small_site: Any, move: Any) -> None:
    def front(path: str) -> Any:
        number = int(path.partition("/pages/")[2].partition("/")[0] or 0)
        if "/revisions" not in path or number == 3:
            return (403, {}, '{"code": "rest_cannot_read"}') if number == 3 else None
        page = small_site.pages[number - 1]["edit"]
        texts = [("First", "a"), ("Second", "a"), (page["title"]["raw"], page["content"]["raw"])]
        rows = [
            {"id": 100 + place, "author": 7 + place, "modified": f"2026-01-0{place + 1}T12:00:00",
             "modified_gmt": f"2026-01-0{place + 1}T11:00:00",
             "title": {"raw": title}, "content": {"raw": content}}
            for place, (title, content) in enumerate(texts)
        ]  # fmt: skip
        return 200, {}, json.dumps(rows[::-1])

    small_site.pages = small_site.pages[:3]
    small_site.front = front
    result = move(small_site.url, "--revisions")
    assert result.exit_code == 0
    assert "the site does not show the revisions (rest_cannot_read): page 3\n" in result.output
    lines = command(move.store, "export", "--pages", "--revisions").stdout.splitlines()
    *pages_rows, unreadable = [json.loads(line)["revisions"] for line in lines]
    for rows in pages_rows:
        columns = ("title_raw", "author", "replaced_by", "changed")
        values = [tuple(row[name] for name in columns) for row in rows]
        assert values == [("First", 7, 8, ["title"]), ("Second", 8, 9, ["title", "content"])]
        assert rows[0]["modified_utc"] == "2026-01-01T11:00:00"
        assert rows[1]["content_rendered"].strip() == "<p>a</p>"
    assert unreadable == []
    move(small_site.url)
    assert move.report["counts"]["page"] == {"unchanged": 3}
