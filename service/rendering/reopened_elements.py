"""Counts the formatting elements that an HTML parser may open again: those that are left open.

What counts as a tag depends on what comes before, so that no count in one pass is the parser's.
This one is never less than it by more than a small factor.
"""

import re
from collections import Counter

MOST_ATTRIBUTES = 256
# Elements that may be opened again, and the characters of their tags.
MOST_REOPENED = 200_000
MOST_REOPENED_CHARACTERS = 8_000_000
# The parser keeps at most three open formatting elements that are alike.
ALIKE = 3


FORMATTING = frozenset("a b big code em font i nobr s small strike strong tt u".split())
SHAPES = frozenset(
    "circle clippath defs ellipse g line lineargradient mask path pattern polygon polyline "
    "radialgradient rect stop symbol text tspan use".split()
)
# Beyond these a formatting element may stay open although its end tag comes, or what follows is
# no markup at all.
BARRIERS = frozenset(
    "applet caption col colgroup frameset iframe input marquee math noembed noframes noscript "
    "object optgroup option plaintext script select style svg table tbody td template textarea "
    "tfoot th thead title tr xmp".split()
)
# Their start tags close nothing, so that nothing has to be opened again after them.
QUIET = (FORMATTING - {"a", "nobr"}) | {"span", "img", "br", "wbr"}

SPACE = r"[ \t\n\r\f]"
# A tag as the HTML standard reads it, however broken; `more` follows its last attribute if it has
# too many.
TAG = re.compile(
    rf"""</?([a-z][^ \t\n\r\f/>]*+)
         (?:(?:{SPACE}|/)*+[^ \t\n\r\f/>][^ \t\n\r\f/>=]*+
            (?:{SPACE}*+={SPACE}*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^ \t\n\r\f>]*+))?+
         ){{0,{MOST_ATTRIBUTES}}}+
         (?P<more>(?:{SPACE}|/)*+[^ \t\n\r\f/>])?
    """,
    re.VERBOSE | re.IGNORECASE,
)
# A tag that is read alike wherever reading begins, or a comment, with no "<" within; or anything
# else that may begin one.
TOKEN = re.compile(
    rf"""<(?:
           (/?)([a-z][a-z0-9-]*+)
           (?:{SPACE}++[^ \t\n\r\f"'<>/=]++
              (?:{SPACE}*+={SPACE}*+(?:"[^"<]*+"|'[^'<]*+'|[^ \t\n\r\f"'<>=`]++))?+
           )*+{SPACE}*+(/?)>
         | !--[^<>]*+(?<!-)-->
         | ([a-z/!?])
         )
    """,
    re.VERBOSE | re.IGNORECASE,
)


class Reopened:
    """Counts the formatting elements that a parser may open again.

    One that its end tag closes for certain is no longer open. For certain means that there is no
    barrier between the two: whatever the parser makes of all the rest, it takes either both tags
    for tags, or the end tag only. One that is open at a barrier counts until the end.
    """

    def __init__(self) -> None:
        self._open: dict[str, list[str]] = {}
        self._within: list[dict[str, list[str]]] = []  # what was open around each <svg>
        self._left: Counter[str] = Counter()
        self._size = self._elements = 0  # of what is open or left open
        self._reopened = self._characters = 0

    def exceeds(self, html: str) -> bool:
        """Return whether more may be opened again than is cleaned in a moment."""
        for token in TOKEN.finditer(html):
            name = (token[2] or "").lower()
            if token[4]:
                self._barrier()
                tag = TAG.match(html, token.start())
                if tag and not token[0].startswith("</") and tag[1].lower() in FORMATTING:
                    # Nothing tells two of these apart for certain.
                    self._leave(f"{tag[0]}{token.start()}", len(tag[0]))
            elif name == "svg" or self._within:
                self._svg(name, bool(token[1]), bool(token[3]))
            elif name in BARRIERS:
                self._barrier()
            if name in FORMATTING:
                self._formatting(name, token[0], closing=bool(token[1]))
            if token[1] or name not in QUIET:
                self._reopened += self._elements
                self._characters += self._size
                if self._reopened > MOST_REOPENED or self._characters > MOST_REOPENED_CHARACTERS:
                    return True
        return False

    def _formatting(self, name: str, tag: str, *, closing: bool) -> None:
        tags = self._open.setdefault(name, [])
        # The parser closes a link where another one begins.
        if tags and (closing or name == "a"):
            self._elements -= 1
            self._size -= len(tags.pop())
        if not closing:
            tags.append(tag)
            self._elements += 1
            self._size += len(tag)

    def _svg(self, name: str, closing: bool, empty: bool) -> None:
        """Take a tag that is of a drawing: what was open around it is so after it too."""
        if name == "svg" and not closing and not empty:
            self._within.append(self._open)
            self._open = {}
        elif name == "svg" and closing and self._within:
            self._open = self._within.pop()
        elif name and (name not in SHAPES or not self._within):
            self._barrier()

    def _barrier(self) -> None:
        """Leave open for good whatever is open."""
        opened = [*self._within, self._open]
        self._within, self._open = [], {}
        for name, tags in ((name, tags) for frame in opened for name, tags in frame.items()):
            for tag in tags:
                self._elements -= 1
                self._size -= len(tag)
                self._leave("<a" if name == "a" else tag, len(tag))

    def _leave(self, alike: str, size: int) -> None:
        if self._left[alike] < (1 if alike == "<a" else ALIKE):
            self._left[alike] += 1
            self._elements += 1
            self._size += size
