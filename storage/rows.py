"""Rows as storage returns them: mappings of columns to values, `meta` as JSON text."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from types import MappingProxyType
from typing import Any, TypeVar

from landform.storage.errors import TextRefused

T = TypeVar("T")
# A row: columns and their values.
Row = dict[str, Any]
# Values by name, to be read only.
Values = Mapping[str, Any]
# Returns a value as JSON; `json.dumps` would create an encoder for each.
json_text = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
NO_VALUES: Values = MappingProxyType({})
MAX_INTEGER = 2**63 - 1
# The keys and items, at any depth, and the bytes of JSON that a meta may have after a merge.
MOST_META_KEYS, MOST_META_BYTES = 5000, 4 << 20


def storable(numbers: Iterable[int]) -> list[int]:
    """Return the numbers that fit into 64 bits, as those of rows do."""
    return [number for number in numbers if abs(number) <= MAX_INTEGER]


def batches(items: Sequence[T], size: int) -> Iterator[list[T]]:
    """Yield items in lists of at most `size`."""
    return ([*items[start : start + size]] for start in range(0, len(items), size))


def digest_of(secret: str) -> str:
    """Return the SHA-256 of a secret, which is stored in its place."""
    return sha256(secret.encode(errors="surrogatepass")).hexdigest()


def levels(value: object) -> Iterator[list[object]]:
    """Yield the values at each depth of a JSON value, which is the only one at the first."""
    level = [value]
    while level:
        yield level
        inner: list[object] = []
        for outer in level:
            if isinstance(outer, (dict, list)):
                inner += outer.values() if isinstance(outer, dict) else outer
        level = inner


def count_keys(value: object) -> int:
    """Return the number of keys and items in a value, at any depth."""
    return sum(map(len, levels(value))) - 1


def check_merged(meta: Row) -> None:
    """Raise `TextRefused` for a meta that several writes have made too large."""
    if count_keys(meta) > MOST_META_KEYS:
        raise TextRefused("meta", f"would have more than {MOST_META_KEYS} keys and items.")
    if len(json_text(meta).encode()) > MOST_META_BYTES:
        raise TextRefused("meta", f"would be larger than {MOST_META_BYTES} bytes.")


def to_columns(values: Row) -> Row:
    """Return columns to write, with `meta` as JSON text if it is one of them."""
    if "meta" not in values:
        return values
    return {**values, "meta": json_text(values["meta"])}
