"""The variables of a page for a template."""

import json
import re
import unicodedata
from html import escape, unescape
from itertools import islice
from typing import Any

from landform.service.options import Options
from landform.service.rendering.content import MOST_TOKENS, visible_text
from landform.service.rendering.form_markers import without_markers
from landform.service.rendering.markup import Token, tokens
from landform.service.site.catalogs import Texts
from landform.service.site.forms import Forms, trusted
from landform.service.site.languages import direction_of, locale_of
from landform.service.site.pictures import first_picture, gallery_pictures, outside
from landform.storage.rows import Row

# How much of a content is searched for its description and its first image.
MOST_CHARACTERS = 100_000
# Elements that may begin or end within a word.
WITHIN_WORDS = frozenset(
    "! a abbr b bdi bdo cite code em i kbd mark q s small span strong sub sup u var wbr".split()
)
NO_FORMS = Forms("")
BUTTON_LINK = re.compile(r"""class=["'][^"'<>]*button""")
WIDE = re.compile(r"<(?:table|pre)[\s>]", re.IGNORECASE)
DESCRIPTION_CHARACTERS = 160
# A description ends at a space only if it is then this long.
MIN_CHARACTERS = DESCRIPTION_CHARACTERS * 2 // 3
# What may scroll can have the focus, and so needs a name.
FOCUSABLE = 'tabindex="0" role="group" aria-label="{}"'


def describe_page(
    page: Row, link: str, options: Options, texts: Texts, forms: Forms = NO_FORMS
) -> dict[str, Any]:
    """Return the variables of a page with its forms."""
    meta, language = json.loads(page["meta"]), texts.document
    title, content = page["title_rendered"], without_markers(page["content_rendered"])
    beginning, pictures = content[:MOST_CHARACTERS], forms.pictures
    gallery = pictures.gallery if pictures else gallery_pictures(meta, link)
    image = gallery[0]["url"] if gallery else first_picture(beginning, link)
    parts = outside(islice(tokens(beginning), MOST_TOKENS), _is_button)
    text = "".join(part.text for part in parts)
    return {
        **{name: page[name] for name in ("id", "slug", "status", "date", "modified", "author")},
        "link": link,
        "title": trusted(title),
        "title_text": plain_text(title),
        "content": trusted(_focusable(forms.content, texts)),
        "form": trusted(forms.form),
        "form_style": trusted(forms.style),
        "is_refused": forms.is_refused,
        "description": shorten(plain_text(text)),
        "image": image or options.site_image or "",
        "image_size": pictures.sizes.get(image) if pictures else None,
        "gallery": gallery,
        "meta": meta,
        "form_id": meta.get("form_id") or "",
        "language": language,
        "locale": locale_of(language),
        "direction": direction_of(language),
    }


def plain_text(html: str) -> str:
    """Return the plain text of HTML on one line."""
    return " ".join(unescape(visible_text(html, " ", WITHIN_WORDS)).split())


def _is_button(token: Token) -> bool:
    """Return whether a tag opens a button, or a link that looks like one."""
    is_link = token.name == "a" and BUTTON_LINK.search(token.text)
    return not token.closing and bool(token.name == "button" or is_link)


def _focusable(content: str, texts: Texts) -> str:
    """Make tables and preformatted texts focusable, since they may scroll."""
    if not WIDE.search(content):
        return content
    parts, depth = [], 0
    of_text = FOCUSABLE.format(escape(texts.gettext("Text")))
    of_table = FOCUSABLE.format(escape(texts.gettext("Table")))
    for text, name, closing in tokens(content):
        if name == "pre" and not closing:
            text = f"<pre {of_text}{text[4:]}"  # noqa: PLW2901
        elif name == "table":
            depth += -1 if closing else 1
            if depth == (not closing):
                opening = f'<div class="wide" {of_table}>'
                text = f"{text}</div>" if closing else f"{opening}{text}"  # noqa: PLW2901
        parts.append(text)
    return "".join(parts) if depth == 0 else content


def shorten(text: str) -> str:
    """Return the beginning of a text, cut between words or at least between letters."""
    if len(text) <= DESCRIPTION_CHARACTERS:
        return text
    end = text.rfind(" ", MIN_CHARACTERS, DESCRIPTION_CHARACTERS + 1)
    if end < 0:
        end = DESCRIPTION_CHARACTERS
        # A mark, such as an accent, belongs to the letter before it.
        while end > MIN_CHARACTERS and unicodedata.category(text[end]).startswith("M"):
            end -= 1
    return text[:end].rstrip(" ,;:-、，；：") + "…"
