"""Cuts HTML, however broken, into tags, comments and text, in one pass over it."""

import re
from collections.abc import Iterator
from typing import NamedTuple

# What HTML calls white space: a non-breaking space is content, which str.strip would not know.
WHITE_SPACE = " \t\n\r\f\v"
# Elements whose inside is never looked into.
ATOMS = frozenset("pre script style textarea svg math".split())

# A tag that never ends matches too, so that its characters are not looked at again.
_MARKUP = re.compile(
    r"""<!--
      | <[!?][^>]*+>?
      | <(/?)([a-z][^\s/<>=]*+)(?:[^<>=]++|=\s*+(?:"[^"]*+"|'[^']*+')|=)*+>?
    """,
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_ATOM_ENDS = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in ATOMS}


class Token(NamedTuple):
    """A stretch of the text: a tag, a comment (named "!"), a whole atom, or nameless text."""

    text: str
    name: str = ""
    closing: bool = False


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of a text, which together are the text."""
    done = at = 0
    last_comment_end = text.rfind("-->")
    while found := _MARKUP.search(text, at):
        start, at = found.span()
        name = (found[2] or "!").lower()
        if found[0] == "<!--":
            if last_comment_end < start + 2:
                continue
            at = text.find("-->", start + 2) + 3
        elif not found[0].endswith(">"):
            continue
        elif name in ATOMS and not found[1]:
            at = _end_of_atom(text, name, found[0], at)
        if done < start:
            yield Token(text[done:start])
        yield Token(text[start:at], name, bool(found[1]))
        done = at
    if done < len(text):
        yield Token(text[done:])


def _end_of_atom(text: str, name: str, tag: str, at: int) -> int:
    """Return where the atom that was opened by a tag ending at `at` is over."""
    if name in ("svg", "math") and tag.endswith("/>"):
        return at
    closer = _ATOM_ENDS[name].search(text, at)
    end = text.find(">", closer.end()) if closer else -1
    return len(text) if end < 0 else end + 1
