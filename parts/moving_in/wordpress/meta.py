"""The seven custom fields of a page: where a site keeps them, and what is read from there."""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from landform.parts.moving_in.wordpress.report import Note, note
from landform.parts.moving_in.wordpress.values import UNREADABLE
from landform.schemas.pages import EMPTY_META

PLACES = ("meta", "acf")
CONSTANT = "const:"
FORMS = re.compile(r"(?:meta|acf)(?:\.[^.]+)+|const:.*", re.DOTALL)


class MetaSources:
    """Where each key comes from: as it was given, or as a page lets guess.

    `used` counts the pages by key and source. Raises `ValueError` for a source that is none.
    """

    def __init__(self, given: Mapping[str, str]) -> None:
        for key, source in given.items():
            if key not in EMPTY_META:
                raise ValueError(f"{key} is none of {', '.join(EMPTY_META)}")
            if not FORMS.fullmatch(source):
                raise ValueError(f"{source} is none of meta.NAME, acf.NAME, const:VALUE")
        self._given = given
        self.used: Counter[tuple[str, str]] = Counter()

    def read(self, page: Mapping[str, Any]) -> tuple[dict[str, Any], frozenset[str], list[Note]]:
        """Return the meta of a page, the keys that the site does not show, and what is to say."""
        meta, unknown, notes = {}, set[str](), list[Note]()
        fields = dict(_fields(page))
        sources = {key: self._given.get(key) or _guess(fields, key) for key in EMPTY_META}
        for key, source in sources.items():
            found, value = source in fields, fields.get(source)
            if source.startswith(CONSTANT):
                found, value = True, _constant(source.removeprefix(CONSTANT))
            if not found:
                unknown.add(key)
                notes.append(note("meta-missing", key))
                meta[key] = EMPTY_META[key]
                continue
            self.used[key, source] += 1
            # ACF shows an empty field as null; registered meta shows so what it cannot show.
            readable, meta[key] = _as_key(key, value)
            if not readable or (value is None and source.startswith("meta.")):
                notes.append(note("meta-unreadable", key))
        notes += [note("lost", path) for path in _lost(fields, meta, sources.values())]
        return meta, frozenset(unknown), notes


def _fields(page: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a page with their paths, also those in groups."""
    # PHP shows an empty group as a list.
    groups = [(place, page.get(place)) for place in PLACES]
    for path, group in groups:
        for name, value in group.items() if isinstance(group, dict) else ():
            yield f"{path}.{name}", value
            groups.append((f"{path}.{name}", value))


def _lost(
    fields: Mapping[str, Any], meta: Mapping[str, Any], sources: Collection[str]
) -> Iterator[str]:
    """Yield what a page has that landform has no place for: whole groups, or what is in them."""
    told = set(sources)
    for path, value in fields.items():
        _, _, name = path.partition(".")
        is_group = any(one.startswith(f"{path}.") for one in sources)
        if path in told or _is_empty(value) or any(path.startswith(f"{one}.") for one in told):
            continue
        # ACF and meta may both show what is read for a key.
        if name in EMPTY_META and _as_key(name, value)[1] == meta[name]:
            told.add(path)
        elif not is_group:
            told.add(path)
            yield path


def _guess(fields: Mapping[str, Any], key: str) -> str:
    """Return where a page keeps a key: under its name, which a group of fields may hold.

    One that says something comes first. Empty where there is none, or several groups hold one.
    """
    named = [path for path in fields if path.rpartition(".")[2] == key]
    near = [path for path in named if path.count(".") == 1] or named[: len(named) == 1]
    return min(near, key=lambda path: _is_empty(fields[path]), default="")


def _constant(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


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
        kept = [item for item in value if item not in (None, UNREADABLE)]
        return len(kept) == len(value), kept
    if isinstance(value, dict) and value and all(name.isdecimal() for name in value):
        # A list of PHP whose numbers have gaps.
        return _as_list([*value.values()])
    if value is UNREADABLE:
        return False, []
    return True, [] if _is_empty(value) else [value]


def _is_empty(value: Any) -> bool:
    """Return whether nothing is in a value, at any depth."""
    if isinstance(value, dict):
        return all(_is_empty(item) for item in value.values())
    if isinstance(value, list):
        return all(_is_empty(item) for item in value)
    return value in (None, False, "") or (value == 0 and not isinstance(value, bool))
