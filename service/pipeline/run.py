"""The pipeline: the steps of every call, by HTTP, in a batch or from Python.

`complete(load(...))` carries out an operation, while a connection of the store is open. Each step
may raise an error that `from_known` converts.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from functools import lru_cache
from typing import Any

from marshmallow import ValidationError
from werkzeug.http import http_date, parse_etags

from landform.service.pipeline.call import Call, Incoming, Service
from landform.service.pipeline.errors import INVALID, ApiError, api_error, from_known
from landform.service.pipeline.idempotency import once
from landform.service.pipeline.json_codec import dumps
from landform.service.pipeline.loading import load_query, only_fields, parse_fields
from landform.service.pipeline.names import check_names
from landform.service.pipeline.operations import Operation
from landform.service.pipeline.reply import JSON, Finished, Reply, to_uri
from landform.storage import TooLarge
from landform.storage.sql import Precondition, read_generation

# Parameters that make a response smaller.
NARROWING = ("per_page", "include", "addon", "paging", "_field_ids")


def load(
    service: Service, operation: Operation, incoming: Incoming, ids: Mapping[str, Any]
) -> Call:
    """Authorize, check and load a call, and render its texts; nothing is written.

    The view of a `public` operation checks its caller itself.
    """
    if not operation.public:
        incoming.access.require(operation.scope, operation.denied)  # 401, 403
    sent_query = incoming.read_query(operation)  # 400
    sent_body = incoming.read_body(operation) if operation.takes_body else {}  # 400, 413, 415
    strict = service.options.strict
    name_headers = check_names(operation, incoming, sent_query, sent_body, strict=strict)  # 400
    query_schema, body_schema = operation.query, operation.body
    if incoming.is_wordpress:
        query_schema = operation.wordpress_query or query_schema
        body_schema = operation.wordpress_body or body_schema
    with _with_headers(name_headers):
        if_match = None
        if operation.if_match:
            if_match = read_precondition(service, operation, incoming, ids)  # 428
        try:
            query = load_query(query_schema, sent_query) if query_schema else {}
            fields = parse_fields(names) if (names := sent_query.get("_fields")) else None
            if operation.empty_body and not sent_body:
                raise api_error(operation.empty_body)
            body = body_schema.load(sent_body) if body_schema else {}
        except (ApiError, ValidationError) as error:
            known = from_known(error)
            if operation.find_row and known and known.code != INVALID:
                # As in the peers, a missing row is a 404 before an error such as `missing_feed`.
                operation.find_row(service.store, *ids.values())
            raise
        render = operation.render
        rendered = render(body, incoming.access.require()) if render else None  # 400
    return Call(
        service,
        service.store,
        service.options,
        operation,
        incoming,
        incoming.access,
        ids,
        sent_query=sent_query,
        sent_body=sent_body,
        if_match=if_match,
        query=query,
        body=body,
        fields=fields,
        name_headers=name_headers,
        rendered=rendered,
    )


def complete(call: Call) -> Finished:
    """Call the view of a loaded call, and encode its reply."""
    with _with_headers(call.name_headers):
        try:
            if call.operation.is_repeatable_create:
                reply = once(call)
            else:
                reply = call.operation.view(call, **call.ids)
            return encode(call, reply)
        except TooLarge as error:
            schema = call.operation.body or call.operation.query
            names = [name for name in NARROWING if schema and name in schema.load_fields]
            text = (
                f"The response has more than {call.options.max_response_bytes} bytes: ask for less "
                f"by {' or '.join([*names, '_fields'])}."
            )
            params = {[*names, "_fields"][0]: text}
            raise ApiError(400, INVALID, text, {"params": params}) from error


@contextmanager
def _with_headers(headers: Mapping[str, str]) -> Iterator[None]:
    """Add headers to known errors, which are raised as `ApiError`."""
    try:
        yield
    except Exception as error:
        known = from_known(error)
        if known is None:
            raise
        known.headers |= headers
        # As its own cause an error would keep its frames alive, with large bodies.
        if known is error:
            raise
        raise known from error


def read_precondition(
    service: Service, operation: Operation, incoming: Incoming, ids: Mapping[str, Any]
) -> Precondition | None:
    """Return the versions in `If-Match`; None if any version may be written.

    The variant of an entity tag (`Call.etag`) is ignored, so that of any variant can be sent. Weak
    tags count too, since proxies that compress responses weaken tags. Tags of another resource or
    generation have no version.
    """
    if_match = incoming.headers.get("If-Match")
    if if_match is None:
        if service.options.require_if_match:
            raise api_error("rest_precondition_required")
        return None
    tags = parse_etags(if_match)
    if tags.star_tag:
        return None
    # Such as `page17`; `feed` for all feeds of a form, whose path has no id of a feed.
    resource = f"{operation.if_match}{ids.get(f'{operation.if_match}_id', '')}"
    generation = incoming.generation or read_generation(service.store)
    pattern = rf"{re.escape(f'{resource}_{generation}')}\.([0-9]{{1,18}})\.[^.]*"
    # Werkzeug returns None for `""`.
    matches = (re.fullmatch(pattern, tag or "") for tag in tags.as_set(include_weak=True))
    return Precondition(generation, frozenset(int(match[1]) for match in matches if match))


def encode(call: Call, reply: Reply) -> Finished:
    """Encode a reply with the requested `_fields`, or as a 304."""
    headers = {"ETag": reply.etag} if reply.etag else {}
    headers |= {"Cache-Control": "no-store"} if reply.caching.is_secret else {}
    # A view that checks names itself replaces the header of ignored ones.
    headers |= {**call.name_headers, **reply.headers}
    if "Location" in headers:
        headers["Location"] = to_uri(headers["Location"])
    if reply.etag and call.has(reply.etag):
        return Finished(b"", 304, headers, reply.content_type, reply.caching)
    if reply.last_modified:
        headers["Last-Modified"] = _http_date(reply.last_modified)
    chunks = reply.body if isinstance(reply.body, Iterator) else None
    if chunks:
        body = b""
    elif isinstance(reply.body, bytes):
        body = reply.body
    elif reply.content_type == JSON:
        body = dumps(only_fields(reply.body, call.fields) if call.fields else reply.body)
    else:
        body = str(reply.body).encode()
    operation, most_bytes = call.operation, call.options.max_response_bytes
    # `safe`: reads that are sent as a POST.
    is_bounded = operation.safe or (operation.many and operation.is_read)
    if is_bounded and len(body) > most_bytes:
        raise TooLarge
    status = reply.status or operation.status
    return Finished(body, status, headers, reply.content_type, reply.caching, chunks)


@lru_cache(1024)
def _http_date(utc: str) -> str:
    # Werkzeug needs several hundredths of a millisecond for it.
    return http_date(datetime.fromisoformat(utc))


def read_variables(variables: Mapping[str, str]) -> dict[str, Any]:
    """Return the values of the variables in a path; raises a 404 for an id that is not a number."""
    values: dict[str, Any] = {**variables}
    for name, text in variables.items():
        if name.endswith("_id"):
            if not (text.isascii() and text.isdigit()):
                raise ApiError(404, "rest_no_route", f"{name} must be a whole number from 0.")
            # No id has more than 19 digits, and Python limits the digits that it parses.
            values[name] = int(text.lstrip("0")[:20] or "0")
    return values
