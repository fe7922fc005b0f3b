"""Previews: signed addresses that show one page as it is, until they end or are revoked."""

from typing import Any
from urllib.parse import urlsplit

import pytest
from applications import Site
from conftest import basic
from test_site import is_html

from landform.storage.maintenance import transfer

PREVIEWED: list[dict[str, Any]] = [
    {"status": "draft"}, {"status": "pending"}, {"status": "private"},
    {"status": "future", "date": "2031-01-01T00:00:00"}, {"meta": {"starts_at": "2031-01-01"}},
    {"meta": {"ends_at": "2029-01-01"}}, {"password": "secret"}, {},
]  # fmt: skip


def preview(site: Site, page_id: int, **body: Any) -> dict[str, Any]:
    made = site.visitor.post(f"/pages/{page_id}/preview", json=body, headers=basic())
    assert made.status_code == 200, made.text
    assert made.headers["Cache-Control"] == "no-store"
    return dict(made.get_json())


def shown(site: Site, made: dict[str, Any]) -> Any:
    parts = urlsplit(made["link"])
    client = site.app.test_client()
    return client.get(f"{parts.path}?{parts.query}", headers={"Accept": "text/html"})


@pytest.mark.parametrize("body", PREVIEWED, ids=str)
def test_a_preview_shows_the_current_page_without_credentials(site: Site, body: Any) -> None:
    page = site.page(title="New", content="First words.", **body)
    made = preview(site, page["id"])
    assert made["link"] == f"http://localhost/?page_id={page['id']}&preview={made['token']}"
    assert (made["expires"], made["expires_gmt"]) == ("2030-05-02T12:00:00",) * 2
    seen = shown(site, made)
    assert (seen.status_code, is_html(seen)) == (200, True)
    assert "First words." in seen.text
    assert "<strong>Preview.</strong>" in seen.text
    assert "This address works until 2030-05-02 12:00:00." in seen.text
    assert seen.headers["Referrer-Policy"] == "no-referrer"
    assert 'name="robots" content="noindex, nofollow"' in seen.text
    path = f"/pages/{page['id']}?preview={made['token']}"
    for base in ("", "/wp-json/wp/v2"):
        opened = site.app.test_client().get(base + path)
        assert (opened.status_code, opened.headers["Cache-Control"]) == (200, "no-store")
        assert opened.get_json()["content"]["rendered"] == "<p>First words.</p>\n"
        assert "password" not in opened.get_json()
        assert site.app.test_client().get(f"{base}{path}&context=edit").status_code == 401
    site.visitor.patch(f"/pages/{page['id']}", json={"content": "Later words."}, headers=basic())
    assert "Later words." in shown(site, made).text


def test_a_preview_lasts_a_second_to_thirty_days_and_ends_at_its_second(site: Site) -> None:
    page = site.page(status="draft")
    made, path = preview(site, page["id"], expires_in=10), f"/pages/{page['id']}"
    for second, status in ((0, 200), (9, 200), (10, 403), (10**6, 403)):
        site.at(second)
        seen = shown(site, made)
        assert (seen.status_code, is_html(seen)) == (status, True)
        assert ("Its content." in seen.text) == (status == 200)
        opened = site.app.test_client().get(f"{path}?preview={made['token']}")
        assert opened.status_code == status
    assert opened.get_json()["code"] == "rest_preview_ended"
    ended = site.app.test_client().get(made["link"], headers={"Accept": "application/json"})
    assert (ended.status_code, ended.get_json()["code"]) == (403, "rest_preview_ended")
    assert seen.headers["Cache-Control"] == "no-store"
    for body, status in (
        ({}, 200), ({"expires_in": 1}, 200), ({"expires_in": "60"}, 200),
        ({"expires_in": 2_592_000}, 200), ({"expires_in": 2_592_001}, 400),
        ({"expires_in": 0}, 400), ({"expires_in": 1.5}, 400), ({"expires_in": None}, 400),
    ):  # fmt: skip
        page = site.page(status="draft")
        made = site.visitor.post(f"/pages/{page['id']}/preview", json=body, headers=basic())
        assert made.status_code == status
        assert status == 200 or list(made.get_json()["data"]["params"]) == ["expires_in"]
        # They are for who may read pages.
        for method in ("GET", "POST", "DELETE"):
            assert site.visitor.open("/pages/999/preview", method=method).status_code == 401
            missing = site.visitor.open("/pages/999/preview", method=method, headers=basic())
            assert missing.get_json()["code"] == "rest_post_invalid_id"


def test_revoking_ends_all_previews_of_a_page_and_of_no_other(site: Site) -> None:
    page, other = site.page(status="draft"), site.page(status="draft")
    old = [preview(site, page["id"]) for _ in range(2)]
    kept, client = preview(site, other["id"]), site.app.test_client()
    for _ in range(3):
        # What a token opened is cached for nobody else.
        for query, status in ((f"?preview={old[0]['token']}", 200), ("", 401)):
            assert client.get(f"/pages/{page['id']}{query}").status_code == status
    revoked = site.visitor.delete(f"/pages/{page['id']}/preview", headers=basic())
    assert (revoked.status_code, revoked.get_json()) == (200, {"revoked": True})
    assert [shown(site, one).status_code for one in (*old, kept)] == [403, 403, 200]
    assert client.get(f"/pages/{page['id']}?preview={old[0]['token']}").status_code == 403
    new = preview(site, page["id"])
    assert shown(site, new).status_code == 200
    site.visitor.delete(f"/pages/{page['id']}/preview", headers=basic())
    assert [shown(site, one).status_code for one in (*old, new)] == [403] * 3


def test_the_previews_that_still_work_are_listed(site: Site) -> None:
    page, other = site.page(status="draft")["id"], site.page(status="draft")["id"]
    path = f"/pages/{page}/preview"

    def listed() -> list[Any]:
        answer = site.visitor.get(path, headers=basic())
        assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store")
        return list(answer.get_json())

    assert listed() == []
    short, long = preview(site, page, expires_in=10), preview(site, page, expires_in=60)
    preview(site, page, expires_in=60)
    preview(site, other)
    assert listed() == [long, short]
    site.at(10)
    assert listed() == [long]
    site.visitor.delete(f"/pages/{page}", headers=basic())
    assert listed() == []
    site.visitor.put(f"/pages/{page}", json={"status": "draft"}, headers=basic())
    assert listed() == [long]
    site.visitor.delete(path, headers=basic())
    assert listed() == []
    times = [preview(site, page, expires_in=second)["expires"] for second in range(1, 106)]
    assert [made["expires"] for made in listed()] == times[:-101:-1]
    assert len(site.visitor.get(f"/pages/{other}/preview", headers=basic()).get_json()) == 1
    assert site.visitor.get(path).status_code == 401


@pytest.mark.parametrize(
    "token",
    ["x", "a.b", "W10.", "é", "x" * 5000, "W1s.x", "%00", "null", "of another page", "a cookie"],
)
def test_a_forged_token_is_refused(site: Site, token: str) -> None:
    page, other = site.page(password="x", content="Hidden."), site.page(status="draft")
    client = site.app.test_client()
    if token == "of another page":
        token = preview(site, other["id"])["token"]
    elif token == "a cookie":
        client.post("/a-page/", data={"password": "x"})
        cookie = client.get_cookie("landform_page_1", path="/a-page")
        assert cookie
        token = cookie.value
        # And a preview is no cookie.
        own = f"landform_page_1={preview(site, 1)['token']}"
        assert "Hidden." not in site.with_cookie("/a-page/", own).text
    assert client.get(f"/?page_id={page['id']}&preview={token}").status_code == 403
    assert client.get(f"/pages/{page['id']}?preview={token}").status_code in (400, 403)


def test_a_preview_ends_with_the_trash_and_is_not_valid_for_an_imported_page(site: Site) -> None:
    page = site.page(status="draft")
    made = preview(site, page["id"])
    lines = list(transfer.rows(site.store, ["page"]))
    assert shown(site, made).status_code == 200
    path = f"/pages/{page['id']}"
    assert site.visitor.delete(path, headers=basic()).status_code == 200
    assert shown(site, made).status_code == 404
    assert site.app.test_client().get(f"{path}?preview={made['token']}").status_code == 403
    refused = site.visitor.post(f"{path}/preview", headers=basic())
    assert (refused.status_code, refused.get_json()["code"]) == (410, "rest_already_trashed")
    assert site.visitor.delete(f"{path}?force=true", headers=basic()).status_code == 200
    transfer.Import(site.store).run(enumerate(lines))
    assert site.get(f"/pages/{page['id']}", **basic()).status_code == 200
    assert shown(site, made).status_code == 403
    assert shown(site, preview(site, page["id"])).status_code == 200
