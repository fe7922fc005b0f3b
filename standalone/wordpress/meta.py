"""The seven custom fields of a page: where a site keeps them, and what is read from there."""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from landform.schemas.pages import EMPTY_META
from landform.standalone.wordpress.report import Note, note

PLACES = ("meta", "acf")
CONSTANT = "const:"
FORMS = re.compile(r"(?:meta|acf)(?:\.[^.]+)+|const:.*", re.DOTALL)


class WrongSource(ValueError):
    """A source is none; the text says how one looks."""


class MetaSources:
    """Where each key comes from: as it was given, or as a page lets guess.

    `used` counts the pages by key and source.
    """

    def __init__(self, given: Mapping[str, str]) -> None:
        for key, source in given.items():
            if key not in EMPTY_META:
                raise WrongSource(f"{key} is none of {', '.join(EMPTY_META)}")
            if not FORMS.fullmatch(source):
                raise WrongSource(f"{source} is none of meta.NAME, acf.NAME, const:VALUE")
        self._given = given
        self.used: Counter[tuple[str, str]] = Counter()

    def read(self, page: Mapping[str, Any]) -> tuple[dict[str, Any], frozenset[str], list[Note]]:
        """Return the meta of a page, the keys that the site does not show, and what is to say."""
        meta, unknown, notes = {}, set[str](), list[Note]()
        for key, empty in EMPTY_META.items():
            source = self._source(page, key)
            found, value = _lookup(page, source)
            if not found:
                unknown.add(key)
                notes.append(note("meta-missing", key))
                meta[key] = empty
                continue
            self.used[key, source] += 1
            # ACF shows an empty field as null; registered meta shows so what it cannot show.
            readable, meta[key] = _as_key(key, value)
            if not readable or (value is None and source.startswith("meta.")):
                notes.append(note("meta-unreadable", key))
        return meta, frozenset(unknown), notes

    def lost(self, page: Mapping[str, Any]) -> Iterator[str]:
        """Yield what a page has in its meta that landform has no place for."""
        taken = {key: self._source(page, key) for key in EMPTY_META}
        for place in PLACES:
            for name, value in _fields(page, place).items():
                if name not in EMPTY_META or not _says_same(page, name, taken[name], value):
                    yield from _untaken(f"{place}.{name}", value, taken.values())

    def _source(self, page: Mapping[str, Any], key: str) -> str:
        return self._given.get(key) or _guess(page, key)


def _untaken(path: str, value: Any, taken: Collection[str]) -> Iterator[str]:
    """Yield the field at a path that no key is read from; of a group those beside one that is."""
    if path in taken or _is_empty(value):
        return
    if isinstance(value, dict) and any(one.startswith(f"{path}.") for one in taken):
        for name, inner in value.items():
            yield from _untaken(f"{path}.{name}", inner, taken)
    else:
        yield path


def _says_same(page: Mapping[str, Any], key: str, source: str, value: Any) -> bool:
    """Return whether a field says what is read for a key, as where ACF and meta both show it."""
    return _as_key(key, _lookup(page, source)[1]) == _as_key(key, value)


def _guess(page: Mapping[str, Any], key: str) -> str:
    """Return where a page seems to keep a key: under its name, or one that ends with it.

    One that says something comes first. A group of fields may hold it. Empty where nothing looks
    like it, or several do.
    """
    named = [place for place in PLACES if key in _fields(page, place)]
    if named:
        return f"{min(named, key=lambda place: _is_empty(_fields(page, place)[key]))}.{key}"
    for place in PLACES:
        near = [path for path in _paths(_fields(page, place)) if _is_near(path, key)]
        if len(near) == 1:
            return f"{place}.{near[0]}"
    return ""


def _paths(fields: Mapping[str, Any]) -> Iterator[str]:
    for name, value in fields.items():
        yield name
        if isinstance(value, dict):
            yield from (f"{name}.{inner}" for inner in value)


def _is_near(path: str, key: str) -> bool:
    """Return whether a name ends with a key in whole words: `aFormId` does, `platform_id` not."""
    name = path.rpartition(".")[2]
    words = re.sub(r"([a-z0-9])(?=[A-Z])", r"\1_", name).lower()
    return re.sub(r"[^a-z0-9]+", "_", f"_{words}").endswith(f"_{key}")


def _lookup(page: Mapping[str, Any], source: str) -> tuple[bool, Any]:
    if source.startswith(CONSTANT):
        return True, _constant(source.removeprefix(CONSTANT))
    place, _, path = source.partition(".")
    value: Any = _fields(page, place)
    for name in path.split(".") if path else []:
        if not isinstance(value, dict) or name not in value:
            return False, None
        value = value[name]
    return bool(path), value


def _constant(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _fields(page: Mapping[str, Any], place: str) -> Mapping[str, Any]:
    """Return the fields in a place; PHP shows none as a list."""
    found = page.get(place)
    return found if isinstance(found, dict) else {}


def _as_key(key: str, value: Any) -> tuple[bool, Any]:
    """Return a value as a key holds it, and whether it can."""
    return _as_list(value) if isinstance(EMPTY_META[key], list) else _as_text(value)


def _as_text(value: Any) -> tuple[bool, str]:
    if value is None or value is False or value in ([], {}):
        return True, ""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, (str, int, float)):
        return True, "1" if value is True else str(value)
    return False, ""


def _as_list(value: Any) -> tuple[bool, list[Any]]:
    if isinstance(value, list):
        kept = [item for item in value if item is not None]
        return len(kept) == len(value), kept
    if isinstance(value, dict) and value and all(name.isdecimal() for name in value):
        # A list of PHP whose numbers have gaps.
        return _as_list([*value.values()])
    return True, [] if _is_empty(value) else [value]


def _is_empty(value: Any) -> bool:
    """Return whether nothing is in a value, at any depth."""
    if isinstance(value, dict):
        return all(_is_empty(item) for item in value.values())
    if isinstance(value, list):
        return all(_is_empty(item) for item in value)
    return value in (None, False, "") or (value == 0 and not isinstance(value, bool))
