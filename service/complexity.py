"""Bounds on what cleaning HTML costs, decided in passes over the text that take linear time.

An HTML parser does work that the size of a text does not bound. Formatting elements that are left
open are opened again in each block that follows: 2,000 of them and 2,000 paragraphs are 4,000,000
elements. Each end tag looks through the open elements, each attribute through those before it in
its tag. Nothing here predicts the parser's tree; each count is one that the parser's cannot exceed
by more than a small factor, whatever the text.
"""

import re
from collections import Counter

MOST_ATTRIBUTES = 256
# How often "<" may come for each element that there may be: for tags, end tags and comments.
MARKUP_PER_ELEMENT = 4
# Elements that may be opened again, and the characters of their tags.
MOST_REOPENED = 200_000
MOST_REOPENED_CHARACTERS = 8_000_000
# Ampersands times the length of the text that they are in, added up.
MOST_WRITING = 30_000_000_000
# The parser keeps at most three open formatting elements that are alike.
ALIKE = 3

VOID = frozenset(
    "area base br col embed hr img input link meta param source track wbr".split()
)  # fmt: skip
# Elements that need no end tag; what makes them deep is another element that they are in.
SELF_CLOSING = frozenset("p li dt dd tr td th thead tbody tfoot colgroup option optgroup".split())
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
TABLES = frozenset("table caption colgroup col tbody thead tfoot tr td th input svg".split())
# Whatever they are in, a text ends where one of these begins.
BREAKS = frozenset(
    "a b blockquote br div em figure h1 h2 h3 h4 h5 h6 i img li ol p section span strong ul".split()
)
# Their start tags close nothing, so that nothing has to be opened again after them.
QUIET = (FORMATTING - {"a", "nobr"}) | {"span", "img", "br", "wbr"}

_START = re.compile("<[a-z]", re.IGNORECASE)
_MARKUP = re.compile("<[a-z/]", re.IGNORECASE)
# Characters before each of which the rest of a text is looked through when it is written.
_ESCAPED = re.compile("[&\x80-\xbf]")
_SPACE = r"[ \t\n\r\f]"
# A tag as the HTML standard reads it, however broken; `more` follows its last attribute if it has
# too many.
_TAG = re.compile(
    rf"""</?([a-z][^ \t\n\r\f/>]*+)
         (?:(?:{_SPACE}|/)*+[^ \t\n\r\f/>][^ \t\n\r\f/>=]*+
            (?:{_SPACE}*+={_SPACE}*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^ \t\n\r\f>]*+))?+
         ){{0,{MOST_ATTRIBUTES}}}+
         (?P<more>(?:{_SPACE}|/)*+[^ \t\n\r\f/>])?
    """,
    re.VERBOSE | re.IGNORECASE,
)
# A tag that is read alike wherever reading begins, or a comment, with no "<" within; or anything
# else that may begin one.
_TOKEN = re.compile(
    rf"""<(?:
           (/?)([a-z][a-z0-9-]*+)
           (?:{_SPACE}++[^ \t\n\r\f"'<>/=]++
              (?:{_SPACE}*+={_SPACE}*+(?:"[^"<]*+"|'[^'<]*+'|[^ \t\n\r\f"'<>=`]++))?+
           )*+{_SPACE}*+(/?)>
         | !--[^<>]*+(?<!-)-->
         | ([a-z/!?])
         )
    """,
    re.VERBOSE | re.IGNORECASE,
)


def crowded(html: str, most_elements: int) -> str | None:
    """Return what is too much about the number of tags; None for nothing."""
    if len(_START.findall(html)) > most_elements:
        return f"must not have more than {most_elements} elements."
    if html.count("<") > MARKUP_PER_ELEMENT * most_elements:
        return f'must not have more than {MARKUP_PER_ELEMENT * most_elements} times a "<".'
    return None


def complaint(html: str, most_elements: int, most_depth: int) -> str | None:
    """Return what is too much about HTML that is to be cleaned; None for nothing."""
    if text := crowded(html, most_elements):
        return text
    if _has_many_attributes(html):
        return f"must not have more than {MOST_ATTRIBUTES} attributes in a tag, or tags in tags."
    if _depth(html) > most_depth:
        return f"must not have more than {most_depth} elements inside one another."
    if _Reopened().exceeds(html):
        return "must not leave so many formatting elements open."
    if _writing(html) > MOST_WRITING:
        return "must not have so many ampersands or non-breaking spaces in one text."
    return None


def _has_many_attributes(html: str) -> bool:
    """Say whether some tag has too many attributes, wherever tags may begin."""
    # Each may end far behind the next one's start.
    patience = 4 * len(html) + 1_000_000
    for start in _MARKUP.finditer(html):
        tag = _TAG.match(html, start.start())
        if tag is None:
            continue
        patience -= len(tag[0])
        if tag["more"] or patience < 0:
            return True
    return False


def _depth(html: str) -> int:
    """Return how many elements are open inside one another, at the deepest place."""
    deepest = 0
    path: list[str] = []
    opened: Counter[str] = Counter()
    for token in _TOKEN.finditer(html):
        name = (token[2] or "").lower()
        if not name or name in VOID or name in SELF_CLOSING:
            continue
        if not token[1]:
            path.append(name)
            opened[name] += 1
            deepest = max(deepest, len(path))
        elif opened[name]:
            left = ""
            while left != name:
                left = path.pop()
                opened[left] -= 1
    return deepest


def _writing(html: str) -> int:
    """Return how many characters are looked through to write the texts of some HTML.

    Before each ampersand it is the rest of its text. A text ends where an element begins for
    certain; where it is not certain that there is markup at all, it is all one text.
    """
    starts = [0]
    for token in _TOKEN.finditer(html):
        name = (token[2] or "").lower()
        if token[4] or name in BARRIERS - TABLES:
            starts = [0]
            break
        if name in BREAKS and not token[1]:
            starts.append(token.end())
    ends = [*starts[1:], len(html)]
    return sum(
        len(_ESCAPED.findall(html, start, end)) * (end - start)
        for start, end in zip(starts, ends, strict=True)
    )


class _Reopened:
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
        """Say whether more may be opened again than is cleaned in a moment."""
        for token in _TOKEN.finditer(html):
            name = (token[2] or "").lower()
            if token[4]:
                self._barrier()
                tag = _TAG.match(html, token.start())
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
