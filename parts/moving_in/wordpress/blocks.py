"""Blocks that only WordPress renders: synced patterns are inserted, others get a note."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import pairwise
from typing import Any, NamedTuple

from landform.parts.moving_in.wordpress.report import Note, note
from landform.parts.moving_in.wordpress.values import parse_integer
from landform.service.rendering.content import DELIMITER

PATTERN_BLOCK, FORM_BLOCK = "core/block", "gravityforms/form"
EMBED_BLOCKS = re.compile(r"core/embed|core-embed/.*")
# Blocks that show nothing when they are empty.
TEXT_BLOCKS = tuple(
    f"core/{name}" for name in "paragraph heading list html freeform shortcode".split()
)
# WordPress embeds an address that has a line or a paragraph to itself.
LONE_URL = re.compile(
    r"""^[ \t]*+(https?://[^\s<>"]++)[ \t]*+\r?$
        |<p(?:\ [^<>]{0,1000})?>\s*+(https?://[^\s<>"]++)\s*+</p>
    """,
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
# The limits of the patterns that are inserted into one page.
MAX_PATTERNS, MAX_CHARACTERS = 1_000, 4 << 20
# Returns the content of a synced pattern, or None.
ReadPattern = Callable[[int], str | None]


class Delimiter(NamedTuple):
    """A comment that starts or ends a block, or is a whole block (`is_alone`)."""

    name: str
    attributes: dict[str, Any]
    is_end: bool
    is_alone: bool
    start: int
    end: int


def insert_patterns(content: str, read: ReadPattern) -> tuple[str, list[Note]]:
    """Return a content with its synced patterns inserted, and notes on them."""
    notes: dict[tuple[str, int], Note] = {}
    patterns = characters = 0

    def parts(content: str, outer: tuple[int, ...]) -> Iterator[str]:
        # A pattern inside of itself is not inserted.
        nonlocal patterns, characters
        position = 0
        for block in delimiters(content):
            ref = block.attributes.get("ref") if block.name == PATTERN_BLOCK else None
            number = parse_integer(ref)
            if number is None or number in outer:
                continue
            text = read(number)
            patterns, characters = patterns + 1, characters + len(text or "")
            if text is None or patterns > MAX_PATTERNS or characters > MAX_CHARACTERS:
                continue
            yield content[position : block.start]
            yield from parts(text, (*outer, number))
            position = block.end
            notes["pattern", number] = note("pattern", str(number))
            if block.attributes.keys() & {"content", "overrides"}:
                notes["overrides", number] = note("pattern-overrides", str(number))
        yield content[position:]

    return "".join(parts(content, ())), [*notes.values()]


def delimiters(content: str) -> Iterator[Delimiter]:
    """Yield the delimiters of the blocks in a content."""
    starts = [match.start() for match in re.finditer("<!--", content)]
    for start, end in pairwise([*starts, len(content)]):
        if match := DELIMITER.match(content, start + 4, end):
            name = match["name"] if "/" in match["name"] else f"core/{match['name']}"
            attributes: Any = {}
            with suppress(ValueError, RecursionError):
                attributes = json.loads(match["attributes"] or "{}")
            attributes = attributes if isinstance(attributes, dict) else {}
            is_end, is_alone = bool(match["end"]), bool(match["alone"])
            yield Delimiter(name, attributes, is_end, is_alone, start, match.end())


def read_blocks(content: str) -> tuple[list[int], list[Note]]:
    """Return the forms of the form blocks in their order, and notes on blocks.

    They are about blocks that are not rendered, and embeds that are shown as text.
    """
    names, opened, texts, position, forms = set[str](), "", list[str](), 0, list[int]()
    for block in delimiters(content):
        if block.name == FORM_BLOCK and (form := parse_integer(block.attributes.get("formId"))):
            forms.append(form)
        text = content[position : block.start]
        if not EMBED_BLOCKS.fullmatch(opened):
            texts.append(text)
        is_empty = block.is_end and opened == block.name and not text.strip()
        is_embed = EMBED_BLOCKS.fullmatch(block.name) and not block.is_end
        if is_embed or (block.name not in TEXT_BLOCKS and (block.is_alone or is_empty)):
            names.add(block.name)
        opened = "" if block.is_end or block.is_alone else block.name
        position = block.end
    texts.append(content[position:])
    urls = [url for match in LONE_URL.findall("\n".join(texts)) for url in match if url]
    hosts = {re.split("[/?#]", url.partition("://")[2])[0].lower()[:100] for url in urls}
    notes = [note("block", name) for name in sorted(names)]
    return forms, notes + [note("embed", host) for host in sorted(hosts)]
