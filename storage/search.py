"""What a search means: which words it asks for, and how text is folded before it is compared.

The rules are the peer's: words separated by blanks, commas or plus signs must all be found, in
the title or the content; "quoted words" are one; a word with a minus in front must not be found;
small words say nothing; and neither case nor accents count.
"""

import re
import unicodedata
from typing import NamedTuple

WORDS = re.compile(r'"[^"]*(?:"|$)|[^\t ",+]+')
STOPWORDS = frozenset(
    "about an are as at be by com for from how in is it of on or that the this to was what when "
    "where who will with www".split()
)
MOST_WORDS = 9
# What is shorter no index of trigrams holds: all texts are read for it.
SHORTEST_INDEXED = 3


class Search(NamedTuple):
    """A search, folded: `words` to be found, `without` not to be, and the whole `sentence`."""

    words: tuple[str, ...]
    without: tuple[str, ...]
    sentence: str

    @property
    def short(self) -> list[str]:
        """The words, wanted or not, that are too short for an index."""
        return [word for word in (*self.words, *self.without) if len(word) < SHORTEST_INDEXED]


def fold(text: str) -> str:
    """Return the text without case and accents, as it is searched and ordered."""
    if text.isascii():
        return text.lower()
    parts = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", "".join(c for c in parts if not unicodedata.combining(c)))


def parse(text: str) -> Search:
    """Read what a person typed. A search of nothing but small words looks for all of it."""
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
