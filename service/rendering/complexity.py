"""Bounds on what cleaning HTML costs, decided in passes over the text that take linear time.

An HTML parser does work that the size of a text does not bound. Formatting elements that are left
open are opened again in each block that follows: 2,000 of them and 2,000 paragraphs are 4,000,000
elements. Each end tag looks through the open elements, each attribute through those before it in
its tag. Nothing here predicts the parser's tree. Elements, attributes and what may be opened again
are counted so that the parser's count is hardly ever larger, whatever the text; the depth is what
the tags say, and the number of elements bounds what it can be.
"""

import re
from collections import Counter

from landform.service.rendering.reopened_elements import (
    BARRIERS,
    MOST_ATTRIBUTES,
    TAG,
    TOKEN,
    Reopened,
)

# How often "<" may come for each element that there may be: for tags, end tags and comments.
MARKUP_PER_ELEMENT = 4
# Ampersands times the length of the text that they are in, added up.
MOST_WRITING = 30_000_000_000
VOID = frozenset(
    "area base br col embed hr img input link meta param source track wbr".split()
)  # fmt: skip
# Elements that need no end tag; what makes them deep is another element that they are in.
SELF_CLOSING = frozenset("p li dt dd tr td th thead tbody tfoot colgroup option optgroup".split())
TABLES = frozenset("table caption colgroup col tbody thead tfoot tr td th input svg".split())
# Whatever they are in, a text ends where one of these begins.
BREAKS = frozenset(
    "a b blockquote br div em figure h1 h2 h3 h4 h5 h6 i img li ol p section span strong ul".split()
)
_START = re.compile("<[a-z]", re.IGNORECASE)
_MARKUP = re.compile("<[a-z/]", re.IGNORECASE)
# Characters before each of which the rest of a text is looked through when it is written.
_ESCAPED = re.compile("[&\x80-\xbf]")


def element_limit_exceeded(html: str, most_elements: int) -> str | None:
    """Return what is too much about the number of tags; None for nothing."""
    if len(_START.findall(html)) > most_elements:
        return f"must not have more than {most_elements} elements."
    if html.count("<") > MARKUP_PER_ELEMENT * most_elements:
        return f'must not have more than {MARKUP_PER_ELEMENT * most_elements} times a "<".'
    return None


def limit_exceeded(html: str, most_elements: int, most_depth: int) -> str | None:
    """Return what is too much about HTML that is to be cleaned; None for nothing."""
    if text := element_limit_exceeded(html, most_elements):
        return text
    if _has_many_attributes(html):
        return f"must not have more than {MOST_ATTRIBUTES} attributes in a tag, or tags in tags."
    if _depth(html) > most_depth:
        return f"must not have more than {most_depth} elements inside one another."
    if Reopened().exceeds(html):
        return "must not leave so many formatting elements open."
    if _writing(html) > MOST_WRITING:
        return "must not have so many ampersands or non-breaking spaces in one text."
    return None


def _has_many_attributes(html: str) -> bool:
    """Return whether some tag has too many attributes, wherever tags may begin."""
    # Each may end far behind the next one's start.
    budget = 4 * len(html) + 1_000_000
    for start in _MARKUP.finditer(html):
        tag = TAG.match(html, start.start())
        if tag is None:
            continue
        budget -= len(tag[0])
        if tag["more"] or budget < 0:
            return True
    return False


def _depth(html: str) -> int:
    """Return how many elements are open inside one another, at the deepest place."""
    deepest = 0
    path: list[str] = []
    opened: Counter[str] = Counter()
    for token in TOKEN.finditer(html):
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
    for token in TOKEN.finditer(html):
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
