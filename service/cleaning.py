"""HTML of callers who may not send just any: cleaned when it is rendered, kept raw as sent."""

import re

EMBEDS = re.compile(
    r"https://(?:www\.)?(?:youtube\.com|youtube-nocookie\.com|player\.vimeo\.com|google\.com/maps"
    r"|open\.spotify\.com|w\.soundcloud\.com)/"
)
INLINE = frozenset(
    "a abbr b bdi bdo br cite code data del dfn em i ins kbd mark q s samp small span strong sub "
    "sup time u var wbr".split()
)
MORE_TAGS = frozenset(
    "section main button picture source video audio track iframe figure figcaption".split()
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
    "button": {"type"},
}
SCHEMES = {"http", "https", "mailto", "tel"}


def clean_content(html: str) -> str:
    """Return the HTML of a content without scripts, handlers, and addresses that run code."""
    import nh3  # noqa: PLC0415 - only where a caller is not trusted with HTML

    attributes = {name: set(kept) for name, kept in nh3.ALLOWED_ATTRIBUTES.items()}
    for name, kept in ATTRIBUTES.items():
        attributes[name] = attributes.get(name, set()) | kept
    attributes["*"] = set(EVERYWHERE)
    return nh3.clean(
        html,
        tags=nh3.ALLOWED_TAGS | MORE_TAGS,
        clean_content_tags={"script", "style"},
        attributes=attributes,
        attribute_filter=_kept,
        generic_attribute_prefixes={"data-", "aria-"},
        url_schemes=SCHEMES,
        strip_comments=True,
        filter_style_properties=STYLES,
    )


def clean_title(html: str) -> str:
    """Return the HTML of a title with nothing but inline markup."""
    import nh3  # noqa: PLC0415

    return nh3.clean(html, tags=set(INLINE), attributes={"*": {"class"}}, url_schemes=SCHEMES)


def _kept(tag: str, attribute: str, value: str) -> str | None:
    if tag == "iframe" and attribute == "src" and not EMBEDS.match(value):
        return None
    return value


STYLES = set(
    "background-color border border-color border-radius border-style border-width color "
    "display flex-basis font-size font-style font-weight gap height justify-content letter-spacing "
    "line-height margin margin-bottom margin-left margin-right margin-top max-width min-height "
    "padding padding-bottom padding-left padding-right padding-top text-align text-decoration "
    "text-transform width".split()
)
