"""What readers get of what an author stored: the HTML of a title and a content, an excerpt.

Content made in the block editor is HTML with block delimiters in comments: readers get it without
those. Any other content is classic text, whose paragraphs `autop` finds.
"""

import re
from collections.abc import Collection, Iterator
from itertools import islice
from typing import NamedTuple

from marshmallow import ValidationError

from landform.service.auth.credentials import Identity
from landform.service.json_codec import JsonObject
from landform.service.rendering.cost import limit_exceeded
from landform.service.rendering.markup import WHITE_SPACE, paragraphs, tokens
from landform.service.rendering.sanitizer import TAGS, clean_content, clean_title, without_code
from landform.storage.rows import Row

# A rendered text has at most so many times the bytes of what was sent, and so many more.
MOST_GROWTH, FREE_GROWTH = 4, 65_536
# Words of an excerpt, and what follows them where there are more.
WORDS = 55
MORE = " [&hellip;]"
# So far a content is looked at: no markup makes it expensive.
MOST_TOKENS = 2000

ELEMENT, ODD_ELEMENT = re.compile("[a-z][a-z0-9-]{0,30}"), "elements with odd names"
# The names of text and of comments.
NO_ELEMENT = ("", "!")
_LONE_AMPERSAND = re.compile(r"&(?!(?:[a-z][a-z0-9]*+|#[0-9]++|#x[0-9a-f]++);)", re.IGNORECASE)
_SHORTCODE = re.compile(r"\[[a-z][^][<>]*+\]", re.IGNORECASE)
# All that follows `<!--` in a delimiter. The attributes are told by their strings and by the brace
# that the comment's end follows; whether they are good JSON matters to no reader.
DELIMITER = re.compile(
    r"""\s++(?P<end>/)?wp:(?P<name>(?:[a-z][a-z0-9_-]*+/)?[a-z][a-z0-9_-]*+)\s++
        (?P<attributes>\{(?:[^"}-]++|"(?:[^"\\]++|\\.)*+"|-(?!->)|\}(?!\s++/?-->))*+\}\s++)?
        (?P<alone>/)?-->
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)


def render_texts(values: JsonObject, caller: Identity) -> Row:
    """Return the columns of what a write's schema loaded, its texts rendered.

    What a caller without the scope html:unfiltered sends is cleaned for readers. Raises
    `ValidationError`, by the text's name, for what would take too long or grow too much.
    """
    columns = {name: value for name, value in values.items() if name not in ("title", "content")}
    html = {}
    if "title" in values:
        html["title"] = render_title(values["title"])
    if "content" in values:
        html["content"], columns["block_version"] = render_content(values["content"])
    for name, text in html.items():
        shown = text if caller.may_write_any_html else _cleaned(name, text)
        most = MOST_GROWTH * len(values[name].encode()) + FREE_GROWTH
        if len(shown.encode()) > most:
            raise ValidationError({name: [f"{name} would be several times as long for readers."]})
        columns |= {f"{name}_raw": values[name], f"{name}_rendered": shown}
    return columns


class Texts(NamedTuple):
    """The title and the content of a write as columns, and the elements that are left out."""

    columns: Row
    lost: list[str]

    def merged(self, values: JsonObject) -> Row:
        """Return the columns of all values of the write."""
        return {**{name: values[name] for name in values.keys() - TAGS.keys()}, **self.columns}


def prepare_texts(values: JsonObject, caller: Identity) -> Texts:
    """Return the texts of a write, rendered as its caller may write them."""
    texts = {name: values[name] for name in TAGS.keys() & values.keys()}
    lost = [] if caller.may_write_any_html else unsafe_elements(texts)
    return Texts(render_texts(texts, caller), lost)


def unsafe_elements(values: JsonObject) -> list[str]:
    """Return which elements in the texts of a write are left out when they are cleaned."""
    names = {
        token.name
        for name, kept in TAGS.items()
        for token in tokens(values.get(name) or "")
        if token.name not in {*kept, *NO_ELEMENT}
    }
    return sorted({name if ELEMENT.fullmatch(name) else ODD_ELEMENT for name in names})


def _cleaned(name: str, html: str) -> str:
    html = without_code(with_plain_less_than(html))
    if problem := limit_exceeded(html):
        raise ValidationError({name: [f"{name} {problem}"]})
    return clean_title(html) if name == "title" else clean_content(html)


def render_title(raw: str) -> str:
    """Return the HTML of a title."""
    return _LONE_AMPERSAND.sub("&#038;", raw.strip(WHITE_SPACE))


def render_content(raw: str) -> tuple[str, int]:
    """Return the HTML of a page's content, and its block version: 1 with blocks in it, or 0."""
    if "<!-- wp:" in raw:
        return _with_shown_shortcodes(_without_delimiters(raw)), 1
    return _with_shown_shortcodes(paragraphs(raw)), 0


def with_plain_less_than(html: str) -> str:
    """Return HTML in which each `<` that begins no tag is text, as browsers show it."""
    return "".join(
        token.text if token.name else token.text.replace("<", "&lt;") for token in tokens(html)
    )


def _without_delimiters(raw: str) -> str:
    """Return block markup without its delimiters.

    No delimiter holds another comment's start, so that cutting there first keeps the search for
    each one's end within its own part, and the whole linear.
    """
    first, *rest = raw.split("<!--")
    kept = [first]
    for part in rest:
        found = DELIMITER.match(part)
        kept.append(part[found.end() :] if found else f"<!--{part}")
    return "".join(kept)


def _with_shown_shortcodes(html: str) -> str:
    """Return HTML whose text has references for the quotes in shortcodes, which nobody here knows.

    WordPress curls these. Left straight, they make an attribute of what a reader is to see as text
    to whoever looks for attributes without parsing, the recorded conformance scenarios included.
    """
    if "[" not in html or '"' not in html:
        return html
    parts = [
        text if name else _SHORTCODE.sub(lambda found: found[0].replace('"', "&quot;"), text)
        for text, name, _ in tokens(html)
    ]
    return "".join(parts)


def make_excerpt(rendered: str) -> str:
    """Return the first 55 words of rendered content as a paragraph; empty where it has none."""
    words = shown_text(rendered).split(None, WORDS)
    if not words:
        return ""
    more = MORE if len(words) > WORDS else ""
    return f"<p>{' '.join(words[:WORDS])}{more}</p>\n"


def shown_text(html: str, between: str = "", within: Collection[str] = ()) -> str:
    """Return the text in the first tokens of HTML.

    `between`: what stands for a tag, unless it is one of the elements that may be `within` words.
    """
    return "".join(islice(_texts(html, between, within), MOST_TOKENS))


def _texts(html: str, between: str, within: Collection[str]) -> Iterator[str]:
    for piece, name, closing in tokens(html):
        if not name:
            yield piece
        elif name == "pre" and not closing:
            inner = tokens(piece[piece.find(">") + 1 : piece.rfind("</")])
            yield between
            yield from (text for text, tag, _ in inner if not tag)
        else:
            yield "" if name in within else between
