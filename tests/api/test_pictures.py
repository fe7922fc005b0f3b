"""The picture that a shared link shows: the first one that visitors see."""

import re
from html import unescape

from applications import Site

PICTURE, ADDRESS = '<img src="/a.jpg">', "http://localhost/a.jpg"
HIDDEN = [
    '<noscript><img src="/pixel.gif"></noscript>', '<template><img src="/t.jpg"></template>',
    '<!-- <img src="/c.jpg"> -->', '<div hidden><div><img src="/h.jpg"></div></div>',
    '<p style="display: none"><img src="/h.jpg"></p>', '<img src="/p.gif" width="1" height="1">',
    '<img class="emoji" src="https://s.w.org/e.svg">', '<img src="http://[">', "",
]  # fmt: skip
CONTENTS = {
    **{hidden + PICTURE: ADDRESS for hidden in HIDDEN},
    '<img alt="see src=foo.jpg" src="/real.jpg">': "http://localhost/real.jpg",
    '<img src="Summer sale.jpg">': "http://localhost/here/Summer%20sale.jpg",
    '<img src="/Größe%20x.jpg?a=b%26c">': "http://localhost/Gr%C3%B6%C3%9Fe%20x.jpg?a=b%26c",
    '<img src="/100%.jpg">': "http://localhost/100%25.jpg",
    '<img src="//cdn.example/a.jpg">': "http://cdn.example/a.jpg",
    '<img src="https://bücher.example/a.jpg">': "https://xn--bcher-kva.example/a.jpg",
    '<img src="data:image/gif;base64,R0" data-src="/lazy.jpg">': "http://localhost/lazy.jpg",
    '<picture><source srcset="/b.webp"><img src="/b.jpg"></picture>': "http://localhost/b.jpg",
    '<img srcset="/s.jpg 1x, /l.jpg 2x">': "http://localhost/s.jpg",
    '<img src="/a.jpg?x=1&amp;y=2">': "http://localhost/a.jpg?x=1&y=2",
    "<p>No picture</p>": "",
}


def test_a_shared_link_shows_the_first_picture_that_visitors_see(site: Site) -> None:
    number = site.page(slug="here")["id"]
    for content, url in CONTENTS.items():
        site.visitor.patch(f"/pages/{number}", json={"content": content}, auth=("admin", "secret"))
        html = site.get("/here/").text
        found = re.search(r'<meta property="og:image" content="([^"]*)"', html)
        assert (unescape(found[1]) if found else "") == url, content
