"""Rendering of titles, contents and excerpts as HTML for readers.

Content of the block editor is HTML with block delimiters in comments, which are removed. Any other
content is classic text, in which `paragraphs` adds paragraphs.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from html import unescape
from itertools import islice
from typing import NamedTuple

from marshmallow import ValidationError

from landform.schemas.pages import GALLERY_MARK
from landform.service.auth.credentials import Identity
from landform.service.pipeline.json_codec import JsonObject
from landform.service.rendering.cost import MOST_MARKUP, limit_exceeded
from landform.service.rendering.form_markers import BLOCK, marker_of_block, without_markers
from landform.service.rendering.markup import ATOMS, HTML_SPACE, inside, paragraphs, tokens
from landform.service.rendering.sanitizer import (
    TAGS,
    clean_content,
    clean_title,
    is_safe_address,
    plain_markup,
)
from landform.storage.rows import Row

# A rendered text may have so many times the bytes of the source, and so many more.
MOST_GROWTH, FREE_GROWTH = 4, 65_536
# The words of an excerpt, and the text after it if there are more.
EXCERPT_WORDS = 55
ELLIPSIS = " [&hellip;]"
# How many tokens of a content are read for an excerpt, so that no markup is expensive.
MOST_TOKENS = 2000

ELEMENT, ODD_ELEMENT = re.compile("[a-z][a-z0-9-]{0,30}"), "elements with odd names"
# An attribute in a tag, with its value if it has one; those whose values are addresses.
ATTRIBUTE = re.compile(
    r"""([^\s"'<>/=]++)(?:\s*+=\s*+("[^"]*+"|'[^']*+'|[^\s"'<>]++))?""", re.ASCII
)
PLAIN_PART, ODD_PARTS = re.compile("[a-z][a-z0-9 :_-]{0,60}"), "attributes with odd names"
ADDRESSES = ("href", "src", "poster", "cite")
# The names of text and of comments.
NO_ELEMENT = ("", "!")
_LONE_AMPERSAND = re.compile(r"&(?!(?:[a-z][a-z0-9]*+|#[0-9]++|#x[0-9a-f]++);)", re.IGNORECASE)
_SHORTCODE = re.compile(r"\[[a-z][^][<>]*+\]", re.IGNORECASE)
# The rest of a delimiter after `<!--`. The attributes need not be valid JSON: they end at the brace
# before the end of the comment.
DELIMITER = re.compile(
    r"""\s++(?P<end>/)?wp:(?P<name>(?:[a-z][a-z0-9_-]*+/)?[a-z][a-z0-9_-]*+)\s++
        (?P<attributes>\{(?:[^"}-]++|"(?:[^"\\]++|\\.)*+"|-(?!->)|\}(?!\s++/?-->))*+\}\s++)?
        (?P<alone>/)?-->
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)
GALLERY_BLOCK = "gallery"
# The classes that WordPress adds to a block, by a part of its attributes.
_LAYOUT_CLASSES = {
    '"type":"flex"': "is-layout-flex",
    '"type":"grid"': "is-layout-grid",
    '"orientation":"vertical"': "is-vertical",
    '"flexWrap":"nowrap"': "is-nowrap",
    '"justifyContent":"center"': "is-content-justification-center",
    '"justifyContent":"right"': "is-content-justification-right",
    '"justifyContent":"space-between"': "is-content-justification-space-between",
}
_FIRST_CLASS = re.compile(r'\s*+<[a-z]++ class="')


class Texts(NamedTuple):
    """The columns of a write with its texts rendered, and what was removed from them."""

    columns: Row
    removed: list[str]


def render_texts(values: JsonObject, caller: Identity) -> Texts:
    """Render the texts of a write.

    The HTML of a caller without the scope html:unfiltered is cleaned. Raises `ValidationError` if
    that would take too long or a text would grow too much.
    """
    removed = set[str]()
    columns = {name: value for name, value in values.items() if name not in ("title", "content")}
    html = {}
    if "title" in values:
        html["title"] = render_title(values["title"])
    if "content" in values:
        html["content"], columns["block_version"] = render_content(values["content"])
    for name, text in html.items():
        rendered = text if caller.may_write_any_html else clean_html(name, text)
        removed |= removed_markup(name, text, rendered)
        check_growth(name, values[name], rendered)
        columns |= {f"{name}_raw": values[name], f"{name}_rendered": rendered}
    return Texts(columns, sorted(removed))


def removed_markup(name: str, html: str, cleaned: str) -> set[str]:
    """Return what cleaning has removed from HTML: elements, and parts such as `src of iframe`.

    `name`: see `clean_html`.
    """
    if html == cleaned:
        return set()
    allowed = {*TAGS.get(name, TAGS["content"]), *NO_ELEMENT}
    elements = {token.name for token in tokens(html)} - allowed
    names = {name if ELEMENT.fullmatch(name) else ODD_ELEMENT for name in elements}
    lost = Counter(_attributes(html)) - Counter(_attributes(cleaned))
    return names | {f"{part} of {tag}" for tag, part in lost if tag in allowed}


def _attributes(html: str) -> Iterator[tuple[str, str]]:
    """Yield each element with each of its attributes.

    An unusual scheme and the names of declarations are added: `href sms:`, `style top`.
    """
    for token in tokens(html):
        if token.closing or token.name in NO_ELEMENT:
            continue
        tag = token.text.partition(">")[0] if token.name in ATOMS else token.text
        for name, value in ATTRIBUTE.findall(tag[len(token.name) + 1 :]):
            text, details = unescape(value.strip("\"'")), [""]
            if name.lower() == "style":
                details = [f" {part.partition(':')[0].strip()}" for part in text.split(";")]
            elif name.lower() in ADDRESSES and not is_safe_address(text):
                details = [f" {text.strip().partition(':')[0]}:"]
            for detail in details:
                part = f"{name}{detail}".strip().lower()
                yield token.name, part if PLAIN_PART.fullmatch(part) else ODD_PARTS


def clean_html(name: str, html: str) -> str:
    """Return HTML as callers without the scope html:unfiltered may write it.

    `name`: that of the text in messages; a `title` has inline markup only. Raises `ValidationError`
    if cleaning would take too long.
    """
    # What has far too much markup is refused before it is taken apart.
    if html.count("<") <= 10 * MOST_MARKUP:
        html = plain_markup(html)
    if problem := limit_exceeded(html):
        raise ValidationError({name: [f"{name} {problem}"]})
    return clean_title(html) if name == "title" else clean_content(html)


def check_growth(name: str, source: str, rendered: str) -> None:
    """Raise `ValidationError` if a text is several times as long as its source."""
    if len(rendered.encode()) > MOST_GROWTH * len(source.encode()) + FREE_GROWTH:
        raise ValidationError({name: [f"{name} would be several times as long for readers."]})


def render_title(raw: str) -> str:
    """Return the HTML of a title."""
    return _LONE_AMPERSAND.sub("&#038;", raw.strip(HTML_SPACE))


def render_content(raw: str) -> tuple[str, int]:
    """Return the HTML of a content, and its block version: 1 with blocks, otherwise 0."""
    if "<!-- wp:" in raw:
        return _with_escaped_shortcodes(_without_delimiters(raw)), 1
    return _with_escaped_shortcodes(paragraphs(raw)), 0


def _without_delimiters(raw: str) -> str:
    """Return block markup without its delimiters, with a marker for each form and gallery.

    Splitting at the start of each comment keeps this linear: no delimiter contains another one.
    """
    first, *comments = raw.split("<!--")
    parts = [first]
    for comment in comments:
        match = DELIMITER.match(comment)
        if match and match["name"] == BLOCK and not match["end"]:
            parts.append(marker_of_block(match["attributes"]))
        if match and match["name"] == GALLERY_BLOCK and match["alone"]:
            parts.append(GALLERY_MARK)
        parts.append(_with_layout(match, comment) if match else f"<!--{comment}")
    return "".join(parts)


def _with_layout(delimiter: re.Match[str], comment: str) -> str:
    """Return the HTML after a delimiter; its first element has the classes of the layout."""
    html, attributes = comment[delimiter.end() :], delimiter["attributes"] or ""
    classes = "".join(f"{name} " for part, name in _LAYOUT_CLASSES.items() if part in attributes)
    start = _FIRST_CLASS.match(html)
    return f"{start[0]}{classes}{html[start.end() :]}" if start and classes else html


def _with_escaped_shortcodes(html: str) -> str:
    """Escape the quotes in shortcodes, which are shown as text.

    WordPress makes them typographic. Unescaped they look like attributes to programs that search
    HTML without parsing it, such as the conformance scenarios.
    """
    if "[" not in html or '"' not in html:
        return html
    parts = [
        text if name else _SHORTCODE.sub(lambda match: match[0].replace('"', "&quot;"), text)
        for text, name, _ in tokens(html)
    ]
    return "".join(parts)


def make_excerpt(rendered: str) -> str:
    """Return the first words of rendered content as a paragraph, or an empty text."""
    words = visible_text(without_markers(rendered)).split(None, EXCERPT_WORDS)
    if not words:
        return ""
    ellipsis = ELLIPSIS if len(words) > EXCERPT_WORDS else ""
    return f"<p>{' '.join(words[:EXCERPT_WORDS])}{ellipsis}</p>\n"


def visible_text(html: str, between: str = "", within: Collection[str] = ()) -> str:
    """Return the text in the first tokens of HTML.

    `between` replaces each tag, except those of elements that may be `within` words.
    """
    return "".join(islice(_texts(html, between, within), MOST_TOKENS))


def _texts(html: str, between: str, within: Collection[str]) -> Iterator[str]:
    for token in tokens(html):
        if not token.name:
            yield token.text
        elif token.name == "pre" and not token.closing:
            yield between
            yield from (text for text, tag, _ in tokens(inside(token)) if not tag)
        else:
            yield "" if token.name in within else between
