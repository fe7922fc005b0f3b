"""Schemas that drop or refuse names which they do not know, and suggestions for misspelt names.

Names that are dropped are reported, see `service/unknown_names.py`.
"""

from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher, get_close_matches
from itertools import islice
from typing import Any

from marshmallow import EXCLUDE, RAISE, Schema, ValidationError

from landform.schemas.fields import CodedMessage

# How alike a name has to be to one that is known to be taken for it.
NEAR = 0.7
# How many letters a misspelt name may be away, and how many names of a request are compared.
MOST_LETTERS, MOST_COMPARED = 2, 100


def nearest(name: str, *known: Iterable[str]) -> str | None:
    """Return which name was probably meant: of the first names, else of the next ones."""
    near = (match for names in known for match in get_close_matches(name.lower(), names, 1, NEAR))
    return next(near, None)


def is_misspelt(name: str, known: Iterable[str]) -> bool:
    """Return whether a name is one or two letters away from one that is known."""
    near = nearest(name, known) or ""
    steps = SequenceMatcher(None, name.lower(), near).get_opcodes()
    apart = sum(max(b - a, d - c) for kind, a, b, c, d in steps if kind != "equal")
    return bool(near) and apart <= MOST_LETTERS


class Tolerant(Schema):
    """An object that may have other keys than the fields of its schema: they are dropped."""

    class Meta:
        unknown = EXCLUDE

    error_messages = {"unknown": "is unknown here."}

    def handle_error(self, error: ValidationError, data: Any, *, many: bool, **kw: object) -> None:
        """Say of names that are unknown or missing what was probably meant, or how it was sent."""
        sent = islice(data, MOST_COMPARED) if isinstance(data, Mapping) else ()
        foreign = [name for name in sent if name not in self.load_fields]
        found: dict[str, Any] = error.normalized_messages()  # type: ignore[no-untyped-call]
        for name, texts in islice(found.items(), MOST_COMPARED):
            text: Any = texts[0] if isinstance(texts, list) else ""
            is_unknown = text == self.error_messages["unknown"]
            near = nearest(str(name), self.load_fields if is_unknown else foreign)
            if near and (is_unknown or isinstance(text, CodedMessage)):
                full = f'{text} Did you mean {"" if is_unknown else "it by "}"{near}"?'
                coded = isinstance(text, CodedMessage)
                texts[0] = CodedMessage(text.code, full) if coded else full


class KnownOnly(Tolerant):
    """An object that has no other keys than the fields of its schema."""

    class Meta:
        unknown = RAISE
