"""The variables of a page for a template."""

import json
import re
import unicodedata
from html import unescape
from itertools import islice
from typing import Any

from landform.service.options import LANGUAGE_TAG, Options
from landform.service.rendering.content import MOST_TOKENS, visible_text
from landform.service.rendering.form_markers import without_markers
from landform.service.rendering.markup import Token, tokens
from landform.service.site.forms import Forms, trusted
from landform.service.site.pictures import first_picture, gallery_pictures, outside
from landform.storage.rows import Row
from landform.storage.search import NAMES

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
# The scripts in use that are written from right to left, the languages that are usually written in
# one of them, and those where it depends on the country.
RIGHT_TO_LEFT_SCRIPTS = frozenset("adlm arab aran hebr mand nkoo rohg samr syrc thaa".split())
RIGHT_TO_LEFT = frozenset(
    "aeb ar arc ary arz azb bal bgn bqi brh ckb dv fa glk ha-sd haz he hno iw ji ks khw lad lki "
    "lrc luz mzn nqo pal phr pnb prs ps pus sd sdh skr syr ug ur yi "
    "az-iq az-ir kk-af kk-cn kk-ir ku-iq ku-ir ky-cn ms-cc pa-pk tg-pk uz-af".split()
)
LEFT_TO_RIGHT = frozenset("sd-in ug-kz ug-mn".split())
# The countries of languages that have another code.
COUNTRIES = dict(
    pair.split("_")
    for pair in (
        "en_US ar_AR be_BY bn_IN bs_BA ca_ES cs_CZ cy_GB da_DK el_GR et_EE eu_ES fa_IR ga_IE gl_ES "
        "gu_IN he_IL hi_IN hy_AM ja_JP ka_GE kk_KZ km_KH ko_KR ms_MY nb_NO nn_NO pa_IN sl_SI sq_AL "
        "sr_RS sv_SE sw_KE ta_IN te_IN uk_UA ur_PK vi_VN zh_CN"
    ).split()
)
# The extensions of a tag, each of which begins with a single letter.
EXTENSIONS = re.compile("-[a-z0-9]-.*")
SCROLLING = '<div class="wide" tabindex="0" role="group" aria-label="Table">'


def describe_page(
    page: Row, link: str, options: Options, forms: Forms = NO_FORMS
) -> dict[str, Any]:
    """Return the variables of a page with its forms."""
    meta = json.loads(page["meta"])
    language = page_language(meta) or options.site_language
    title, content = page["title_rendered"], without_markers(page["content_rendered"])
    beginning, gallery = content[:MOST_CHARACTERS], gallery_pictures(meta, link)
    image = gallery[0]["url"] if gallery else first_picture(beginning, link)
    parts = outside(islice(tokens(beginning), MOST_TOKENS), _is_button)
    text = "".join(part.text for part in parts)
    return {
        **{name: page[name] for name in ("id", "slug", "status", "date", "modified", "author")},
        "link": link,
        "title": trusted(title),
        "title_text": plain_text(title),
        "content": trusted(_focusable(forms.content)),
        "form": trusted(forms.form),
        "form_style": trusted(forms.style),
        "description": shorten(plain_text(text)),
        "image": image or options.site_image or "",
        "gallery": gallery,
        "meta": meta,
        "form_id": meta.get("form_id") or "",
        "language": language,
        "locale": locale_of(language),
        "direction": "rtl" if is_right_to_left(language) else "ltr",
    }


def plain_text(html: str) -> str:
    """Return the plain text of HTML on one line."""
    return " ".join(unescape(visible_text(html, " ", WITHIN_WORDS)).split())


def _is_button(token: Token) -> bool:
    """Return whether a tag opens a button, or a link that looks like one."""
    is_link = token.name == "a" and BUTTON_LINK.search(token.text)
    return not token.closing and bool(token.name == "button" or is_link)


def page_language(meta: Row) -> str:
    """Return the first language tag in the meta of a page; empty if there is none."""
    languages = meta.get("language")
    for item in languages if isinstance(languages, list) else []:
        for code in [item.get(name) for name in NAMES] if isinstance(item, dict) else [item]:
            tag = code.strip().replace("_", "-") if isinstance(code, str) else ""
            if re.fullmatch(LANGUAGE_TAG, tag):
                return tag
    return ""


def locale_of(tag: str) -> str:
    """Return a language and a country for networks that show links: `de_DE` for `de`."""
    language, *more = EXTENSIONS.sub("", tag.lower()).split("-")
    regions = [part.upper() for part in more if len(part) == 2 or part.isdecimal()]
    return f"{language}_{[*regions, COUNTRIES.get(language, language.upper())][0]}"


def _focusable(content: str) -> str:
    """Make tables and preformatted texts focusable, since they may scroll."""
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


def is_right_to_left(tag: str) -> bool:
    """Return whether a language is written from right to left, by its script if the tag has one."""
    language, *subtags = EXTENSIONS.sub("", tag.lower().replace("_", "-")).split("-")
    script = next((part for part in subtags[:2] if len(part) == 4 and part.isalpha()), "")
    if script:
        return script in RIGHT_TO_LEFT_SCRIPTS
    region = next((part for part in subtags if len(part) == 2), "")
    local = f"{language}-{region}"
    return local in RIGHT_TO_LEFT or (language in RIGHT_TO_LEFT and local not in LEFT_TO_RIGHT)


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
