"""Languages: the direction of a page, the letters of its slug, and where a description ends."""

import re

import pytest
from applications import Client, Site

RIGHT_TO_LEFT = [
    "ar", "AR", "He", "fa-IR", "az-Arab", "uz-Arab-AF", "skr", "nqo", "ckb", "ur", "ku-Arab", "yi",
    "ug", "ps_AF", "dv", "ks", "pa-Arab", "pa-PK", "az-IR", "syr", "HE-il", "ff-Adlm", "arz", "rhg",
    "fa-u-nu-latn", "ar-t-latn", "he-x-tr", "ara", "heb", "prs-AF", "PES", "urd",
]  # fmt: skip
LEFT_TO_RIGHT = [
    "en", "de-AT", "ku-Latn", "ar-Latn", "sd-Deva", "az", "uz", "pa", "sd-IN", "fa-Cyrl",
    "az-Latn-IR",     "zh-Hant", "tr", "ff", "he-Latn", "ug-Cyrl",
]  # fmt: skip


@pytest.mark.parametrize(
    ("tag", "direction"),
    [*((tag, "rtl") for tag in RIGHT_TO_LEFT), *((tag, "ltr") for tag in LEFT_TO_RIGHT)],
)
def test_the_direction_follows_from_the_script_or_else_the_language(
    site: Site, tag: str, direction: str
) -> None:
    page = site.page(meta={"language": [tag]})
    html = site.get(f"/{page['slug']}/").text
    assert (' dir="rtl"' in html) == (direction == "rtl")


def description(site: Site, text: str) -> str:
    page = site.page(content=f"<p>{text}</p>")
    found = re.search(
        r'<meta name="description" content="([^"]*)"', site.get(f"/{page['slug']}/").text
    )
    return found[1] if found else ""


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("Microsoft Copilotは、" + "日本語の長い文章です。" * 40, 150),
        ("See https://example.com/" + "a" * 300, 150),
        ("word " * 100, 150),
        ("x" * 400, 150),
        ("e\u0301" * 200, 150),
        ("👩‍👩‍👧‍👦" * 60, 100),
    ],
)
def test_a_description_is_cut_where_most_of_it_is_left(site: Site, text: str, least: int) -> None:
    cut = description(site, text)
    assert cut.endswith("…")
    assert least <= len(cut) <= 161
    rest = text[len(cut) - 1 :].lstrip()
    assert text.startswith(cut[:-1])
    assert not rest.startswith(("\u0301", "\u200d"))


@pytest.mark.parametrize(
    ("language", "slug"),
    [
        ("de", "grosse-groesse-aerger-ueber-oel"),
        ("de-CH", "grosse-groesse-aerger-ueber-oel"),
        ("en", "grose-grose-arger-uber-ol"),
        ("sv", "grose-grose-arger-uber-ol"),
    ],
)
def test_a_slug_has_the_letters_of_the_language_of_the_site(
    database_url: str, language: str, slug: str
) -> None:
    site = Site.on(database_url, SITE_LANGUAGE=language)
    page = site.page(title="Große Größe Ärger über Öl")
    assert page["slug"] == slug
    assert site.get(f"/{slug}/").status_code == 200


@pytest.mark.parametrize("tag", ["fa-u-nu-latn", "de-u-co-phonebk", "en-a-bb-b-cc-x-d"])
def test_a_tag_with_extensions_is_a_language_of_the_site(database_url: str, tag: str) -> None:
    site = Site.on(database_url, SITE_LANGUAGE=tag)
    html = site.get(f"/{site.page()['slug']}/").text
    assert f'<html lang="{tag}"' in html
    assert (' dir="rtl"' in html) == tag.startswith("fa")


@pytest.mark.parametrize("tag", ["en-x", "fa-u", "fa-u-x-a", "en--a", "x-en", "de_DE"])
def test_what_is_no_tag_is_refused_at_the_start(database_url: str, tag: str) -> None:
    with pytest.raises(ValueError, match="must be a language tag"):
        Site.on(database_url, SITE_LANGUAGE=tag)


@pytest.mark.settings(SITE_LANGUAGE="nb")
def test_a_slug_of_a_danish_or_norwegian_site_has_two_letters_for_one(client: Client) -> None:
    assert client.page(title="Blåbærsyltetøy")["slug"] == "blaabaersyltetoey"
    assert client.page(title="A", slug="Ærø")["slug"] == "aeroe"
