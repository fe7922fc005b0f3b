"""Public pages: whose address is whose, what visitors and caches are told, windows, templates."""

import html
import re
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from applications import Site, host_of
from conftest import basic
from flask import Flask
from part_tables import PARTS

from landform.service import create_blueprint
from landform.service.resources import reserved_slugs
from landform.storage import Clock

pytestmark = pytest.mark.settings(SITE_TITLE="Shop & Co", CACHE_BYTES=0)


def path_of(page: dict[str, Any]) -> str:
    parts = urlsplit(page["link"])
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def is_html(response: Any) -> bool:
    return response.mimetype == "text/html" and response.text.startswith("<!doctype html>")


def test_the_link_of_a_page_shows_it_and_its_texts_are_escaped_in_the_head(site: Site) -> None:
    content = (
        "<p>Win a <b>bi</b>cycle &amp; more.</p><p>Twice.</p><img src='https://a.example/b.png'>"
    )
    page = site.page(
        title="Summer <em>sale</em> &amp; more", content=content, meta={"form_id": "3"}
    )
    shown = site.get(path_of(page))
    assert (shown.status_code, is_html(shown)) == (200, True)
    text = shown.text
    assert "<title>Summer sale &amp; more – Shop &amp; Co</title>" in text
    assert "<h1>Summer <em>sale</em> &amp; more</h1>" in text
    assert "<p>Win a <b>bi</b>cycle &amp; more.</p>" in text
    assert '<meta name="description" content="Win a bicycle &amp; more. Twice.">' in text
    assert f'<link rel="canonical" href="{page["link"]}">' in text
    assert '<meta name="robots" content="index, follow">' in text
    for name, value in (
        ("og:title", "Summer sale &amp; more"), ("og:url", page["link"]),
        ("og:site_name", "Shop &amp; Co"), ("og:image", "https://a.example/b.png"),
    ):  # fmt: skip
        assert f'<meta property="{name}" content="{value}">' in text
    assert '<meta name="twitter:card" content="summary_large_image">' in text
    assert '<main data-form-id="3">' in text
    title, words = '"><script>alert(1)</script>x', "&lt;b&gt; \"'><i>"
    page = site.page(title=title, content=words, meta={"form_id": '"><x'})
    text = site.get(path_of(page)).text
    head = text[: text.index("<style>")]
    assert "alert(1)" not in head
    assert html.unescape(re.findall('name="description" content="(.*?)">', head)[0]) == "<b> \"'>"
    assert 'data-form-id="&#34;&gt;&lt;x"' in text


def test_the_language_is_the_first_that_the_meta_names(site: Site) -> None:
    for language, found in (
        (["de"], "de"), (["pt_BR", "en"], "pt-BR"), ([7, {"a": 1}, "fr"], "fr"), ([], "en"),
        ([{"code": "it"}], "it"), (["German, please"], "en"), (['en"'], "en"),
    ):  # fmt: skip
        page = site.page(meta={"language": language})
        assert f'<html lang="{found}">' in site.get(path_of(page)).text


def test_settings_of_the_site_change_headers_and_etag(database_url: str, tmp_path: Path) -> None:
    folder, tags = templates(tmp_path, page="{{ page.content }}"), set()
    for given in (
        {}, {"SITE_POLICY": "default-src 'self'"}, {"SITE_MAX_AGE": 3600},
        {"SITE_TITLE": "Other"}, {"TEMPLATES": folder},
    ):  # fmt: skip
        site = Site.on(database_url, **given)
        headers = site.get(path_of(site.page(slug="same"))).headers
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"] or given
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "strict-origin-when-cross-origin"
        tags.add(headers["ETag"].rpartition(".")[2])
        assert given.get("SITE_POLICY", "default-src") in headers["Content-Security-Policy"]
        assert headers["Cache-Control"] == f"public, max-age={given.get('SITE_MAX_AGE', 60)}"
    assert len(tags) == 5


# Whose address is whose.
def test_every_page_is_at_its_link_whatever_its_slug(site: Site) -> None:
    for slug in ("", "日本 語", "%41%2f", "100%25", "%e6%97", "a_b", "%zz", "x" * 300, "é", "-"):
        page = site.page(title="Ünï 日本", slug=slug)
        shown = site.get(path_of(page))
        assert (shown.status_code, page["link"] in shown.text) == (200, True), page["link"]


def test_a_slug_hides_no_operation_and_its_page_is_shown_all_the_same(site: Site) -> None:
    for slug in sorted(reserved_slugs(PARTS) - {"openapi.json"}):
        before = site.get(f"/{slug}"), site.get(f"/{slug}/")
        page = site.page(slug=slug)
        assert page["slug"] == slug
        assert page["link"] == f"http://localhost/?page_id={page['id']}"
        assert "Its content." in site.get(path_of(page)).text
        for was, path in zip(before, (f"/{slug}", f"/{slug}/"), strict=True):
            now = site.get(path)
            assert (now.status_code, now.mimetype) == (was.status_code, was.mimetype)
            assert "Its content." not in now.text or now.mimetype == "application/json"
        # A browser is led to the console from any address below it.
        kind = "text/html" if slug == "console" else "application/json"
        assert site.get(f"/{slug}/x").mimetype == kind


def test_other_spellings_lead_to_the_address_on_no_host_that_a_request_names(site: Site) -> None:
    page = site.page(title="Summer sale")
    for path in ("/summer-sale", "/Summer-Sale/", "/summer%20sale/", "/summer-sale!"):
        led = site.get(path)
        assert (led.status_code, led.headers["Location"]) == (302, "/summer-sale/"), path
    odd = site.get("/summer-sale?utm=1&a=%26")
    assert odd.headers["Location"] == "/summer-sale/?utm=1&a=%26"
    assert site.get("/summer-sale/?utm=1").status_code == 200
    by_id = site.get(f"/?page_id={page['id']}&utm=1")
    assert by_id.headers["Location"] == "/summer-sale/?utm=1"
    japanese = site.page(title="日本")
    assert site.get("/日本").headers["Location"] == path_of(japanese)
    draft = site.page(title="Draft", slug="draft", status="draft")
    led = site.get("/DRAFT?utm=1", Authorization=basic()["Authorization"])
    assert led.headers["Location"] == f"/?page_id={draft['id']}&utm=1"
    site.page(title="Here")
    for host in ("evil.example", "evil.example:8000", "a b", "", "x/../y"):
        for path in ("/HERE", "/?page_id=4"):
            led = site.get(path, Host=host)
            assert (led.status_code, led.headers["Location"]) == (302, "/here/")


# A redirect keeps the query as it came, but for what it takes out.
QUERIES = [
    "x=%E4%F6", "flag", "a=1;b=2", "a=&b", "x=1&x=2", "a[]=1&a[b]=2", "x=%2B+%20", "x=~!*'()", "=x",
    "x=a%2520b", "x={}|^`", "utm_source=a%26b", "a&&b", "&a", "a=1&&&b=2&",
]  # fmt: skip


def asked(site: Site, path: str, query: str) -> Any:
    """Get a path with the bytes of a query, which the client of a test would encode."""
    return site.visitor.get(path, environ_overrides={"QUERY_STRING": query})


def test_a_redirect_keeps_the_query_byte_for_byte(site: Site) -> None:
    site.page(slug="here")
    places = (("/here", "{}"), ("/", "page_id=1&{}"), ("/", "{}&page_id=1"))
    for query, (path, sent) in product(QUERIES, places):
        response = asked(site, path, sent.replace("{}", query, 1))
        assert response.status_code == 302, sent
        assert response.headers["Location"].partition("?")[2] == query


SECRETS = "password=a&pass%77ord=b&oauth_x=c&consumer_key=admin&consumer_secret=secret"
PLACES = [("GET", "/here", "{}"), ("GET", "/", "page_id=1&{}"), ("POST", "/here/", "{}")]


@pytest.mark.settings(PUBLIC_URL="https://www.example.com")
@pytest.mark.parametrize(("method", "path", "query"), PLACES)
def test_a_redirect_has_no_secret_in_ascii(site: Site, method: str, path: str, query: str) -> None:
    site.page(slug="here", password="a")
    sent = {"QUERY_STRING": query.replace("{}", f'{SECRETS}&y="<>\xe4')}
    led = site.visitor.open(path, method=method, data={"password": "a"}, environ_overrides=sent)
    base = "" if method == "POST" else "https://www.example.com/here/"
    assert led.status_code == (303 if method == "POST" else 302)
    assert led.headers["Location"] == f"{base}?y=%22%3C%3E%E4"
    assert "no-store" in led.headers["Cache-Control"]


NOWHERE = ["/nowhere", "/nowhere/", "/%2e%2e/", "/.env", "/favicon.ico", "/-/", "/%00/", "/%ff/",
    "/x%0d%0ay/", "/?page_id=", "/?page_id=0", "/?page_id=99", "/?page_id=-1",
    "/?page_id=1e9", "/?page_id=٣", f"/?page_id={'9' * 400}", f"/{'x' * 5000}/"]  # fmt: skip


def test_an_address_of_no_page_is_an_html_404(site: Site) -> None:
    for path in NOWHERE:
        missing = site.get(path)
        assert (missing.status_code, is_html(missing)) == (404, True), path
        assert missing.headers["Cache-Control"] == "no-store"
        assert "<h1" in missing.text


@pytest.mark.parametrize("accept", ["application/json", "text/html", ""])
def test_who_does_not_accept_html_gets_json(database_url: str, tmp_path: Path, accept: str) -> None:
    site = Site.on(database_url, TEMPLATES=templates(tmp_path, page="{{ 1 / 0 }}"))
    site.store.clock = Clock()
    site.page(slug="over", meta={"ends_at": "2001-01-01"})
    site.page(slug="locked", password="right")
    site.page(slug="broken")
    site.page(slug="soon", meta={"starts_at": "2131-01-01"})
    for method, path, status, code in (
        ("GET", "/over/", 410, "rest_page_ended"), ("HEAD", "/over/", 410, ""),
        ("POST", "/locked/", 403, "rest_post_incorrect_password"),
        ("GET", "/broken/", 500, "internal_server_error"),
        *((method, path, 404, "rest_no_route") for path in ("/nowhere", "/?page_id=99", "/soon/")
          for method in ("GET", "POST", "PUT", "OPTIONS")),
    ) * 2:  # fmt: skip
        refused = site.visitor.open(path, method=method, headers={"Accept": accept})
        assert (refused.status_code, refused.is_json) == (status, accept != "text/html"), path
        assert "Accept" in refused.vary
        assert "no-store" in refused.headers["Cache-Control"]
        assert not (refused.is_json and code) or refused.get_json()["code"] == code
    for path in ("/a/b", "/pages/x", "/a%2fb/", "/wp-json/x", "/docs/x"):
        # No address of a page is like these.
        missing = site.get(path, Accept=accept)
        assert (missing.status_code, missing.get_json()["code"]) == (404, "rest_no_route")


def test_a_public_page_answers_get_head_post_and_options_only(site: Site) -> None:
    path = path_of(site.page())
    for method in ("PUT", "PATCH", "DELETE", "TRACE", "BREW"):
        refused = site.visitor.open(path, method=method)
        assert (refused.status_code, is_html(refused)) == (405, True)
        assert refused.headers["Allow"] == "GET, HEAD, POST, OPTIONS"
    options = site.visitor.open(path, method="OPTIONS")
    assert (options.status_code, options.headers["Allow"]) == (204, "GET, HEAD, POST, OPTIONS")
    for one in (path, "/nowhere/", path_of(site.page(password="secret"))):
        got, head = site.get(one), site.visitor.head(one)
        assert (head.status_code, head.data) == (got.status_code, b"")
        same = ("ETag", "Cache-Control", "Content-Type", "Content-Length", "Last-Modified")
        assert [head.headers.get(n) for n in same] == [got.headers.get(n) for n in same]


# Who sees what is not public.
@pytest.mark.parametrize("status", ["draft", "pending", "private", "future"])
def test_a_caller_with_pages_read_sees_a_page_that_is_not_public(site: Site, status: str) -> None:
    page = site.page(status=status, title="Hidden", date="2030-06-01T00:00:00")
    by_id = f"/?page_id={page['id']}"
    assert path_of(page) == ("/hidden/" if status == "private" else by_id)
    assert site.get("/hidden/").status_code == 404
    refused = site.get(by_id)
    assert (refused.status_code, is_html(refused)) == (401, True)
    assert refused.headers["WWW-Authenticate"].startswith("Basic ")
    for path in (by_id, "/hidden/") if page["slug"] else (by_id,):
        shown = site.get(path, **basic())
        assert (shown.status_code, "Its content." in shown.text) == (200, True)
        assert "Visitors do not see this page" in shown.text
        assert shown.headers["Cache-Control"] == "private, no-store"
        assert shown.headers["X-Robots-Tag"] == "noindex, nofollow"
        assert shown.headers["Referrer-Policy"] == "no-referrer"
        assert "ETag" not in shown.headers
    refused = site.get(by_id, **basic("admin:wrong"))
    assert (refused.status_code, is_html(refused)) == (401, True)
    # The trash is shown to nobody.
    site.visitor.delete("/pages/1", headers=basic())
    for path in (by_id, "/hidden/", "/hidden__trashed/"):
        assert {site.get(path, **headers).status_code for headers in ({}, basic())} == {404}


# Windows.
def test_a_list_has_the_pages_whose_window_changes_before_a_time(site: Site) -> None:
    bounds = [
        {"starts_at": "2030-05-01T12:00:10"}, {"ends_at": "2030-05-01T14:00:20+02:00"},
        {"starts_at": "2030-04-01", "ends_at": "2030-06-01"}, {}, {"ends_at": "2030-05-01"},
    ]  # fmt: skip
    ids = [site.page(meta=meta)["id"] for meta in bounds]
    query = "/pages?window_changes_before=2030-05-01T12:00:30&orderby=id&order=asc"
    for second, expected in ((0, ids[:2]), (10, ids[1:2]), (20, [])):
        site.at(second)
        assert [page["id"] for page in site.visitor.get(query).get_json()] == expected
    later = site.visitor.get(query.replace("05-01T12:00:30", "05-02T00:00:00"))
    assert [page["id"] for page in later.get_json()] == ids[-1:]


def test_the_window_of_a_page_opens_and_closes_it_for_visitors_not_in_the_api(site: Site) -> None:
    meta = {"starts_at": "2030-05-01T12:00:10", "ends_at": "2030-05-01T14:00:20+02:00"}
    page = site.page(meta=meta)
    for second, status in ((0, 404), (9, 404), (10, 200), (19, 200), (20, 410), (9999, 410)):
        site.at(second)
        for path in ("/a-page/", f"/?page_id={page['id']}"):
            shown = site.visitor.get(path, follow_redirects=True)
            assert shown.status_code == status, (second, path)
            assert is_html(shown)
            assert ("Its content." in shown.text) == (status == 200)
        assert site.visitor.get(f"/pages/{page['id']}").status_code == 200
        assert site.visitor.get("/pages").headers["X-WP-Total"] == "1"
        listed = site.visitor.get("/pages?open_at=now")
        assert len(listed.get_json()) == (status == 200)
        assert listed.headers["X-WP-Total"] == str(int(status == 200))
    assert "has ended" in site.get("/a-page/").text
    shown = site.get(f"/?page_id={page['id']}", **basic())
    assert "Visitors do not see this page: ended" in shown.text
    assert site.get("/a-page/", **basic()).status_code == 410


def test_a_write_names_a_bound_that_is_no_date_or_ends_before_it_starts(site: Site) -> None:
    for meta, warning in (
        ({"starts_at": "31.12.2030", "ends_at": "2030-02-31"},
         "meta.starts_at, meta.ends_at: not a date"),
        ({"ends_at": "2030-13-01"}, "meta.ends_at: not a date"),
        ({"starts_at": "tomorrow"}, "meta.starts_at: not a date"),
        ({"ends_at": "2030-12-01"}, ""), ({"ends_at": "2030-12-01T00:00:01Z"}, ""),
        ({"ends_at": "2030-11-30"}, "meta.ends_at: not after"),
        ({"ends_at": "2030-12-01T00:00"}, "meta.ends_at: not after"),
        ({"ends_at": "2030-11-30T23:00Z"}, "meta.ends_at: not after"),
        ({"form_id": "2030-13-01", "ends_at": None}, ""),
    ):  # fmt: skip
        page = f"/pages/{site.page(meta={'starts_at': '2030-12-01'})['id']}"
        sent = {"title": "T", "meta": {"starts_at": "2030-12-01", **meta}}
        for method, path, body in (("POST", "/pages", sent), ("PATCH", page, {"meta": meta})):
            written = site.visitor.open(path, method=method, json=body, headers=basic())
            said = written.headers.get("X-Landform-Warning", "")
            assert (written.status_code < 300, said.startswith(warning)) == (True, True), said
            assert bool(said) == bool(warning)
            assert "31.12" not in said


# What caches are told.
def test_a_public_page_may_be_cached_until_its_next_turn(site: Site) -> None:
    path = path_of(site.page(meta={"ends_at": "2030-05-01T12:02:00"}))
    for second, age in ((0, 60), (57, 60), (58, 60), (90, 28), (117, 1), (118, 0), (119, 0)):
        site.at(second)
        assert site.get(path).headers["Cache-Control"] == f"public, max-age={age}", second
    path = path_of(site.page())
    assert site.get(path).headers["Cache-Control"] == "public, max-age=60"


def test_a_page_that_a_visitor_has_is_a_304_until_it_changes(site: Site) -> None:
    page = site.page()
    path, tag = path_of(page), site.get(path_of(page)).headers["ETag"]
    held = site.get(path, If_None_Match=tag)
    other = site.get("http://b.example" + path, If_None_Match=tag)
    assert other.status_code == 200
    assert (held.status_code, held.data, held.headers["ETag"]) == (304, b"", tag)
    assert held.headers["Cache-Control"] == "public, max-age=60"
    site.visitor.patch(f"/pages/{page['id']}", json={"content": "Other."}, headers=basic())
    assert "Other." in site.get(path, If_None_Match=tag).text
    assert tag.partition(".")[0].startswith(f'"page{page["id"]}_')


@pytest.mark.settings(CACHE_BYTES=10_000_000)
def test_no_visitor_gets_what_was_cached_for_another(site: Site) -> None:
    site.store.clock = Clock()
    private, public = site.page(status="private", title="P"), site.page(title="Q")
    locked = site.page(title="R", password="secret", content="Locked words.")
    for _ in range(3):
        assert site.get("/p/", **basic()).status_code == 200
        assert site.get("/p/").status_code == 404
        assert site.get(f"/?page_id={private['id']}", **basic()).status_code == 200
        assert site.get(f"/?page_id={private['id']}").status_code == 401
        assert site.get("/q/", **basic("a:b")).status_code == 401
        assert site.get("/q/", **basic()).headers["Cache-Control"] == "private, no-cache"
        assert site.get("/q/").headers["Cache-Control"] == "public, max-age=60"
        opened = site.app.test_client()
        opened.post("/r/", data={"password": "secret"})
        assert "Locked words." in opened.get("/r/").text
        assert "Locked words." not in site.get("/r/").text
        assert "Locked words." not in site.with_cookie("/r/", "a=b").text
    site.visitor.patch(f"/pages/{public['id']}", json={"status": "draft"}, headers=basic())
    assert site.get("/q/").status_code == 404
    assert locked["content"]["protected"]


# Switched off, and inside a host.
@pytest.mark.settings(SITE=0)
def test_switched_off_there_are_no_public_pages(site: Site) -> None:
    for path in (path_of(site.page()), "/sitemap.xml", "/robots.txt"):
        missing = site.get(path)
        assert (missing.status_code, missing.get_json()["code"]) == (404, "rest_no_route")


@pytest.mark.parametrize("site", [False, True])
@pytest.mark.parametrize("prefix", ["/landing", "", None])
def test_a_guest_shows_pages_if_its_host_wants(database_url: str, prefix: str, site: bool) -> None:
    host = Flask("host")
    host.register_error_handler(404, lambda error: ("the host's 404", 404))
    host.add_url_rule("/about", "about", lambda: "the host's page")
    blueprint = create_blueprint(database_url, credentials={"admin": "secret"}, site=site)
    host.register_blueprint(blueprint, url_prefix=prefix)
    client, base = host.test_client(), prefix or ""
    for title in ("about", "Hello"):
        sent = {"title": title, "content": "C"}
        created = client.post(f"{base}/pages", json=sent, headers=basic()).get_json()
    assert created["link"] == f"http://localhost{base}/hello/"
    shown = client.get(f"{base}/hello/")
    assert (shown.status_code, "<p>C</p>" in shown.text) == ((200, True) if site else (404, False))
    assert client.get("/about").text == "the host's page"
    assert client.post("/about").status_code == 405
    for path in ("/nowhere", "/nowhere/?_envelope"):
        missing = client.get(path)
        assert (missing.status_code, missing.text) == (404, "the host's 404")
    if prefix:
        unknown = client.get(f"{base}/nowhere", headers={"Accept": "text/html"})
        assert is_html(unknown) == site
        assert client.get(f"{base}/pages/x").get_json()["code"] == "rest_no_route"
        by_id = client.get(f"{base}/?page_id={created['id']}")
        assert by_id.status_code == (302 if site else 404)


# Templates.
def templates(folder: Path, **files: str) -> str:
    for name, text in files.items():
        (folder / f"{name}.html").write_text(text)
    return str(folder)


def test_templates_of_a_folder_come_before_the_own_ones(database_url: str, tmp_path: Path) -> None:
    folder = templates(
        tmp_path,
        page='{% extends "landform/page.html" %}'
        "{% block main %}<i>mine</i>{{ super() }}{% endblock %}",
        gone="<p>over: {{ page.title }}",
        not_found="<p>none at {{ site.title }}",
        layout="unused {% block main %}{% endblock %}",
    )
    site = Site.on(database_url, TEMPLATES=folder, SITE_TITLE="Shop & Co", CACHE_BYTES=0)
    page = site.page(title="A & B")
    assert "<i>mine</i>" in (text := site.get(path_of(page)).text)
    assert "Its content." in text
    over = site.page(title="C & D", meta={"ends_at": "2001-01-01"})
    assert site.get(path_of(over)).text == "<p>over: C &#038; D"
    assert site.get("/nowhere/").text == "<p>none at Shop &amp; Co"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("\n\n{{ 1 / 0 }}", r"ZeroDivisionError: division by zero \(line 3\)"),
        ('{% include "other.html" %}', "TemplateNotFound: other.html.*"),
        (r'{{ "\ud800" }}', "UnicodeEncodeError: .* surrogates not allowed"),
    ],
)
def test_a_broken_template_is_a_line_in_the_log_and_a_plain_500(
    database_url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture, text: str, reason: str
) -> None:
    site = Site.on(database_url, TEMPLATES=templates(tmp_path, page=text))
    failed = site.get(path_of(site.page(title="Confidential")))
    assert (failed.status_code, is_html(failed)) == (500, True)
    assert failed.headers["Cache-Control"] == "no-store"
    assert "Traceback" not in failed.text + caplog.text
    assert "Confidential" not in failed.text
    [line] = [record.getMessage() for record in caplog.records if "template" in record.message]
    assert re.fullmatch(f"The template page.html cannot be rendered: {reason}", line)
    # Where that for errors is broken too, they are those of the API.
    folder = templates(tmp_path, not_found=text, error=text)
    host = host_of(database_url, "/landing", site=True, templates=folder)
    failed = host.test_client().get("/landing/nowhere/", headers={"Accept": "text/html"})
    assert (failed.status_code, failed.get_json()["code"]) == (500, "internal_server_error")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"\xff", r"page\.html cannot be read: it is not UTF-8"),
        (b"\n{% if %}", r"templates: page\.html, line 2: Expected an expression"),
        (b"{{ page.title | no_such }}", r"templates: page\.html, line 1: No filter named"),
    ],
)
def test_a_template_that_cannot_be_used_stops_the_start(
    database_url: str, tmp_path: Path, text: bytes, problem: str
) -> None:
    (tmp_path / "page.html").write_bytes(text)
    (tmp_path / "folder.html").mkdir()
    (tmp_path / "dangling.html").symlink_to("nowhere")
    with pytest.raises(ValueError, match=problem):
        create_blueprint(database_url, site=True, templates=str(tmp_path))
    with pytest.raises(ValueError, match=problem):
        Site.on(database_url, TEMPLATES=str(tmp_path))
