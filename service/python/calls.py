"""Calls of operations without HTTP: the arguments of a method stand for what a client sends."""

import json
from io import BytesIO
from typing import Any
from urllib.parse import unquote, urlsplit

import flask
from flask import Request, has_request_context

from landform.service.errors import ApiError, from_known
from landform.service.http.contract import Contract, Operation, Route, path_variables
from landform.service.http.request import ApiRequest, ServiceContext
from landform.service.http.routing import run_operation
from landform.service.json_codec import JsonObject
from landform.service.python.values import decode, encode, etag_of

# Arguments that are a header in HTTP.
HEADERS = frozenset({"if_match", "idempotency_key"})


def call(
    service: ServiceContext, base_url: str, route: Route, operation: Operation, given: JsonObject
) -> Any:
    """Return what an operation responds to the arguments that are given, as Python values.

    `base_url`: below which the service is. Raises `ApiError` for what HTTP has an error for.
    """
    try:
        ids = {name: _id(name, given.pop(name)) for name in path_variables(route.path)}
        url = base_url + route.path
        for name, number in ids.items():
            url = url.replace(f"<{name}>", str(number))
        request = _request(service, url, operation.contract, given)
        with service.store.connection():
            return decode(run_operation(operation, request, ids))
    except Exception as error:
        known = from_known(error)
        if known is None:
            raise
        for parameter, text in known.params.items():
            known.add_note(f"{parameter}: {text}")
        raise known from (None if known is error else error)


def _id(name: str, value: object) -> int:
    text = str(value)
    if not (text.isascii() and text.isdigit()):
        raise ApiError(404, "rest_no_route", f"{name} must be a whole number from 0.")
    # No column holds more than 19 digits.
    return int(text[:20])


def _request(
    service: ServiceContext, url: str, contract: Contract, given: JsonObject
) -> ApiRequest:
    """Return the request that the arguments stand for: its query is theirs, and is not parsed."""
    in_body = contract.body.load_fields.keys() if contract.body else set()
    in_body -= contract.query.load_fields.keys() if contract.query else set()
    values = {name: encode(name, given[name]) for name in given.keys() - HEADERS}
    fields = ", ".join(f'"{name}": {values.pop(name)}' for name in sorted(in_body & values.keys()))
    body = f"{{{fields}}}".encode() if contract.body else b""
    parts = urlsplit(url)
    environ = {
        "REQUEST_METHOD": contract.methods.split()[0],
        "wsgi.url_scheme": parts.scheme,
        "HTTP_HOST": parts.netloc,
        "PATH_INFO": unquote(parts.path).encode(errors="replace").decode("latin-1"),
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
    query = {name: _as_sent(json.loads(value)) for name, value in values.items()}
    request.query = {name: value for name, value in query.items() if value not in (None, [])}
    return request


def _as_sent(value: Any) -> Any:
    """Return a value as a query has it, which knows no numbers."""
    if isinstance(value, list):
        return [_as_sent(item) for item in value]
    return str(int(value)) if isinstance(value, int) else value
