"""Imported pages keep their addresses, and redirects lead from the others."""

import csv
from typing import Any
from urllib.parse import quote, unquote

import pytest
from applications import SETTINGS
from moving_in import move, recorded_site, server, small_site

from landform.app import create_app

ADMIN = ("admin", "secret")
SLUGS = [
    "women%e2%80%99s-day", "%c3%a9t%c3%a9", "%d9%85%db%8c%e2%80%8c%d8%ae%d9%88", "%c2%bfwhy",
    "a%c2%adb", "%e2%82%ac-100", "%c3%9fharp", "%e6%97%a5%e6%9c%ac", "e%cc%81t", "%c3%85land",
    "100%25-free", "%f0%9f%8e%89", "%e2%80%93dash", "%ef%bc%a1", "plain",
]  # fmt: skip


@pytest.fixture
def visitor(move: Any) -> Any:
    """A visitor of the service on the database of the import."""
    return create_app({"DATABASE_URL": move.store.url, **SETTINGS}).test_client()


def test_an_imported_page_is_shown_at_all_spellings_of_its_address(move: Any, visitor: Any) -> None:
    slugs = dict(enumerate(SLUGS, 1))
    items = ({"id": n, "slug": slug, "title": f"Page {n}."} for n, slug in slugs.items())
    assert move.pages(*({**item, "password": ""} for item in items)).exit_code == 0
    assert {row["id"]: row["slug"] for row in move.rows()} == slugs
    for number, slug in slugs.items():
        page = visitor.get(f"/pages/{number}").get_json()
        assert page["link"] == f"http://localhost/{slug}/"
        assert f"<loc>{page['link']}</loc>" in visitor.get("/sitemap.xml").text
        decoded = unquote(slug)
        for spelling in (slug, quote(decoded), decoded.replace("%", "%25")):
            response = visitor.get(f"/{spelling}/", headers={"Accept": "text/html"})
            assert (response.status_code, f"Page {number}." in response.text) == (200, True), slug
        # The stored slug, and an address without the slash, redirect to the link.
        for spelling in (f"{slug.replace('%', '%25')}/", slug):
            response = visitor.get(f"/{spelling}", follow_redirects=True)
            assert (response.status_code, f"Page {number}." in response.text) == (200, True), slug
        for text in (slug, slug.upper(), decoded):
            for order in ("", "&orderby=include_slugs"):
                rows = visitor.get(f"/pages?slug={quote(text)}{order}").get_json()
                assert [row["id"] for row in rows] == [number], text


@pytest.mark.parametrize(
    ("there", "here"),
    [
        ("été", "%c3%a9t%c3%a9"), ("%C3%A9T%C3%A9", "%c3%a9t%c3%a9"), ("Été", "%c3%89t%c3%a9"),
        ("日本", "%e6%97%a5%e6%9c%ac"),
    ],
)  # fmt: skip
def test_a_slug_with_letters_or_capitals_keeps_its_address(
    move: Any, visitor: Any, there: str, here: str
) -> None:
    move.pages({"slug": there, "password": ""})
    assert move.row("page", 5)["slug"] == here
    assert "slug-refused" not in move.codes()
    assert visitor.get(f"/{quote(unquote(there))}/", follow_redirects=True).status_code == 200


def test_the_exact_address_counts_before_a_similar_one(move: Any, visitor: Any) -> None:
    items = [
        {"id": 1, "slug": "ete", "title": "Without", "password": ""},
        {"id": 2, "slug": "%c3%a9t%c3%a9", "title": "With", "password": ""},
    ]
    move.pages(*items)
    assert "Without" in visitor.get("/ete/").text
    assert "With<" in visitor.get("/%C3%A9t%c3%a9/").text


@pytest.mark.parametrize("sends_slug", [True, False])
def test_a_page_keeps_its_address_when_it_is_saved(
    move: Any, visitor: Any, sends_slug: bool
) -> None:
    move.pages({"slug": "women%e2%80%99s-day", "password": ""})
    page = visitor.get("/pages/5?context=edit", auth=ADMIN).get_json()
    body = {"title": "Other", **({"slug": page["slug"]} if sends_slug else {})}
    saved = visitor.put("/pages/5", json={"content": "x", **body}, auth=ADMIN)
    assert saved.get_json()["link"] == page["link"]
    assert visitor.get("/women’s-day/").status_code == 200


def redirects(move: Any, *items: dict[str, Any], options: tuple[str, ...] = ()) -> list[list[str]]:
    """Import pages, and return the rows of the redirects."""
    file = move.folder / "redirects.csv"
    assert move.pages(*items, options=("--redirects", str(file), *options)).exit_code == 0
    with file.open(newline="") as lines:
        head, *rows = csv.reader(lines)
    assert head == ["old", "new"]
    return rows


RESERVED = "events webhooks pages forms feeds docs console wp-json openapi.json".split()


def test_a_page_with_a_reserved_slug_is_redirected_to_its_id(move: Any, visitor: Any) -> None:
    links = {n: f"https://shop.example/{name}/" for n, name in enumerate(RESERVED, 1)}
    items = [{"id": n, "slug": RESERVED[n - 1], "link": link} for n, link in links.items()]
    rows, new = redirects(move, *({**item, "password": ""} for item in items)), {}
    for number, link in links.items():
        page = visitor.get(f"/pages/{number}").get_json()
        new[link] = page["link"].removeprefix("http://localhost")
        response = visitor.get(new[link], headers={"Accept": "text/html"})
        assert (response.status_code, "Hi" in response.text) == (200, True), link
    moved = [[link, path] for link, path in new.items() if not link.endswith(f".example{path}")]
    assert (rows, len(moved) > 5) == (moved, True)


def test_redirects_are_unique_no_loops_from_http_urls_and_not_from_the_home_page(move: Any) -> None:
    site = "https://shop.example"
    links = [
        f"{site}/", site, f"{site}/p3/", f"{site}/p4", "http://www.shop.example/p5/",
        f"{site}/p%36/", f"{site}/?page_id=7", f"{site}/p9/", f"{site}/old/p9/", f"{site}/old/p9",
        f"{site}/other/p11/", "https://elsewhere.example/p12/", f"{site}/?page_id=13",
        f"{site}/p3/?lang=de", "=HYPERLINK(1)", "javascript:x", "https://a/\nb", "http://a/x",
        "https://a/,y",
    ]  # fmt: skip
    items = [{"id": n, "slug": f"p{n}", "link": link} for n, link in enumerate(links, 1)]
    items[12]["status"] = "draft"
    assert redirects(move, *items) == [
        [links[8], "/p9/"], [links[10], "/p11/"], [links[11], "/p12/"], [links[13], "/p14/"],
        [links[17], "/p18/"], [links[18], "/p19/"],
    ]  # fmt: skip


def test_redirects_lead_to_the_public_url(move: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    link = "https://shop.example/summer/"
    for url, rows in (
        ("https://new.example", [[link, "https://new.example/summer/"]]),
        ("http://www.shop.example", []),
        ("https://shop.example/landing", [[link, "https://shop.example/landing/summer/"]]),
    ):
        monkeypatch.setenv("LANDFORM_PUBLIC_URL", url)
        assert redirects(move, {}, options=("--force",)) == rows, url


@pytest.mark.parametrize(
    ("is_file", "slug", "stored"),
    [(True, "win", "win"), (False, "win", "win"), (True, "Été", "%c3%89t%c3%a9")],
)
def test_the_published_page_keeps_a_slug_that_several_pages_have(
    move: Any, small_site: Any, is_file: bool, slug: str, stored: str
) -> None:
    shared = [
        {"id": 1, "slug": slug, "status": "draft"}, {"id": 2, "slug": slug, "parent": 9},
        {"id": 3, "slug": slug}, {"id": 4, "slug": f"{slug}-2"},
    ]  # fmt: skip
    if is_file:
        file = move.export(*shared)
        file.write_text(file.read_text().replace("post_parent>0<", "post_parent>9<", 2))
        result = move(file)
    else:
        small_site.pages = small_site.pages[:4]
        for page, columns in zip(small_site.pages, shared, strict=True):
            page["edit"].update(columns)
        result = move(small_site.url)
    slugs = {row["id"]: row["slug"] for row in move.rows()}
    assert (slugs[3], slugs[4]) == (stored, f"{stored}-2"), result.output
    assert len({*slugs.values()}) == 4
    assert "slug-shared" in result.output


def test_a_slug_with_bytes_that_are_not_utf8_is_shown(move: Any, visitor: Any) -> None:
    move.pages({"slug": "%e4pfel", "password": ""})
    response = visitor.get("/x/", environ_overrides={"PATH_INFO": "/\xe4pfel/"})
    assert (response.status_code, response.headers["Location"]) == (302, "/%25e4pfel/")
    assert "Hi" in visitor.get(response.headers["Location"]).text
