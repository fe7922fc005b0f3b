"""Names as PHP's clients send them: `x=1`, `x[]=1&x[]=2`, `x[0]=1`, `meta[form_id]=7`."""

import re
from collections.abc import Iterable
from typing import Any

NAME = re.compile(r"([^\[\]]+)((?:\[[^\[\]]*\])*)")
PART = re.compile(r"\[([^\[\]]*)\]")
MAX_PARTS = 5


def nested(pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Return the parameters of a query or a form; brackets make lists and objects.

    Lists are those whose keys are empty or count from 0. A plain name given twice keeps its last
    value.
    """
    root: dict[str, Any] = {}
    for name, value in pairs:
        found = NAME.fullmatch(name)
        if not found:
            root[name] = value
            continue
        keys = [found[1], *PART.findall(found[2])]
        if len(keys) <= MAX_PARTS:
            _put(root, keys, value)
    return {name: _lists(value) for name, value in root.items()}


def _put(target: dict[str, Any], keys: list[str], value: str) -> None:
    *path, last = keys
    for name in path:
        key = name or str(len(target))
        if not isinstance(target.get(key), dict):
            target[key] = {}
        target = target[key]
    target[last or str(len(target))] = value


def _lists(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if all(key == str(place) for place, key in enumerate(value)):
        return [_lists(item) for item in value.values()]
    return {key: _lists(item) for key, item in value.items()}
