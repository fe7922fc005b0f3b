"""`_fields`: which fields of a response are wanted, nested ones with dots."""

import re

from landform.service.http.json_codec import stored

# A tree of names; an empty one below a name means all that is there.
Fields = dict[str, "Fields"]
MAX_DEPTH = 10


def parse(wanted: object) -> Fields | None:
    """Return the tree of the names in `_fields` (text with commas, or a list); None for all."""
    names = wanted if isinstance(wanted, list) else [wanted]
    names = [part for name in names if isinstance(name, str) for part in re.split(r"[\s,]+", name)]
    tree: Fields = {}
    for name in filter(None, names):
        _add(tree, name.split(".")[:MAX_DEPTH])
    return tree or None


def select(value: object, fields: Fields | None) -> object:
    """Return an object, or each object of a list, with only the fields of the tree."""
    if not fields:
        return value
    value = stored(value)
    if isinstance(value, list):
        return [select(item, fields) for item in value]
    if not isinstance(value, dict):
        return value
    return {name: select(value[name], inner) for name, inner in fields.items() if name in value}


def _add(tree: Fields, path: list[str]) -> None:
    for place, name in enumerate(path):
        if name in tree and not tree[name]:
            # The whole of it was asked for already.
            return
        if place == len(path) - 1:
            tree[name] = {}
        tree = tree.setdefault(name, {})
