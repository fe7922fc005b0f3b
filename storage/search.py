"""The search of pages: words of their texts, and keys for the forms and languages in their meta.

The rules of a search are those of WordPress: words separated by blanks, commas or plus signs must
all be in the title or the content; "quoted words" count as one word; a word after a minus must not
be in it; stopwords are ignored; case and accents do not matter.

The keys of forms and languages are columns of the page. A number and its text have the same key.
Keys are short, since indexes take no long texts. Their rules are written out here, so that they do
not change with the Unicode version.
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
# An index of trigrams has no shorter words: for these all texts are read.
SHORTEST_INDEXED = 3
# A text may fold into so many times its characters, and so many more: some fold into 18.
MOST_GROWTH, FREE_GROWTH = 2, 65_536
CHUNK = 65_536
# The number of different sequences of three characters that a text may have.
MOST_SEQUENCES = 500_000
# Characters that fold into combining ones alone. The time to order a run of combining characters
# grows with the square of its length.
_ACCENTS = re.compile("[\u0f73\u0f75\u0f81\uff9e\uff9f]")

# The key of a text that is longer, or that JSON would escape, is its SHA-256.
PLAIN = re.compile(r'[^\x00-\x1f"\\\x7f\ud800-\udfff]{1,64}')
NUMBER = re.compile(r"([+-]?)0*([0-9]+)", re.ASCII)
WHITE_SPACE = " \t\n\r\f\v"
LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
# The keys of an object that may name its language.
NAMES = ("code", "slug", "value")


class Search(NamedTuple):
    """A folded search: required `words`, excluded ones (`without`), and the whole `sentence`."""

    words: tuple[str, ...]
    without: tuple[str, ...]
    sentence: str

    @property
    def short(self) -> list[str]:
        """The words, required or excluded, that are too short for an index."""
        return [word for word in (*self.words, *self.without) if len(word) < SHORTEST_INDEXED]


def fold(text: str, name: str = "text") -> str:
    """Return a text without case and accents, for searches and orders.

    Raises `TextRefused`, with the `name` of the text, if it would be several times as long.
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
    # The end of a piece and the beginning of the next may form one character.
    return unicodedata.normalize("NFC", "".join(pieces))


def check_sequences(text: str, name: str) -> None:
    """Raise `TextRefused`, with the `name` of a folded text, if it is too much for the index.

    The index has each different sequence of three characters. Writing has few; but a text of
    2,000,000 characters may have as many, which take seconds and hundreds of megabytes.
    """
    if text.isascii() or len(text) <= MOST_SEQUENCES:
        return
    sequences = set[str]()
    for start in range(len(text) - 2):
        sequences.add(text[start : start + 3])
        if len(sequences) > MOST_SEQUENCES:
            reason = (
                f"must not have more than {MOST_SEQUENCES} different sequences of 3 characters."
            )
            raise TextRefused(name, reason)


def _without_accents(text: str) -> str:
    accents = [ord(char) for char in set(text) if unicodedata.combining(char)]
    return text.translate(dict.fromkeys(accents)) if accents else text


def parse(text: str) -> Search:
    """Parse the text of a search; one of stopwords alone is one phrase."""
    text = text.replace("\r", "").replace("\n", "").strip()
    terms = [term for term in map(_clean, WORDS.findall(text)) if term]
    if not terms or len(terms) > MOST_WORDS:
        return Search((fold(text),), (), fold(text))
    words = [fold(term) for term in terms if not term.startswith("-")]
    without = [fold(term[1:]) for term in terms if term.startswith("-")]
    return Search(_once(words), _once(without), fold(text))


def _clean(term: str) -> str:
    """Return a term without its quotes; empty for one that is ignored."""
    # Blanks inside quotes belong to the word.
    whole = len(term) > 2 and term[0] == term[-1] == '"'
    word = term.strip("\"'") if whole else term.strip("\"' ")
    is_letter = len(word) == 1 and (word == "-" or (word.isascii() and word.isalpha()))
    return "" if is_letter or word.lower() in STOPWORDS else word


def _once(words: list[str]) -> tuple[str, ...]:
    return tuple(word for word in dict.fromkeys(words) if word)


def form_key(value: object) -> str:
    """Return the key of a form, which is the digits of a number; empty for none."""
    text = _text(value)
    if number := NUMBER.fullmatch(text):
        sign = "-" if number[1] == "-" and number[2] != "0" else ""
        text = sign + number[2]
    return _bounded(text)


def language_key(value: object) -> str:
    """Return the key of a language, without ASCII case; empty for none."""
    return _bounded(_text(value).translate(LOWER))


def language_keys(value: object) -> list[str]:
    """Return the keys of the languages in a value of the meta, in order."""
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
