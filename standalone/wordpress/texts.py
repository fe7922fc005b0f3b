"""What is done with characters that no database holds."""

import re
from contextlib import suppress
from typing import Any

import orjson

# The character NUL, and halves of others.
UNSTORABLE = re.compile("[\0\ud800-\udfff]")
# How JSON writes it.
NUL = rb"\u0000"


def storable(value: Any) -> Any:
    """Return a value whose texts no database refuses: itself, mostly."""
    with suppress(TypeError):
        if NUL not in orjson.dumps(value):
            return value
    return _replaced(value)


def _replaced(value: Any) -> Any:
    if isinstance(value, str):
        return UNSTORABLE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_replaced(key): _replaced(item) for key, item in value.items()}
    return [_replaced(item) for item in value] if isinstance(value, list) else value
