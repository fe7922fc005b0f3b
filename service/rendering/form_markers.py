"""The markers of forms in a content: blocks of Gravity Forms, and its shortcode `[gravityform]`.

Rendering makes a shortcode of each block, since sanitizing removes comments.
"""

import re
from collections.abc import Callable

from landform.service.rendering.markup import Token, tokens

BLOCK = "gravityforms/form"
START = "[gravityform"
MARKER = re.compile(r"\[gravityforms?(?=[\s\]/])([^][<>]*+)\]")
# The names of tokens, and whether they are closing tags.
PARAGRAPH = [("p", False), ("", False), ("p", True)]
BLOCK_ID = re.compile(r'"formId"\s*+:\s*+"?(\d{1,19})\b')
SHORTCODE_ID = re.compile(r"""\sid\s*+=\s*+(?:&quot;|["'\u201c\u201d])?(\d{1,19})\b""")


def marker_of_block(attributes: str | None) -> str:
    """Return the shortcode for a block with these attributes, a JSON text."""
    form_id = BLOCK_ID.search(attributes or "")
    return f'[gravityform id="{form_id[1]}"]' if form_id else "[gravityform]"


def place_forms(html: str, form_of: Callable[[str], str]) -> str:
    """Replace each marker, and the paragraph around one that is alone in it.

    `form_of` returns the HTML for the id in a marker, which may be empty.
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
        placed = MARKER.sub(lambda marker: form_of(_form_id(marker[1])), text)
        pieces[number] = Token(placed)
    return "".join(piece.text for piece in pieces)


def without_markers(html: str) -> str:
    """Return a content without its markers."""
    return place_forms(html, lambda form_id: "")


def _form_id(attributes: str) -> str:
    """Return the id in the attributes of a shortcode, without leading zeros; empty for none."""
    form_id = SHORTCODE_ID.search(attributes)
    return str(int(form_id[1])) if form_id else ""
