"""Letters: whole ones at the end of a description, and addresses typed with those of a language."""

import re
from urllib.parse import quote

import pytest
from applications import Site

LETTERS = {
    "a flag": "🇩🇪", "a flag of tags": "🏴\U000e0067\U000e007f", "a keycap": "1\ufe0f\u20e3",
    "Hindi": "कि", "a Hindi conjunct": "क्षि", "Tamil": "நி", "Thai": "กำ", "a Thai tone": "ที่",
    "Korean": "\u1112\u1161\u11ab", "half-width Japanese": "ｶﾞ", "Khmer": "ក្រុ", "Burmese": "မြို့",
    "accents": "e\u0301\u0323", "skin": "👍🏽", "a family": "👩‍💻", "Arabic": "بّ",
}  # fmt: skip


@pytest.mark.parametrize("letter", LETTERS.values(), ids=LETTERS.keys())
def test_a_description_ends_with_a_whole_letter(site: Site, letter: str) -> None:
    for before in range(8):
        page = site.page(content="<p>" + "x" * before + letter * 200 + "</p>")
        html = site.get(f"/{page['slug']}/").text
        found = re.search(r'<meta name="description" content="([^"]*)…"', html)
        assert found
        assert found[1] in {"x" * before + letter * count for count in range(200)}


@pytest.mark.parametrize(
    ("language", "title", "slug"),
    [("de", "Größe", "groesse"), ("nb", "Blåbær", "blaabaer"), ("sr", "Đorđe", "djordje")],
)
def test_a_page_is_found_by_its_title_as_it_is_typed(
    database_url: str, language: str, title: str, slug: str
) -> None:
    site = Site.on(database_url, SITE_LANGUAGE=language)
    page = site.page(title=title)
    assert page["slug"] == slug
    assert site.get(f"/{quote(title)}/").headers["Location"] == f"/{slug}/"
    listed = site.visitor.get(f"/pages?slug={quote(title)}", headers={"Accept": "application/json"})
    assert [row["id"] for row in listed.get_json()] == [page["id"]]


def test_an_address_from_before_the_site_had_a_language_is_found_first(database_url: str) -> None:
    page = Site.on(database_url, SITE_LANGUAGE="en").page(title="Größe")
    site = Site.on(database_url, SITE_LANGUAGE="de")
    site.page(title="Größe")
    assert page["slug"] == "grose"
    assert site.get("/grose/").status_code == 200
    assert site.get(f"/{quote('größe')}/").headers["Location"] == "/grose/"


@pytest.mark.parametrize(
    ("tag", "direction"),
    [
        *((tag, "rtl") for tag in ("aii", "bej", "lad", "mey", "pst", "zdj", "ku-IQ", "und-Sidt")),
        *((tag, "ltr") for tag in ("nsk", "kls", "cjm", "peo", "uga", "jdt", "ku-AM", "lad-Latn")),
    ],
)
def test_less_common_languages_have_the_direction_of_their_script(
    site: Site, tag: str, direction: str
) -> None:
    page = site.page(meta={"language": [tag]})
    html = site.get(f"/{page['slug']}/").text
    assert (' dir="rtl"' in html) == (direction == "rtl")


@pytest.mark.parametrize("query", ["a&&b", "&a", "a&", "a=1&&&b=2&", "&"])
def test_a_redirect_keeps_empty_parts_of_the_query(site: Site, query: str) -> None:
    site.page(slug="here")
    response = site.visitor.get("/here", environ_overrides={"QUERY_STRING": query})
    assert response.headers["Location"] == f"/here/?{query}"
