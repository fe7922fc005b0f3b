"""The default template: the brand of a site, what a page shows, in which language; its preview."""

import html
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from applications import Site, Standing, host_of
from conftest import ROOT, basic
from flask.testing import FlaskClient
from test_previews import preview, shown

BLOCKS = (ROOT / "tests/site/blocks.html").read_text()
PAPERS = ("#ffffff", "#16171a")
DROPPED = ("url(https://a.example/b.png)", "image(red)", r"u\72l(x)")
BRAND = {
    "SITE_LOGO": "/files/logo.svg?v=1&w=2",
    "SITE_FOOTER": 'A &amp; B <a href="/imprint/" onclick="x()">Imprint</a><script>y()</script>',
}


def contrast(one: str, two: str) -> float:
    """Return the contrast of two colors as WCAG 2.2 defines it."""
    lights = []
    for color in (one, two):
        parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
                  for part in parts]  # fmt: skip
        lights.append(
            0.05 + sum(a * b for a, b in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))
        )
    return max(lights) / min(lights)


def test_links_and_buttons_are_readable_in_any_accent_on_light_and_dark(database_url: str) -> None:
    for accent in ("#0b57d0", "#000", "#FFF", "#fcb900", "#ff0", "#16171a", "#767676", "#00f"):
        text = Site.on(database_url, SITE_ACCENT=accent).get("/nowhere/").text
        colors = re.findall(r"--(link|fill|on-fill): (#[0-9a-f]{6});", text)
        assert len(colors) == 6
        for paper, found in zip(PAPERS, (dict(colors[:3]), dict(colors[3:])), strict=True):
            assert contrast(found["link"], paper) >= 4.5, (accent, paper)
            assert contrast(found["fill"], found["on-fill"]) >= 4.5, (accent, paper)
        # What is readable as it is stays.
        assert (accent != "#0b57d0") or colors[0] == ("link", accent)


def test_a_logo_and_a_footer_are_on_each_page(database_url: str) -> None:
    given: Any = {name.lower(): value for name, value in BRAND.items()}
    host = host_of(database_url, "/f", site=True, **given)
    site = Site.on(database_url, **BRAND, SITE_TITLE='"A"')
    guest = host.test_client().get("/f/nowhere/", headers={"Accept": "text/html"})
    page = site.get(f"/{site.page()['slug']}/").text
    for text in (page, site.get("/nowhere/").text, guest.text):
        assert '<img src="/files/logo.svg?v=1&amp;w=2" alt="' in text
        footer = re.findall("<footer.*?>(.*)</footer>", text)
        assert footer == ['A &amp; B <a href="/imprint/" rel="noopener noreferrer">Imprint</a>']
    assert 'alt="&#34;A&#34;"' in page


@pytest.mark.settings(SITE_SOON="1", TIMEZONE="Europe/Madrid")
def test_a_page_says_when_it_opens_if_its_operator_wants_it(site: Site, database_url: str) -> None:
    site.store.clock = Standing("Europe/Madrid")
    for start, opens in (
        ("2030-06-01T09:30", "1 June 2030 at 09:30"), ("2030-06-01", "1 June 2030"),
        ("2030-06-01T22:00Z", "2 June 2030"), ("9999-12-31T23:59:59Z", "31 December 9999 at 23:59"),
    ):  # fmt: skip
        meta = {"starts_at": start, "ends_at": "2029-01-01"}
        page = site.page(title="<i>Sale</i>", content="Secret words.", meta=meta, slug="soon")
        soon = site.get(f"/{page['slug']}/")
        assert (soon.status_code, soon.headers["Cache-Control"]) == (404, "no-store")
        assert "<h1><i>Sale</i></h1>" in soon.text
        assert f">{opens}</time>" in soon.text
        assert "noindex" in soon.text
        assert "Secret words." not in soon.text
        for path in (f"/{page['slug']}/", f"/?page_id={page['id']}"):
            assert site.get(path, Accept="application/json").get_json()["code"] == "rest_no_route"
            assert site.visitor.post(path).status_code == 404
        draft = site.page(status="draft", meta=meta, slug=f"draft-{page['id']}")
        assert "Opens on" not in site.get(f"/{draft['slug']}/").text
    other = Site.on(database_url)
    assert "Opens on" not in (missing := other.get("/soon/")).text
    assert missing.status_code == 404


def test_the_description_has_no_labels_of_buttons(site: Site) -> None:
    link = '<a class="wp-block-button__link {}" href="/x">Buy now</a>'
    for content in (
        f'<p>Win a <a href="/b">bicycle</a>.</p><div>{link}</div><p>Twice.</p>',
        '<button type="button">Buy <b>now</b></button><p>Win a bicycle.</p><p>Twice.</p>',
        f"<p>Win a bicycle.</p>{link.replace(chr(34), chr(39))}<p>Twice.</p>",
    ):
        shown = site.get(f"/{site.page(content=content)['slug']}/").text
        assert '<meta name="description" content="Win a bicycle. Twice.">' in shown


def test_the_gallery_of_the_meta_is_shown_below_the_content_once(site: Site) -> None:
    gallery = [
        "https://a.example/1.png?a=1&b=2", 7, None, {"id": 3}, "javascript:x()", "1.png",
        {"src": "/2.png", "alt_text": 'A "lake"', "caption": "<b>Noon</b>", "alt": 7},
        {"url": 5, "full": "https://a.example/3.png", "alt": "In the content"},
    ]  # fmt: skip
    content = '<p>Words.</p><img src="https://a.example/3.png" alt="">'
    text = site.get(f"/{site.page(content=content, meta={'gallery': gallery})['slug']}/").text
    shown = text[text.index("Words.") : text.index("</main>")]
    assert re.findall('<img src="(.*?)" alt="(.*?)" loading', shown) == [
        ("https://a.example/1.png?a=1&amp;b=2", ""), ("http://localhost/2.png", "A &#34;lake&#34;"),
    ]  # fmt: skip
    assert "<figcaption>&lt;b&gt;Noon&lt;/b&gt;</figcaption>" in shown
    assert shown.count('<div class="wp-block-gallery') == 1
    locked = site.page(password="x", meta={"gallery": gallery})
    assert "2.png" not in site.get(f"/{locked['slug']}/").text


@pytest.mark.settings(**BRAND)
def test_a_preview_is_the_document_that_visitors_see(site: Site) -> None:
    body = {"title": "Win &amp; ride", "content": BLOCKS, "slug": "blocks",
            "meta": {"form_id": "3", "language": ["de"], "gallery": ["/1.png"]}}  # fmt: skip
    page = site.page(**body)
    public = site.get("/blocks/").text
    for sent in (body, {"id": page["id"]}, {"id": page["id"], **body}):
        unsaved = site.visitor.post("/pages/preview", json=sent, headers=basic())
        # A page that is not stored has no address yet.
        html = unsaved.get_json()["html"].replace("http://localhost/?page_id=0", page["link"])
        assert html == public
    previewed = shown(site, preview(site, page["id"])).text
    previewed = re.sub(r'<aside class="notice".*?</aside>\n', "", previewed, flags=re.DOTALL)
    assert previewed.replace('content="noindex, nofollow"', 'content="index, follow"') == public
    # It is small, and loads nothing but its pictures.
    assert len(public.encode()) < 26_000
    assert not re.search(r"<script|<link rel=.stylesheet|@import|url\(", public)


def test_a_cleaned_text_keeps_the_color_and_the_background_or_neither(writer: FlaskClient) -> None:
    gradient = "background:linear-gradient(90deg,rgba(6,147,227,1) 0%,rgb(1,2,3) 100%)"
    kept = ["color:#fff;background:#000", f"color:#fff;{gradient}", "color:#fff", gradient]
    cases = {style: style for style in kept} | {"position:fixed; color:red;;": "color:red"}
    for bad in DROPPED:
        cases |= {
            f"color:#fff;background:{bad}": "",
            f"COLOR:#fff;margin:0;background-image:{bad}": "margin:0",
            f"background-color:#000;color:{bad}": "",
            f"background:{bad};background-color:#000;color:#fff": "",
            f"background:{bad};margin:0": "margin:0",
            f"color:{bad};margin:0": "margin:0",
            f"color:#fff;width:{bad}": "color:#fff",
            f"background:{bad};background:#000": "background:#000",
        }
    for style, left in cases.items():
        sent = {"title": "A", "content": f'<p style="{html.escape(style)}">x</p>'}
        page = writer.post("/f/pages", json=sent).get_json()
        found = re.findall('<p(?: style="(.+?)")?>x', page["content"]["rendered"])
        assert found == [left], style


def test_the_layout_of_a_block_becomes_classes_and_never_markup(site: Site) -> None:
    layout = '"layout":{"type":"flex","justifyContent":"center","flexWrap":"wrap"}'
    for attributes, classes in (
        (f"{{{layout}}}", "is-layout-flex is-content-justification-center "),
        (f'{{"style":{{"layout":{{"selfStretch":"fill"}}}},{layout}}}',
         "is-layout-flex is-content-justification-center "),
        ('{"layout":{"type":"flex","orientation":"vertical"}}', "is-layout-flex is-vertical "),
        ('{"layout":{"type":"x\\"><script>"}}', ""), ('{"layout":"flex"}', ""), ('{"a":1}', ""),
    ):  # fmt: skip
        block = (
            f'<!-- wp:group {attributes} -->\n<div class="wp-block-group">a</div><!-- /wp:group -->'
        )
        rendered = site.page(content=block)["content"]["rendered"]
        assert rendered.strip() == f'<div class="{classes}wp-block-group">a</div>'
    unclassed = '<!-- wp:group {"layout":{"type":"flex"}} --><!-- /wp:group --><p class="b">c</p>'
    assert 'class="b"' in site.page(content=unclassed)["content"]["rendered"]


def test_an_own_style_sheet_replaces_the_default_one(database_url: str, tmp_path: Path) -> None:
    (tmp_path / "style.html").write_text("main { color: red }")
    site = Site.on(database_url, TEMPLATES=str(tmp_path), CACHE_BYTES=0)
    text = site.get(f"/{site.page()['slug']}/").text
    assert re.search(r"<style>\s*main { color: red }\s*</style>", text)


# Languages.
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
