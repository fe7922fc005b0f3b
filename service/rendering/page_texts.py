"""The columns of a page that are made of its texts: as they were sent, and as readers get them."""

from marshmallow import ValidationError

from landform.service.auth.credentials import Identity
from landform.service.json_codec import JsonObject
from landform.service.rendering.content import render_content, render_title
from landform.service.rendering.cost import MOST_ELEMENTS, limit_exceeded
from landform.service.rendering.sanitizer import clean_content, clean_title, without_code
from landform.storage.rows import Row

# A rendered text is at most so many times what was sent, and so much more: in characters, and in
# bytes of UTF-8.
MOST_GROWTH, FREE_GROWTH = 4, 65_536


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
        shown = text if "html:unfiltered" in caller.scopes else _cleaned(name, text)
        _check_growth(name, values[name], shown)
        columns |= {f"{name}_raw": values[name], f"{name}_rendered": shown}
    return columns


def _cleaned(name: str, html: str) -> str:
    html = without_code(html)
    if problem := limit_exceeded(html, MOST_ELEMENTS):
        raise ValidationError({name: [f"{name} {problem}"]})
    return clean_title(html) if name == "title" else clean_content(html)


def _check_growth(name: str, sent: str, html: str) -> None:
    sizes = [(len(sent), len(html)), (len(sent.encode()), len(html.encode()))]
    if any(after > MOST_GROWTH * before + FREE_GROWTH for before, after in sizes):
        raise ValidationError({name: [f"{name} would be several times as long for readers."]})
