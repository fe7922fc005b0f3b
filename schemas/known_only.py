"""Objects whose unknown keys are refused: a misspelt one would change what happens."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from marshmallow import RAISE, Schema, ValidationError

from landform.schemas.fields import CodedMessage

NEAR = 0.7


def nearest(name: str, *known: Iterable[str]) -> str | None:
    """Return which name was probably meant: of the first names, else of the next ones."""
    near = (match for names in known for match in get_close_matches(name.lower(), names, 1, NEAR))
    return next(near, None)


class KnownOnly(Schema):
    """An object that has no other keys than the fields of its schema."""

    class Meta:
        unknown = RAISE

    error_messages = {"unknown": "is unknown here."}

    def handle_error(
        self, error: ValidationError, data: Mapping[str, Any], *, many: bool, **kw: object
    ) -> None:
        """Say of each unknown key what was probably meant."""
        unknown = self.error_messages["unknown"]
        for name, messages in error.normalized_messages().items():  # type: ignore[no-untyped-call]
            near = nearest(str(name), self.load_fields) if messages == [unknown] else None
            if near:
                messages[0] = _with_code_of(unknown, f'{unknown} Did you mean "{near}"?')


def _with_code_of(message: str, text: str) -> str:
    return CodedMessage(message.code, text) if isinstance(message, CodedMessage) else text
