"""The columns of a page that are made of its texts: as they were sent, and as readers get them."""

from marshmallow import ValidationError

from landform.service.auth.credentials import Identity
from landform.service.json_codec import JsonObject
from landform.service.options import Limits
from landform.service.rendering.complexity import element_limit_exceeded, limit_exceeded
from landform.service.rendering.content import render_content, render_title
from landform.service.rendering.sanitizer import clean_content, clean_title, without_code
from landform.service.steps import timed
from landform.storage.rows import Row

# A rendered text is at most so many times what was sent, and so much more: in characters, and in
# bytes of UTF-8.
MOST_GROWTH, FREE_GROWTH = 4, 65_536


@timed("render")
def render_texts(values: JsonObject, caller: Identity, limits: Limits) -> Row:
    """Return the columns of what a write's schema loaded, its texts rendered.

    What a caller without the scope html:unfiltered sends is cleaned for readers. Raises
    `ValidationError`, by the text's name, for what would take too long or grow too much.
    """
    trusted = "html:unfiltered" in caller.scopes
    columns = {name: value for name, value in values.items() if name not in ("title", "content")}
    if not trusted and "content" in values:
        # Rendering would look at each of them too.
        _refuse(
            "content",
            element_limit_exceeded(without_code(values["content"]), limits.content_elements),
        )
    if "title" in values:
        columns["title_raw"] = values["title"]
        title = render_title(values["title"])
        columns["title_rendered"] = title if trusted else _cleaned("title", title, limits)
        _check_growth("title", values["title"], columns["title_rendered"])
    if "content" in values:
        columns["content_raw"] = values["content"]
        content, columns["block_version"] = render_content(values["content"])
        _check_growth("content", values["content"], content)
        columns["content_rendered"] = content if trusted else _cleaned("content", content, limits)
        _check_growth("content", values["content"], columns["content_rendered"])
    return columns


def _cleaned(name: str, html: str, limits: Limits) -> str:
    html = without_code(html)
    _refuse(name, limit_exceeded(html, limits.content_elements, limits.content_depth))
    return clean_title(html) if name == "title" else clean_content(html)


def _refuse(name: str, text: str | None) -> None:
    if text:
        raise ValidationError({name: [f"{name} {text}"]})


def _check_growth(name: str, sent: str, html: str) -> None:
    # No character has more than four bytes.
    if len(html) <= len(sent) + FREE_GROWTH // 4:
        return
    grown = len(html) > MOST_GROWTH * len(sent) + FREE_GROWTH
    if grown or _size(html) > MOST_GROWTH * _size(sent) + FREE_GROWTH:
        raise ValidationError({name: [f"{name} would be several times as long for readers."]})


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())
