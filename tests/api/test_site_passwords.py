"""The password form of a page: a right password opens this page for a day, and nothing else."""

from typing import Any

import pytest
from applications import Site
from conftest import SECRET, basic
from files import command
from flask import Flask
from flask.testing import FlaskClient
from test_site import is_html

from landform.app import create_app
from landform.storage import signatures

HIDDEN = "The hidden words."
pytestmark = pytest.mark.settings(FAILED_ATTEMPTS_PER_MINUTE=3)


@pytest.fixture
def site(app: Flask) -> Site:
    found = Site(app)
    found.page(title="Locked", slug="locked", password="sésame", content=HIDDEN)
    return found


def enter(client: FlaskClient, password: str, path: str = "/locked/", **given: Any) -> Any:
    return client.post(path, data={"password": password}, **given)


def cookie_of(response: Any) -> str:
    return str(response.headers["Set-Cookie"])


def test_the_right_password_opens_this_page_for_a_day(site: Site) -> None:
    form = site.get("/locked/")
    assert (form.status_code, is_html(form), HIDDEN in form.text) == (200, True, False)
    assert '<form method="post"' in form.text
    assert "<h1>Locked</h1>" in form.text
    assert "ETag" not in form.headers
    right = enter(site.visitor, "sésame")
    assert (right.status_code, right.data, right.headers["Location"]) == (303, b"", "./")
    for response in (form, right, site.get("/locked/")):
        assert response.headers["Cache-Control"] == "private, no-store"
    site.at(24 * 3600 - 1)
    assert HIDDEN in site.get("/locked/").text
    site.at(24 * 3600)
    assert HIDDEN not in site.get("/locked/").text


def test_the_cookie_is_for_this_page_and_no_script(site: Site) -> None:
    cookie = cookie_of(enter(site.visitor, "sésame"))
    # Without a path it is that of the page.
    attributes = {part.strip().partition("=")[0] for part in cookie.split(";")[1:]}
    assert attributes == {"Expires", "Max-Age", "HttpOnly", "SameSite"}
    assert "SameSite=Lax" in cookie
    assert "Max-Age=86400" in cookie
    assert site.visitor.get_cookie("landform_page_1", path="/locked")
    assert "s\u00e9same" not in cookie
    secure = enter(site.visitor, "sésame", base_url="https://localhost")
    assert "Secure" in cookie_of(secure)


def test_a_page_stays_open_until_its_password_changes(site: Site) -> None:
    enter(site.visitor, "sésame")
    for password, opens in (("sésame", True), ("other", False), ("sésame", False)):
        site.visitor.patch("/pages/1", json={"password": password}, headers=basic())
        assert (HIDDEN in site.get("/locked/").text) == opens


@pytest.mark.parametrize(
    "given",
    [
        *({"data": {"password": wrong}} for wrong in ("", "sesame", "sésame ", "x" * 5000)),
        {"data": b"password=s%C3%A9same", "content_type": "text/plain"},
        {"json": {"password": "sésame"}}, {}, {"data": {"other": "sésame"}},
        {"data": b"\xff=1&password", "content_type": "application/x-www-form-urlencoded"},
    ],
)  # fmt: skip
def test_a_wrong_password_does_not_open_a_page(site: Site, given: dict[str, Any]) -> None:
    refused = site.visitor.post("/locked/", **given)
    assert refused.status_code in (400, 403)
    assert is_html(refused)
    assert ('role="alert"' in refused.text) == (refused.status_code == 403)
    assert HIDDEN not in refused.text
    assert "Set-Cookie" not in refused.headers


@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_guesses_are_counted_as_those_at_the_api(site: Site, accept: str) -> None:
    headers = {"Accept": accept}
    refused = [enter(site.visitor, "wrong", headers=headers) for _ in range(4)]
    assert [one.status_code for one in refused] == [403, 403, 403, 429]
    last = enter(site.visitor, "sésame", headers=headers)
    assert (last.status_code, is_html(last)) == (429, accept == "text/html")
    assert int(last.headers["Retry-After"]) > 0
    assert site.get("/pages/1", X_Page_Password="sésame").status_code == 429


def test_a_form_may_be_sent_in_parts_and_from_no_other_site(site: Site) -> None:
    sent = {"content_type": "multipart/form-data"}
    assert enter(site.visitor, "sésame", **sent).status_code == 303
    for origin in ("cross-site", "same-site"):
        foreign = enter(site.visitor, "sésame", headers={"Sec-Fetch-Site": origin})
        assert (foreign.status_code, is_html(foreign)) == (403, True)
    own = enter(site.visitor, "sésame", headers={"Sec-Fetch-Site": "same-origin", "Origin": "null"})
    assert own.status_code == 303
    # The longest password is taken; more is not even looked at.
    site.page(slug="long", password="😀" * 255)
    assert enter(site.visitor, "😀" * 255, "/long/", **sent).status_code == 303
    assert enter(site.visitor, "😀" * 255, "/long/").status_code == 303
    for size, more in ((10_000, {}), (10_000, sent), (5 << 20, {})):
        large = enter(site.visitor, "x" * size, **more)
        assert (large.status_code, is_html(large)) == (413, True), (size, more)


@pytest.mark.parametrize("path", ["/LOCKED/", "/locked", "/?page_id=1", "/locked!/"])
def test_only_at_the_address_of_the_page_is_a_password_taken(site: Site, path: str) -> None:
    led = enter(site.visitor, "sésame", path)
    assert (led.status_code, led.headers["Location"]) == (302, "/locked/")
    assert "Set-Cookie" not in led.headers
    # A page without an address of its own has its form all the same.
    site.page(slug="docs", password="x", content="Docs words.")
    assert enter(site.visitor, "x", "/?page_id=2").headers["Location"] == "?page_id=2"
    assert "Docs words." in site.get("/?page_id=2").text
    assert enter(site.visitor, "x", "/Docs!/").status_code == 404


def test_a_forged_cookie_or_that_of_another_page_opens_nothing(site: Site) -> None:
    for value in ("", "x", "a.b", "W10.x", "WzEsMl0.", "é", "." * 400, "x" * 10_000, '"', "\\"):
        shown = site.with_cookie("/locked/", f"landform_page_1={value.encode().decode('latin-1')}")
        assert (shown.status_code, HIDDEN in shown.text) == (200, False), value
    site.page(slug="other", password="sésame", content=HIDDEN)
    right = cookie_of(enter(site.visitor, "sésame")).partition("=")[2].partition(";")[0]
    for path, number, opens in (
        ("/locked/", 1, True),
        ("/other/", 1, False),
        ("/other/", 2, False),
    ):
        # Other cookies of the host may have bytes that are not UTF-8.
        for more in ("", "; other=\xe9"):
            shown = site.with_cookie(path, f"landform_page_{number}={right}{more}")
            assert (HIDDEN in shown.text) == opens


def test_rotating_the_secret_ends_cookies_and_previews(site: Site, database_url: str) -> None:
    app = create_app({"DATABASE_URL": database_url, "CREDENTIALS": SECRET})
    app.blueprints["landform"].service.store.clock = site.clock  # type: ignore[attr-defined]
    clients = [one.test_client(use_cookies=False) for one in (app, site.app)]
    value = cookie_of(enter(site.visitor, "sésame")).partition("=")[2].partition(";")[0]
    preview = site.visitor.post("/pages/1/preview", headers=basic()).get_json()["token"]

    def opened(client: FlaskClient) -> list[bool]:
        cookie = {"Cookie": f"landform_page_1={value}"}
        by_cookie = client.get("/locked/", headers=cookie)
        return [
            HIDDEN in by_cookie.text,
            HIDDEN in client.get(f"/?page_id=1&preview={preview}").text,
        ]

    assert [opened(client) for client in clients] == [[True, True]] * 2
    with site.store.connection():
        secret = signatures.secret(site.store)
    for line in ("export", "secret rotate"):
        done = command(database_url, *line.split())
        assert (done.exit_code, secret in done.output) == (0, False)
    assert [opened(client) for client in clients] == [[False, False]] * 2


@pytest.mark.settings(PUBLIC_URL="https://www.example.com")
def test_behind_a_proxy_that_ends_https_the_cookie_is_secure(site: Site) -> None:
    for host, secure in (("www.example.com", True), ("127.0.0.1:8000", False)):
        right = enter(site.visitor, "sésame", headers={"Host": host})
        assert ("Secure" in cookie_of(right)) == secure
        assert right.headers["Location"] == "./"
