"""`Api`: the operations on one store as Python methods."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, Self, overload

from flask import has_request_context, request

from landform.service.auth.credentials import Access, Identity
from landform.service.call import Incoming, Service
from landform.service.errors import ApiError, from_known
from landform.service.operations import Operation, Route, path_variables
from landform.service.pipeline import read_variables, run
from landform.service.python.calls import read_arguments, read_headers, to_python
from landform.service.python.operations import Operations
from landform.storage import StorageError

if TYPE_CHECKING:
    from typing import Unpack

    from landform.service.python import operations as shapes

# The name of the host's own code as a caller.
HOST = "python"
# The start of links if no other URL is known.
DEFAULT_URL = "http://localhost"
# How many pages a list returns at most.
PER_PAGE = 100
# The arguments of a list that apply again when its pages are read by their ids.
READ_ARGUMENTS = frozenset({"context", "status", "_fields"})


class Api(Operations):
    """The operations of the HTTP API as methods, with the same results and errors.

    Any thread may use it, inside a Flask request or without one. The caller has every scope, unless
    `as_caller` names another one. Errors are raised as `ApiError`. `locate` returns the URL of the
    service; None if it is not known.
    """

    def __init__(
        self, service: Service, locate: Callable[[], str | None], identity: Identity | None
    ) -> None:
        self._parts = service.options.part_types
        self._service, self._locate, self._identity = service, locate, identity

    def as_caller(self, identity: Identity | None) -> Api:
        """Return an `Api` for another caller; None is an anonymous one."""
        if not isinstance(identity, Identity | None):
            raise TypeError("as_caller() takes an Identity, or None for an anonymous caller.")
        return Api(self._service, self._locate, identity)

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

    @overload
    def iter_pages(
        self, *, context: Literal["view"] = "view", **query: Unpack[shapes.ListPages]
    ) -> Iterator[shapes.PageView]: ...
    @overload
    def iter_pages(
        self, *, context: Literal["embed"], **query: Unpack[shapes.ListPages]
    ) -> Iterator[shapes.PageEmbed]: ...
    @overload
    def iter_pages(
        self, *, context: Literal["edit"], **query: Unpack[shapes.ListPages]
    ) -> Iterator[shapes.PageEdit]: ...
    def iter_pages(self, **query: Any) -> Iterator[Any]:
        """Yield every page of a list, which is read while the loop goes on.

        The pages and their order are decided at the start, so the loop may change and delete them.
        Pages that were deleted since, or are not in the list any longer, are left out.
        """
        if refused := query.keys() & {"page", "per_page", "offset"}:
            raise TypeError(f"iter_pages() has no argument {min(refused)!r}.")
        ids = self._ids(query)
        arguments: Any = {name: query[name] for name in query.keys() & READ_ARGUMENTS}
        for start in range(0, len(ids), PER_PAGE):
            arguments |= {"include": ids[start : start + PER_PAGE], "orderby": "include"}
            yield from self.list_pages(**arguments, per_page=PER_PAGE)

    def _ids(self, query: Mapping[str, Any]) -> list[int]:
        """Return the ids of every page of a list, in its order."""
        paging: Any = {**query, "per_page": PER_PAGE, "_fields": "id", "context": "view"}
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

    def _call(self, route: Route, operation: Operation, arguments: dict[str, Any]) -> Any:
        """Carry out an operation, and return its result as Python values; raises `ApiError`."""
        service = self._service
        base_url = (None if service.options.public_url else self._locate()) or DEFAULT_URL
        try:
            names = path_variables(route.path)
            ids = read_variables({name: str(arguments.pop(name)) for name in names})
            url = base_url + route.path
            for name, number in ids.items():
                url = url.replace(f"<{name}>", str(number))
            query, body = read_arguments(operation, arguments, service.options.max_body_bytes)
            method, headers, access = operation.methods[0], read_headers(arguments), self._access()
            incoming = Incoming(method, url, base_url, headers, access, query, body)
            with service.store.connection():
                return to_python(run(service, operation, incoming, ids))
        except Exception as error:
            known = from_known(error)
            if known is None:
                raise
            for parameter, text in known.params.items():
                known.add_note(f"{parameter}: {text}")
            raise known from (error.__cause__ if known is error else error)

    def _access(self) -> Access:
        """Return the access of the caller; wrong passwords count for the visitor of a request."""
        address = request.remote_addr if has_request_context() else None
        attempts = self._service.attempts
        return Access(lambda: self._identity, attempts, address or "", is_by_host=True)
