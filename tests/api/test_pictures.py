"""The picture that a shared link shows: the first one that visitors see."""

import re
from html import unescape

import pytest
from applications import Site

PICTURE = '<img src="/a.jpg">'
CONTENTS = [
    (PICTURE, "http://localhost/a.jpg"),
    ('<noscript><img src="/pixel.gif"></noscript>' + PICTURE, "http://localhost/a.jpg"),
    ('<template><img src="/t.jpg"></template>' + PICTURE, "http://localhost/a.jpg"),
    ('<!-- <img src="/c.jpg"> -->' + PICTURE, "http://localhost/a.jpg"),
    ('<div hidden><div><img src="/h.jpg"></div></div>' + PICTURE, "http://localhost/a.jpg"),
    ('<p style="display: none"><img src="/h.jpg"></p>' + PICTURE, "http://localhost/a.jpg"),
    ('<img src="/p.gif" width="1" height="1">' + PICTURE, "http://localhost/a.jpg"),
    ('<img class="emoji" src="https://s.w.org/e.svg">' + PICTURE, "http://localhost/a.jpg"),
    ('<img alt="see src=foo.jpg" src="/real.jpg">', "http://localhost/real.jpg"),
    ('<img src="Summer sale.jpg">', "http://localhost/here/Summer%20sale.jpg"),
    ('<img src="/Größe.jpg">', "http://localhost/Gr%C3%B6%C3%9Fe.jpg"),
    (
        '<img src="/Gr%C3%B6%C3%9Fe%20x.jpg?a=b%26c">',
        "http://localhost/Gr%C3%B6%C3%9Fe%20x.jpg?a=b%26c",
    ),
    ('<img src="/100%.jpg">', "http://localhost/100%25.jpg"),
    ('<img src="//cdn.example/a.jpg">', "http://cdn.example/a.jpg"),
    ('<img src="https://bücher.example/a.jpg">', "https://xn--bcher-kva.example/a.jpg"),
    ('<img src="data:image/gif;base64,R0" data-src="/lazy.jpg">', "http://localhost/lazy.jpg"),
    ('<picture><source srcset="/b.webp"><img src="/b.jpg"></picture>', "http://localhost/b.jpg"),
    ('<img srcset="/s.jpg 1x, /l.jpg 2x">', "http://localhost/s.jpg"),
    ('<img src="/a.jpg?x=1&amp;y=2">', "http://localhost/a.jpg?x=1&y=2"),
    ('<img src="http://[">' + PICTURE, "http://localhost/a.jpg"),
    ("<p>No picture</p>", ""),
]


@pytest.mark.parametrize(("content", "url"), CONTENTS)
def test_a_shared_link_shows_the_first_picture_that_visitors_see(
    site: Site, content: str, url: str
) -> None:
    html = site.get(f"/{site.page(slug='here', content=content)['slug']}/").text
    found = re.search(r'<meta property="og:image" content="([^"]*)"', html)
    assert (unescape(found[1]) if found else "") == url


def test_the_picture_of_a_gallery_is_encoded_too(site: Site) -> None:
    site.page(slug="here", meta={"gallery": [{"url": "https://a.example/Summer sale.jpg"}]})
    assert "https://a.example/Summer%20sale.jpg" in site.get("/here/").text
