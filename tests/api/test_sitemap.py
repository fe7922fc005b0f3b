"""What search engines read: every page that anybody sees, and no other."""

from typing import Any
from xml.etree import ElementTree

import pytest
from applications import Site
from conftest import PAGE

from landform.service.site import sitemap
from landform.storage import pages

NAMES = {"s": sitemap.NAMESPACE}
pytestmark = pytest.mark.settings(CACHE_BYTES=0)


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
