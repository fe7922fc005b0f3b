"""The markers of forms in a content: blocks of Gravity Forms, and its shortcode `[gravityform]`.

Rendering makes a shortcode of each block, since sanitizing removes comments.
"""

import json
import re
from collections.abc import Callable
from contextlib import suppress
from html import escape, unescape
from typing import NamedTuple
from urllib.parse import quote

from landform.service.rendering.markup import Token, tokens

BLOCK = "gravityforms/form"
START = "[gravityform"
# Brackets in it stand in names of lists, such as `topics[]=a`.
MARKER = re.compile(r"\[gravityforms?(?=[\s\]/])((?:[^][<>]|\[\])*+)\]")
# The names of tokens, and whether they are closing tags.
PARAGRAPH = [("p", False), ("", False), ("p", True)]
BLOCK_ID = re.compile(r'"formId"\s*+:\s*+"?(\d{1,19})\b')
QUOTE = "(?:&quot;|&#34;|&#39;|[\"'\u201c\u201d\u2018\u2019\u2033])"
FIELD_VALUES = re.compile(rf"\sfield_values\s*+=\s*+{QUOTE}(.*?){QUOTE}")
SHORTCODE_ID = re.compile(r"""\sid\s*+=\s*+(?:&quot;|["'\u201c\u201d])?(\d{1,19})\b""")


def marker_of_block(attributes: str | None) -> str:
    """Return the shortcode for a block with these attributes, a JSON text."""
    form_id, values = BLOCK_ID.search(attributes or ""), ""
    with suppress(ValueError, AttributeError):
        values = str(json.loads(attributes or "{}").get("fieldValues") or "")
    # Nothing in it may end the shortcode.
    more = f' field_values="{escape(quote(values, safe="=&%+, "))}"' if values else ""
    return f'[gravityform id="{form_id[1]}"{more}]' if form_id else f"[gravityform{more}]"


class Marker(NamedTuple):
    """The id of the form, empty if there is none, and first values of its fields as a query."""

    form_id: str = ""
    field_values: str = ""


def place_forms(html: str, form_of: Callable[[Marker], str]) -> str:
    """Replace each marker, and the paragraph around one that is alone in it.

    `form_of` returns the HTML for a marker.
    """
    if START not in html:
        return html
    pieces = list(tokens(html))
    for number, (text, name, _) in enumerate(pieces):
        if name or START not in text:
            continue
        around = [(piece.name, piece.closing) for piece in pieces[max(number - 1, 0) : number + 2]]
        if around == PARAGRAPH and MARKER.fullmatch(text.strip()):
            pieces[number - 1] = pieces[number + 1] = Token("")
        placed = MARKER.sub(lambda marker: form_of(_parse(marker[1])), text)
        pieces[number] = Token(placed)
    return "".join(piece.text for piece in pieces)


def without_markers(html: str) -> str:
    """Return a content without its markers."""
    return place_forms(html, lambda marker: "")


def _parse(attributes: str) -> Marker:
    """Return what the attributes of a shortcode say; the id has no leading zeros."""
    form_id, values = SHORTCODE_ID.search(attributes), FIELD_VALUES.search(attributes)
    return Marker(str(int(form_id[1])) if form_id else "", unescape(values[1]) if values else "")
