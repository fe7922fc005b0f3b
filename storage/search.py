"""What pages are found by: words in their texts, and the forms and languages of their meta.

The rules of a search are WordPress's: words separated by blanks, commas or plus signs must all be
found, in the title or the content; "quoted words" are one; a word with a minus in front must not be
found; small words are ignored; and neither case nor accents count.

The keys of forms and languages are columns of the page. Numbers and their texts have the same key.
The keys are short, whatever the meta holds: indexes take no long texts. All that they are made by
is written out here, since another Unicode version must not make others.
"""

import re
import unicodedata
from hashlib import sha256
from string import ascii_lowercase, ascii_uppercase
from typing import Any, NamedTuple

from landform.storage.errors import TextRefused

WORDS = re.compile(r'"[^"]*(?:"|$)|[^\t ",+]+')
STOPWORDS = frozenset(
    "about an are as at be by com for from how in is it of on or that the this to was what when "
    "where who will with www".split()
)
MOST_WORDS = 9
# What is shorter no index of trigrams holds: all texts are read for it.
SHORTEST_INDEXED = 3
# A text may fold into so many times its characters, and so many more: some letters stand for 18.
MOST_GROWTH, FREE_GROWTH = 2, 65_536
CHUNK = 65_536
# How many different sequences of three characters a text may have, and how many hashes of them.
MOST_SEQUENCES = 500_000
SEQUENCE_HASHES = 2**24 - 3
# Accents only, though they are no combining characters themselves. Long runs of accents take a
# time that grows with the square of their length to be put into their order.
_ACCENTS = re.compile("[\u0f73\u0f75\u0f81\uff9e\uff9f]")

# Of a text that is longer, or that JSON would escape, the SHA-256 is the key.
PLAIN = re.compile(r'[^\x00-\x1f"\\\x7f\ud800-\udfff]{1,64}')
NUMBER = re.compile(r"([+-]?)0*([0-9]+)", re.ASCII)
WHITE_SPACE = " \t\n\r\f\v"
LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
# The keys of an object that may name its language.
NAMES = ("code", "slug", "value")


class Search(NamedTuple):
    """A search, folded: `words` to be found, `without` not to be, and the whole `sentence`."""

    words: tuple[str, ...]
    without: tuple[str, ...]
    sentence: str

    @property
    def short(self) -> list[str]:
        """The words, wanted or not, that are too short for an index."""
        return [word for word in (*self.words, *self.without) if len(word) < SHORTEST_INDEXED]


def fold(text: str, name: str = "text") -> str:
    """Return the text without case and accents, as it is searched and ordered.

    Raises `TextRefused`, by the name, where it would be several times as long.
    """
    if text.isascii():
        return text.lower()
    room = MOST_GROWTH * len(text) + FREE_GROWTH
    pieces = []
    for start in range(0, len(text), CHUNK):
        plain = _ACCENTS.sub("", _without_accents(text[start : start + CHUNK].casefold()))
        parts = _without_accents(unicodedata.normalize("NFKD", plain))
        pieces.append(unicodedata.normalize("NFC", parts))
        room -= len(pieces[-1])
        if room < 0:
            raise TextRefused(name, "has too many characters that stand for several.")
    # What meets where two pieces do may be one character.
    return unicodedata.normalize("NFC", "".join(pieces))


def check_sequences(text: str, name: str) -> None:
    """Raise `TextRefused`, by the name, where a folded text holds too much for the index.

    That holds each different sequence of three characters, of which writing has few: in a text
    of 2,000,000 characters there may be as many, which take seconds and hundreds of megabytes.
    """
    if text.isascii() or len(text) <= MOST_SEQUENCES:
        return
    seen = bytearray(SEQUENCE_HASHES)
    codes = memoryview(text.encode("utf-32-le")).cast("I")
    for one, two, three in zip(codes, codes[1:], codes[2:], strict=False):
        seen[(one * 961_748_941 ^ two * 15_487_469 ^ three * 2_750_159) % SEQUENCE_HASHES] = 1
    if seen.count(1) > MOST_SEQUENCES:
        reason = f"must not have more than {MOST_SEQUENCES} different sequences of 3 characters."
        raise TextRefused(name, reason)


def _without_accents(text: str) -> str:
    accents = [ord(char) for char in set(text) if unicodedata.combining(char)]
    return text.translate(dict.fromkeys(accents)) if accents else text


def parse(text: str) -> Search:
    """Parse what a person typed. If it is nothing but small words, all of it is one phrase."""
    text = text.replace("\r", "").replace("\n", "").strip()
    terms = [term for term in map(_clean, WORDS.findall(text)) if _says_something(term)]
    if not terms or len(terms) > MOST_WORDS:
        return Search((fold(text),), (), fold(text))
    words = [fold(term) for term in terms if not term.startswith("-")]
    without = [fold(term[1:]) for term in terms if term.startswith("-")]
    return Search(_once(words), _once(without), fold(text))


def _clean(term: str) -> str:
    # Blanks inside quotes belong to what is looked for.
    whole = len(term) > 2 and term[0] == term[-1] == '"'
    return term.strip("\"'") if whole else term.strip("\"' ")


def _says_something(term: str) -> bool:
    lonely = len(term) == 1 and (term == "-" or (term.isascii() and term.isalpha()))
    return bool(term) and not lonely and term.lower() not in STOPWORDS


def _once(words: list[str]) -> tuple[str, ...]:
    return tuple(word for word in dict.fromkeys(words) if word)


def form_key(value: object) -> str:
    """Return the key of a form: of a number its digits; empty where the value names none."""
    text = _text(value)
    if number := NUMBER.fullmatch(text):
        sign = "-" if number[1] == "-" and number[2] != "0" else ""
        text = sign + number[2]
    return _bounded(text)


def language_key(value: object) -> str:
    """Return the key of a language, without regard to ASCII case; empty for what names none."""
    return _bounded(_text(value).translate(LOWER))


def language_keys(value: object) -> list[str]:
    """Return the keys of the languages that the meta of a page names, in order."""
    if not value or not isinstance(value, list):
        return []
    named: list[Any] = []
    for item in value:
        named += [item.get(name) for name in NAMES] if isinstance(item, dict) else [item]
    return sorted({language_key(name) for name in named} - {""})


def _text(value: object) -> str:
    if isinstance(value, str):
        return value.strip(WHITE_SPACE)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def _bounded(text: str) -> str:
    if not text or PLAIN.fullmatch(text):
        return text
    return "#" + sha256(text.encode(errors="surrogatepass")).hexdigest()
