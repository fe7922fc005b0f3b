"""Cleaning of HTML from callers without the scope html:unfiltered.

The markup of blocks, harmless styles, images, media and embeds of a few known hosts are allowed.
Everything that runs code, loads other resources or triggers scripts of the site is removed.
"""

import re

import nh3

from landform.service.rendering.markup import tokens

CODE = ("script", "style")
# Plain paths only: no dot segments, also not encoded ones.
EMBED = re.compile(
    r"https://(?:(?:www\.)?youtube(?:-nocookie)?\.com/embed/|player\.vimeo\.com/video/"
    r"|www\.google\.com/maps/embed(?![^/?#])|open\.spotify\.com/embed/|w\.soundcloud\.com/player/)"
    r"[a-z0-9_/-]*(?:[?#][^\x00-\x20\x7f]*)?",
    re.IGNORECASE,
)
INLINE_TAGS = frozenset(
    "a abbr b bdi bdo br cite code data del dfn em i ins kbd mark q s samp small span strong sub "
    "sup time u var wbr".split()
)
MORE_TAGS = frozenset("section main tfoot button picture source video audio track iframe".split())
# Scripts of a site may act on other data attributes, such as data-hx-on.
DATA_ATTRIBUTES = frozenset(
    "data-id data-align data-link data-full-url data-type data-columns data-width".split()
)
EVERYWHERE = frozenset({"class", "id", "title", "lang", "dir", "role", "style"})
ATTRIBUTES = {
    "iframe": {"src", "width", "height", "allowfullscreen", "loading", "frameborder"},
    "video": {"src", "controls", "poster", "width", "height", "loop", "muted", "playsinline"},
    "audio": {"src", "controls", "loop", "muted"},
    "source": {"src", "srcset", "type", "media", "sizes"},
    "track": {"src", "kind", "srclang", "label", "default"},
    "img": {"srcset", "sizes", "loading", "decoding"},
    "a": {"target"},
    "details": {"open"},
}
SCHEMES = frozenset({"http", "https", "mailto", "tel"})
SCHEME = re.compile(r"[^/?#:]*:")
STYLES = frozenset(
    "background background-color border border-color border-radius border-style border-width color "
    "display flex-basis font-size font-style font-weight gap grid-template-columns height "
    "justify-content letter-spacing "
    "line-height margin margin-bottom margin-left margin-right margin-top max-width min-height "
    "padding padding-bottom padding-left padding-right padding-top text-align text-decoration "
    "text-transform width".split()
)
COLORED = frozenset({"color", "background"})
FUNCTION_CALL = re.compile(r"([\w-]*)\s*\(")
GRADIENTS = "linear-gradient radial-gradient conic-gradient"
FUNCTIONS = frozenset(f"var calc min max clamp rgb rgba hsl hsla {GRADIENTS}".split())


def plain_markup(html: str) -> str:
    """Return HTML in which each `<` that begins no tag is text, without scripts and style sheets.

    Cleaning removes those that the tokenizer does not find.
    """
    return "".join(
        token.text if token.name else token.text.replace("<", "&lt;")
        for token in tokens(html)
        if token.name not in CODE
    )


def _clean_attribute(tag: str, attribute: str, value: str) -> str | None:
    """Return the cleaned value of an allowed attribute; None to remove it."""
    if attribute == "style":
        return _clean_style(value) or None
    if tag == "iframe" and attribute == "src":
        is_allowed = EMBED.fullmatch(value.strip()) is not None
    elif attribute == "srcset":
        is_allowed = all(is_safe_address(part) for part in value.split(","))
    elif attribute == "cite":
        is_allowed = is_safe_address(value)
    else:
        is_allowed = not attribute.startswith("data-") or attribute in DATA_ATTRIBUTES
    return value if is_allowed else None


def _clean_style(style: str) -> str:
    """Return the declarations that are allowed.

    A text keeps its color and its background or neither, so that it is never white on white.
    """
    allowed: list[tuple[str, str]] = []
    groups, removed = set(), set()
    for declaration in style.split(";"):
        name = declaration.partition(":")[0].strip().lower()
        group = "background" if name.startswith("background") else name
        groups.add(group)
        # Functions that load nothing; escapes could hide others.
        functions = {called.lower() for called in FUNCTION_CALL.findall(declaration)}
        if name in STYLES and "\\" not in declaration and functions <= FUNCTIONS:
            allowed.append((group, declaration.strip()))
        else:
            removed.add(group)
    is_torn = groups >= COLORED and not removed.isdisjoint(COLORED)
    return ";".join(text for group, text in allowed if not is_torn or group not in COLORED)


def is_safe_address(address: str) -> bool:
    """Return whether an address has no scheme, or one that visitors may follow."""
    scheme = SCHEME.match(address.strip())
    return not scheme or scheme[0].rstrip(":").lower() in SCHEMES


TAGS = {"title": INLINE_TAGS, "content": frozenset(nh3.ALLOWED_TAGS | MORE_TAGS)}
# Removes scripts, handlers and URLs that run code from the HTML of a content.
clean_content = nh3.Cleaner(
    tags=set(TAGS["content"]),
    clean_content_tags={*CODE, "form"},
    attributes={
        "*": set(EVERYWHERE),
        **{
            name: nh3.ALLOWED_ATTRIBUTES.get(name, set()) | ATTRIBUTES.get(name, set())
            for name in nh3.ALLOWED_ATTRIBUTES.keys() | ATTRIBUTES.keys()
        },
    },
    attribute_filter=_clean_attribute,
    generic_attribute_prefixes={"data-", "aria-"},
    url_schemes=set(SCHEMES),
    strip_comments=True,
).clean
# Removes all but inline markup from the HTML of a title.
clean_title = nh3.Cleaner(
    tags=set(TAGS["title"]), attributes={"*": {"class"}}, url_schemes=set(SCHEMES)
).clean
