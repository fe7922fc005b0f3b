"""Names that a request may hold: what an operation loads, and what its responses show.

Clients write back what they have read, so names of responses are known too. All others are
dropped when the schemas load, and whoever sent them is told (`service/http/ignored.py`).
"""

from collections.abc import Callable, Iterable, Mapping
from difflib import SequenceMatcher, get_close_matches
from itertools import islice
from typing import Any

from marshmallow import EXCLUDE, RAISE, Schema, ValidationError

from landform.schemas.fields import AnyField, CodedMessage, Constant, Ignored, Nested, RawText

# How alike a name has to be to one that is known to be taken for it.
NEAR = 0.7
# How many letters a misspelt name may be away, and how many names of a request are compared.
MOST_LETTERS, MOST_COMPARED = 2, 100
# Where a name stands: `("meta", "_yoast_title")`.
Path = tuple[str, ...]
# Returns where in the value of a field there is something that is dropped: `()` for all of it.
Find = Callable[[Any], list[Path]]


class KnownNames:
    """The names that an object in a request may have.

    `loaded` is the schema that loads the object, `shown` are those of objects that a client may
    have read, and `also` and `prefixes` are names, and beginnings of names, that no schema has.
    """

    def __init__(
        self,
        loaded: Schema | None,
        shown: Iterable[Schema] = (),
        also: Iterable[str] = (),
        prefixes: tuple[str, ...] = (),
    ) -> None:
        taken: dict[str, Any] = loaded.load_fields if loaded else {}
        read: dict[str, list[Any]] = {}
        for name, field in (item for schema in shown for item in schema.fields.items()):
            read.setdefault(name, []).append(field)
        # Other schemas keep what is unknown, or refuse it in their own words.
        self._drops = loaded is None or loaded.unknown == EXCLUDE
        self._names, self._prefixes = frozenset({*taken, *read, *also}), prefixes
        looks = {name: _look(taken.get(name), read.get(name, ())) for name in {**taken, **read}}
        self._looks = {name: look for name, look in looks.items() if look}
        self.needs = {name: one.needs for name, one in taken.items() if one.needs}
        self.meant = [*also, *(path for name in taken for path in _meant(name, taken[name]))]

    def dropped(self, data: Any) -> list[Path]:
        """Return where in an object, as it was sent, there is something that is dropped."""
        found: list[Path] = []
        if not isinstance(data, Mapping):
            return found
        if self._drops and not data.keys() <= self._names:
            unknown = (name for name in data if name not in self._names)
            found = [(name,) for name in unknown if not name.startswith(self._prefixes)]
        for name, other in self.needs.items():
            if name in data and other not in data:
                found.append((name,))
        for name, look in self._looks.items():
            if name in data:
                found += [(name, *path) for path in look(data[name])]
        return found


def _look(field: AnyField | None, read: Iterable[AnyField]) -> Find | None:
    """Return what looks into a field; None where nothing in it can be dropped."""
    kinds = (one.kind for one in read)
    inner = [kind() for kind in kinds if isinstance(kind, type) and issubclass(kind, Schema)]
    if isinstance(field, Nested):
        return KnownNames(field.schema, inner).dropped
    if isinstance(field, RawText):
        return KnownNames(None, inner, also=("raw",)).dropped
    if isinstance(field, Ignored):
        return None if field.only is None else _unless(field.only)
    if field is not None:
        return None
    if inner:
        known = KnownNames(None, inner)
        # An object that is only read: any other value than one is dropped.
        return lambda value: (
            known.dropped(value) if isinstance(value, Mapping) or not value else [()]
        )
    constants = [one.constant for one in read if isinstance(one, Constant)]
    return _unless(constants) if constants else None


def _unless(constants: Iterable[object]) -> Find:
    """Return what lets pass a value that says nothing: a constant, as a form sends it too."""
    known = {None, *constants}
    texts = {str(one) for one in known if one is not None}

    def look(value: Any) -> list[Path]:
        is_plain = value is None or isinstance(value, (str, int, float))
        return [] if is_plain and (value in known or str(value) in texts) else [()]

    return look


def _meant(name: str, field: AnyField) -> list[str]:
    if isinstance(field, Ignored):
        return []
    inner = field.schema.load_fields if isinstance(field, Nested) else ()
    return [name, *(f"{name}.{key}" for key in inner)]


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
