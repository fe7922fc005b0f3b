"""Revisions: what a page was before each write, what changed after it, and how it is put back."""

from collections.abc import Callable
from typing import Any

import pytest
from applications import Client

Page = dict[str, Any]
FIRST = {"title": "One", "content": "Same\nOld", "slug": "one", "meta": {"form_id": "3"}}
SECOND = {"title": "Two", "content": "Same\nNew", "slug": "two", "meta": {"form_id": "4"}}
BELOW = "/wp-json/wp/v2"
SCRIPT = "<script>run()</script>after"


@pytest.fixture
def page(client: Client) -> Page:
    """A page that was changed once: its revision is what `page` is."""
    page = client.page(**FIRST)
    assert client.patch(f"/pages/{page['id']}", json=SECOND).status_code == 200
    return page


@pytest.fixture
def team(client: Client) -> Callable[..., Page]:
    """Call as one of several authors, of whom only the first may write any HTML."""
    scopes = "html:unfiltered", "pages:read", "pages:write"
    keys = [client.key(f"author{n}", *scopes[n > 1 :], author=n) for n in (1, 2, 3)]

    def call(author: int, method: str, path: str, **body: Any) -> Page:
        headers = keys[author - 1]
        answer = client.anonymous.open(path, method=method, json=body, headers=headers)
        assert answer.status_code < 300, answer.text
        found: Page = answer.get_json()
        return found

    return call


def revisions(client: Client, page: Page, query: str = "", base: str = "") -> list[Page]:
    answer = client.get(f"{base}/pages/{page['id']}/revisions{query}")
    assert answer.status_code == 200, answer.text
    found: list[Page] = answer.get_json()
    return found


def without(page: Page, *names: str) -> Page:
    return {name: value for name, value in page.items() if name not in ("modified", *names)}


def test_a_write_that_changes_visible_fields_makes_a_revision(client: Client) -> None:
    for body, changed in (
        ({"title": "Two"}, ["title"]), ({"content": "New"}, ["content"]), ({"slug": "x"}, ["slug"]),
        ({"status": "draft"}, ["status"]), ({"meta": {"form_id": "4"}}, ["meta"]),
        ({**SECOND, "status": "private"}, ["title", "content", "slug", "status", "meta"]),
        ({}, None), (FIRST, None), ({"password": "hidden", "author": 7}, None),
        ({"date": "2020-01-01T00:00:00"}, None),
    ):  # fmt: skip
        page = client.page(**FIRST)
        assert revisions(client, page) == []
        client.patch(f"/pages/{page['id']}", json=body)
        found = revisions(client, page, "?context=edit")
        assert [one["changed"] for one in found] == ([changed] if changed else [])
        for one in found:
            for name in ("title", "content", "slug", "status", "meta", "date", "author"):
                assert one[name] == page[name]
            assert one["parent"] == page["id"]


def test_the_trash_makes_revisions_and_deletion_removes_them(client: Client, page: Page) -> None:
    path = f"/pages/{page['id']}"
    client.delete(path)
    client.patch(path, json={"status": "draft"})
    found = revisions(client, page, "?_fields=status,slug")
    assert [(one["status"], one["slug"]) for one in found] == [
        ("trash", "two__trashed"), ("publish", "two"), ("publish", "one"),
    ]  # fmt: skip
    (number,) = (one["id"] for one in revisions(client, page, "?per_page=1"))
    assert client.delete(f"{path}?force=true").status_code == 200
    for gone in (f"{path}/revisions", f"{path}/revisions/{number}"):
        assert client.get(gone).get_json()["code"] == "rest_post_invalid_parent"


def test_a_revision_has_its_author_and_that_of_the_next_write(team: Callable[..., Page]) -> None:
    page = team(1, "POST", "/pages", title="0")
    for author in (2, 1, 3):
        team(author, "PATCH", f"/pages/{page['id']}", title=f"by {author}")
    found: Any = team(1, "GET", f"/pages/{page['id']}/revisions")
    assert [(one["author"], one["replaced_by"]) for one in found] == [(1, 3), (2, 1), (1, 2)]


def test_a_restore_sanitizes_html_like_a_write_and_names_what_it_removed(
    team: Callable[..., Page], client: Client
) -> None:
    page = team(1, "POST", "/pages", title="0", content=SCRIPT)
    team(1, "PATCH", f"/pages/{page['id']}", content="other")
    found: Any = team(1, "GET", f"/pages/{page['id']}/revisions")
    restore = f"/pages/{page['id']}/revisions/{found[0]['id']}/restore"
    assert team(1, "POST", restore)["content"]["rendered"].count("script") == 2
    cleaned = team(2, "POST", restore)["content"]
    assert (cleaned["raw"], cleaned["rendered"].strip()) == (SCRIPT, "<p>after</p>")
    page = team(2, "POST", "/pages", title="0", content=SCRIPT)
    path = f"/pages/{page['id']}"
    client.patch(path, json={"content": "other"})
    number = revisions(client, page)[0]["id"]
    answer = client.post(f"{path}/revisions/{number}/restore")
    assert answer.headers["X-Landform-Warning"].startswith("script: left out of the HTML")
    assert answer.get_json()["content"]["rendered"] == "<p>after</p>\n"
    changed = client.patch(path, json={"content": f"{SCRIPT}!"})
    assert "X-Landform-Warning" not in changed.headers


@pytest.mark.parametrize("method", ["PUT", "PATCH", "POST"])
@pytest.mark.parametrize("base", ["", BELOW])
def test_writing_back_a_sanitized_text_keeps_it_sanitized(
    team: Callable[..., Page], method: str, base: str
) -> None:
    written = f"{SCRIPT}\r\n\r\nx\ry"
    page = team(2, "POST", "/pages", title=f"0 {SCRIPT}", content=written)
    path = f"{base}/pages/{page['id']}"
    read = team(1, "GET", f"{path}?context=edit")
    plain = written.replace("\r\n", "\n")
    for content in (written, plain, plain.replace("\r", "\n")):
        sent = {"title": read["title"], "content": {**read["content"], "raw": content}}
        changed = team(1, method, path, **sent, slug="another")
        assert changed["content"]["raw"] == content
        for field in ("title", "content"):
            assert "script" not in changed[field]["rendered"]
    # What is written by somebody who may write any HTML is theirs.
    assert "script" in team(1, method, path, content=f"{written}!")["content"]["rendered"]
    assert "script" not in team(2, method, path, content=f"{written}!")["content"]["rendered"]


@pytest.mark.parametrize("base", ["", BELOW])
def test_revisions_are_paged_with_wordpress_fields(client: Client, page: Page, base: str) -> None:
    for number in range(4):
        client.patch(f"/pages/{page['id']}", json={"title": f"T{number}"})
    path = f"{base}/pages/{page['id']}/revisions"
    answer = client.get(f"{path}?per_page=2&page=2")
    assert (answer.headers["X-WP-Total"], answer.headers["X-WP-TotalPages"]) == ("5", "3")
    assert 'rel="prev"' in answer.headers["Link"]
    assert 'rel="next"' in answer.headers["Link"]
    assert answer.headers["Cache-Control"] == "no-store"
    titles = [one["title"]["rendered"] for one in revisions(client, page, base=base)]
    assert titles == ["T2", "T1", "T0", "Two", "One"]
    assert [one["title"]["rendered"] for one in answer.get_json()] == ["T0", "Two"]
    oldest = revisions(client, page, "?order=asc&per_page=1&context=edit", base)[0]
    assert oldest["title"] == {"raw": "One", "rendered": "One"}
    assert oldest["content"]["raw"] == "Same\nOld"
    assert oldest["excerpt"]["rendered"] == "<p>Same Old</p>\n"
    assert oldest["guid"]["raw"].endswith(f"?page_id={page['id']}")
    assert oldest["_links"]["parent"][0]["href"].endswith(f"{base}/pages/{page['id']}")
    assert {"date_gmt", "modified", "modified_gmt"} <= oldest.keys()
    shown = client.get(f"{path}/{oldest['id']}?context=embed").get_json()
    assert [*shown] == ["id", "parent", "author", "date", "slug", "title", "excerpt", "_links"]
    beyond = client.get(f"{path}?page=9")
    assert (beyond.status_code, beyond.get_json()["code"]) == (
        400, "rest_revision_invalid_page_number",
    )  # fmt: skip


def test_a_diff_says_what_changed_in_a_thousand_lines_at_most(client: Client, page: Page) -> None:
    path = f"/pages/{page['id']}"
    client.patch(path, json={"title": "Three", "status": "draft"})
    second, first = (one["id"] for one in revisions(client, page))
    found = client.get(f"{path}/revisions/{first}?diff=1").get_json()["diff"]
    meta = found.pop("meta")
    assert (meta["before"]["form_id"], meta["after"]["form_id"]) == ("3", "4")
    assert found == {
        "title": {"before": "One", "after": "Two"},
        "slug": {"before": "one", "after": "two"},
        "content": "--- before\n+++ after\n@@ -1,2 +1,2 @@\n Same\n-Old\n+New",
    }
    found = client.get(f"{path}/revisions/{second}?diff=true").get_json()["diff"]
    assert found == {
        "title": {"before": "Two", "after": "Three"},
        "status": {"before": "publish", "after": "draft"},
    }
    assert "diff" not in client.get(f"{path}/revisions/{first}").get_json()
    lines = [line for n in range(30_000) for line in (str(n % 95), f"a{n}")]
    for content in ("\n".join(lines), "\n".join(lines).replace("a", "b")):
        client.patch(path, json={"content": content})
    newest = revisions(client, page, "?per_page=1&_fields=id")[0]["id"]
    answer = client.get(f"{path}/revisions/{newest}?diff=1&_fields=diff")
    assert answer.get_json() == {"diff": {"content": None}}


def test_a_restore_puts_back_what_was_there_and_can_be_undone(client: Client, page: Page) -> None:
    path = f"/pages/{page['id']}"
    changed = client.delete(path).get_json()
    number = revisions(client, page)[-1]["id"]
    answer = client.post(f"{path}/revisions/{number}/restore", json={})
    assert answer.status_code == 200, answer.text
    assert without(answer.get_json()) == without(page)
    unchanged = client.patch(path, json={}, headers={"If-Match": answer.headers["ETag"]})
    assert unchanged.status_code == 200
    newest = revisions(client, page, "?context=edit&per_page=1")[0]
    assert (newest["status"], newest["slug"]) == ("trash", changed["slug"])
    undone = client.post(f"{path}/revisions/{newest['id']}/restore").get_json()
    # Only a delete moves a page to the trash.
    assert without(undone, "link") == without(
        {**changed, "status": "publish", "slug": "one"}, "link"
    )


def test_only_named_fields_are_put_back_and_if_match_is_obeyed(client: Client, page: Page) -> None:
    path = f"/pages/{page['id']}"
    tag = {"If-Match": client.get(f"{path}?context=edit").headers["ETag"]}
    restore = f"{path}/revisions/{revisions(client, page)[0]['id']}/restore"
    for body in ({"fields": ["password"]}, {"fields": "content"}):
        assert client.post(restore, json=body, headers=tag).status_code == 400
    answer = client.post(restore, json={"fields": ["content"]}, headers=tag)
    restored = answer.get_json()
    assert restored["content"]["raw"] == FIRST["content"]
    assert (restored["title"]["raw"], restored["slug"]) == ("Two", "two")
    assert restored["meta"]["form_id"] == "4"
    assert client.post(restore, headers=tag).status_code == 412
    assert len(revisions(client, page)) == 2
    tag = {"If-Match": answer.headers["ETag"]}
    assert client.post(restore, headers=tag).status_code == 200


def test_passwords_are_in_no_revision(client: Client) -> None:
    page = client.page(**FIRST, password="hidden-one")
    for body in ({**SECOND, "password": "hidden-two"}, {"title": "Three", "password": ""}):
        client.patch(f"/pages/{page['id']}", json=body)
    number = revisions(client, page)[0]["id"]
    path = f"/pages/{page['id']}/revisions"
    for address in (f"{path}?context=edit", f"{path}/{number}?context=edit&diff=1"):
        assert "hidden" not in client.get(address).text
    restored = client.post(f"{path}/{number}/restore").get_json()
    assert restored["password"] == ""


@pytest.mark.parametrize("base", ["", BELOW])
def test_a_revision_is_deleted_only_by_force(client: Client, page: Page, base: str) -> None:
    number = revisions(client, page)[0]["id"]
    path = f"{base}/pages/{page['id']}/revisions/{number}"
    refused = client.delete(path)
    assert (refused.status_code, refused.get_json()["code"]) == (501, "rest_trash_not_supported")
    deleted = client.delete(f"{path}?force=true").get_json()
    assert (deleted["deleted"], deleted["previous"]["id"]) == (True, number)
    assert revisions(client, page) == []
    assert client.delete(f"{path}?force=true").get_json()["code"] == "rest_post_invalid_id"


def test_a_revision_is_found_at_its_own_page_only(client: Client, page: Page) -> None:
    number, other = revisions(client, page)[0]["id"], client.page()
    for wrong in (f"{other['id']}/revisions/{number}", f"{page['id']}/revisions/{number + 1}"):
        for method, path in (("GET", ""), ("DELETE", "?force=1"), ("POST", "/restore")):
            answer = client.open(f"/pages/{wrong}{path}", method=method)
            assert (answer.status_code, answer.get_json()["code"]) == (404, "rest_post_invalid_id")
        assert answer.get_json()["message"] == "The page has no such revision."
    missing = client.get("/pages/999").get_json()
    assert (missing["code"], missing["message"]) == (
        "rest_post_invalid_id",
        "There is no such page.",
    )
    huge = client.get(f"/pages/{page['id']}/revisions/{10**30}")
    assert huge.status_code == 404


@pytest.mark.settings(REVISIONS=3)
def test_the_setting_limits_the_revisions_of_each_page(client: Client) -> None:
    pages = client.page(title="0"), client.page(title="0")
    for number in range(1, 6):
        for page in pages:
            client.patch(f"/pages/{page['id']}", json={"title": str(number)})
    for page in pages:
        titles = [one["title"]["rendered"] for one in revisions(client, page)]
        assert titles == ["4", "3", "2"]


@pytest.mark.settings(REVISIONS=0)
def test_with_the_setting_0_there_are_no_revisions(client: Client, page: Page) -> None:
    assert revisions(client, page) == []
