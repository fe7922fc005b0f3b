"""What a template gets of a page: its texts as HTML and as plain text, its meta, its head."""

import json
import re
from html import unescape
from typing import Any

from markupsafe import Markup

from landform.service.options import LANGUAGE_TAG
from landform.service.rendering.content import shown_text
from landform.service.rendering.markup import tokens
from landform.service.site.pictures import first_picture, gallery_picture
from landform.service.site.texts import is_right_to_left, shorten
from landform.storage.rows import Row
from landform.storage.search import NAMES

# So far a content is looked at for its description and its first image.
MOST_CHARACTERS = 100_000
# Elements that may begin and end within a word.
WITHIN_WORDS = frozenset(
    "! a abbr b bdi bdo cite code em i kbd mark q s small span strong sub sup u var wbr".split()
)
WIDE = re.compile(r"<(?:table|pre)[\s>]", re.IGNORECASE)
SCROLLING = '<div class="wide" tabindex="0" role="group" aria-label="Table">'


def describe_page(page: Row, link: str, language: str, image: str = "") -> dict[str, Any]:
    """Return all that a template gets of a page; `language` and `image` where it has none."""
    meta = json.loads(page["meta"])
    spoken = page_language(meta) or language
    title, content = page["title_rendered"], page["content_rendered"]
    beginning = content[:MOST_CHARACTERS]
    return {
        **{name: page[name] for name in ("id", "slug", "status", "date", "modified", "author")},
        "link": link,
        "title": trusted(title),
        "title_text": plain_text(title),
        "content": trusted(_reachable(content)),
        "description": shorten(plain_text(beginning)),
        "image": gallery_picture(meta, link) or first_picture(beginning, link) or image,
        "meta": meta,
        "form_id": meta.get("form_id") or "",
        "language": spoken,
        "direction": "rtl" if is_right_to_left(spoken) else "ltr",
    }


def without_content(described: dict[str, Any]) -> dict[str, Any]:
    """Return what visitors may know of a page that is closed to them."""
    hidden = {"content": Markup(), "description": "", "image": "", "meta": {}, "form_id": ""}
    return {**described, **hidden}


def trusted(html: str) -> Markup:
    """Return HTML that a template leaves as it is: it was cleaned, or its author may write any."""
    return Markup(html)  # noqa: S704 # nosec B704


def plain_text(html: str) -> str:
    """Return the text of HTML on one line."""
    return " ".join(unescape(shown_text(html, " ", WITHIN_WORDS)).split())


def page_language(meta: Row) -> str:
    """Return the first language that the meta of a page names, as HTML has it; empty for none."""
    named = meta.get("language")
    for item in named if isinstance(named, list) else []:
        for one in [item.get(name) for name in NAMES] if isinstance(item, dict) else [item]:
            tag = one.strip().replace("_", "-") if isinstance(one, str) else ""
            if re.fullmatch(LANGUAGE_TAG, tag):
                return tag
    return ""


def _reachable(content: str) -> str:
    """Return HTML whose tables and preformatted texts, which may scroll, take the focus."""
    if not WIDE.search(content):
        return content
    parts, depth = [], 0
    for text, name, closing in tokens(content):
        if name == "pre" and not closing:
            text = f'<pre tabindex="0" role="group" aria-label="Text"{text[4:]}'  # noqa: PLW2901
        elif name == "table":
            depth += -1 if closing else 1
            if depth == (not closing):
                text = f"{text}</div>" if closing else f"{SCROLLING}{text}"  # noqa: PLW2901
        parts.append(text)
    return "".join(parts) if depth == 0 else content
