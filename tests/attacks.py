"""Bodies that were made to take long, or much memory, from a key with `pages:write` only.

Each is a function of its size, and as large by default as the bounds let through before what it
does was bounded.
"""

from collections.abc import Callable
from random import Random

# Content of blocks gets no paragraphs.
BLOCKS = "<!-- wp:html -->"


def unclosed_elements(size: int = 28_000) -> str:
    """Return formatting elements that are opened again in each of the paragraphs after them."""
    elements = "".join(f"<b {number:x}>" for number in range(size // 14))
    return f"{BLOCKS}<p>{elements}" + "<p>x" * (size // 8)


def unclosed_behind_barriers(size: int = 28_000) -> str:
    """Return the same with end tags that end nothing: in a cell of a table, in an attribute."""
    elements = "".join(f"<b {number:x}>" for number in range(size // 20))
    ends = "</b>" * (size // 20)
    cell = f"<table><tr><td>{ends}</table><p title='<i>{ends}'>"
    return f"{BLOCKS}<p>{elements}{cell}" + "<p>x" * (size // 10)


def end_tags_of_nothing(size: int = 1_700_000) -> str:
    """Return end tags each of which looks through all the open elements."""
    return BLOCKS + "<span>" * 9_990 + "</x>" * (size // 4)


def nested_divs(size: int = 1_990_000) -> str:
    """Return elements each of which is inside the one before."""
    return "<div>" * (size // 5)


def many_attributes(count: int = 390_000) -> str:
    """Return one tag with so many different attributes."""
    return "<p " + " ".join(f"a{n:x}" for n in range(count))[: 1_999_000 - 4] + ">"


def ampersands(count: int = 2_000_000) -> str:
    """Return ampersands, each of which may begin a reference."""
    return "&" * count


def unfolding(count: int = 1_390_000) -> str:
    """Return characters that stand for eighteen, with 18 times the bytes, when they are folded."""
    return "\ufdfa" * count


def accents(count: int = 1_990_000) -> str:
    """Return accents of one letter, which have to be put into their order."""
    return "a" + "\u0315\u0300" * (count // 2)


def hidden_accents(count: int = 1_390_000) -> str:
    """Return accents that are letters until they are folded."""
    return "\u0f73" * count


def sequences(count: int = 2_000_000) -> str:
    """Return text in which no three characters come again: each is an entry of the index."""
    numbers = Random(1)
    return "".join(chr(numbers.randrange(0x3B1, 0x7FF)) for _ in range(count))


def angle_brackets(count: int = 2_000_000) -> str:
    """Return characters each of which is a reference of four when it is cleaned."""
    return "<" * count


def line_ends(count: int = 2_000_000) -> str:
    """Return line ends each of which is a break in the paragraph."""
    return "\n".join("a" * (count // 2))


def misnested(size: int = 1_990_000) -> str:
    """Return formatting elements closed around paragraphs: the adoption agency's work."""
    return "<a><b><p></a></b>" * (size // 17)


def foster_parented(size: int = 1_990_000) -> str:
    """Return text and elements that may not stand in the tables they are in."""
    return "<table><b>x<td>" * (size // 15)


ATTACKS: dict[str, Callable[[], str]] = {
    made.__name__: made
    for made in (
        unclosed_elements, unclosed_behind_barriers, end_tags_of_nothing, nested_divs,
        many_attributes, ampersands, unfolding, accents, hidden_accents, sequences,
        angle_brackets,
        line_ends, misnested, foster_parented,
    )
}  # fmt: skip
