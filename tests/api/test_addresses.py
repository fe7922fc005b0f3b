"""Addresses that keep working: former slugs, home page, templates, images; what robots read."""

import os
import re
import signal
from html import unescape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from applications import Site, host_of
from conftest import PAGE, Start, basic
from processes import until

from landform.parts import all_parts
from landform.service.site import sitemap
from landform.storage import pages
from landform.storage.pages import slugs

pytestmark = pytest.mark.settings(SITE_TITLE="Shop & Co", CACHE_BYTES=0)


def change(site: Site, page: dict[str, Any], **body: Any) -> dict[str, Any]:
    answer = site.visitor.patch(f"/pages/{page['id']}", json=body, headers=basic())
    assert answer.status_code == 200, answer.text
    return dict(answer.get_json())


def led(site: Site, path: str) -> tuple[int, str | None]:
    answer = site.get(path)
    return answer.status_code, answer.headers.get("Location")


def test_a_former_slug_leads_to_its_page_until_another_page_takes_it(site: Site) -> None:
    page = site.page(slug="one")
    for slug in ("two", "日本"):
        page = change(site, page, slug=slug)
    assert led(site, "/one/") == led(site, "/two") == (301, "/%e6%97%a5%e6%9c%ac/")
    assert led(site, "/one?utm=x&password=p") == (301, "/%e6%97%a5%e6%9c%ac/?utm=x")
    assert site.visitor.head("/one/").status_code == 301
    assert site.visitor.get("/one/").headers["Location"] == "/%e6%97%a5%e6%9c%ac/"
    sitemap = site.get("/sitemap.xml").text
    assert (page["link"] in sitemap, "/one/" in sitemap) == (True, False)
    other = site.page(slug="one", status="draft")
    assert led(site, "/one/")[0] == 404
    change(site, other, status="publish")
    assert site.get("/one/").status_code == 200
    site.visitor.delete(f"/pages/{other['id']}?force=true", headers=basic())
    assert led(site, "/one/")[0] == 404
    # Back where it was, its own former slugs go with it.
    change(site, page, slug="two")
    assert site.get("/two/").status_code == 200
    assert led(site, "/日本/") == (301, "/two/")


@pytest.mark.parametrize("slug", ["two", "two__trashed"])
@pytest.mark.parametrize("ends", ["?force=true", ""])
def test_the_trash_and_a_delete_end_former_slugs(site: Site, ends: str, slug: str) -> None:
    page = change(site, site.page(slug="one"), slug=slug)
    site.visitor.delete(f"/pages/{page['id']}{ends}", headers=basic())
    assert led(site, "/one/") == (404, None)
    if not ends:
        change(site, page, status="publish")
        assert (led(site, "/one/")[0], led(site, f"/{slug}/")[0]) == (404, 200)


HIDDEN: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"status": "draft"}, {"status": "publish"}), ({"status": "private"}, {}),
    ({}, {"status": "draft"}), ({}, {"meta": {"starts_at": "2031-01-01"}}),
    ({}, {"status": "future", "date": "2031-01-01T00:00:00"}),
]  # fmt: skip


def test_a_former_slug_leads_to_no_hidden_page_and_opens_no_protected_one(site: Site) -> None:
    for number, (before, after) in enumerate(HIDDEN):
        page = site.page(slug=f"one{number}", **before)
        change(site, page, slug=f"two{number}", **after)
        assert led(site, f"/one{number}/") == (404, None)
    page = change(site, site.page(slug="one", password="secret"), slug="two")
    assert led(site, "/one/") == (301, "/two/")
    assert "Its content." not in site.get("/two/").text
    assert page["link"].endswith("/two/")


def test_the_number_of_former_slugs_of_a_page_is_bounded(site: Site) -> None:
    page = site.page(slug="s0")
    with site.store.connection():
        for number in range(1, slugs.MOST_FORMER + 3):
            pages.update(site.store, page["id"], {"slug": f"s{number}"})
        assert slugs.successor(site.store, ["s1"]) is None
        assert slugs.successor(site.store, ["s2"]) == f"s{slugs.MOST_FORMER + 2}"


@pytest.mark.settings(HOME_PAGE="welcome")
def test_the_home_page_is_at_a_root_of_its_own_and_is_led_to(site: Site, database_url: str) -> None:
    assert site.get("/").status_code == 404
    page = site.page(title="Welcome", slug="welcome", password="secret")
    assert page["link"] == "http://localhost/"
    assert "Its content." not in site.get("/").text
    sent = {"data": {"password": "secret"}, "content_type": "application/x-www-form-urlencoded"}
    assert site.visitor.post("/", **sent).status_code == 303
    assert "Its content." in site.get("/").text
    change(site, page, password="")
    shown = site.get("/")
    assert '<link rel="canonical" href="http://localhost/">' in shown.text
    link = '<http://localhost/wp-json/>; rel="https://api.w.org/"'
    assert shown.headers.get("Link", link) == link
    assert led(site, "/welcome/") == led(site, "/welcome") == (301, "/")
    assert led(site, f"/?page_id={page['id']}") == (302, "/")
    assert "<loc>http://localhost/</loc>" in site.get("/sitemap.xml").text
    assert site.visitor.get("/?rest_route=/").get_json()["name"] == "Shop & Co"
    change(site, page, slug="other")
    assert led(site, "/") == (301, "/other/")
    change(site, page, slug="welcome", status="draft")
    assert site.get("/").status_code == 404
    with pytest.raises(ValueError, match="home_page needs root_page=True"):
        host_of(database_url, site=True, home_page="welcome")


def test_without_a_home_page_visitors_see_no_links_to_the_api(site: Site) -> None:
    visitors, callers = site.get("/").text, site.get("/", **basic()).text
    assert "<h1>Shop &amp; Co</h1>" in visitors
    assert not [word for word in ("landform", "openapi", "wp-json") if word in visitors]
    links = re.findall('href="([^"]+)"', visitors)
    console = {"http://localhost/console"} if "console" in all_parts() else set()
    assert {link for link in links if not link.startswith("data:")} == console
    assert "landform" in callers


def test_a_template_of_a_slug_precedes_that_of_all_pages(database_url: str, tmp_path: Path) -> None:
    for name in ("page", "page-one", "page-über", "page-日本"):
        (tmp_path / f"{name}.html").write_text(f"this is {name}")
    site = Site.on(database_url, TEMPLATES=str(tmp_path))
    used = {"One": "page-one", "Two": "page", "über": "page", "日本": "page-日本"}
    for title, name in used.items():
        slug = site.page(title=title)["slug"]
        previewed = site.visitor.post("/pages/preview", json={"slug": slug}, headers=basic())
        assert site.get(f"/{slug}/").text == previewed.get_json()["html"] == f"this is {name}"


IMAGES: list[tuple[dict[str, Any], str, str]] = [
    ({"gallery": [7, {"id": 1, "url": "/a.png"}, "https://x.example/b.png"]}, "", "/a.png"),
    ({"gallery": ["https://x.example/b.png"]}, "<img src='/c.png'>", "https://x.example/b.png"),
    ({"gallery": ["javascript:x", "data:image/png,x", "12", {"url": 3}]}, "<img src='/c.png'>",
     "/c.png"),
    ({}, "no picture", "https://x.example/default.png"),
]  # fmt: skip


@pytest.mark.settings(SITE_IMAGE="https://x.example/default.png")
def test_a_shared_link_shows_the_gallery_the_content_or_the_site(site: Site) -> None:
    for meta, content, image in IMAGES:
        page = site.page(meta={**meta, "language": ["pt_BR"]}, content=content)
        text = site.get(f"/{page['slug']}/").text
        url = f"http://localhost{image}" if image.startswith("/") else image
        assert f'<meta property="og:image" content="{url}">' in text
        assert '<meta property="og:locale" content="pt_BR">' in text
        change(site, page, password="secret")
        assert "og:image" not in site.get(f"/{page['slug']}/").text


@pytest.mark.parametrize(
    ("language", "locale"),
    [("de", "de_DE"), ("en", "en_US"), ("de-at", "de_AT"), ("pt_BR", "pt_BR"), ("sv", "sv_SE"),
     ("de-DE-u-co-phonebk", "de_DE"), ("zh-Hant-TW", "zh_TW"), ("sr-latn", "sr_RS")],
)  # fmt: skip
def test_a_shared_link_tells_a_language_with_its_country(
    site: Site, language: str, locale: str
) -> None:
    page = site.page(meta={"language": [language]})
    text = site.get(f"/{page['slug']}/").text
    assert f'<meta property="og:locale" content="{locale}">' in text


PICTURE, ADDRESS = '<img src="/a.jpg">', "http://localhost/a.jpg"
UNSEEN = [
    '<noscript><img src="/pixel.gif"></noscript>', '<template><img src="/t.jpg"></template>',
    '<!-- <img src="/c.jpg"> -->', '<div hidden><div><img src="/h.jpg"></div></div>',
    '<p style="display: none"><img src="/h.jpg"></p>', '<img src="/p.gif" width="1" height="1">',
    '<img class="emoji" src="https://s.w.org/e.svg">', '<img src="http://[">', "",
]  # fmt: skip
CONTENTS = {
    **{hidden + PICTURE: ADDRESS for hidden in UNSEEN},
    '<img alt="see src=foo.jpg" src="/real.jpg">': "http://localhost/real.jpg",
    '<img src="Summer sale.jpg">': "http://localhost/here/Summer%20sale.jpg",
    '<img src="/Größe%20x.jpg?a=b%26c">': "http://localhost/Gr%C3%B6%C3%9Fe%20x.jpg?a=b%26c",
    '<img src="/100%.jpg">': "http://localhost/100%25.jpg",
    '<img src="//cdn.example/a.jpg">': "http://cdn.example/a.jpg",
    '<img src="https://bücher.example/a.jpg">': "https://xn--bcher-kva.example/a.jpg",
    '<img src="data:image/gif;base64,R0" data-src="/lazy.jpg">': "http://localhost/lazy.jpg",
    '<picture><source srcset="/b.webp"><img src="/b.jpg"></picture>': "http://localhost/b.jpg",
    '<img srcset="/s.jpg 1x, /l.jpg 2x">': "http://localhost/s.jpg",
    '<img src="/a.jpg?x=1&amp;y=2">': "http://localhost/a.jpg?x=1&y=2",
    "<p>No picture</p>": "",
}


def test_a_shared_link_shows_the_first_picture_that_visitors_see(site: Site) -> None:
    page = site.page(slug="here")
    for content, url in CONTENTS.items():
        change(site, page, content=content)
        shown = site.get("/here/").text
        found = re.search(r'<meta property="og:image" content="([^"]*)"', shown)
        assert (unescape(found[1]) if found else "") == url, content


@pytest.mark.servers
def test_a_reload_with_a_broken_template_keeps_the_old(start_server: Start, tmp_path: Path) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "page.html").write_text("first")
    (folder / ".#page.html").symlink_to("nowhere")
    server = start_server(LANDFORM_TEMPLATES=str(folder))
    server.call("POST", "/pages", {"title": "One"})
    log = server.folder / "server.log"

    def reload(text: str, workers: int) -> None:
        (folder / "page.html").write_text(text)
        os.kill(server.process.pid, signal.SIGHUP)
        until(lambda: log.read_text().count("Booting worker") >= workers, "No reload.", 60)

    def shown() -> bytes:
        return bytes(server.send("GET", "/one/", {}, None)[2])

    reload("{% if %}", 4)
    assert "page.html, line 1: Expected an expression" in log.read_text()
    assert {shown() for _ in range(20)} == {b"first"}
    reload("second", 6)
    until(lambda: shown() == b"second", "Another page.", 60)


# What search engines read.
NAMES = {"s": sitemap.NAMESPACE}


def locations(response: Any) -> list[str]:
    assert (response.status_code, response.mimetype) == (200, "application/xml")
    tree = ElementTree.fromstring(response.text)
    return [found.text or "" for found in tree.iterfind(".//s:loc", NAMES)]


def test_the_sitemap_has_the_pages_that_anybody_sees(site: Site) -> None:
    for path in ("/sitemap.xml", "/sitemap.xml?page=1"):
        assert locations(site.get(path)) == []
    assert site.get("/sitemap.xml?page=2").get_json()["code"] == "rest_no_route"
    shown = [site.page(title=title)["link"] for title in ("One & two", "日本", "Three")]
    site.page(title="Docs", slug="docs")
    for body in (
        {"status": "draft"}, {"status": "private"}, {"password": "x"},
        {"date": "2031-01-01T00:00:00"},
        {"meta": {"starts_at": "2031-01-01"}}, {"meta": {"ends_at": "2029-01-01"}},
    ):  # fmt: skip
        site.page(title="Hidden", slug="hidden", **body)
    listed = site.get("/sitemap.xml")
    assert locations(listed) == shown
    dates = [
        found.text for found in ElementTree.fromstring(listed.text).iterfind(".//s:lastmod", NAMES)
    ]
    assert dates == ["2030-05-01T12:00:00Z"] * 3


def test_a_sitemap_and_its_etag_change_with_writes_and_windows(site: Site) -> None:
    site.page(title="Ends", meta={"ends_at": "2030-05-01T12:00:10"})
    site.page(title="Due", date="2030-05-01T12:00:20")
    tags = []

    def changed(path: str = "/sitemap.xml") -> None:
        fresh = site.get(path, If_None_Match=", ".join(tags))
        assert (fresh.status_code, fresh.mimetype) == (200, "application/xml")
        tags.append(fresh.headers["ETag"])
        again = site.get(path, If_None_Match=tags[-1])
        assert (again.status_code, again.data) == (304, b"")

    changed()
    changed("/sitemap.xml?page=1")
    assert locations(site.get("/sitemap.xml")) == ["http://localhost/ends/"]
    for second, links in ((10, []), (20, ["http://localhost/due/"])):
        site.at(second)
        changed()
        assert locations(site.get("/sitemap.xml")) == links
    site.page(title="New")
    changed()
    changed("http://other.example/sitemap.xml")


def test_a_long_sitemap_is_an_index_of_parts(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sitemap, "MAX_URLS", 3)
    with site.store.connection():
        for number in range(7):
            pages.create(site.store, {**PAGE, "title_raw": f"P{number}"})
    parts = locations(site.get("/sitemap.xml"))
    assert parts == [f"http://localhost/sitemap.xml?page={number}" for number in (1, 2, 3)]
    paths = [part.removeprefix("http://localhost") for part in parts]
    found = [one for path in paths for one in locations(site.get(path))]
    assert found == [f"http://localhost/p{number}/" for number in range(7)]
    assert site.get("/sitemap.xml?page=4").status_code == 404
    for odd in ("0", "-1", "x", "9" * 50):
        assert len(locations(site.get(f"/sitemap.xml?page={odd}"))) == 3


@pytest.mark.settings(STRICT="1", PUBLIC_URL="https://www.example.com/promo")
def test_robots_txt_names_the_sitemap_and_strict_mode_does_not_apply_to_both(site: Site) -> None:
    robots = site.get("/robots.txt?a=b")
    assert (robots.status_code, robots.mimetype) == (200, "text/plain")
    assert "Sitemap: https://www.example.com/promo/sitemap.xml\n" in robots.text
    assert "Disallow:\n" in robots.text
    site.page(title="A")
    listed = site.get("/sitemap.xml?a=b")
    assert locations(listed) == ["https://www.example.com/promo/a/"]
    assert "X-Landform-Ignored" not in listed.headers
