"""The seven custom fields of a page: where a site stores them, and their values."""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from itertools import accumulate
from typing import Any

from landform.parts.moving_in.wordpress.report import Note, note
from landform.parts.moving_in.wordpress.values import UNREADABLE
from landform.schemas.pages import EMPTY_META

CONSTANT = "const:"
SOURCE = re.compile(r"(?:meta|acf)(?:\.[^.]+)+|const:.*", re.DOTALL)


class MetaSources:
    """The source of each key, by the options or guessed for each page.

    `used` counts the pages by key and source. Raises `ValueError` for an invalid source.
    """

    def __init__(self, sources: Mapping[str, str]) -> None:
        for key, source in sources.items():
            if key not in EMPTY_META:
                raise ValueError(f"{key} is none of {', '.join(EMPTY_META)}")
            if not SOURCE.fullmatch(source):
                raise ValueError(f"{source} is none of meta.NAME, acf.NAME, const:VALUE")
        self._sources = sources
        constants = [source for source in sources.values() if source.startswith(CONSTANT)]
        self._constants = {text: _constant(text.removeprefix(CONSTANT)) for text in constants}
        self.used: Counter[tuple[str, str]] = Counter()

    def read(self, page: Mapping[str, Any]) -> tuple[dict[str, Any], frozenset[str], list[Note]]:
        """Return the meta of a page, the keys that the site does not show, and notes."""
        meta, unknown, notes = {**EMPTY_META}, set[str](), list[Note]()
        fields = dict(_fields(page))
        sources = {key: self._sources.get(key) or _guess(fields, key) for key in EMPTY_META}
        values = fields | self._constants
        for key, source in sources.items():
            if source not in values:
                unknown.add(key)
                notes.append(note("meta-missing", key))
                continue
            value = values[source]
            self.used[key, source] += not page.get("is_repeated")
            is_readable, meta[key] = _as_key(key, value)
            # Registered meta of another type is null; in ACF null is an empty field.
            if not is_readable or (value is None and source.startswith("meta.")):
                notes.append(note("meta-unreadable", key))
        notes += [note("lost", path) for path in _lost_fields(fields, meta, sources.values())]
        return meta, frozenset(unknown), notes


def _fields(page: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a page with their paths, including those in groups."""
    groups = [(path, page.get(path)) for path in ("meta", "acf")]
    for path, group in groups:
        # An empty group of PHP is a list.
        for name, value in group.items() if isinstance(group, dict) else ():
            yield f"{path}.{name}", value
            groups.append((f"{path}.{name}", value))


def _lost_fields(
    fields: Mapping[str, Any], meta: Mapping[str, Any], sources: Collection[str]
) -> Iterator[str]:
    """Yield the paths of fields that landform does not store, of a whole group if possible."""
    handled = set(sources)
    for path, value in fields.items():
        # The field itself, and the groups that it is in.
        outer = accumulate(path.split("."), lambda group, name: f"{group}.{name}")
        if not handled.isdisjoint(outer) or _is_empty(value):
            continue
        name = path.partition(".")[2]
        # ACF and meta may show the same value.
        if name in EMPTY_META and _as_key(name, value)[1] == meta[name]:
            handled.add(path)
        elif not any(source.startswith(f"{path}.") for source in sources):
            handled.add(path)
            yield path


def _guess(fields: Mapping[str, Any], key: str) -> str:
    """Return the path of the field with the name of a key, or an empty text.

    A field that is not empty comes first. One in a group counts if it is the only one.
    """
    paths = [path for path in fields if path.rpartition(".")[2] == key]
    direct = [path for path in paths if path.count(".") == 1]
    candidates = direct or (paths if len(paths) == 1 else [])
    return min(candidates, key=lambda path: _is_empty(fields[path]), default="")


def _constant(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _as_key(key: str, value: Any) -> tuple[bool, Any]:
    """Return whether a value can be stored, and the value of its key."""
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
    if isinstance(value, dict) and value and all(name.isdecimal() for name in value):
        # A list of PHP with gaps in its numbers.
        value = [*value.values()]
    if isinstance(value, list):
        items = [item for item in value if item not in (None, UNREADABLE)]
        return len(items) == len(value), items
    if value is UNREADABLE:
        return False, []
    return True, [] if _is_empty(value) else [value]


def _is_empty(value: Any) -> bool:
    """Return whether a value is empty at any depth."""
    if isinstance(value, (dict, list)):
        return all(map(_is_empty, value.values() if isinstance(value, dict) else value))
    return value in (None, False, "")
