"""Arguments of Python methods as the parts of a call, and replies as Python values."""

import json
from collections.abc import Mapping, Sequence, Set
from datetime import date
from typing import Any, TypeVar

from marshmallow import INCLUDE, ValidationError

from landform.service.json_codec import JsonObject, dumps
from landform.service.loading import check_size, read_json
from landform.service.operations import Operation
from landform.service.reply import Finished

# Arguments that are headers in HTTP.
HEADER_ARGUMENTS = frozenset({"if_match", "idempotency_key"})
T = TypeVar("T")


class Document(dict[str, Any]):
    """A page or a feed: a dictionary with an `etag`, which may be None."""

    etag: str | None = None


class Listed(list[T]):
    """A page of results of a list with `total` items on `total_pages` pages."""

    total: int = 0
    total_pages: int = 1


def etag_of(document: Mapping[str, Any]) -> str:
    """Return the `ETag` of a page or a feed that one of the methods returned.

    Raises `TypeError` for other values, such as items of lists.
    """
    etag = getattr(document, "etag", None)
    if etag is None:
        raise TypeError("This has no ETag: take what a get, create or update returned.")
    return str(etag)


def takes_any_name(operation: Operation) -> bool:
    """Return whether the body may have any names, such as `input_1`."""
    return operation.body is not None and operation.body.unknown == INCLUDE


def read_arguments(
    operation: Operation, arguments: JsonObject, most_bytes: int
) -> tuple[JsonObject, JsonObject]:
    """Return the query and the body for arguments; the body has the bounds of a request."""
    in_query = operation.query.load_fields.keys() if operation.query else set()
    in_body = (operation.body.load_fields.keys() if operation.body else set()) - in_query
    names = arguments.keys() - HEADER_ARGUMENTS
    if takes_any_name(operation):
        in_body |= names - in_query - {"_fields"}
    values = {name: _as_json(name, arguments[name]) for name in names}
    raw = dumps({name: values.pop(name) for name in sorted(in_body & names)})
    check_size(len(raw), most_bytes)
    query = {name: _as_query(value) for name, value in values.items() if value not in (None, [])}
    return query, read_json(raw)


def read_headers(arguments: JsonObject) -> dict[str, str]:
    """Return the headers for arguments."""
    # An unknown name is a mistake in a program.
    headers = {"Prefer": "handling=strict"}
    if (if_match := arguments.get("if_match")) is not None:
        headers["If-Match"] = if_match if isinstance(if_match, str) else etag_of(if_match)
    if (key := arguments.get("idempotency_key")) is not None:
        headers["Idempotency-Key"] = str(key)
    return headers


def _as_query(value: Any) -> Any:
    """Return a value for a query, in which numbers are texts."""
    if isinstance(value, list):
        return [_as_query(item) for item in value]
    return str(int(value)) if isinstance(value, int) else value


def _as_json(name: str, value: object) -> Any:
    """Return an argument as JSON has it; raises `ValidationError` if that is not possible."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain)
        return json.loads(text.encode())
    except (TypeError, ValueError, RecursionError) as error:
        message = f"{name} holds a value that JSON cannot express."
        raise ValidationError(message, name) from error


def _plain(value: object) -> object:
    """Convert a date, a mapping or a sequence to a JSON value."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (Sequence, Set)) and not isinstance(value, (bytes, bytearray)):
        return list(value)
    raise TypeError


def to_python(finished: Finished) -> Any:
    """Return the Python value of a reply."""
    value, headers = json.loads(finished.body), finished.headers
    if isinstance(value, dict):
        value = Document(value)
        value.etag = headers.get("ETag")
    elif isinstance(value, list):
        value = Listed(value)
        value.total = int(headers.get("X-WP-Total", len(value)))
        value.total_pages = int(headers.get("X-WP-TotalPages", 1))
    return value
