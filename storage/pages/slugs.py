"""Slugs: derived from titles as WordPress derives them, and unique among all pages."""

import re
import secrets
import unicodedata
from collections.abc import Callable, Collection
from urllib.parse import quote, unquote

from peewee import SQL

from landform.storage.models import Page
from landform.storage.rows import Row
from landform.storage.store import Store

MAX_LENGTH = 200
TRASHED = "__trashed"
RESERVED = re.compile(r"(?:page)?[0-9]+|feed|rdf|rss2?|atom|embed")
# This condition beside another is what the index of slugs asks for.
HAS_SLUG = Page.slug != SQL("''")
# The numbers that are tried behind a slug, those of as many digits at once.
TRIED = (range(2, 10), range(10, 100), range(100, 1000))
# Returns which of some slugs are taken.
Taken = Callable[[Collection[str]], Collection[str]]

_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
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
        text = _NOT_ASCII.sub(_plain, text).translate(_LETTERS)
    text = _LONE_PERCENT.sub("", text.lower())
    text = text[:MAX_LENGTH] if text.isascii() else _encode(text)
    text = _ENTITY.sub("", text).replace(".", "-")
    return _BLANKS.sub("-", _OTHER.sub("", text)).strip("-")


def _plain(match: re.Match[str]) -> str:
    """Return a Latin letter without its accents, anything else as it is."""
    base = unicodedata.normalize("NFD", match[0])[0]
    return base if base.isascii() and base.isalpha() else match[0]


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


def owners(store: Store, slugs: Collection[str]) -> dict[str, int]:
    """Return which pages have some slugs."""
    found = Page.select(Page.slug, Page.id).where(Page.slug.in_(slugs), HAS_SLUG)
    return dict(found.tuples().execute(store.database))


def unique(store: Store, slug: str, page: Row) -> str:
    """Return the slug for a page, with a number where another one has it or it is reserved."""

    def taken(slugs: Collection[str]) -> list[str]:
        return [one for one, owner in owners(store, slugs).items() if owner != page.get("id")]

    return numbered(slug, taken) if RESERVED.fullmatch(slug) or taken([slug]) else slug


def numbered(slug: str, taken: Taken) -> str:
    """Return the slug with the first number from 2 on that makes it unique.

    Where all that are tried are taken the number is random.
    """
    for numbers in TRIED:
        base = shorten(slug, MAX_LENGTH - len(f"-{numbers[0]}"))
        named = [f"{base}-{number}" for number in numbers]
        if free := sorted({*numbers} - {int(one.rpartition("-")[2]) for one in taken(named)}):
            return f"{base}-{free[0]}"
    number = str(10**17 + secrets.randbelow(9 * 10**17))
    return f"{shorten(slug, MAX_LENGTH - len(number) - 1)}-{number}"


def is_numbered(slug: str, wanted: str) -> bool:
    """Return whether a slug is what the wanted one becomes with some number behind it."""
    _, _, digits = slug.rpartition("-")
    base = shorten(wanted, MAX_LENGTH - len(digits) - 1)
    return digits.isdecimal() and slug == f"{base}-{digits}"
