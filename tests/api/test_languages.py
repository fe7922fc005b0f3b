"""Languages: the direction of a page, the letters of its slug, and where a description ends."""

import re
from urllib.parse import quote

import pytest
from applications import Site

RIGHT_TO_LEFT = "ar He fa-IR az-Arab uz-Arab-AF ckb ps_AF pa-PK HE-il fa-u-nu-latn he-x-tr und-Hebr"
LEFT_TO_RIGHT = "en de-AT ku-Latn ar-Latn az sd-IN fa-Cyrl az-Latn-IR zh-Hant ff"


def test_the_direction_follows_from_the_script_or_else_the_language(site: Site) -> None:
    for tags, is_rtl in ((RIGHT_TO_LEFT, True), (LEFT_TO_RIGHT, False)):
        for tag in tags.split():
            page = site.page(meta={"language": [tag]})
            assert (' dir="rtl"' in site.get(f"/{page['slug']}/").text) == is_rtl, tag


@pytest.mark.parametrize(
    ("before", "letter"),
    [("Microsoft Copilotは、", "長い文章です。"), ("", "word "), ("See https://example.com/", "a"),
     ("", "e\u0301"), ("", "ที่")],
)  # fmt: skip
def test_a_description_is_cut_between_letters(site: Site, before: str, letter: str) -> None:
    page = site.page(content=f"<p>{before}{letter * 200}</p>")
    [cut] = re.findall('name="description" content="([^"]*)', site.get(f"/{page['slug']}/").text)
    assert cut.endswith("…")
    assert 130 <= len(cut) <= 161
    whole = letter if len(letter) < 7 else "."
    assert re.fullmatch(f"{before}({whole})*({letter.rstrip()})?…", cut)


SLUGS = {
    "de": ("Größe", "groesse"), "de-CH": ("Ölärger", "oelaerger"),
    "en": ("Größe", "grose"), "nb": ("Blåbær", "blaabaer"), "sr": ("Đorđe", "djordje"),
}  # fmt: skip


@pytest.mark.parametrize("language", SLUGS)
def test_a_slug_has_the_letters_of_the_language_of_the_site_and_is_found_by_the_title(
    database_url: str, language: str
) -> None:
    site, (title, slug) = Site.on(database_url, SITE_LANGUAGE=language), SLUGS[language]
    page = site.page(title=title)
    assert page["slug"] == slug
    assert site.get(f"/{quote(title)}/").headers["Location"] == f"/{slug}/"
    listed = site.visitor.get(f"/pages?slug={quote(title)}", headers={"Accept": "application/json"})
    assert [row["id"] for row in listed.get_json()] == [page["id"]]
