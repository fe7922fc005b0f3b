"""Turns classic text into HTML paragraphs.

Pages written outside the block editor keep blank lines and line ends where a reader expects
paragraphs and breaks, among whatever HTML their author typed. The text is cut into tokens (tags,
comments and text, however broken the HTML is), and a small state machine writes them out again with
the paragraphs in place; both go through the text once, so that no text, however hostile, takes more
than linear time.
"""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import dropwhile
from typing import NamedTuple

# What HTML calls white space: a non-breaking space is content, which str.strip would not know.
WHITE_SPACE = " \t\n\r\f\v"
# Elements whose inside is never looked into.
ATOMS = frozenset("pre script style textarea svg math".split())

# A tag that never ends matches too, so that its characters are not looked at again.
_MARKUP = re.compile(
    r"""<!--
      | <[!?][^<>]*+>?
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


_BLOCKS = frozenset(
    "table thead tfoot caption col colgroup tbody tr td th div dl dd dt ul ol li pre form map area"
    " blockquote address style p h1 h2 h3 h4 h5 h6 hr fieldset legend section article aside hgroup"
    " header footer nav figure figcaption details menu summary".split()
)
_CHILDLESS_BLOCKS = frozenset("hr col area pre style".split())
# A paragraph may not stand in these; a browser would move it out of a table.
_FRAMES = frozenset("table thead tfoot tbody tr colgroup ul ol dl menu".split())
_VOIDS = frozenset("br embed img input link meta param source track wbr".split())
# By itself none of these makes a paragraph; a script is nothing to read.
_CONTENT = (_VOIDS | ATOMS | {"!"}) - {"script"}
# No line breaks at either side of the first, nor just inside the second.
_UNBROKEN = frozenset("option param embed source track".split())
_UNBROKEN_WITHIN = frozenset("object audio video".split())

_BLANK_LINE = re.compile(r"\n\s*\n", re.ASCII)
_LINE_END = re.compile(r"(?<![ \t\f\v])[ \t\f\v]*\n")
_PLAIN_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE | re.ASCII)
_PLAIN_PARAGRAPH = re.compile(r"<p\s*/?>", re.IGNORECASE | re.ASCII)
_BREAK = "<br />"


_BLANK = Token("\n\n")


def paragraphs(text: str) -> str:
    """Return the HTML of a classic text."""
    writer = _Writer()
    for token in tokens(text.replace("\r\n", "\n").replace("\r", "\n")):
        writer.take(token)
    return writer.finish()


class _Writer:
    """Writes tokens out as pieces: block-level tags and the runs of inline content between them."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._tight = False  # the last piece was an opening tag or bare text: no new line needed
        self._open: list[str] = []
        self._open_count: Counter[str] = Counter()
        self._fresh = False  # nothing but white space since the container's opening tag
        self._gap = ""  # white space whose meaning depends on what comes next
        self._run: list[str]
        self._last: Token
        self._has_content: bool
        self._has_opener: bool
        self._begin_run("")

    def take(self, token: Token) -> None:
        """Take the next token."""
        if not token.name:
            self._text(token.text)
        elif token.name == "p":
            self._end_run("" if token.closing else token.text)
        elif token.name in _BLOCKS:
            self._end_run()
            self._block(token)
        elif _PLAIN_BREAK.fullmatch(token.text):
            self._line_break()
        else:
            self._inline(token)

    def finish(self) -> str:
        """Return everything written, the last run included."""
        self._end_run()
        html = "".join(self._pieces).lstrip("\n")
        return f"{html}\n" if html else ""

    def _block(self, token: Token) -> None:
        """Write a block-level tag, or a block-level atom, as a piece of its own."""
        if token.closing:
            self._put(token.text, tight=self._tight)
            self._leave(token.name)
            return
        self._put(token.text)
        if token.name not in _CHILDLESS_BLOCKS:
            self._open.append(token.name)
            self._open_count[token.name] += 1
            self._tight = self._fresh = True

    def _leave(self, name: str) -> None:
        """Leave the innermost open element of a name, if any, and all that is open in it."""
        if not self._open_count[name]:
            return
        left = ""
        while left != name:
            left = self._open.pop()
            self._open_count[left] -= 1

    def _text(self, text: str) -> None:
        """Take text: its inner line ends mean breaks, its outer white space is for later."""
        body = text.strip(WHITE_SPACE)
        if not body:
            self._gap += text
            return
        self._gap += text[: len(text) - len(text.lstrip(WHITE_SPACE))]
        for number, part in enumerate(_BLANK_LINE.split(body)):
            if number:
                self._gap = _BLANK.text
            self._add(Token(_LINE_END.sub(f"{_BREAK}\n", part.strip(WHITE_SPACE))))
            self._has_content = True
        self._gap = text[len(text.rstrip(WHITE_SPACE)) :]

    def _inline(self, token: Token) -> None:
        """Take a tag within a run, a comment, or an inline atom."""
        self._add(token)
        if token.closing:
            # Only an element that is all within the run is content: a lone `<a>` is none.
            self._has_content |= self._has_opener
        elif token.name in _CONTENT or token.text.endswith("/>"):
            self._has_content = True
        else:
            self._has_opener = True

    def _line_break(self) -> None:
        """Take a `<br>`; the second in a row makes a blank line of both."""
        if self._run and self._last.text == _BREAK:
            self._run.pop()
            self._last = _BLANK
            self._gap = _BLANK.text
        else:
            self._add(Token(_BREAK, "br"))

    def _add(self, token: Token) -> None:
        """Add a token to the run, or to a new one if a blank line parts them."""
        gap, self._gap = self._gap, ""
        quiet = _allows_no_break(self._last, token)
        blank = gap.count("\n") > 1 and not quiet
        if not self._run:
            self._fresh = self._fresh and not blank
        elif blank:
            self._end_run(more_follows=True)
        elif "\n" in gap:
            quiet = quiet or self._last.name == "br" or self._container() in _FRAMES
            self._run.append(("" if quiet else _BREAK) + "\n" + gap.rpartition("\n")[2])
        elif gap:
            self._run.append(gap)
        self._run.append(token.text)
        self._last = token

    def _begin_run(self, paragraph: str) -> None:
        """Begin a run, which is in a paragraph of the author's if its opening tag is given."""
        self._paragraph = paragraph
        self._run = []
        self._last = _BLANK
        self._has_content = False
        self._has_opener = False

    def _end_run(self, paragraph: str = "", *, more_follows: bool = False) -> None:
        """Write the run, in a paragraph where it needs one, and begin another, as `_begin_run`."""
        blank = more_follows or (self._gap.count("\n") > 1 and self._container() != "li")
        run = self._run
        for _ in range(2):
            # Without the breaks and white space it begins and ends with.
            run = list(dropwhile(_is_edge, run))[::-1]
        if self._paragraph:
            if run or not _PLAIN_PARAGRAPH.fullmatch(self._paragraph):
                self._put(f"{self._paragraph}{''.join(run)}</p>")
        elif run and self._has_content and self._needs_paragraph(blank):
            self._put(f"<p>{''.join(run)}</p>")
        elif run:
            bare = run if self._has_content else [part for part in run if not _is_edge(part)]
            self._put("".join(bare), tight=self._tight)
            self._tight = True
        self._fresh = False
        self._gap = ""
        self._begin_run(paragraph)

    def _needs_paragraph(self, blank: bool) -> bool:
        """Whether the run, that ends at a blank line or not, is to be a paragraph."""
        container = self._container()
        if container in ("", "blockquote"):
            return True
        return container not in _FRAMES and (blank or not self._fresh)

    def _container(self) -> str:
        """Return the name of the block-level element we are in, empty for none."""
        return self._open[-1] if self._open else ""

    def _put(self, piece: str, *, tight: bool = False) -> None:
        """Write a piece, on a new line unless it is to be tight to the one before."""
        self._pieces.append(piece if tight else f"\n{piece}")
        self._tight = False


def _allows_no_break(before: Token, after: Token) -> bool:
    """Whether white space between two tokens is only there to look nice in the source."""
    return (
        not _UNBROKEN.isdisjoint((before.name, after.name))
        or (before.name in _UNBROKEN_WITHIN and not before.closing)
        or (after.name in _UNBROKEN_WITHIN and after.closing)
    )


def _is_edge(part: str) -> bool:
    """Whether a part of a run is a break or white space."""
    return part.startswith(_BREAK) or not part.strip(WHITE_SPACE)
