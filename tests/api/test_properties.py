"""What holds for every text and value, shown on some hundred made up ones each."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import unquote

from hypothesis import given
from hypothesis import strategies as st

from landform.schemas.fields import DateTime
from landform.service.rendering.content import render_content, render_title
from landform.service.rendering.sanitizer import clean_content
from landform.storage import Clock
from landform.storage.pages.slugs import slugify

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
