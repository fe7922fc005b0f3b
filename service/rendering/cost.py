"""Limits of the HTML that is cleaned, checked in one pass over its tags.

An HTML parser does work that the size of a text does not bound. Formatting elements that are left
open are opened again in each block that follows: 2,000 of them and 2,000 paragraphs are 4,000,000
elements. Each attribute is compared with those before it in its tag. The parser's tree is not
predicted: what may be opened again is counted so that the parser's count is hardly ever larger,
whatever the text.
"""

import re
from collections import Counter, defaultdict

# Elements, and each "<" of a tag, an end tag or a comment.
MOST_ELEMENTS, MOST_MARKUP = 10_000, 30_000
MOST_ATTRIBUTES = 256
# Characters that are references when they are written, times the length of the text: before each
# of them the rest of the text is looked through.
MOST_WRITING = 60_000_000_000
# Characters of the tags that may be opened again, and what each element counts beside its tag.
MOST_REOPENED, ELEMENT = 16_000_000, 40
# The parser keeps at most three open formatting elements that are alike.
ALIKE = 3

FORMATTING = frozenset("a b big code em font i nobr s small strike strong tt u".split())
# Beyond these a formatting element may stay open although its end tag comes, or what follows is
# no markup at all.
BARRIERS = frozenset(
    "applet caption col colgroup frameset iframe input marquee math noembed noframes noscript "
    "object optgroup option plaintext script select style svg table tbody td template textarea "
    "tfoot th thead title tr xmp".split()
)

SPACE = r"[ \t\n\r\f]"
# Attributes that are read alike wherever reading begins, with no "<" within.
PLAIN = rf"""(?:{SPACE}++[^ \t\n\r\f"'<>/=]++
    (?:{SPACE}*+={SPACE}*+(?:"[^"<]*+"|'[^'<]*+'|[^ \t\n\r\f"'<>=`]++))?+
  ){{0,{MOST_ATTRIBUTES}}}+{SPACE}*+"""
SHAPES = (
    "circle|clippath|defs|ellipse|g|line|lineargradient|mask|path|pattern|polygon|polyline"
    "|radialgradient|rect|stop|symbol|text|tspan|use"
)
# A drawing, a comment, or a tag, each with nothing in it that could be read in another way; or
# whatever else may begin a tag.
TOKEN = re.compile(
    rf"""<svg{PLAIN}>(?:[^<]++|</?(?:{SHAPES}){PLAIN}/?>)*+</svg>
       | <!--[^<>]*+(?<!-)-->
       | <(?P<end>/?)(?P<name>[a-z][a-z0-9-]*+){PLAIN}/?>
       | (?P<odd><[a-z/!?])
    """,
    re.VERBOSE | re.IGNORECASE,
)
# A tag as the HTML standard reads it, however broken; `more` follows its last attribute if it has
# too many.
ANY_TAG = re.compile(
    rf"""</?(?P<name>[a-z][^ \t\n\r\f/>]*+)
         (?:(?:{SPACE}|/)*+[^ \t\n\r\f/>][^ \t\n\r\f/>=]*+
            (?:{SPACE}*+={SPACE}*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^ \t\n\r\f>]*+))?+
         ){{0,{MOST_ATTRIBUTES}}}+
         (?P<more>(?:{SPACE}|/)*+[^ \t\n\r\f/>])?
    """,
    re.VERBOSE | re.IGNORECASE,
)
START = re.compile("<[a-z]", re.IGNORECASE)
# With all that share the first byte of a non-breaking space in UTF-8.
REFERENCE = re.compile("[&\x80-\xbf]")


def limit_exceeded(html: str) -> str | None:
    """Return the message for the first limit that HTML exceeds; None if there is none."""
    if len(START.findall(html)) > MOST_ELEMENTS:
        return f"must not have more than {MOST_ELEMENTS} elements."
    if html.count("<") > MOST_MARKUP:
        return f'must not have more than {MOST_MARKUP} times a "<".'
    if len(REFERENCE.findall(html)) * len(html) > MOST_WRITING:
        return "must not have so many ampersands or non-breaking spaces."
    return _tags_exceed(html)


def _tags_exceed(html: str) -> str | None:
    """Check the attributes and the open elements of HTML; return a message or None."""
    formatting, reopened = Formatting(), 0
    # Broken tags may end far behind where the next one begins.
    unread = 4 * len(html) + 1_000_000
    for token in TOKEN.finditer(html):
        name, tag = (token["name"] or "").lower(), token[0]
        if token["odd"]:
            broken = ANY_TAG.match(html, token.start())
            name, tag = (broken["name"].lower(), broken[0]) if broken else ("", "")
            unread -= len(tag)
            if unread < 0 or (broken and broken["more"]):
                return f"must not have more than {MOST_ATTRIBUTES} attributes in a tag."
        if name in FORMATTING and not tag.startswith("</"):
            # Nothing tells two broken tags apart for certain: they count as different.
            formatting.begin(name, tag if not token["odd"] else f"{tag}{token.start()}")
        elif token["end"]:
            formatting.end(name)
        if token["odd"] or name in BARRIERS:
            formatting.pass_barrier()
        reopened += formatting.size
        if reopened > MOST_REOPENED:
            return "must not leave so many formatting elements open."
    return None


class Formatting:
    """The formatting elements that a parser may open again, and their `size` in characters.

    One that its end tag closes for certain is no longer open. For certain means that there is no
    barrier between the two: whatever the parser makes of all the rest, it takes either both tags
    for tags, or the end tag only. One that is open at a barrier counts until the end.
    """

    def __init__(self) -> None:
        self.size = 0
        self._open: dict[str, list[str]] = defaultdict(list)
        self._left: Counter[str] = Counter()

    def begin(self, name: str, tag: str) -> None:
        """Take a start tag. The parser closes a link where another one begins."""
        if name == "a":
            self.end(name)
        self._open[name].append(tag)
        self.size += len(tag) + ELEMENT

    def end(self, name: str) -> None:
        """Take an end tag."""
        if self._open[name]:
            self.size -= len(self._open[name].pop()) + ELEMENT

    def pass_barrier(self) -> None:
        """Count the open elements until the end of the text, at most `ALIKE` equal ones."""
        for name, tags in self._open.items():
            for tag in tags:
                alike = name if name == "a" else tag
                self._left[alike] += 1
                if self._left[alike] > (1 if name == "a" else ALIKE):
                    self.size -= len(tag) + ELEMENT
        self._open.clear()
