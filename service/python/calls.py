"""Calls of operations without HTTP: Python values stand for what a client sends and receives."""

import json
from collections.abc import Mapping, Sequence, Set
from datetime import date
from io import BytesIO
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

import flask
from flask import Request, Response, has_request_context
from marshmallow import ValidationError

from landform.service.errors import from_known
from landform.service.http.contract import Contract, Operation, Route, path_variables
from landform.service.http.input import wsgi_text
from landform.service.http.request import ApiRequest, ServiceContext
from landform.service.http.routing import numbers, run_operation
from landform.service.json_codec import JsonObject, dumps

# Arguments that are a header in HTTP.
HEADERS = frozenset({"if_match", "idempotency_key"})
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


def call(
    service: ServiceContext, base_url: str, route: Route, operation: Operation, given: JsonObject
) -> Any:
    """Return what an operation responds to the arguments that are given, as Python values.

    `base_url`: below which the service is. Raises `ApiError` for what HTTP has an error for.
    """
    try:
        names = path_variables(route.path)
        ids = numbers({name: str(given.pop(name)) for name in names}, names)
        url = base_url + route.path
        for name, number in ids.items():
            url = url.replace(f"<{name}>", str(number))
        request = _request(service, url, operation.contract, given)
        with service.store.connection():
            return _decode(run_operation(operation, request, ids))
    except Exception as error:
        known = from_known(error)
        if known is None:
            raise
        for parameter, text in known.params.items():
            known.add_note(f"{parameter}: {text}")
        raise known from (None if known is error else error)


def _request(
    service: ServiceContext, url: str, contract: Contract, given: JsonObject
) -> ApiRequest:
    """Return the request that the arguments stand for: its query is theirs, and is not parsed."""
    in_body = contract.body.load_fields.keys() if contract.body else set()
    in_body -= contract.query.load_fields.keys() if contract.query else set()
    values = {name: _as_json(name, given[name]) for name in given.keys() - HEADERS}
    sent = {name: values.pop(name) for name in sorted(in_body & values.keys())}
    body = dumps(sent) if contract.body else b""
    parts = urlsplit(url)
    environ = {
        "REQUEST_METHOD": contract.methods.split()[0],
        "wsgi.url_scheme": parts.scheme,
        "HTTP_HOST": parts.netloc,
        "PATH_INFO": wsgi_text(unquote(parts.path)),
        "REMOTE_ADDR": flask.request.remote_addr if has_request_context() else None,
        "CONTENT_TYPE": "application/json" if body else "",
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": BytesIO(body),
        # What landform would ignore is a mistake in a program.
        "HTTP_PREFER": "handling=strict",
    }
    if (expected := given.get("if_match")) is not None:
        environ["HTTP_IF_MATCH"] = expected if isinstance(expected, str) else etag_of(expected)
    if (key := given.get("idempotency_key")) is not None:
        environ["HTTP_IDEMPOTENCY_KEY"] = str(key)
    request = ApiRequest(Request(environ), service, contract)
    query = {name: _as_sent(value) for name, value in values.items()}
    request.query = {name: value for name, value in query.items() if value not in (None, [])}
    return request


def _as_sent(value: Any) -> Any:
    """Return a value as a query has it, which knows no numbers."""
    if isinstance(value, list):
        return [_as_sent(item) for item in value]
    return str(int(value)) if isinstance(value, int) else value


def _as_json(name: str, value: object) -> Any:
    """Return an argument as JSON gives it back; `ValidationError` for what it cannot express."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain)
        return json.loads(text.encode())
    except (TypeError, ValueError, RecursionError) as error:
        message = f"{name} holds a value that JSON cannot express."
        raise ValidationError(message, name) from error


def _plain(value: object) -> object:
    """Return as a JSON value what is as good as one."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (Sequence, Set)) and not isinstance(value, (bytes, bytearray)):
        return list(value)
    raise TypeError


def _decode(response: Response) -> Any:
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
