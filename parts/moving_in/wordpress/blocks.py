"""The blocks of a content that only WordPress renders: what becomes of them here.

Synced patterns are put in their place. Of the others visitors see nothing, or a bare address.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from landform.parts.moving_in.wordpress.report import Note, note
from landform.parts.moving_in.wordpress.values import whole
from landform.service.rendering.content import DELIMITER

PATTERN_BLOCK, FORM_BLOCK = "core/block", "gravityforms/form"
EMBED_BLOCKS = re.compile(r"core/embed|core-embed/.*")
# Blocks that say nothing where nothing is in them.
EMPTY_BLOCKS = tuple(
    f"core/{name}" for name in "paragraph heading list html freeform shortcode".split()
)
# WordPress looks for what stands behind an address that has a line or a paragraph to itself.
LONE_URL = re.compile(
    r"""^[ \t]*+(https?://[^\s<>"]++)[ \t]*+\r?$
        |<p(?:\ [^<>]{0,1000})?>\s*+(https?://[^\s<>"]++)\s*+</p>
    """,
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
# How many patterns, and characters of them, are put into one page.
MOST_PATTERNS, MOST_CHARACTERS = 1_000, 4 << 20


class Delimiter(NamedTuple):
    """A comment that begins or ends a block, or is all of one (`is_alone`)."""

    name: str
    attributes: dict[str, Any]
    is_end: bool
    is_alone: bool
    start: int
    end: int


class Patterns:
    """Puts synced patterns into contents. `read` returns a pattern's content by its id, or None."""

    def __init__(self, read: Callable[[int], str | None]) -> None:
        self._read, self._contents = read, dict[int, str | None]()

    def put_in_place(self, content: str) -> tuple[str, list[Note]]:
        """Return a content with the patterns that it refers to, and notes on them."""
        if "wp:block" not in content and "wp:core/block" not in content:
            return content, []
        filled = _Filled(self._get)
        text = "".join(filled.parts(content, ()))
        return text, list({str(one): one for one in filled.notes}.values())

    def _get(self, number: int) -> str | None:
        if number not in self._contents:
            self._contents[number] = self._read(number)
        return self._contents[number]


class _Filled:
    """One content while its patterns are put in place."""

    def __init__(self, get: Callable[[int], str | None]) -> None:
        self._get, self.notes = get, list[Note]()
        self._patterns = self._characters = 0

    def parts(self, content: str, inside: tuple[int, ...]) -> Iterator[str]:
        """Yield the parts of a content. `inside`: the patterns around it; none is in itself."""
        at = 0
        for one in delimiters(content):
            number = whole(one.attributes.get("ref")) if one.name == PATTERN_BLOCK else None
            if number is None or number in inside:
                continue
            text = self._get(number)
            self._patterns += 1
            self._characters += len(text or "")
            if text is None or self._patterns > MOST_PATTERNS or self._characters > MOST_CHARACTERS:
                continue
            yield content[at : one.start]
            yield from self.parts(text, (*inside, number))
            at = one.end
            self.notes.append(note("pattern", str(number)))
            if one.attributes.keys() & {"content", "overrides"}:
                self.notes.append(note("pattern-overrides", str(number)))
        yield content[at:]


def delimiters(content: str) -> Iterator[Delimiter]:
    """Yield the delimiters of the blocks in a content."""
    at = content.find("<!--")
    while at >= 0:
        following = content.find("<!--", at + 4)
        found = DELIMITER.match(content, at + 4, following if following >= 0 else len(content))
        if found:
            name = found["name"] if "/" in found["name"] else f"core/{found['name']}"
            attributes: Any = {}
            with suppress(ValueError, RecursionError):
                attributes = json.loads(found["attributes"] or "{}")
            yield Delimiter(
                name, attributes if isinstance(attributes, dict) else {}, bool(found["end"]),
                bool(found["alone"]), at, found.end(),
            )  # fmt: skip
        at = following


def find_forms(content: str) -> list[int]:
    """Return the forms of the form blocks, in their order."""
    forms = (
        whole(one.attributes.get("formId")) for one in delimiters(content) if one.name == FORM_BLOCK
    )
    return [form for form in forms if form]


def lost_blocks(content: str) -> list[Note]:
    """Return notes on blocks that visitors do not see, and on addresses that they see as text."""
    names, opened, rest, at = set[str](), None, list[str](), 0
    for one in delimiters(content):
        between = content[at : one.start]
        if not (opened and EMBED_BLOCKS.fullmatch(opened)):
            rest.append(between)
        is_empty = one.is_end and opened == one.name and not between.strip()
        is_embed = EMBED_BLOCKS.fullmatch(one.name) and not one.is_end
        if is_embed or (one.name not in EMPTY_BLOCKS and (one.is_alone or is_empty)):
            names.add(one.name)
        opened, at = None if one.is_end or one.is_alone else one.name, one.end
    rest.append(content[at:])
    urls = {url for found in LONE_URL.findall("\n".join(rest)) for url in found if url}
    hosts = {re.split("[/?#]", url.partition("://")[2])[0].lower()[:100] for url in urls}
    found = [note("block", name) for name in sorted(names)]
    return found + [note("embed", host) for host in sorted(hosts)]
