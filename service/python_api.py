"""The Python API: the operations of the HTTP API as methods."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from datetime import date
from functools import cache
from inspect import Parameter, Signature
from types import MethodType
from typing import Any, Self

from flask import has_request_context, request
from marshmallow import INCLUDE, ValidationError

from landform.schemas.fields import Ignored
from landform.service.auth.credentials import Access, Identity
from landform.service.pipeline.call import Incoming, Service
from landform.service.pipeline.errors import ApiError, from_known
from landform.service.pipeline.json_codec import JsonObject, dumps
from landform.service.pipeline.loading import check_size, read_json
from landform.service.pipeline.operations import Operation, Route, all_routes, path_variables
from landform.service.pipeline.reply import Finished
from landform.service.pipeline.run import complete, load, read_variables
from landform.service.pipeline.sent_file import from_python
from landform.service.resources import Parts, all_resources
from landform.storage import StorageError

# The name of the host's own code as a caller.
HOST = "python"
# The start of links if no other URL is known.
DEFAULT_URL = "http://localhost"
# How many pages a list returns at most.
PER_PAGE = 100
# The arguments of a list that apply again when its pages are read by their ids.
READ_ARGUMENTS = frozenset({"context", "status", "_fields"})
# Arguments that are headers in HTTP.
HEADER_ARGUMENTS = frozenset({"if_match", "idempotency_key"})


class Document(dict[str, Any]):
    """A page or a feed: a dictionary with an `etag`, which may be None."""

    etag: str | None = None


class Listed(list[Any]):
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


class Api:
    """The operations of the HTTP API as methods, with the same results and errors.

    Any thread may use it, inside a Flask request or without one. The caller has every scope, unless
    `as_caller` names another one. Errors are raised as `ApiError`. `locate` returns the URL of the
    service; None if it is not known.
    """

    def __init__(
        self, service: Service, locate: Callable[[], str | None], identity: Identity | None
    ) -> None:
        self._service, self._locate, self._identity = service, locate, identity
        self._methods = _methods(service.options.part_types)

    def __getattr__(self, name: str) -> Any:
        """Return the method of an operation."""
        # A copy without `__init__` asks for `_methods` too.
        if name.startswith("_") or name not in self._methods:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return MethodType(self._methods[name], self)

    def __dir__(self) -> list[str]:
        """Return the names of all methods."""
        return sorted({*super().__dir__(), *self._methods})

    def as_caller(self, identity: Identity | None) -> Self:
        """Return an `Api` for another caller; None is an anonymous one."""
        if not isinstance(identity, Identity | None):
            raise TypeError("as_caller() takes an Identity, or None for an anonymous caller.")
        return type(self)(self._service, self._locate, identity)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write the calls inside in one transaction; an exception rolls it back.

        Other writers wait meanwhile. An inner transaction is a part of the outer one.
        """
        store = self._service.store
        try:
            with store.connection(), store.transaction():
                yield
        except StorageError as error:
            raise from_known(error) or error from error

    def iter_pages(self, **query: Any) -> Iterator[dict[str, Any]]:
        """Yield every page of a list, which is read while the loop goes on.

        The pages and their order are decided at the start, so the loop may change and delete them.
        Pages that were deleted since, or are not in the list any longer, are left out.
        """
        if refused := query.keys() & {"page", "per_page", "offset"}:
            raise TypeError(f"iter_pages() has no argument {min(refused)!r}.")
        ids = self._ids(query)
        arguments = {name: query[name] for name in query.keys() & READ_ARGUMENTS}
        for start in range(0, len(ids), PER_PAGE):
            arguments |= {"include": ids[start : start + PER_PAGE], "orderby": "include"}
            yield from self.list_pages(**arguments, per_page=PER_PAGE)

    def _ids(self, query: Mapping[str, Any]) -> list[int]:
        """Return the ids of every page of a list, in its order."""
        paging = {**query, "per_page": PER_PAGE, "_fields": "id", "context": "view"}
        pages = self.list_pages(**paging)
        ids: dict[int, None] = dict.fromkeys(item["id"] for item in pages)
        for number in range(2, pages.total_pages + 1):
            try:
                pages = self.list_pages(**paging, page=number)
            except ApiError as error:
                # Pages were deleted meanwhile.
                if error.code == "rest_post_invalid_page_number":
                    break
                raise
            ids.update(dict.fromkeys(item["id"] for item in pages))
        return list(ids)

    def close(self) -> None:
        """Close the connections of the store; a database in memory is gone then."""
        self._service.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _call(self, route: Route, operation: Operation, arguments: JsonObject) -> Any:
        """Carry out an operation, and return its result as Python values; raises `ApiError`."""
        service = self._service
        base_url = (None if service.options.public_url else self._locate()) or DEFAULT_URL
        # The passwords that the visitor of a request gets wrong count for the address.
        address = request.remote_addr if has_request_context() else None
        access = Access(lambda: self._identity, service.attempts, address or "", is_by_host=True)
        try:
            names = path_variables(route.path)
            ids = read_variables({name: str(arguments.pop(name)) for name in names})
            url = base_url + route.path
            for name, number in ids.items():
                url = url.replace(f"<{name}>", str(number))
            headers = _read_headers(arguments)
            sent = arguments.pop(operation.file, None) if operation.is_raw else None
            file = None if sent is None else from_python(operation.file, sent)
            query, body = _read_arguments(operation, arguments, service.options.max_body_bytes)
            method = operation.methods[0]
            incoming = Incoming(method, url, base_url, headers, access, query, body, file=file)
            with service.store.connection():
                return _to_python(complete(load(service, operation, incoming, ids)))
        except Exception as error:
            known = from_known(error)
            if known is None:
                raise
            for parameter, text in known.params.items():
                known.add_note(f"{parameter}: {text}")
            raise known from (error.__cause__ if known is error else error)


@cache
def _methods(parts: Parts) -> dict[str, Callable[..., Any]]:
    """Return a function for each operation of the core and of parts."""
    return {
        operation.name: _method(route, operation)
        for route in all_routes(all_resources(parts))
        for operation in route.operations.values()
    }


def _method(route: Route, operation: Operation) -> Callable[..., Any]:
    """Return the function of an operation, with its signature and docstring."""
    signature = _signature(route, operation)

    def method(*args: Any, **kwargs: Any) -> Any:
        arguments = signature.bind(*args, **kwargs).arguments
        others = arguments.pop("others", {})
        if headers := others.keys() & HEADER_ARGUMENTS:
            raise TypeError(f"{operation.name}() has no argument {min(headers)!r}.")
        # The ids in the path win.
        arguments = {**others, **arguments}
        return arguments.pop("self")._call(route, operation, arguments)

    scope = f" It needs the scope {operation.scope}." if operation.scope else ""
    method.__name__ = method.__qualname__ = operation.name
    method.__signature__ = signature  # type: ignore[attr-defined]
    method.__doc__ = (
        f"{operation.view.__doc__}\n\nThis is `{operation.methods[0]} {route.path}`.{scope}"
    )
    return method


def _signature(route: Route, operation: Operation) -> Signature:
    """Return the ids in the path as positional arguments, all others as keyword arguments."""
    schemas = filter(None, (operation.query, operation.body))
    fields = [item for schema in schemas for item in schema.load_fields.items()]
    names = [name for name, field in fields if not isinstance(field, Ignored)]
    names += [operation.file] if operation.is_raw else []
    names += ["_fields"]
    names += ["if_match"] if operation.if_match else []
    names += ["idempotency_key"] if operation.takes_idempotency_key else []
    ids = ("self", *path_variables(route.path))
    parameters = [Parameter(name, Parameter.POSITIONAL_ONLY) for name in ids]
    for name in dict.fromkeys(names):
        parameters.append(Parameter(name, Parameter.KEYWORD_ONLY, default=None))
    if _takes_any_name(operation):
        parameters.append(Parameter("others", Parameter.VAR_KEYWORD))
    return Signature(parameters)


def _takes_any_name(operation: Operation) -> bool:
    """Return whether the body may have any names, such as `input_1`."""
    return operation.body is not None and operation.body.unknown == INCLUDE


def _read_headers(arguments: JsonObject) -> dict[str, str]:
    """Take the arguments that are headers in HTTP, and return the headers."""
    # An unknown name is a mistake in a program.
    headers = {"Prefer": "handling=strict"}
    if (if_match := arguments.pop("if_match", None)) is not None:
        headers["If-Match"] = if_match if isinstance(if_match, str) else etag_of(if_match)
    if (key := arguments.pop("idempotency_key", None)) is not None:
        headers["Idempotency-Key"] = str(key)
    return headers


def _read_arguments(
    operation: Operation, arguments: JsonObject, most_bytes: int
) -> tuple[JsonObject, JsonObject]:
    """Return the query and the body for arguments; the body has the bounds of a request."""
    in_query = {"_fields", *(operation.query.load_fields if operation.query else ())}
    in_body = {*(operation.body.load_fields if operation.body else ())}
    query, body = {}, {}
    for name, argument in sorted(arguments.items()):
        try:
            text = json.dumps(argument, ensure_ascii=False, allow_nan=False, default=_plain)
            value = json.loads(text.encode())
        except (TypeError, ValueError, RecursionError) as error:
            message = f"{name} holds a value that JSON cannot express."
            raise ValidationError(message, name) from error
        if name not in in_query and (name in in_body or _takes_any_name(operation)):
            body[name] = value
        elif value not in (None, []):
            query[name] = _as_query(value)
    raw = dumps(body)
    check_size(len(raw), most_bytes)
    return query, read_json(raw)


def _as_query(value: Any) -> Any:
    """Return a value for a query, in which numbers are texts."""
    if isinstance(value, list):
        return [_as_query(item) for item in value]
    return str(int(value)) if isinstance(value, int) else value


def _plain(value: object) -> object:
    """Convert a date, a mapping or a sequence to a JSON value."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence | Set) and not isinstance(value, bytes | bytearray):
        return list(value)
    raise TypeError


def _to_python(finished: Finished) -> Any:
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
