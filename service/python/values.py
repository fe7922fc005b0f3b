"""Python values as JSON has them, and what the methods return: JSON that knows a little more."""

import json
from collections.abc import Mapping, Sequence, Set
from datetime import date
from typing import Any, TypeVar

from flask import Response

from landform.service.errors import INVALID, ApiError

T = TypeVar("T")


class Document(dict[str, Any]):
    """A page or a feed: a dictionary that also knows its `etag`; None where it has none."""

    etag: str | None = None


class Listed(list[T]):
    """A list, or a part of one: of `total` items on `total_pages` pages of results."""

    total: int = 0
    total_pages: int = 1


def etag_of(document: Mapping[str, Any]) -> str:
    """Return the `ETag` of a page or a feed that one of the methods returned.

    Raises `TypeError` for anything else; items of lists have none.
    """
    etag = getattr(document, "etag", None)
    if etag is None:
        raise TypeError("This has no ETag: take what a get, create or update returned.")
    return str(etag)


def encode(name: str, value: object) -> str:
    """Return the value of an argument as JSON. Raises `ApiError` for what JSON cannot express."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain)
        text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        problem = f"{name} holds a value that JSON cannot express."
        raise ApiError(400, INVALID, f"Invalid: {name}.", {"params": {name: problem}}) from error
    return text


def _plain(value: object) -> object:
    """Return as a JSON value what is as good as one."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (Sequence, Set)) and not isinstance(value, (bytes, bytearray)):
        return list(value)
    raise TypeError


def decode(response: Response) -> Any:
    """Return what the methods return of a response."""
    value, headers = json.loads(response.get_data()), response.headers
    if isinstance(value, dict):
        value = Document(value)
        value.etag = headers.get("ETag")
    elif isinstance(value, list):
        value = Listed(value)
        value.total = int(headers.get("X-WP-Total", len(value)))
        value.total_pages = int(headers.get("X-WP-TotalPages", 1))
    return value
