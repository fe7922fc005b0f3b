"""Copies of pages: what they have of the page, who may make them, and how often."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from applications import Client
from flask import Flask
from flask.testing import FlaskClient

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
    assert client.get(f"/pages/{copy['id']}/revisions").get_json() == []
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


def test_html_that_was_cleaned_stays_so_and_is_cleaned_for_who_may_not_write_it(
    client: Client, writer: FlaskClient
) -> None:
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
