"""Python values as a request carries them, and what a response carries as Python values."""

import json
from collections.abc import Iterator, Mapping, Sequence, Set
from datetime import date
from typing import Any, TypeVar
from urllib.parse import urlencode

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


def if_match(expected: object) -> str:
    """Return the `If-Match` for what a caller has read: an `ETag`, or what has one."""
    return expected if isinstance(expected, str) else etag_of(expected)  # type: ignore[arg-type]


def encode_query(values: Mapping[str, object]) -> str:
    """Return the query string of parameters; None and empty lists, which say nothing, are left out.

    Raises `ApiError` for values that no query can carry.
    """
    pairs = [pair for name, value in values.items() for pair in _pairs(name, value)]
    try:
        return urlencode(pairs)
    except UnicodeEncodeError as error:
        name = next(name for name, text in pairs if not _is_unicode(text))
        raise _refused(name.removesuffix("[]"), "must be valid Unicode.") from error


def encode_body(values: Mapping[str, object]) -> bytes:
    """Return the JSON object of a body; the same for the same fields in whichever order.

    Raises `ApiError` for what JSON cannot express.
    """
    parts = (f"{json.dumps(name)}: {_dumps(name, values[name])}" for name in sorted(values))
    return f"{{{', '.join(parts)}}}".encode()


def decode(response: Response) -> Any:
    """Return what a response carries: text where it is not JSON, None where it is empty."""
    body = response.get_data()
    if not (body and response.is_json):
        return body.decode() or None
    value = json.loads(body)
    headers = response.headers
    if isinstance(value, dict):
        document = Document(value)
        document.etag = headers.get("ETag")
        return document
    if isinstance(value, list):
        listed: Listed[Any] = Listed(value)
        listed.total = int(headers.get("X-WP-Total", len(value)))
        listed.total_pages = int(headers.get("X-WP-TotalPages", 1))
        return listed
    return value


def _pairs(name: str, value: object) -> Iterator[tuple[str, str]]:
    if value is None:
        return
    if isinstance(value, (Sequence, Set)) and not isinstance(value, (str, bytes)):
        yield from ((f"{name}[]", _text(name, item)) for item in value)
    else:
        yield name, _text(name, value)


def _text(name: str, value: object) -> str:
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, (str, int)):
        # Not str(): a member of an enumeration says something else there.
        return format(value) if isinstance(value, int) else str.__str__(value)
    raise _refused(name, f"must not be a value of the type {type(value).__name__}.")


def _dumps(name: str, value: object) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain)
        text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise _refused(name, "holds a value that JSON cannot express.") from error
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


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _refused(name: str, text: str) -> ApiError:
    return ApiError(400, INVALID, f"Invalid: {name}.", {"params": {name: f"{name} {text}"}})
