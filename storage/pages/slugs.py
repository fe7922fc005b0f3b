"""Slugs: derived from titles as WordPress derives them, and unique among all pages."""

import re
import secrets
import unicodedata
from collections.abc import Callable, Collection, Sequence
from urllib.parse import quote, unquote

from landform.storage.errors import Unavailable

MAX_LENGTH = 200
TRASHED = "__trashed"
# How many digits a random number has, where all numbers that were tried are taken, and how often.
DRAWN_DIGITS = (9, 18, 36, 72)
DRAWS = 20
RESERVED = re.compile(r"(?:page)?[0-9]+|feed|rdf|rss2?|atom|embed")

# Latin letters that no decomposition turns into ASCII.
_LETTERS = str.maketrans(
    {
        "ß": "s", "Æ": "AE", "æ": "ae", "Ø": "O", "ø": "o", "Þ": "TH", "þ": "th", "Ð": "D",
        "ð": "d", "Đ": "D", "đ": "d", "Ħ": "H", "ħ": "h", "ı": "i", "ĸ": "k", "Ł": "L",
        "ł": "l", "Ŋ": "N", "ŋ": "n", "Œ": "OE", "œ": "oe", "Ŧ": "T", "ŧ": "t", "ſ": "s",
        "ª": "a", "º": "o", "€": "E", "£": "",
        "\u00a0": "-", "/": "-", "\u2011": "-", "\u2013": "-", "\u2014": "-", "×": "x",
        **dict.fromkeys("\u2028\u2029\u202f", "-"),
        **{chr(code): "-" for code in range(0x2000, 0x200B)},
        **dict.fromkeys("\u00ad¡¿«»‹›‘’‚‛“”„‟•©®°…™´ˊ\u0301\u0341\u0300\u0304\u030c", ""),
        **dict.fromkeys("\u200b\u200c\u200d\u200e\u200f\ufeff\ufffc", ""),
        **{chr(code): "" for code in range(0x202A, 0x202F)},
    }
)  # fmt: skip


def slugify(text: str) -> str:
    """Return the slug of a text: ASCII, other scripts percent-encoded, at most 200 characters."""
    text = re.sub(r"<[^\s<>][^<>]*>", "", text)
    text = unicodedata.normalize("NFC", text)
    text = "".join(map(_ascii, text)).translate(_LETTERS)
    text = re.sub(r"%(?![0-9a-fA-F]{2})", "", text.lower())
    text = _encode(text)
    text = re.sub(r"&[^;\s]+;", "", text).replace(".", "-")
    text = re.sub(r"[^%a-z0-9 _-]", "", text)
    return re.sub(r"[ -]+", "-", text).strip("-")


def _ascii(char: str) -> str:
    """Return a Latin letter without its accents, anything else as it is."""
    if char.isascii():
        return char
    base = unicodedata.normalize("NFD", char)[0]
    return base if base.isascii() and base.isalpha() else char


def _encode(text: str, limit: int = MAX_LENGTH) -> str:
    """Percent-encode what is not ASCII, cut so that no character is halved."""
    pieces: list[str] = []
    length = 0
    for char in text:
        piece = char if char.isascii() else quote(char, errors="replace").lower()
        length += len(piece)
        if length > limit:
            break
        pieces.append(piece)
    return "".join(pieces)


def shorten(slug: str, limit: int) -> str:
    """Cut a slug to a length, at a whole character."""
    if len(slug) <= limit:
        return slug
    decoded = unquote(slug)
    cut = slug[:limit] if decoded == slug else _encode(decoded, limit)
    return cut.rstrip("-")


def trashed(slug: str) -> str:
    """Return the slug that a page has in the trash, so that its own is free for others."""
    return slug if slug.endswith(TRASHED) else shorten(slug, MAX_LENGTH - len(TRASHED)) + TRASHED


def unique(
    slug: str,
    taken: Callable[[Collection[str]], Collection[str]],
    newest: Callable[[], str] = str,
) -> str:
    """Return the slug, with the number that makes it unique where it is taken or reserved.

    `taken` returns which of some slugs are taken, `newest` the slug of the last page that was given
    this one. -2 to -10 are tried, then the numbers after the newest one's, ever further apart, and
    then those between the last that was taken and the first that was free: where thousands of
    pages share a slug, a few queries find the next. Where all of those are taken, which takes
    intent, numbers are random.
    """

    def numbered(number: int) -> str:
        return shorten(slug, MAX_LENGTH - 1 - len(str(number))) + f"-{number}"

    def first_free(numbers: Sequence[int]) -> int | None:
        found = taken([numbered(number) for number in numbers])
        return next((number for number in numbers if numbered(number) not in found), None)

    def drawn() -> str:
        for digits in DRAWN_DIGITS:
            numbers = [10**digits + secrets.randbelow(9 * 10**digits) for _ in range(DRAWS)]
            if (free := first_free(numbers)) is not None:
                return numbered(free)
        raise Unavailable("No number makes this slug unique.")

    if not RESERVED.fullmatch(slug) and not taken([slug]):
        return slug
    last = re.fullmatch(r".*-([0-9]{1,9})", newest())
    used = max(10, int(last[1])) if last else 10
    numbers: Sequence[int] = [*range(2, 11), *(used + 4**power for power in range(20))]
    while True:
        free = first_free(numbers)
        if free is None:
            return drawn()
        used = max((number for number in numbers if number < free), default=used)
        if free <= max(10, used + 1):
            return numbered(free)
        numbers = [*range(used + 1, free, max(1, (free - used) // 8)), free]
