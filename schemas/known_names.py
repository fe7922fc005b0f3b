"""Base schemas that drop or refuse unknown names, and suggest similar ones.

`service/pipeline/names.py` reports the dropped names.
"""

from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches
from itertools import islice
from typing import Any

from marshmallow import EXCLUDE, INCLUDE, RAISE, Schema, ValidationError

from landform.schemas.fields import CodedMessage

# How similar an unknown name has to be to a known one to be a misspelling of it.
SIMILARITY = 0.7
# By how many letters a misspelt name may differ, and how many names of a request are compared.
MOST_LETTERS, MOST_COMPARED = 2, 100


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the most similar known name, if there is one."""
    return next(iter(get_close_matches(name.lower(), known, 1, SIMILARITY)), None)


def is_misspelt(name: str, known: Iterable[str]) -> bool:
    """Return whether a name differs by one or two letters from a known name."""
    match = nearest(name, known) or ""
    steps = SequenceMatcher(None, name.lower(), match).get_opcodes()
    distance = sum(max(b - a, d - c) for kind, a, b, c, d in steps if kind != "equal")
    return bool(match) and distance <= MOST_LETTERS


class Tolerant(Schema):
    """A schema that drops unknown keys."""

    class Meta:
        unknown = EXCLUDE


class Anything(Schema):
    """A query whose parameters are all ignored."""

    class Meta:
        unknown = INCLUDE


class KnownOnly(Tolerant):
    """A schema that refuses unknown keys, and suggests similar ones."""

    class Meta:
        unknown = RAISE

    error_messages = {"unknown": "is unknown here."}

    def handle_error(self, error: ValidationError, data: Any, *, many: bool, **kw: object) -> None:
        """Add the similar name to the messages of unknown names."""
        text: Any = self.error_messages["unknown"]
        messages: dict[str, Any] = error.normalized_messages()  # type: ignore[no-untyped-call]
        for name in islice(messages, MOST_COMPARED):
            similar = nearest(str(name), self.load_fields) if messages[name] == [text] else None
            if similar:
                full = f'{text} Did you mean "{similar}"?'
                has_code = isinstance(text, CodedMessage)
                messages[name][0] = CodedMessage(text.code, full) if has_code else full
