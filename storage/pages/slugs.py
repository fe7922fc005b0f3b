"""Slugs: derived from titles as WordPress derives them, and unique among all pages.

The former ones of published pages are kept until other pages take them.
"""

import re
import secrets
import unicodedata
from collections.abc import Callable, Collection, Iterable
from urllib.parse import quote, unquote

from peewee import SQL, fn

from landform.storage.engines import expressions
from landform.storage.models import FormerSlug, Page
from landform.storage.rows import Row
from landform.storage.sql import (
    Parameter,
    Prepared,
    Shape,
    cached,
    parameter_values,
    parameters,
    shape_of,
)
from landform.storage.store import Store

MAX_LENGTH = 200
TRASHED = "__trashed"
RESERVED = re.compile(r"(?:page)?[0-9]+|feed|rdf|rss2?|atom|embed")
# This condition beside another is what the index of slugs asks for.
HAS_SLUG = Page.slug != SQL("''")
# Pages that share a slug mostly share their title.
NEWEST = Prepared(
    Page.select(Page.slug)
    .where(
        Page.status == Parameter("status"), expressions.same(Page.title_key, Parameter("title_key"))
    )
    .order_by(Page.id.desc())
    .limit(SQL("1"))
)
# The last of the numbers that are always tried first behind a slug, and those that are tried later.
LAST_TRIED, TRIED = 9, (range(11, 100), range(100, 1000))
# So many former slugs are kept of each page, the last ones.
MOST_FORMER = 100
Other = Page.alias()
TAKEN = Other.select(SQL("1")).where(Other.slug == Parameter("slug"), Other.slug != SQL("''"))
SUCCESSOR = Prepared(
    Page.select(Page.slug)
    .join(FormerSlug, on=FormerSlug.page == Page.id)
    .where(FormerSlug.slug == Parameter("slug"), ~fn.EXISTS(TAKEN))
)
# Returns which of some slugs are taken.
Taken = Callable[[Collection[str]], Collection[str]]

_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_TAG = re.compile(r"<[^\s<>][^<>]*>")
_LONE_PERCENT = re.compile(r"%(?![0-9a-fA-F]{2})")
_ENTITY = re.compile(r"&[^;\s]+;")
_OTHER = re.compile(r"[^%a-z0-9 _-]")
_BLANKS = re.compile(r"[ -]+")
_SLUG = re.compile(r"[%a-z0-9_-]{1,200}")
# What no segment of a path can hold, or browsers change.
_NO_SEGMENT = re.compile(r"^\.|[/\\\x00-\x1f\x7f]")
_LONE_SURROGATE = re.compile("[\ud800-\udc7f\udd00-\udfff]")
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


def _letters(pairs: str) -> dict[int, str]:
    """Return a table of letters, each with what stands for it, also in capitals."""
    letters = dict(pair.split(":") for pair in pairs.split())
    capitals = {letter.upper(): text.capitalize() for letter, text in letters.items()}
    return str.maketrans(
        {letter: text for letter, text in capitals.items() if len(letter) == 1} | letters
    )


# What WordPress makes of letters where the site is in one of these languages.
_GERMAN, _DANISH = _letters("ä:ae ö:oe ü:ue ß:ss"), _letters("æ:ae ø:oe å:aa")
_SERBIAN = _letters("đ:dj")
LANGUAGES = {
    "de": _GERMAN,
    "da": _DANISH,
    "nb": _DANISH,
    "nn": _DANISH,
    "no": _DANISH,
    "sr": _SERBIAN,
    "bs": _SERBIAN,
}


def slugify(text: str, language: str = "") -> str:
    """Return the slug of a text: ASCII, other scripts percent-encoded, at most 200 characters.

    `language`: that of the site, which decides what stands for some letters.
    """
    text = _TAG.sub("", text)
    if table := LANGUAGES.get(language.lower().replace("_", "-").partition("-")[0]):
        text = unicodedata.normalize("NFC", text).translate(table)
    if text.isascii():
        text = text.replace("/", "-")
    else:
        text = unicodedata.normalize("NFC", text)
        text = _NOT_ASCII.sub(_plain, text).translate(_LETTERS)
    text = _LONE_PERCENT.sub("", text.lower())
    text = text[:MAX_LENGTH] if text.isascii() else encode(text)
    text = _ENTITY.sub("", text).replace(".", "-")
    return _BLANKS.sub("-", _OTHER.sub("", text)).strip("-")


def spellings(text: str) -> list[str]:
    """Return the slugs that a text from a URL may name, the likeliest first.

    An imported page may have a slug that no title here becomes, as `women%e2%80%99s-day`: it is
    found decoded, and as it is stored. A byte that is no UTF-8 is an escaped surrogate.
    """
    text = _LONE_SURROGATE.sub("\ufffd", text)
    quoted = [
        quote(spelling, safe=safe, errors="surrogateescape").lower()
        for spelling in (text, text.lower(), unicodedata.normalize("NFC", text.lower()))
        for safe in ("", "%")
    ]
    # Whatever the language of the site was when the page was made.
    slugified = (slugify(text, language) for language in ("", "de", "da", "sr"))
    names = dict.fromkeys([*filter(_SLUG.fullmatch, quoted), *slugified])
    return [name for name in names if name]


def path_segment(slug: str) -> str:
    """Return a slug as it stands in a URL: as it is, if that leads to it, else its `%` encoded."""
    if "%" not in slug:
        return slug
    decoded = unquote(slug)
    if spellings(decoded)[:1] == [slug] and not _NO_SEGMENT.search(decoded):
        return slug
    return slug.replace("%", "%25")


def _plain(match: re.Match[str]) -> str:
    """Return a Latin letter without its accents, anything else as it is."""
    base = unicodedata.normalize("NFD", match[0])[0]
    return base if base.isascii() and base.isalpha() else match[0]


def encode(text: str, limit: int = MAX_LENGTH) -> str:
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
    cut = slug[:limit] if decoded == slug else encode(decoded, limit)
    return cut.rstrip("-")


def trashed(slug: str) -> str:
    """Return the slug that a page has in the trash, so that its own is free for others."""
    return slug if slug.endswith(TRASHED) else shorten(slug, MAX_LENGTH - len(TRASHED)) + TRASHED


def owners(store: Store, slugs: Collection[str]) -> dict[str, int]:
    """Return which pages have some slugs."""
    values = {"slug": [*slugs]}
    return dict(_owners(shape_of(values)).run(store, parameter_values(values)).fetchall())


@cached
def _owners(shape: Shape) -> Prepared:
    has_one = Page.slug.in_(parameters(*shape[0]))
    return Prepared(Page.select(Page.slug, Page.id).where(has_one, HAS_SLUG))


def unique(store: Store, slug: str, page: Row) -> str:
    """Return the slug for a page, with a number where another one has it or it is reserved."""

    def taken(slugs: Collection[str]) -> list[str]:
        return [one for one, owner in owners(store, slugs).items() if owner != page.get("id")]

    if not (RESERVED.fullmatch(slug) or taken([slug])):
        return slug
    newest = NEWEST.row(store, page)
    return numbered(slug, taken, newest[0] if newest else "")


def numbered(slug: str, taken: Taken, newest: str = "") -> str:
    """Return the slug with a number that makes it unique: the first one that is free from 2 on.

    Beyond 9 it may be the one after that of the newest page that was given this slug. Where all
    that are tried are taken, which takes intent, the number is random.
    """
    last = int(newest.rpartition("-")[2]) if is_numbered(newest, slug) else 0
    for numbers in ([*range(2, LAST_TRIED + 1), max(last, LAST_TRIED) + 1], *TRIED):
        named = [_with_number(slug, str(number)) for number in numbers]
        found = set(taken(named))
        if free := next((name for name in named if name not in found), None):
            return free
    return _with_number(slug, str(10**17 + secrets.randbelow(9 * 10**17)))


def _with_number(slug: str, digits: str) -> str:
    limit = MAX_LENGTH - len(digits) - 1
    return f"{slug if len(slug) <= limit else shorten(slug, limit)}-{digits}"


def is_numbered(slug: str, wanted: str) -> bool:
    """Return whether a slug is what the wanted one becomes with some number behind it."""
    digits = slug.rpartition("-")[2]
    return digits.isdecimal() and slug == _with_number(wanted, digits)


def leave(store: Store, old: Row, new: Row | None) -> None:
    """Note that a page leaves its slug, in the transaction of the write; `new`: None for a delete.

    Nobody else has left that slug later. The trash ends the former slugs of a page.
    """
    db, mine = store.database, FormerSlug.page == old["id"]
    is_gone = new is None or new["status"] == "trash"
    if is_gone:
        FormerSlug.delete().where(mine).execute(db)
    if new is None or new["slug"] != old["slug"]:
        FormerSlug.delete().where(FormerSlug.slug == old["slug"]).execute(db)
        if old["slug"] and old["status"] == "publish" and not is_gone:
            FormerSlug.insert(slug=old["slug"], page=old["id"]).execute(db)
            kept = FormerSlug.select(FormerSlug.id).where(mine).order_by(FormerSlug.id.desc())
            beyond = kept.limit(1).offset(MOST_FORMER)
            FormerSlug.delete().where(mine, FormerSlug.id <= beyond).execute(db)


def successor(store: Store, names: Iterable[str]) -> str | None:
    """Return the slug of the page that had one of these; None where a page has it now, or none."""
    found = next(filter(None, (SUCCESSOR.row(store, {"slug": name}) for name in names)), None)
    return found[0] if found else None
