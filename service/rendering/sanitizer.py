"""HTML of callers who may not send just any: cleaned when it is rendered, kept raw as sent.

What survives is what landing pages are made of: the markup of blocks with its classes, harmless
styles, images, media, and the embeds of a few known hosts. Nothing that runs code, loads what is
no picture or media, or waits for a script of the site to run it.
"""

import re

import nh3

from landform.service.rendering.markup import tokens

# What they hold is no markup, and does not stay; nor does what is of no use without its form.
CODE = ("script", "style")
WHOLE = frozenset({*CODE, "form"})
# A plain path only: no dot segments, nor what a server may decode to some.
EMBED = re.compile(
    r"https://(?:(?:www\.)?youtube(?:-nocookie)?\.com/embed/|player\.vimeo\.com/video/"
    r"|www\.google\.com/maps/embed(?![^/?#])|open\.spotify\.com/embed/|w\.soundcloud\.com/player/)"
    r"[a-z0-9_/-]*(?:[?#][^\x00-\x20\x7f]*)?",
    re.IGNORECASE,
)
INLINE = frozenset(
    "a abbr b bdi bdo br cite code data del dfn em i ins kbd mark q s samp small span strong sub "
    "sup time u var wbr".split()
)
MORE_TAGS = frozenset("section main tfoot button picture source video audio track iframe".split())
# Some scripts that a site may have act on others, such as data-hx-on.
DATA = frozenset(
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
    "background-color border border-color border-radius border-style border-width color "
    "display flex-basis font-size font-style font-weight gap height justify-content letter-spacing "
    "line-height margin margin-bottom margin-left margin-right margin-top max-width min-height "
    "padding padding-bottom padding-left padding-right padding-top text-align text-decoration "
    "text-transform width".split()
)
CALLED = re.compile(r"([\w-]*)\s*\(")
FUNCTIONS = frozenset("var calc min max clamp rgb rgba hsl hsla".split())


def plain_markup(html: str) -> str:
    """Return HTML in which each `<` that begins no tag is text, without scripts and style sheets.

    As far as these are told without a parser: cleaning removes what is left of them.
    """
    return "".join(
        token.text if token.name else token.text.replace("<", "&lt;")
        for token in tokens(html)
        if token.name not in CODE
    )


def _kept(tag: str, attribute: str, value: str) -> str | None:
    """Return what stays of an attribute that may be there, None for nothing."""
    if attribute == "style":
        return ";".join(filter(_is_plain, value.split(";")))
    if tag == "iframe" and attribute == "src":
        kept = EMBED.fullmatch(value.strip()) is not None
    elif attribute == "srcset":
        kept = all(_is_safe(part) for part in value.split(","))
    elif attribute == "cite":
        kept = _is_safe(value)
    else:
        kept = not attribute.startswith("data-") or attribute in DATA
    return value if kept else None


def _is_plain(declaration: str) -> bool:
    """Return whether a declaration of a style loads nothing; escapes could hide that it does."""
    called = {name.lower() for name in CALLED.findall(declaration)}
    return "\\" not in declaration and called <= FUNCTIONS


def _is_safe(address: str) -> bool:
    found = SCHEME.match(address.strip())
    return not found or found[0].rstrip(":").lower() in SCHEMES


TAGS = {"title": INLINE, "content": frozenset(nh3.ALLOWED_TAGS | MORE_TAGS)}
# Returns the HTML of a content without scripts, handlers, and URLs that run code.
clean_content = nh3.Cleaner(
    tags=set(TAGS["content"]),
    clean_content_tags=set(WHOLE),
    attributes={
        "*": set(EVERYWHERE),
        **{
            name: nh3.ALLOWED_ATTRIBUTES.get(name, set()) | ATTRIBUTES.get(name, set())
            for name in nh3.ALLOWED_ATTRIBUTES.keys() | ATTRIBUTES.keys()
        },
    },
    attribute_filter=_kept,
    generic_attribute_prefixes={"data-", "aria-"},
    url_schemes=set(SCHEMES),
    strip_comments=True,
    filter_style_properties=set(STYLES),
).clean
# Returns the HTML of a title with nothing but inline markup.
clean_title = nh3.Cleaner(
    tags=set(TAGS["title"]), attributes={"*": {"class"}}, url_schemes=set(SCHEMES)
).clean
