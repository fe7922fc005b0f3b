"""Slugs: derived from titles as WordPress derives them, and unique among all pages."""

import re
import secrets
import unicodedata
from collections.abc import Callable, Collection, Iterable
from urllib.parse import quote, unquote

MAX_LENGTH = 200
TRASHED = "__trashed"
RESERVED = re.compile(r"(?:page)?[0-9]+|feed|rdf|rss2?|atom|embed")

# The numbers that are always tried first end with this one; then so many more at once.
LAST_TRIED, MORE_TRIED = 10, (10, 100, 1000, 1000, 1000, 1000)
# Which of some slugs are taken, and the slug of the last page that was given one.
Taken = Callable[[Collection[str]], Collection[str]]
Newest = Callable[[], str]

_TAG = re.compile(r"<[^\s<>][^<>]*>")
_LONE_PERCENT = re.compile(r"%(?![0-9a-fA-F]{2})")
_ENTITY = re.compile(r"&[^;\s]+;")
_OTHER = re.compile(r"[^%a-z0-9 _-]")
_BLANKS = re.compile(r"[ -]+")
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
    text = _TAG.sub("", text)
    if text.isascii():
        text = text.replace("/", "-")
    else:
        text = unicodedata.normalize("NFC", text)
        text = "".join(map(_ascii, text)).translate(_LETTERS)
    text = _LONE_PERCENT.sub("", text.lower())
    text = text[:MAX_LENGTH] if text.isascii() else _encode(text)
    text = _ENTITY.sub("", text).replace(".", "-")
    return _BLANKS.sub("-", _OTHER.sub("", text)).strip("-")


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


def unique(slug: str, taken: Taken, newest: Newest = str) -> str:
    """Return the slug, with the number that makes it unique where it is taken or reserved.

    The rest is as in `numbered`.
    """
    if not RESERVED.fullmatch(slug) and not taken([slug]):
        return slug
    return numbered(slug, taken, newest)


def numbered(slug: str, taken: Taken, newest: Newest = str) -> str:
    """Return the slug with the number that makes it unique.

    `taken` returns which of some slugs are taken, `newest` the slug of the last page that was given
    this one. -2 to -10 are tried, then the numbers after the newest one's, more each time. Where
    all of those are taken, which takes intent, the number is random.
    """
    first = max(LAST_TRIED, _number(slug, newest())) + 1
    numbers: Iterable[int] = [*range(2, LAST_TRIED + 1), first]
    for many in MORE_TRIED:
        named = [_with_number(slug, number) for number in numbers]
        found = taken(named)
        if free := next((name for name in named if name not in found), None):
            return free
        numbers = range(first + 1, first + 1 + many)
        first += many
    return _with_number(slug, 10**17 + secrets.randbelow(9 * 10**17))


def _with_number(slug: str, number: int) -> str:
    ending = f"-{number}"
    return shorten(slug, MAX_LENGTH - len(ending)) + ending


def is_numbered(slug: str, wanted: str) -> bool:
    """Return whether a slug is what the wanted one becomes with some number behind it."""
    digits = slug.rpartition("-")[2]
    return digits.isdecimal() and slug == _with_number(wanted, int(digits))


def _number(slug: str, newest: str) -> int:
    """Return the number with which the newest page was given a slug; 0 where it was not."""
    digits = newest.rpartition("-")[2]
    if digits.isdecimal() and len(digits) < 10 and _with_number(slug, int(digits)) == newest:
        return int(digits)
    return 0
