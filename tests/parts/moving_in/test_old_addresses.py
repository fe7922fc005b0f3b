"""What was public at an address stays there, and redirects lead from the others only."""

import csv
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import pytest
from applications import SETTINGS
from moving_in import move, stand_in
from test_other_sites import PAGES, own, small
from wxr import written

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


@pytest.mark.parametrize("slug", SLUGS)
def test_an_imported_page_is_found_at_its_address_however_that_is_written(
    move: Any, visitor: Any, tmp_path: Path, slug: str
) -> None:
    result = move(written(tmp_path, {"slug": slug, "password": "", "title": "Found"}), user="")
    assert (result.exit_code, move.row("page", 5)["slug"]) == (0, slug), result.output
    page = visitor.get("/pages/5").get_json()
    assert page["link"] == f"http://localhost/{slug}/"
    assert f"<loc>{page['link']}</loc>" in visitor.get("/sitemap.xml").text
    decoded = unquote(slug)
    for spelling in (slug, quote(decoded), decoded.replace("%", "%25")):
        shown = visitor.get(f"/{spelling}/", headers={"Accept": "text/html"})
        assert (shown.status_code, "Found" in shown.text) == (200, True), spelling
    # As it is stored, and without the slash, it leads to the link.
    for spelling in (slug.replace("%", "%25"), slug):
        end = "" if spelling == slug else "/"
        led = visitor.get(f"/{spelling}{end}", follow_redirects=True)
        assert (led.status_code, "Found" in led.text) == (200, True), spelling
    for text in (slug, slug.upper(), decoded):
        for order in ("", "&orderby=include_slugs"):
            rows = visitor.get(f"/pages?slug={quote(text)}{order}").get_json()
            assert [row["id"] for row in rows] == [5], text


@pytest.mark.parametrize(
    ("there", "here"),
    [
        ("été", "%c3%a9t%c3%a9"), ("%C3%A9T%C3%A9", "%c3%a9t%c3%a9"), ("Été", "%c3%89t%c3%a9"),
        ("日本", "%e6%97%a5%e6%9c%ac"),
    ],
)  # fmt: skip
def test_a_slug_of_raw_letters_or_capitals_stays_at_its_address(
    move: Any, visitor: Any, tmp_path: Path, there: str, here: str
) -> None:
    move(written(tmp_path, {"slug": there, "password": ""}), user="")
    assert move.row("page", 5)["slug"] == here
    assert not [note for note in move.report["notes"] if note["code"] == "slug-refused"]
    assert visitor.get(f"/{quote(unquote(there))}/", follow_redirects=True).status_code == 200


def test_the_exact_address_wins_over_one_that_is_only_alike(
    move: Any, visitor: Any, tmp_path: Path
) -> None:
    items = [
        {"id": 1, "slug": "ete", "title": "Without", "password": ""},
        {"id": 2, "slug": "%c3%a9t%c3%a9", "title": "With", "password": ""},
    ]
    move(written(tmp_path, *items), user="")
    assert "Without" in visitor.get("/ete/").text
    assert "With<" in visitor.get("/%C3%A9t%c3%a9/").text


@pytest.mark.parametrize("written_back", [True, False])
def test_a_page_keeps_its_address_when_it_is_saved(
    move: Any, visitor: Any, tmp_path: Path, written_back: bool
) -> None:
    move(written(tmp_path, {"slug": "women%e2%80%99s-day", "password": ""}), user="")
    page = visitor.get("/pages/5?context=edit", auth=ADMIN).get_json()
    body = {"title": "Other", **({"slug": page["slug"]} if written_back else {})}
    saved = visitor.put("/pages/5", json={"content": "x", **body}, auth=ADMIN)
    assert saved.get_json()["link"] == page["link"]
    assert visitor.get("/women’s-day/").status_code == 200


def rows_of(file: Path) -> list[list[str]]:
    head, *rows = csv.reader(file.read_text("utf-8").splitlines())
    assert head == ["old", "new"]
    return rows


NAMES = [
    "events",
    "webhooks",
    "pages",
    "forms",
    "feeds",
    "docs",
    "console",
    "wp-json",
    "openapi.json",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_page_named_like_a_part_of_the_api_is_led_to_by_its_id(
    move: Any, visitor: Any, tmp_path: Path, name: str
) -> None:
    file, link = tmp_path / "redirects.csv", f"https://shop.example/{name}/"
    move(
        written(tmp_path, {"slug": name, "link": link, "password": ""}),
        "--redirects",
        str(file),
        user="",
    )
    page = visitor.get("/pages/5").get_json()
    new = page["link"].removeprefix("http://localhost")
    assert rows_of(file) == ([[link, new]] if new != f"/{name}/" else [])
    shown = visitor.get(new, headers={"Accept": "text/html"})
    assert (shown.status_code, "Hi" in shown.text) == (200, True)


def test_no_redirect_leads_to_itself_or_from_the_home_page_or_twice_from_one(
    move: Any, tmp_path: Path
) -> None:
    site = "https://shop.example"
    links = [
        f"{site}/", site, f"{site}/p3/", f"{site}/p4", "http://www.shop.example/p5/",
        f"{site}/p%36/", f"{site}/?page_id=7", f"{site}/p9/", f"{site}/old/p9/", f"{site}/old/p9",
        f"{site}/other/p11/", "https://elsewhere.example/p12/", f"{site}/?page_id=13",
        f"{site}/p3/?lang=de",
    ]  # fmt: skip
    items = [{"id": n, "slug": f"p{n}", "link": link} for n, link in enumerate(links, 1)]
    items[12]["status"] = "draft"
    file = tmp_path / "redirects.csv"
    move(written(tmp_path, *items), "--redirects", str(file), user="")
    assert rows_of(file) == [
        [links[8], "/p9/"], [links[10], "/p11/"], [links[11], "/p12/"], [links[13], "/p14/"],
    ]  # fmt: skip


def test_with_another_public_url_every_page_is_led_to_it(
    move: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, link = tmp_path / "redirects.csv", "https://shop.example/summer/"
    for url, rows in (
        ("https://new.example", [[link, "https://new.example/summer/"]]),
        ("http://www.shop.example", []),
        ("https://shop.example/landing", [[link, "https://shop.example/landing/summer/"]]),
    ):
        monkeypatch.setenv("LANDFORM_PUBLIC_URL", url)
        move(written(tmp_path, {}), "--redirects", str(file), "--force", user="")
        assert rows_of(file) == rows, url


SHARED = [
    {"id": 1, "slug": "win", "status": "draft"}, {"id": 2, "slug": "win", "parent": 9},
    {"id": 3, "slug": "win"}, {"id": 4, "slug": "win-2"},
]  # fmt: skip


@pytest.mark.parametrize("is_file", [True, False])
def test_where_pages_share_a_slug_the_one_that_is_public_there_keeps_it(
    move: Any, own: Any, tmp_path: Path, is_file: bool
) -> None:
    if is_file:
        file = written(tmp_path, *SHARED)
        file.write_text(file.read_text().replace("post_parent>0<", "post_parent>9<", 2))
        result = move(file, user="")
    else:
        own.pages = own.pages[:4]
        for page, one in zip(own.pages, SHARED, strict=True):
            page["edit"].update(one)
        result = move(own.url, *PAGES)
    slugs = {row["id"]: row["slug"] for row in move.rows()}
    assert (slugs[3], slugs[4]) == ("win", "win-2"), result.output
    assert len({*slugs.values()}) == 4
    assert "slug-shared" in result.output


def test_bytes_that_are_no_utf8_are_found_too(move: Any, visitor: Any, tmp_path: Path) -> None:
    move(written(tmp_path, {"slug": "%e4pfel", "password": ""}), user="")
    led = visitor.get("/x/", environ_overrides={"PATH_INFO": "/\xe4pfel/"})
    assert (led.status_code, led.headers["Location"]) == (302, "/%25e4pfel/")
    assert "Hi" in visitor.get(led.headers["Location"]).text
