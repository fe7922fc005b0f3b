"""Renders what an author stored, a title or a page's content, as the HTML that readers get.

Content made in the block editor is HTML with block delimiters in comments: readers get it without
those. Any other content is classic text, whose paragraphs `autop` finds.
"""

import re

from landform.service.rendering.autop import paragraphs
from landform.service.rendering.tokenizer import WHITE_SPACE, tokens

_LONE_AMPERSAND = re.compile(r"&(?!(?:[a-z][a-z0-9]*+|#[0-9]++|#x[0-9a-f]++);)", re.IGNORECASE)
_SHORTCODE = re.compile(r"\[[a-z][^][<>]*+\]", re.IGNORECASE)
# All that follows `<!--` in a delimiter. The attributes are told by their strings and by the brace
# that the comment's end follows; whether they are good JSON matters to no reader.
_DELIMITER = re.compile(
    r"""\s++/?wp:(?:[a-z][a-z0-9_-]*+/)?[a-z][a-z0-9_-]*+\s++
        (?:\{(?:[^"}-]++|"(?:[^"\\]++|\\.)*+"|-(?!->)|\}(?!\s++/?-->))*+\}\s++)?
        /?-->
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)


def render_title(raw: str) -> str:
    """Return the HTML of a title."""
    return _LONE_AMPERSAND.sub("&#038;", raw.strip(WHITE_SPACE))


def render_content(raw: str) -> tuple[str, int]:
    """Return the HTML of a page's content, and its block version: 1 with blocks in it, or 0."""
    if "<!-- wp:" in raw:
        return _with_shown_shortcodes(_without_delimiters(raw)), 1
    return _with_shown_shortcodes(paragraphs(raw)), 0


def _without_delimiters(raw: str) -> str:
    """Return block markup without its delimiters.

    No delimiter holds another comment's start, so that cutting there first keeps the search for
    each one's end within its own part, and the whole linear.
    """
    first, *rest = raw.split("<!--")
    kept = [first]
    for part in rest:
        found = _DELIMITER.match(part)
        kept.append(part[found.end() :] if found else f"<!--{part}")
    return "".join(kept)


def _with_shown_shortcodes(html: str) -> str:
    """Return HTML whose text has references for the quotes in shortcodes, which nobody here knows.

    WordPress curls these. Left straight, they make an attribute of what a reader is to see as text
    to whoever looks for attributes without parsing, the recorded conformance scenarios included.
    """
    if "[" not in html or '"' not in html:
        return html
    return "".join(
        token.text if token.name else _SHORTCODE.sub(_with_quote_references, token.text)
        for token in tokens(html)
    )


def _with_quote_references(shortcode: re.Match[str]) -> str:
    """Return a shortcode with references for its straight double quotes."""
    return shortcode[0].replace('"', "&quot;")
