"""Pages: what a write makes of one, what each context shows of it, what time does, and copies."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any

import pytest
from applications import Client
from databases import run_sql
from flask import Flask
from flask.testing import FlaskClient

EMPTY_META = {
    **dict.fromkeys(["starts_at", "ends_at", "form_id"], ""),
    **{name: [] for name in ["viral_share", "instant_win", "language", "gallery"]},
}
STATUSES = ["publish", "future", "draft", "pending", "private"]
LATER = "2099-01-01T00:00:00"


def edit(client: Client, page: dict[str, Any]) -> dict[str, Any]:
    return client.get(f"/pages/{page['id']}?context=edit").get_json()


def is_now(text: str) -> bool:
    return datetime.now(UTC) - datetime.fromisoformat(f"{text}Z") < timedelta(seconds=30)


def test_a_page_starts_with_defaults_and_location_leads_to_it(client: Client) -> None:
    answer = client.post("/pages", json={"title": "Hello, World!"})
    page = answer.get_json()
    assert client.get(answer.headers["Location"] + "?context=edit").get_json() == page
    assert (page["slug"], page["status"], page["author"]) == ("hello-world", "publish", 1)
    assert (page["password"], page["meta"], page["content"]["raw"]) == ("", EMPTY_META, "")
    assert page["date"] == page["modified"]
    assert is_now(page["date"])


NULLS = dict.fromkeys(
    ("title", "content", "slug", "status", "password", "author", "meta", "id", "template")
)


def test_null_in_an_update_means_not_sent(client: Client) -> None:
    page = client.page(content="Kept", slug="kept", meta={"form_id": "7"}, password="p", author=4)
    for path in ("/pages/1", "/wp-json/wp/v2/pages/1"):
        for sent in (NULLS, *({name: None} for name in NULLS)):
            assert client.put(path, json=sent).status_code == 200, sent
            assert {**edit(client, page), "modified": page["modified"]} == page, sent


def test_a_new_page_has_no_id_and_a_trimmed_title_empty_beside_content(client: Client) -> None:
    for sent in (1, "7", -1, [1], {"a": 1}, True):
        answer = client.post("/pages", json={"title": "x", "id": sent})
        assert (answer.status_code, answer.get_json()["code"]) == (400, "rest_post_exists")
    assert client.get("/pages?status=any").get_json() == []
    for title in (" A  page\t", "\n A  page", {"raw": "A  page \r\n"}):
        assert client.page(title=title)["title"] == {"raw": "A  page", "rendered": "A  page"}
    for path in ("/pages", "/pages/1"):
        for body in ({"title": " \t "}, {"title": {"raw": ""}, "content": {"raw": ""}}):
            answer = client.post(path, json={**body, "slug": "new"})
            assert (answer.status_code, answer.get_json()["code"]) == (400, "empty_content")
    page = client.patch("/pages/1", json={"title": " ", "content": {"raw": "x"}}).get_json()
    assert (page["title"]["raw"], page["content"]["raw"]) == ("", "x")
    assert client.page(content={"rendered": "only shown"})["content"]["raw"] == ""


def test_meta_changes_by_key_null_resets_and_lists_keep_their_values(client: Client) -> None:
    gallery = [1, None, True, 1.5, 10**30, "é\u2028", {"a": [{}]}, [[]]]
    page = client.page(meta={"form_id": "7", "starts_at": "s", "gallery": gallery})
    assert page["meta"] == {**EMPTY_META, "form_id": "7", "starts_at": "s", "gallery": gallery}
    for same in ({}, [], {"form_id": 7}):
        answer = client.put(f"/pages/{page['id']}", json={"meta": same})
        assert answer.get_json()["meta"] == page["meta"]
    refused = client.put(f"/pages/{page['id']}", json={"meta": {"form_id": 5.5}}).get_json()
    assert "a string, or an integer from 0." in refused["data"]["params"]["meta.form_id"]
    for form in (0, 2**63 - 1, ""):
        assert client.page(meta={"form_id": form})["meta"]["form_id"] == str(form)
    body = {"meta": {"gallery": None, "form_id": None, "ends_at": "e"}}
    changed = client.put(f"/pages/{page['id']}", json=body).get_json()["meta"]
    assert changed == {**EMPTY_META, "starts_at": "s", "ends_at": "e"} == edit(client, page)["meta"]


@pytest.mark.settings(TIMEZONE="Europe/Zurich")
def test_dates_are_the_sites_local_time(client: Client, database_url: str) -> None:
    for sent, local, utc in (
        ("2026-07-01T12:00:00", "2026-07-01T12:00:00", "2026-07-01T10:00:00"),
        ("2026-07-01t12:00:00Z", "2026-07-01T14:00:00", "2026-07-01T12:00:00"),
        ("2026-01-01 00:30:00.999-05", "2026-01-01T06:30:00", "2026-01-01T05:30:00"),
        ("2026-01-01T00:00:00+05:45", "2025-12-31T19:15:00", "2025-12-31T18:15:00"),
        # The hour that spring skips stays as it was sent; autumn has one hour twice.
        ("2026-03-29T02:30:00", "2026-03-29T02:30:00", "2026-03-29T01:30:00"),
        ("2026-03-29T01:30:00Z", "2026-03-29T03:30:00", "2026-03-29T01:30:00"),
        ("2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00", "2026-10-25T00:30:00"),
        ("2026-10-25T02:30:00+01:00", "2026-10-25T02:30:00", "2026-10-25T01:30:00"),
        # At the ends of the calendar a date stops.
        ("0001-01-01T00:00:00+14:00", "0001-01-01T00:00:00", "0001-01-01T00:00:00"),
        ("0001-01-01T00:00:00", "0001-01-01T00:00:00", "0001-01-01T00:00:00"),
        ("9999-12-31T23:59:59-12:00", "9999-12-31T23:59:59", "9999-12-31T23:59:59"),
        ("9999-12-31T23:59:59", "9999-12-31T23:59:59", "9999-12-31T22:59:59"),
    ):  # fmt: skip
        page = client.post("/pages", json={"title": "x", "date": sent}).get_json()
        assert edit(client, page)["date"] == page["date"] == local
        select = f"SELECT date_utc FROM page WHERE id = {page['id']}"
        assert run_sql(database_url, select) == [(utc,)]
        assert page["status"] == ("future" if utc > "2090" else "publish")


SLUGS = [
    *((word, f"{word}-2") for word in "feed rdf rss rss2 atom embed 2024 page7 007".split()),
    *((word, word) for word in "feeds page page7a 2024-2 __trashed a_b".split()),
    *(("  A  B ", "a-b"), ("a/b.c", "a-b-c"), ("<b>x</b>&amp;y", "xy"), ("Zürich", "zurich")),
    *(("日", "%e6%97%a5"), ("%E6%97%A5", "%e6%97%a5"), ("😀", "%f0%9f%98%80")),
    *(("x" * 999, "x" * 200), ("日" * 99, "%e6%97%a5" * 22), ("!?", "a-page"), ("", "a-page")),
]


def test_a_slug_is_cleaned_and_made_unique(client: Client) -> None:
    for sent, slug in SLUGS:
        first, second = (client.page(slug=sent) for _ in range(2))
        assert first["slug"] == slug
        assert (len(second["slug"]) <= 200, second["slug"] != slug) == (True, True)
        for page in (first, second):
            client.delete(f"/pages/{page['id']}?force=true")


@pytest.mark.parametrize("status", ["draft", "pending"])
def test_a_draft_has_no_slug_and_no_fixed_date_until_it_is_published(
    client: Client, database_url: str, status: str
) -> None:
    def put(**body: Any) -> dict[str, Any]:
        date = "'2020-01-01T00:00:00'"
        run_sql(database_url, f"UPDATE page SET date = {date}, date_utc = {date}")
        return client.put(f"/pages/{page['id']}", json=body).get_json()

    page = client.page(status=status, title="", content="No title")
    assert (page["slug"], page["link"]) == ("", f"http://localhost/?page_id={page['id']}")
    assert is_now(put(author=2)["date"])
    assert put(date="2021-01-01T00:00:00")["date"] == "2021-01-01T00:00:00"
    assert not is_now(put(author=3)["date"])
    assert is_now(put(date=None)["date"])
    client.delete(f"/pages/{page['id']}")
    put(author=4)
    assert is_now(put(status=status)["date"])
    assert is_now(put(author=5)["date"])
    published = put(status="publish")
    # Digits alone would read as a page number, so they get a suffix.
    assert (published["slug"], is_now(published["date"])) == (f"{page['id']}-2", True)
    assert not is_now(put(author=6)["date"])
    assert put(slug="")["slug"] == f"{page['id']}-2"


@pytest.mark.parametrize("old", [*STATUSES, "trash"])
def test_every_status_leads_to_every_other(client: Client, old: str) -> None:
    for new, later in product(STATUSES, (False, True)):
        date = LATER if later or old == "future" else "2020-01-01T00:00:00"
        page = client.page(status="draft" if old == "trash" else old, date=date, slug="kept")
        if old == "trash":
            assert client.delete(f"/pages/{page['id']}").get_json()["slug"] == "kept__trashed"
        moved = client.put(f"/pages/{page['id']}", json={"status": new}).get_json()
        timed = "future" if date == LATER else "publish"
        status = timed if new in ("publish", "future") else new
        linked = "kept/" if status in ("publish", "private") else f"?page_id={page['id']}"
        changed = {"status": status, "link": f"http://localhost/{linked}"}
        assert moved == {**page, **changed, "modified": moved["modified"]} == edit(client, page)
        client.delete(f"/pages/{page['id']}?force=true")


def test_a_new_custom_field_is_empty_in_older_pages(client: Client, database_url: str) -> None:
    meta = {"form_id": "7", "gallery": [{"language": 2**70, "n": 1.50}]}
    page = client.page(meta=meta)
    text = '{"form_id": "7", "gallery": [{"language": 1180591620717411303424, "n": 1.5}]}'
    run_sql(database_url, f"UPDATE page SET meta = '{text}'")
    wanted = {**EMPTY_META, **meta}
    for path in (f"/pages/{page['id']}", f"/pages/{page['id']}?context=edit"):
        assert client.get(path).get_json()["meta"] == wanted
    assert client.get("/pages").get_json()[0]["meta"] == wanted
    updated = client.put(f"/pages/{page['id']}", json={"meta": {"starts_at": "s"}}).get_json()
    assert updated["meta"] == {**wanted, "starts_at": "s"}
    assert client.delete(f"/pages/{page['id']}?force=1").get_json()["previous"]["meta"] == {
        **wanted, "starts_at": "s",
    }  # fmt: skip


def test_a_page_in_the_trash_can_be_written_back_as_it_was_read(client: Client) -> None:
    page = client.page(status="draft")
    assert client.put("/pages/1", json={**page, "status": "trash"}).status_code == 400
    client.delete("/pages/1")
    for path in ("/pages/1", "/wp-json/wp/v2/pages/1"):
        read = client.get(f"{path}?context=edit").get_json()
        back = client.put(path, json={**read, "content": "New"}).get_json()
        assert (back["status"], back["slug"]) == ("trash", read["slug"])
    assert client.put("/pages/1", json={"status": "draft"}).get_json()["status"] == "draft"


# Copies.
SCRIPT = "<p>Hello</p><script>steal()</script>"


def test_a_copy_is_a_draft_of_the_caller_without_password_and_slug(client: Client) -> None:
    meta = {
        "form_id": "3", "starts_at": "2031-01-01", "ends_at": "2031-02-01T10:00",
        "language": ["de"], "gallery": ["https://example.com/a.jpg", 2**70],
        "viral_share": [], "instant_win": [{"a": 1.0}],
    }  # fmt: skip
    page = client.page(
        title="Sale & <em>more</em>", content="<!-- wp:paragraph -->\n<p>x</p>\n", slug="sale",
        password="hidden", author=7, date="2030-01-01T00:00:00", meta=meta,
    )  # fmt: skip
    path = f"/pages/{page['id']}"
    before = client.get(f"{path}?context=edit").get_json()
    answer = client.post(f"{path}/duplicate")
    copy = answer.get_json()
    assert answer.status_code == 201, answer.text
    assert answer.headers["Location"] == f"http://localhost/pages/{copy['id']}"
    assert client.get(f"/pages/{copy['id']}?context=edit").get_json() == copy
    unchanged = {"If-Match": answer.headers["ETag"]}
    assert client.patch(f"/pages/{copy['id']}", json={}, headers=unchanged).status_code == 200
    assert copy["title"]["raw"] == "Sale & <em>more</em> (copy)"
    assert copy["title"]["rendered"] == "Sale &#038; <em>more</em> (copy)"
    assert copy["content"] == {**before["content"], "protected": False}
    kept = ("status", "slug", "password", "author", "meta")
    assert [copy[name] for name in kept] == ["draft", "", "", 1, before["meta"]]
    assert copy["date"] < "2030"
    assert client.get(f"{path}?context=edit").get_json() == before
    newest = client.get("/events?order=desc&per_page=1").get_json()[0]
    assert (newest["type"], newest["data"]["id"]) == ("page.created", copy["id"])
    # The next copy is as good, and both get a slug when they are published.
    for one in (copy, client.post(f"{path}/duplicate").get_json()):
        published = client.patch(f"/pages/{one['id']}", json={"status": "publish"}).get_json()
        assert published["slug"].startswith("sale-more-copy")


def test_a_page_in_the_trash_is_copied_and_a_missing_one_is_not(client: Client) -> None:
    page = client.page(title="Gone", content="x")
    client.delete(f"/pages/{page['id']}")
    copy = client.post(f"/pages/{page['id']}/duplicate").get_json()
    assert (copy["status"], copy["title"]["raw"]) == ("draft", "Gone (copy)")
    assert client.get(f"/pages/{page['id']}?context=edit").get_json()["status"] == "trash"
    for missing in ("999", "9" * 30):
        answer = client.post(f"/pages/{missing}/duplicate")
        assert (answer.status_code, answer.get_json()["code"]) == (404, "rest_post_invalid_id")
    below = client.post(f"/wp-json/wp/v2/pages/{page['id']}/duplicate")
    assert (below.status_code, below.get_json()["code"]) == (404, "rest_no_route")


@pytest.mark.parametrize("title", ["", "a" * 1993, "a" * 1994, "a" * 2000])
def test_a_copy_can_be_written_back_as_it_was_read(client: Client, title: str) -> None:
    page = client.page(title=title, content="x")
    copy = client.post(f"/pages/{page['id']}/duplicate").get_json()
    ending = " (copy)" if 0 < len(title) < 1994 else ""
    assert copy["title"]["raw"] == title + ending
    assert client.put(f"/pages/{copy['id']}", json=copy).status_code == 200


def test_html_stays_cleaned_and_is_cleaned_in_copies(client: Client, writer: FlaskClient) -> None:
    trap = writer.post("/f/pages", json={"title": f"T{SCRIPT}", "content": SCRIPT}).get_json()
    free = client.page(title="T", content=SCRIPT)
    cases = [("", trap, False), ("/f", trap, False), ("/f", free, False), ("", free, True)]
    for prefix, page, runs in cases:
        caller = writer if prefix else client
        answer = caller.post(f"{prefix}/pages/{page['id']}/duplicate")
        copy = answer.get_json()
        assert copy["content"]["raw"] == SCRIPT
        rendered = copy["title"]["rendered"] + copy["content"]["rendered"]
        assert ("<script" in rendered) is runs
        assert ("script" in answer.headers.get("X-Landform-Warning", "")) is not runs


def test_one_key_makes_one_copy_however_many_ask_at_once(app: Flask, client: Client) -> None:
    ids = [client.page(title=title, content="x")["id"] for title in ("One", "Two")]

    def duplicate(number: int) -> Any:
        headers = {"Idempotency-Key": "k"}
        answer = Client(app).post(f"/pages/{ids[number % 2]}/duplicate", headers=headers)
        return answer.status_code, answer.get_json()["id"], answer.headers["ETag"]

    with ThreadPoolExecutor(8) as pool:
        made = set(pool.map(duplicate, range(16)))
    assert len(made) == 2
    assert {status for status, *_ in made} == {201}
    assert client.get("/pages?status=draft").headers["X-WP-Total"] == "2"
