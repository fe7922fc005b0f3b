"""Slugs: derived from titles as WordPress derives them, and unique among all pages.

The former ones of published pages are kept until other pages take them.
"""

import re
import secrets
import unicodedata
from collections.abc import Callable, Collection, Iterable
from urllib.parse import quote, unquote

from peewee import SQL, fn

from landform.storage import sql
from landform.storage.engines import expressions
from landform.storage.models import FormerSlug, Page
from landform.storage.rows import Row
from landform.storage.store import Store

MAX_LENGTH = 200
TRASHED = "__trashed"
RESERVED = re.compile(r"(?:page)?[0-9]+|feed|rdf|rss2?|atom|embed")
# This condition beside another is what the index of slugs asks for.
HAS_SLUG = Page.slug != SQL("''")
# Pages that share a slug mostly share their title.
IS_TITLE = expressions.same(Page.title_key, sql.Parameter("title_key"))
NEWEST = sql.Prepared(
    Page.select(Page.slug)
    .where(Page.status == sql.Parameter("status"), IS_TITLE)
    .order_by(Page.id.desc())
    .limit(SQL("1"))
)
# The last of the numbers that are always tried first behind a slug, and those that are tried later.
LAST_TRIED, TRIED = 9, (range(11, 100), range(100, 1000))
# How many former slugs are stored of each page, the last ones.
MOST_FORMER = 100
Owner = Page.alias()
OWNER = Owner.select(SQL("1")).where(Owner.slug == sql.Parameter("slug"), Owner.slug != SQL("''"))
SUCCESSOR = sql.Prepared(
    Page.select(Page.slug)
    .join(FormerSlug, on=FormerSlug.page == Page.id)
    .where(FormerSlug.slug == sql.Parameter("slug"), ~fn.EXISTS(OWNER))
)

_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_TAG = re.compile(r"<[^\s<>][^<>]*>")
_LONE_PERCENT = re.compile(r"%(?![0-9a-fA-F]{2})")
_ENTITY = re.compile(r"&[^;\s]+;")
_INVALID = re.compile(r"[^%a-z0-9 _-]")
_BLANKS = re.compile(r"[ -]+")
_SLUG = re.compile(r"[%a-z0-9_-]{1,200}")
# Characters that no segment of a path can have, or that browsers change.
_NO_SEGMENT = re.compile(r"^\.|[/\\\x00-\x1f\x7f]")
_LONE_SURROGATE = re.compile("[\ud800-\udc7f\udd00-\udfff]")
# Latin letters that no decomposition turns into ASCII, dashes and blanks, and deleted characters.
_SINGLE, _ASCII = "ßØøÐðĐđĦħıĸŁłŊŋŦŧſªº€×", "sOoDdDdHhikLlNnTtsaoEx"
_DASHES = "/\u00a0\u2011\u2013\u2014\u2028\u2029\u202f" + "".join(map(chr, range(0x2000, 0x200B)))
_DELETED = (
    "£\u00ad¡¿«»‹›‘’‚‛“”„‟•©®°…™´ˊ\u0301\u0341\u0300\u0304\u030c\u200b\u200c\u200d\u200e\u200f"
    "\u202a\u202b\u202c\u202d\u202e\ufeff\ufffc"
)
_LETTERS: dict[int, int | str | None] = {
    **str.maketrans(_SINGLE + _DASHES, _ASCII + "-" * len(_DASHES), _DELETED),
    **{ord(pair[0]): pair[1:] for pair in "ÆAE æae ÞTH þth ŒOE œoe".split()},
}


def _letters(pairs: str) -> dict[int, str]:
    """Return a table for `str.translate` from pairs such as `ä:ae`, also for capitals."""
    letters = dict(pair.split(":") for pair in pairs.split())
    capitals = {letter.upper(): text.capitalize() for letter, text in letters.items()}
    # The capital of ß is two letters.
    capitals.pop("SS", None)
    return str.maketrans(capitals | letters)


# The letters that WordPress replaces in another way if the site is in one of these languages.
_GERMAN, _DANISH = _letters("ä:ae ö:oe ü:ue ß:ss"), _letters("æ:ae ø:oe å:aa")
_SERBIAN = _letters("đ:dj")
LANGUAGES = {
    **dict.fromkeys(("da", "nb", "nn", "no"), _DANISH),
    **dict.fromkeys(("sr", "bs"), _SERBIAN),
    "de": _GERMAN,
}


def slugify(text: str, language: str = "") -> str:
    """Return the slug of a text: ASCII, at most 200 characters.

    Other scripts are percent-encoded. The language of the site decides how some letters are
    replaced.
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
    return _BLANKS.sub("-", _INVALID.sub("", text)).strip("-")


def spellings(text: str) -> list[str]:
    """Return the slugs that a text from a URL may name, the likeliest first.

    An imported page may have a slug that `slugify` never returns, such as `women%e2%80%99s-day`:
    a URL may have it decoded or as it is stored. Bytes that are not UTF-8 are escaped surrogates.
    """
    text = _LONE_SURROGATE.sub("\ufffd", text)
    quoted = [
        quote(spelling, safe=safe, errors="surrogateescape").lower()
        for spelling in (text, text.lower(), unicodedata.normalize("NFC", text.lower()))
        for safe in ("", "%")
    ]
    # The language of the site may have been another one when the page was created.
    slugified = (slugify(text, language) for language in ("", "de", "da", "sr"))
    names = dict.fromkeys([*filter(_SLUG.fullmatch, quoted), *slugified])
    return [name for name in names if name]


def path_segment(slug: str) -> str:
    """Return a slug for a URL, with each `%` encoded unless the URL leads to it without."""
    decoded = unquote(slug)
    if spellings(decoded)[:1] == [slug] and not _NO_SEGMENT.search(decoded):
        return slug
    return slug.replace("%", "%25")


def _plain(match: re.Match[str]) -> str:
    """Return a Latin letter without its accents, any other character unchanged."""
    base = unicodedata.normalize("NFD", match[0])[0]
    return base if base.isascii() and base.isalpha() else match[0]


def encode(text: str, limit: int = MAX_LENGTH) -> str:
    """Percent-encode other characters than ASCII, and cut the text at a whole character."""
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
    """Return the ids of the pages that have some slugs, by slug."""
    values = {"slug": [*slugs]}
    return dict(_owners(sql.shape_of(values)).run(store, sql.parameter_values(values)).fetchall())


@sql.cached
def _owners(shape: sql.Shape) -> sql.Prepared:
    is_slug = Page.slug.in_(sql.parameters(*shape[0]))
    return sql.Prepared(Page.select(Page.slug, Page.id).where(is_slug, HAS_SLUG))


def unique(store: Store, slug: str, page: Row) -> str:
    """Return the slug for a page, with a number if it is reserved or of another page."""

    def used(slugs: Collection[str]) -> list[str]:
        return [name for name, owner in owners(store, slugs).items() if owner != page.get("id")]

    if not (RESERVED.fullmatch(slug) or used([slug])):
        return slug
    newest = NEWEST.row(store, page)
    return numbered(slug, used, newest[0] if newest else "")


def numbered(
    slug: str, used: Callable[[Collection[str]], Collection[str]], newest: str = ""
) -> str:
    """Return a slug with the first number, from 2 on, that makes it unique.

    `used` returns those of some slugs that pages have. Beyond 9 the number may be the one after
    that of `newest`, the slug of the newest page with this title. If all that are tried are used,
    which takes intent, it is random.
    """
    last = int(newest.rpartition("-")[2]) if is_numbered(newest, slug) else 0
    for numbers in ([*range(2, LAST_TRIED + 1), max(last, LAST_TRIED) + 1], *TRIED):
        candidates = [_with_number(slug, str(number)) for number in numbers]
        used_slugs = set(used(candidates))
        if free := next((name for name in candidates if name not in used_slugs), None):
            return free
    return _with_number(slug, str(10**17 + secrets.randbelow(9 * 10**17)))


def _with_number(slug: str, digits: str) -> str:
    return f"{shorten(slug, MAX_LENGTH - len(digits) - 1)}-{digits}"


def is_numbered(slug: str, base: str) -> bool:
    """Return whether a slug is another one with a number behind it."""
    digits = slug.rpartition("-")[2]
    return digits.isdecimal() and slug == _with_number(base, digits)


def remember_former_slug(store: Store, old: Row, new: Row | None) -> None:
    """Store the slug that a published page loses with a write, for redirects.

    Use in the transaction of the write; `new` is None for a delete. A slug has one former owner,
    the last. A page in the trash has no former slugs.
    """
    db, is_of_page = store.database, FormerSlug.page == old["id"]
    is_gone = new is None or new["status"] == "trash"
    if is_gone:
        FormerSlug.delete().where(is_of_page).execute(db)
    if new is None or new["slug"] != old["slug"]:
        FormerSlug.delete().where(FormerSlug.slug == old["slug"]).execute(db)
        if old["slug"] and old["status"] == "publish" and not is_gone:
            FormerSlug.insert(slug=old["slug"], page=old["id"]).execute(db)
            newest = FormerSlug.select(FormerSlug.id).where(is_of_page)
            beyond = newest.order_by(FormerSlug.id.desc()).limit(1).offset(MOST_FORMER)
            FormerSlug.delete().where(is_of_page, FormerSlug.id <= beyond).execute(db)


def successor(store: Store, names: Iterable[str]) -> str | None:
    """Return the present slug of the page that once had the first of some slugs, if any.

    A slug that a page has now is no former one.
    """
    rows = filter(None, (SUCCESSOR.row(store, {"slug": name}) for name in names))
    return next((slug for (slug,) in rows), None)
