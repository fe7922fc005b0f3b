"""The console's files: who gets them, under which policy, and the preview that stores nothing."""

import gzip
import json
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from applications import Client, Site, host_of
from conftest import ROOT, basic
from flask import Flask
from flask.testing import FlaskClient

from landform.parts import all_parts
from landform.parts.console import Console
from landform.service import create_blueprint
from landform.storage import api_keys
from landform.storage.event_types import type_patterns

STATIC = ROOT / "parts/console/static"
# With the screens of other parts.
SERVED = sorted(
    path.name
    for folder in (STATIC, *(part.console_files for part in all_parts().values()))
    if folder
    for path in folder.rglob("*")
    if path.suffix in (".css", ".js", ".svg")
)
TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
GZIP = {"Accept-Encoding": "gzip"}


def test_the_files_of_others_are_those_of_their_packages() -> None:
    vendor = STATIC / "vendor"
    listed = json.loads((vendor / "versions.json").read_bytes())
    assert {one.name for one in vendor.iterdir()} == {"versions.json", *listed}
    found = {name: sha256((vendor / name).read_bytes()).hexdigest() for name in listed}
    assert found == {name: one["sha256"] for name, one in listed.items()}


@pytest.mark.all_parts
def test_the_console_knows_every_type_of_events() -> None:
    listed = (STATIC / "events.js").read_text().partition("export const TYPES = {")[2]
    names = re.findall(r'"([a-z]+\.(?:[a-z]+|\*))"', listed.partition("};")[0])
    assert sorted(["*", *names]) == sorted(type_patterns())


def test_files_come_once_under_a_strict_policy_and_are_small(anonymous: FlaskClient) -> None:
    size = 0
    for path in ("/console", *(f"/console/{name}" for name in SERVED)):
        plain, packed = anonymous.get(path), anonymous.get(path, headers=GZIP)
        kind = TYPES.get(Path(path).suffix, "text/html")
        assert (plain.status_code, plain.mimetype) == (200, kind)
        assert gzip.decompress(packed.data) == plain.data
        size += 0 if path.endswith("/prosemirror.js") else len(packed.data)
        assert packed.headers["Content-Encoding"] == "gzip"
        assert packed.headers["ETag"] != plain.headers["ETag"]
        assert "Accept-Encoding" in plain.headers["Vary"]
        policy = plain.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; connect-src 'self'; ")
        assert "frame-ancestors 'none'" in policy
        assert plain.headers["Referrer-Policy"] == "no-referrer"
        assert plain.headers["X-Content-Type-Options"] == "nosniff"
        known = anonymous.get(path, headers={"If-None-Match": plain.headers["ETag"]})
        assert (known.status_code, known.data, anonymous.head(path).data) == (304, b"", b"")
        refused = anonymous.post(path, json={})
        assert (refused.status_code, refused.is_json) == (405, True)
    # Each is compressed by itself, so that many small modules are more than few. It is about what a
    # single picture of a page has, and browsers keep it: a visitor of the site loads none of it.
    # What edits texts is loaded with the editor of pages only.
    assert size <= 105_000
    assert len(anonymous.get("/console/prosemirror.js", headers=GZIP).data) <= 70_000


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (None, "img-src 'self' https: data: blob: 'unsafe-inline'"),
        (
            "default-src 'none'; IMG-src https://A.example/B; img-src *",
            "img-src https://A.example/B",
        ),
        ("default-src 'none'", "style-src 'self' ; img-src 'none'"),
        ("frame-ancestors 'none'", "img-src * data: blob: 'unsafe-inline'"),
    ],
)
def test_a_preview_loads_what_the_site_lets_visitors_load(
    database_url: str, policy: str | None, expected: str
) -> None:
    site = Site.on(database_url, **({"SITE_POLICY": policy} if policy else {}))
    policies = site.get("/console").headers["Content-Security-Policy"]
    assert f"; {expected}; font-src" in policies
    assert "script-src 'self'; " in policies
    assert "http:" not in policies


ODD = [
    "/nothing.js", "/vendor", "/vendor/versions.json", "/vendor/htm.LICENSE.txt", "/console.html",
    "/..%2fconsole.css", "/../__init__.py", "/%2e%2e/__init__.py", "/vendor/..%2fapp.js",
    "/app.js%00", "/%00", "/app.js/x", "//app.js", "/APP.JS", f"/{'x' * 5000}", "/{root}",
]  # fmt: skip


def test_nothing_else_is_there(anonymous: FlaskClient) -> None:
    for path in [*(f"/console{path}" for path in ODD), "/docs/docs.html", "/docs/..%2Fdocument.py"]:
        answer = anonymous.get(path)
        assert (answer.status_code, answer.get_json()["code"]) == (404, "rest_no_route"), path[:99]


@pytest.mark.settings(SITE_TITLE='"><script>x</script>', TIMEZONE="Europe/Madrid")
def test_the_page_tells_where_the_service_is_and_holds_nothing_else(site: Site) -> None:
    site.page(title="Secret", status="draft")
    text = site.get("/console").text
    assert 'data-root="" data-sign-in="credentials" data-timezone="Europe/Madrid"' in text
    assert "<script>x" not in text
    assert "Secret" not in text
    assert site.get("/console/").text == text


def test_the_page_has_an_address_of_its_own_only_where_the_console_is(database_url: str) -> None:
    with_console = Site.on(database_url)
    page = with_console.page(title="Console", slug="console")
    assert page["link"] == f"http://localhost/?page_id={page['id']}"
    assert "data-sign-in" in with_console.get("/console").text
    assert 'href="http://localhost/console"' in with_console.get("/", **basic()).text
    without = Site.on(database_url, CONSOLE=False)
    assert "Its content." in without.get("/console/").text
    assert without.get("/console/app.js").status_code == 404
    assert "/console" not in without.get("/", **basic()).text


def test_a_guest_has_it_where_its_host_wants_it_below_its_prefix(database_url: str) -> None:
    host = host_of(database_url, "/off")
    guest = create_blueprint(database_url, name="on", parts=(Console(),))
    host.register_blueprint(guest, url_prefix="/shop")
    client = host.test_client()
    assert client.get("/off/console").status_code == 404
    text = client.get("/shop/console").text
    assert 'data-root="/shop"' in text
    assert 'src="/shop/console/app.js"' in text
    assert client.get("/shop/console/app.js").mimetype == "text/javascript"
    assert client.get("/console").status_code == 404


def preview(client: Any, *, expected: int = 200, **body: Any) -> Any:
    answer = client.post("/pages/preview", json=body)
    assert answer.status_code == expected, answer.text
    assert answer.is_json
    return answer.get_json()["html"] if expected == 200 else answer.get_json()


def test_a_preview_is_the_page_that_visitors_would_get(site: Site, client: FlaskClient) -> None:
    page = site.page(title="One", content="Two.", meta={"form_id": "3", "language": ["de"]})
    public = site.get("/one/").text
    before = client.get(f"/pages/{page['id']}?context=edit").get_json()
    assert preview(client, id=page["id"]) == public
    changed = preview(client, id=page["id"], title="Other", meta={"form_id": "4"})
    assert changed != public
    assert "<h1>Other</h1>" in changed
    assert '<main data-form-id="4">' in changed
    assert "<p>Two.</p>" in changed
    assert 'lang="de"' in changed
    # Nothing was stored.
    assert client.get(f"/pages/{page['id']}?context=edit").get_json() == before
    assert client.get(f"/pages/{page['id']}/revisions").get_json() == []
    assert len(client.get("/pages").get_json()) == 1
    assert "<h1>New</h1>" in preview(client, title="New")
    assert len(client.get("/pages?status=any").get_json()) == 1


def test_a_preview_is_cleaned_as_callers_write(client: FlaskClient, writer: FlaskClient) -> None:
    body = {"title": "<script>t</script>", "content": "<p onclick=x>a</p><script>alert(1)</script>"}
    answer = writer.post("/f/pages/preview", json=body)
    assert answer.status_code == 200, answer.text
    assert "script" in answer.headers["X-Landform-Warning"]
    html = answer.get_json()["html"]
    assert "<p>a</p>" in html
    assert "alert(1)" not in html
    assert "onclick" not in html
    whole = client.post("/pages/preview", json=body)
    assert "X-Landform-Warning" not in whole.headers
    assert "<script>alert(1)</script>" in whole.get_json()["html"]


WRONG: dict[str, Any] = {
    "title": [1], "content": [], "slug": {}, "meta": 3, "id": "x", "status": "nosuch",
    "date": "yesterday",
}  # fmt: skip


def test_a_preview_of_a_wrong_value_is_a_400_that_names_it(client: FlaskClient) -> None:
    assert set(preview(client, expected=400, **WRONG)["data"]["params"]) == set(WRONG)


def test_a_preview_shows_what_is_stored_only_to_whoever_may_read_it(
    app: Flask, client: Client, anonymous: FlaskClient
) -> None:
    draft = client.page(title="Hidden", status="draft", content="Secret words.")
    closed = client.page(content="Secret words.", password="sesame")
    with client.store.connection():
        keys = {
            scopes: {"X-API-Key": api_keys.create(client.store, f"k{len(scopes)}", scopes, 1, None)}
            for scopes in (("pages:write",), ("pages:write", "pages:read"))
        }
    for page in (draft, closed, {"id": 999}):
        for scopes, headers in keys.items():
            answer = anonymous.post("/pages/preview", json={"id": page["id"]}, headers=headers)
            missing = 200 if "title" in page else 404
            assert answer.status_code == (missing if "pages:read" in scopes else 403)
            assert ("Secret" in answer.text) == (answer.status_code == 200)
    only_writes = keys[("pages:write",)]
    sent = anonymous.post("/pages/preview", json={"title": "Own"}, headers=only_writes)
    assert "<h1>Own</h1>" in sent.get_json()["html"]


def test_browsers_get_the_console_and_others_json(site: Site, anonymous: FlaskClient) -> None:
    browser = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    home = anonymous.get("/", headers=browser)
    assert '<a href="http://localhost/console">Open the console</a>' in home.text
    assert '/docs"' not in home.text
    for page in ("/", "/docs", "/console"):
        shown = anonymous.get(page, headers=browser)
        [icon] = re.findall(r'<link rel="icon" href="([^"]+)">', shown.text)
        source = "data:" if icon.startswith("data:image/svg+xml,") else "'self'"
        assert f"img-src {source}" in shown.headers["Content-Security-Policy"]
        if source == "'self'":
            assert anonymous.get(icon).mimetype == "image/svg+xml"
    for path, place in {
        "/console/pages": "pages", "/console/pages/3": "pages/3", "/console/a%0d%0ab": "a%0D%0Ab",
        "/console/%3Cscript%3E": "%3Cscript%3E", "/console/..%5C": "..%5C",
    }.items():  # fmt: skip
        led = anonymous.get(path, headers=browser)
        assert (led.status_code, led.headers["Location"]) == (302, f"/console#/{place}")
        assert "Accept" in led.headers["Vary"]
        other = anonymous.get(path)
        assert (other.status_code, other.get_json()["code"]) == (404, "rest_no_route")
