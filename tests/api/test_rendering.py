"""What readers get to see of what authors stored: titles, block content and classic text.

The conformance scenarios replay what WordPress answered; these tables hold the rules behind those
answers, and the promise that no text at all can stop the service.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landform.schemas.fields import DateTime
from landform.service.rendering.content import render_content, render_title
from landform.service.rendering.markup import paragraphs
from landform.service.rendering.sanitizer import clean_content
from landform.storage import Clock
from landform.storage.pages.slugs import slugify

SIZE = 50_000


def remaining_text(html: str) -> str:
    """HTML without white space and the tags that `paragraphs` may add, move or drop."""
    return re.sub(r"</?p>|<br ?/?>|\s", "", html)


def test_a_title_is_trimmed_and_its_lone_ampersands_are_escaped() -> None:
    for raw, rendered in (
        ("", ""),
        (" \n A title\t", "A title"),
        ("5 < 6 > 4", "5 < 6 > 4"),
        ("&#38; &#x26; &#X26; &frac12;", "&#38; &#x26; &#X26; &frac12;"),
        ("& && &; &# &#; &#x; &amp &#x2g;", "&#038; &#038;&#038; &#038;; &#038;# &#038;#; &#038;#x;"
         " &#038;amp &#038;#x2g;"),
    ):  # fmt: skip
        assert render_title(raw) == rendered


def test_a_well_formed_block_delimiter_is_removed() -> None:
    for raw, rendered in (
        ("<!-- wp:paragraph -->\n<p>A</p>\n<!-- /wp:paragraph -->", "\n<p>A</p>\n"),
        ('<!-- wp:acme/dynamic {"id":5} /-->', ""),
        ('<!-- wp:a {"n":{"a":[1,{}]},"m":{}} -->x', "x"),
        ('<!-- wp:a {"css":"}} --> \\" {","b":"btn--big"} -->x', "x"),
        ('<!-- wp:a {"t":"\\u002d\\u002d\\u003e"} -->x', "x"),
        ('<!-- wp:a\n--><!--\n\t/wp:a\n{\n "n": 1\n}\n/-->x', "x"),
        ("<!-- wp:a {} -->x<!-- /wp:a {} -->", "x"),
        ("<!-- wp:a-1_b -->x", "x"),
        # A shortcode that is unknown gets references for its quotes, but not in a tag or script.
        ('<!-- wp:a --><p title="[b c="1"]">[d id="1"] "so" <script>a["b"]</script></p>',
         '<p title="[b c="1"]">[d id=&quot;1&quot;] "so" <script>a["b"]</script></p>'),
        *(
            (f"1<!-- wp:a -->{kept}<!-- /wp:a -->2", f"1{kept}2")
            for kept in (
                "<!-- wp: -->", "<!-- wp:a/b/c -->", '<!-- wp:a{"n":1} -->', '<!-- wp:a {"n":1 -->',
                '<!-- wp:a {"n":"1} -->', "<!-- wp:a", "<!--wp:a -->",
                "<!-- wp:a { \n<p>No end, and <!-- a comment --></p>",
            )
        ),
    ):  # fmt: skip
        # In the version of blocks.
        assert render_content(raw) == (rendered, 1)


BREAKS = [
    *((text, "") for text in ("", "\n\n \t\r\n", "<br>", "<p></p>", "<p> <br> </p>\n")),
    ("One\nTwo\nThree", "<p>One<br />\nTwo<br />\nThree</p>\n"),
    ("One\n\nTwo\n \t\n\n\nThree", "<p>One</p>\n<p>Two</p>\n<p>Three</p>\n"),
    ("One\r\nTwo\rThree\r\n\r\nFour", "<p>One<br />\nTwo<br />\nThree</p>\n<p>Four</p>\n"),
    ("<h2>T</h2>\nText\n\n<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n\nEnd",
     "<h2>T</h2>\n<p>Text</p>\n<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n<p>End</p>\n"),
    ("a<br>b<BR/>c<br >\nd", "<p>a<br />b<br />c<br />\nd</p>\n"),
    ("a  \n b", "<p>a<br />\n b</p>\n"),
    ('a<br class="b">\nc', '<p>a<br class="b">\nc</p>\n'),
    ("a<br><br />b<BR>\n<br/>c", "<p>a</p>\n<p>b</p>\n<p>c</p>\n"),
    ("a<br>\n\nb\n<br><div>c\n</div>", "<p>a</p>\n<p>b</p>\n<div>c</div>\n"),
    ("<div>\na\n<p>b</p>\n</div>", "<div>a\n<p>b</p>\n</div>\n"),
    ("<a\nhref='b'\n>c</a>", "<p><a\nhref='b'\n>c</a></p>\n"),
    ("<div\n\nid=a>b</div>", "<div\n\nid=a>b</div>\n"),
    # An atom without an end runs to the end of the text.
    ("a<pre>b\n\nc<div>", "<p>a</p>\n<pre>b\n\nc<div>\n"),
    ("a<script>b\n\nc</script", "<p>a<script>b\n\nc</script</p>\n"),
    ("<svg/>b\n\nc", "<p><svg/>b</p>\n<p>c</p>\n"),
    ("<select>\n<option>a</option>\n<option>b</option>\n</select>",
     "<p><select>\n<option>a</option>\n<option>b</option>\n</select></p>\n"),
    ("<object>\n<param a>\n<embed b>\n</object>",
     "<p><object>\n<param a>\n<embed b>\n</object></p>\n"),
    ("<video>\n\n<source a>\n<track b>\n</video>\nc",
     "<p><video>\n<source a>\n<track b>\n</video><br />\nc</p>\n"),
]  # fmt: skip


def test_line_ends_become_breaks_or_part_paragraphs() -> None:
    for text, html in BREAKS:
        assert paragraphs(text) == html, text


HOSTILE = [
    "<", "<a", "<a>", "</a>\n", "<a b='", '<a b="', "<a b=\"<a c='", "<a b=   ", "<!", "<!--",
    "<!-- -", "<!-- wp:a", "<!-- wp:a\n", "<!-- wp:a {", '<!-- wp:a {"', '<!-- wp:a {"b":"',
    "<!-- wp:a {} ", "<!-- wp:a -->", "} ", "-", "\n", " ", "a     \n", "a\n\n", "<br>", "<br> ",
    "<p>", "</p>", "<div>", "</div>", "<li>a\n\n", "<pre>", "<pre></pre", "<svg", "<option>\n",
    "&", "&a", "&#1", "[", '[a "', "\x00", "\ud800", "\r",
]  # fmt: skip


AROUND = [("", ""), ("<!-- wp:a -->", " -->"), ('<a b="', ">"), ("<div>" * 2_500, "\n</td>")]


@pytest.mark.parametrize("around", AROUND, ids=lambda around: around[0][:12])
def test_hostile_text_is_rendered_in_full(around: tuple[str, str]) -> None:
    """With anything slower than linear in it, this test would last for minutes."""
    for unit in HOSTILE:
        raw = around[0] + unit * (SIZE // len(unit)) + around[1]
        html, block_version = render_content(raw)
        assert render_title(raw).replace("&#038;", "&") == raw.strip()
        if block_version:
            assert len(html) <= len(raw)
        else:
            assert remaining_text(html).replace("&quot;", '"') == remaining_text(raw), unit


# What holds for every text and value.
# What a request can carry: everything but halves of surrogate pairs.
texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=80)
MARKUP = (
    "<p> </p> <div> </div> <pre> </pre> <script> </script> <!-- --> <!--wp: /--> \n\n \n < > & "
    "\" ' <br> <ul><li> </li></ul> <table> <a </a> [x [/x] ]]> <svg> </svg> <textarea> <td> "
    "&amp; x é"
).split(" ")
BLOCKS = ["<!-- wp:paragraph -->", "<!-- /wp:paragraph -->", '<!-- wp:a/b {"c":"-->"} /-->', "\n\n"]
markup = st.lists(st.sampled_from([*MARKUP, *BLOCKS]) | texts, max_size=30).map("".join)
moments = st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 29)).map(
    lambda moment: moment.replace(microsecond=0)
)
zones = st.sampled_from(["UTC", "Europe/Zurich", "America/St_Johns", "Pacific/Kiritimati"])


def loaded(text: str) -> Any:
    return DateTime().deserialize(text)


@given(moments, st.integers(-23 * 60 - 59, 23 * 60 + 59), zones)
def test_an_offset_is_one_moment_in_any_zone(moment: datetime, minutes: int, zone: str) -> None:
    sign, size = "-" if minutes < 0 else "+", abs(minutes)
    text = f"{moment.isoformat()}{sign}{size // 60:02}:{size % 60:02}"
    utc = (moment - timedelta(minutes=minutes)).replace(tzinfo=UTC)
    assert loaded(text) == utc
    assert Clock(zone).moment(loaded(text)).utc == utc.isoformat().removesuffix("+00:00")


@given(texts)
def test_a_slug_is_safe_short_and_its_own_slug(text: str) -> None:
    slug = slugify(text)
    assert re.fullmatch(r"[a-z0-9%_-]{0,200}", slug)
    assert not slug.startswith("-")
    assert not slug.endswith("-")
    assert slugify(slug) == slug
    assert unquote(slug, errors="strict") is not None


@given(markup)
def test_rendering_never_fails_and_keeps_every_word(text: str) -> None:
    html, version = render_content(text)
    assert version == int("<!-- wp:" in text)
    assert render_title(text).count("&") >= text.count("&#038;")
    for word in re.findall(r"\w+", re.sub(r"<[^<>]*>?", " ", text)):
        assert word in html


@given(markup)
def test_cleaning_never_fails_and_is_done_once(text: str) -> None:
    once = clean_content(render_content(text)[0])
    # A parser of HTML ignores a line end that follows `<pre>`.
    again, first = (re.sub(r"(<pre[^>]*>)\n+", r"\1", html) for html in (clean_content(once), once))
    assert again == first
    assert not re.search(r"<(script|style|svg|math|!--)", once, re.IGNORECASE)
