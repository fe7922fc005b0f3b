"""Bodies that were made to take long, or much memory, from a key with `pages:write` only.

Each is as large as the bounds let through before what it does was bounded.
"""

from collections.abc import Callable
from random import Random

# Content of blocks gets no paragraphs.
BLOCKS = "<!-- wp:html -->"
TWO_MILLIONS = 1_990_000


def unclosed(count: int, barrier: str = "") -> str:
    """Return formatting elements that are opened again in each of the paragraphs after them."""
    elements = "".join(f"<b {number:x}>" for number in range(count))
    return f"{BLOCKS}<p>{elements}{barrier}" + "<p>x" * 3_500


def behind_barriers() -> str:
    """Return the same with end tags that end nothing: in a cell of a table, in an attribute."""
    ends = "</b>" * 1_400
    return unclosed(1_400, f"<table><tr><td>{ends}</table><p title='<i>{ends}'>")


def many_attributes() -> str:
    """Return one tag with as many different attributes as fit."""
    return "<p " + " ".join(f"a{n:x}" for n in range(390_000))[:TWO_MILLIONS] + ">"


def sequences() -> str:
    """Return text in which no three characters come again: each is an entry of the index."""
    numbers = Random(1)
    return "".join(chr(numbers.randrange(0x3B1, 0x7FF)) for _ in range(TWO_MILLIONS))


ATTACKS: dict[str, Callable[[], str]] = {
    "unclosed_elements": lambda: unclosed(2_000),
    "unclosed_behind_barriers": behind_barriers,
    # Each looks through all the open elements.
    "end_tags_of_nothing": lambda: BLOCKS + "<span>" * 9_990 + "</x>" * 425_000,
    "nested_divs": lambda: "<div>" * (TWO_MILLIONS // 5),
    "many_attributes": many_attributes,
    # Each may begin a reference.
    "ampersands": lambda: "&" * TWO_MILLIONS,
    # It stands for eighteen characters, with 18 times the bytes, when it is folded.
    "unfolding": lambda: "\ufdfa" * 1_390_000,
    # Accents of one letter, which have to be put into their order.
    "accents": lambda: "a" + "\u0315\u0300" * (TWO_MILLIONS // 2),
    # Accents that are letters until they are folded.
    "hidden_accents": lambda: "\u0f73" * 1_390_000,
    "sequences": sequences,
    # Each is a reference of four characters when it is cleaned.
    "angle_brackets": lambda: "<" * TWO_MILLIONS,
    # Each is a break in the paragraph.
    "line_ends": lambda: "\n".join("a" * (TWO_MILLIONS // 2)),
    # The adoption agency's work.
    "misnested": lambda: "<a><b><p></a></b>" * (TWO_MILLIONS // 17),
    # Text and elements that may not stand in the tables they are in.
    "foster_parented": lambda: "<table><b>x<td>" * (TWO_MILLIONS // 15),
}
