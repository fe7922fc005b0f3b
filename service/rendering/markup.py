"""Conversion of classic text to HTML paragraphs.

Classic text has blank lines and line ends for paragraphs and breaks, mixed with HTML. It is split
into tokens (tags, comments and text, also in broken HTML), and a small state machine writes them
with paragraphs added. Both take linear time.
"""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import dropwhile
from typing import NamedTuple

# White space in HTML; unlike in str.strip, a non-breaking space is content.
HTML_SPACE = " \t\n\r\f\v"
# Elements whose content is not tokenized.
ATOMS = frozenset("pre script style textarea svg math".split())

# A tag without end matches too, so that its characters are not scanned again.
_MARKUP = re.compile(
    r"""<!--
      | <[!?][^<>]*+>?
      | <(/?)([a-z][^\s/<>=]*+)(?:[^<>=]++|=\s*+(?:"[^"]*+"|'[^']*+')|=)*+>?
    """,
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_ATOM_ENDS = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in ATOMS}


class Token(NamedTuple):
    """A tag, a comment (with the name "!"), a whole atom, or text without a name."""

    text: str
    name: str = ""
    closing: bool = False


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of a text; joined, they are the text."""
    emitted = at = 0
    last_comment_end = text.rfind("-->")
    while match := _MARKUP.search(text, at):
        start, at = match.span()
        tag, slash, name = match[0], match[1], (match[2] or "!").lower()
        if tag == "<!--":
            if last_comment_end < start + 2:
                continue
            at = text.find("-->", start + 2) + 3
        elif not tag.endswith(">"):
            continue
        elif name in ATOMS and not slash:
            at = _end_of_atom(text, name, tag, at)
        if emitted < start:
            yield Token(text[emitted:start])
        yield Token(text[start:at], name, bool(slash))
        emitted = at
    if emitted < len(text):
        yield Token(text[emitted:])


def _end_of_atom(text: str, name: str, tag: str, at: int) -> int:
    """Return the end of an atom whose opening tag ends at `at`."""
    if name in ("svg", "math") and tag.endswith("/>"):
        return at
    closer = _ATOM_ENDS[name].search(text, at)
    end = text.find(">", closer.end()) if closer else -1
    return len(text) if end < 0 else end + 1


def inside(atom: Token) -> str:
    """Return the text between the tags of an atom, which may have no end tag."""
    tag = _MARKUP.match(atom.text)
    start = tag.end() if tag else 0
    closer = _ATOM_ENDS[atom.name].search(atom.text, start)
    return atom.text[start : closer.start() if closer else None]


_BLOCKS = frozenset(
    "table thead tfoot caption col colgroup tbody tr td th div dl dd dt ul ol li pre form map area"
    " blockquote address style p h1 h2 h3 h4 h5 h6 hr fieldset legend section article aside hgroup"
    " header footer nav figure figcaption details menu summary".split()
)
_CHILDLESS_BLOCKS = frozenset("hr col area pre style".split())
# A paragraph may not stand in these; a browser would move it out of a table.
_FRAMES = frozenset("table thead tfoot tbody tr colgroup ul ol dl menu".split())
_VOIDS = frozenset("br embed img input link meta param source track wbr".split())
# Elements that are content by themselves; a script is not.
_CONTENT = (_VOIDS | ATOMS | {"!"}) - {"script"}
# No line breaks around the first, nor at the edges inside the second.
_UNBROKEN = frozenset("option param embed source track".split())
_UNBROKEN_WITHIN = frozenset("object audio video".split())

_BLANK_LINE = re.compile(r"\n\s*\n", re.ASCII)
_LINE_END = re.compile(r"(?<![ \t\f\v])[ \t\f\v]*\n")
_PLAIN_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE | re.ASCII)
_PLAIN_PARAGRAPH = re.compile(r"<p\s*/?>", re.IGNORECASE | re.ASCII)
_BREAK, _BLANK = "<br />", Token("\n\n")


def paragraphs(text: str) -> str:
    """Return the HTML of a classic text."""
    writer = _Writer()
    for token in tokens(text.replace("\r\n", "\n").replace("\r", "\n")):
        writer.take(token)
    return writer.finish()


class _Writer:
    """Writes tokens as pieces: block-level tags, and runs of inline content."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._tight = False  # the last piece was an opening tag or bare text: no new line needed
        self._open: list[str] = []
        self._open_count: Counter[str] = Counter()
        self._fresh = False  # nothing but white space since the container's opening tag
        self._gap = ""  # white space whose meaning depends on what comes next
        self._last: Token
        self._has_opener: bool
        self._begin_run("")

    def take(self, token: Token) -> None:
        """Process the next token."""
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
        """Write the last run, and return the HTML."""
        self._end_run()
        html = "".join(self._pieces).lstrip("\n")
        return f"{html}\n" if html else ""

    def _block(self, token: Token) -> None:
        """Write a block-level tag or atom as a piece."""
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
        """Close the innermost open element of a name, and all elements in it."""
        if not self._open_count[name]:
            return
        closed = ""
        while closed != name:
            closed = self._open.pop()
            self._open_count[closed] -= 1

    def _text(self, text: str) -> None:
        """Add text with breaks for inner line ends; remember its trailing white space."""
        body = text.strip(HTML_SPACE)
        if not body:
            self._gap += text
            return
        before, _, after = text.partition(body)
        self._gap += before
        for number, part in enumerate(_BLANK_LINE.split(body)):
            if number:
                self._gap = _BLANK.text
            self._add(Token(_LINE_END.sub(f"{_BREAK}\n", part.strip(HTML_SPACE))))
            self._has_content = True
        self._gap = after

    def _inline(self, token: Token) -> None:
        """Add a tag within a run, a comment, or an inline atom."""
        self._add(token)
        if token.closing:
            # Only an element that is completely in the run is content, not a lone `<a>`.
            self._has_content |= self._has_opener
        elif token.name in _CONTENT or token.text.endswith("/>"):
            self._has_content = True
        else:
            self._has_opener = True

    def _line_break(self) -> None:
        """Add a `<br>`; two in a row are a blank line."""
        if self._run and self._last.text == _BREAK:
            self._run.pop()
            self._last = _BLANK
            self._gap = _BLANK.text
        else:
            self._add(Token(_BREAK, "br"))

    def _add(self, token: Token) -> None:
        """Add a token to the run, or to a new one after a blank line."""
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
        """Begin a run; `paragraph` is the opening tag in the source, if any."""
        self._paragraph = paragraph
        self._run: list[str] = []
        self._last = _BLANK
        self._has_content = self._has_opener = False

    def _end_run(self, paragraph: str = "", *, more_follows: bool = False) -> None:
        """Write the run, in a paragraph if it needs one, and begin another one."""
        blank = more_follows or (self._gap.count("\n") > 1 and self._container() != "li")
        run = _without_edges(self._run)
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
        """Whether the run becomes a paragraph; `blank`: whether a blank line follows."""
        container = self._container()
        if container in ("", "blockquote"):
            return True
        return container not in _FRAMES and (blank or not self._fresh)

    def _container(self) -> str:
        """Return the name of the innermost block-level element; empty outside of one."""
        return self._open[-1] if self._open else ""

    def _put(self, piece: str, *, tight: bool = False) -> None:
        """Write a piece, on a new line unless `tight`."""
        self._pieces.append(piece if tight else f"\n{piece}")
        self._tight = False


def _allows_no_break(before: Token, after: Token) -> bool:
    """Whether white space between two tokens only formats the source."""
    return (
        not _UNBROKEN.isdisjoint((before.name, after.name))
        or (before.name in _UNBROKEN_WITHIN and not before.closing)
        or (after.name in _UNBROKEN_WITHIN and after.closing)
    )


def _without_edges(run: list[str]) -> list[str]:
    """Return a run without breaks and white space at both ends."""
    inner = list(dropwhile(_is_edge, run))
    while inner and _is_edge(inner[-1]):
        inner.pop()
    return inner


def _is_edge(part: str) -> bool:
    """Whether a part of a run is a break or white space."""
    return part.startswith(_BREAK) or not part.strip(HTML_SPACE)
