"""`Api`: the operations on one store as methods, for scripts, workers, tests and a host's views."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Literal, Self, Unpack, overload

from flask import Request

from landform.service.auth.credentials import Identity
from landform.service.errors import ApiError, from_known
from landform.service.http.contract import Route
from landform.service.http.request import ServiceContext
from landform.service.python import shapes
from landform.service.python.caller import OperationCaller, targets
from landform.service.python.operations import Operations
from landform.storage import StorageError

# Whoever calls, unless it is said otherwise: the host's own code.
OWN = Identity("python")
# The most pages that a list returns at once.
CHUNK = 100
# The arguments of a list that say which pages may be shown, and how, but not which are found.
SHOWN = frozenset({"context", "status", "_fields"})


class Api(Operations):
    """Every operation of the HTTP API as a method, with the same rules, results and errors.

    Any thread may use it, inside a Flask request or without one. The caller has every scope, unless
    `as_caller` names another one. What HTTP answers with an error raises `ApiError`.
    """

    def __init__(self, caller: OperationCaller) -> None:
        self._caller = caller
        self._call = caller

    def as_caller(self, identity: Identity | None) -> "Api":
        """Return the same for another caller, with what that may do; None: an anonymous one."""
        if not isinstance(identity, Identity | None):
            raise TypeError("as_caller() takes an Identity, or None for an anonymous caller.")

        def authorizer(request: Request) -> Identity | None:
            return identity

        service = replace(self._caller.service, authorizer=authorizer)
        return Api(self._caller.with_service(service))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Let the calls inside be one write: all of them, or none if an exception leaves it.

        Others wait with their writes meanwhile. Inside another one it is a part of that.
        """
        store = self._caller.service.store
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
        """Yield every page that `list_pages` would list, read as the loop goes on.

        Which pages and their order is decided at the first one, so that the loop may change and
        delete them. Those that are gone when their turn comes, or not in such a list any longer,
        are left out.
        """
        if refused := query.keys() & {"page", "per_page", "offset"}:
            raise TypeError(f"iter_pages() has no argument {min(refused)!r}.")
        ids = self._ids(query)
        shown = {name: query[name] for name in query.keys() & SHOWN}
        for start in range(0, len(ids), CHUNK):
            part = {"include": ids[start : start + CHUNK], "orderby": "include"}
            yield from self._call("list_pages", (), {**shown, **part, "per_page": CHUNK})

    def _ids(self, query: Mapping[str, Any]) -> list[int]:
        """Return the ids of every page of a list, in its order."""
        paging = {**query, "per_page": CHUNK, "_fields": "id", "context": "view"}
        found = self._call("list_pages", (), paging)
        ids: dict[int, None] = dict.fromkeys(item["id"] for item in found)
        for page in range(2, found.total_pages + 1):
            try:
                found = self._call("list_pages", (), {**paging, "page": page})
            except ApiError as error:
                # Somebody has deleted so many meanwhile.
                if error.code == "rest_post_invalid_page_number":
                    break
                raise
            ids.update(dict.fromkeys(item["id"] for item in found))
        return list(ids)

    def close(self) -> None:
        """Close the connections of the store; a database in memory is gone then."""
        self._caller.service.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def make_api(
    service: ServiceContext, routes: Iterable[Route], locate: Callable[[], str | None]
) -> Api:
    """Return the API of a service; `locate` returns the URL below which that is, or None."""
    caller = OperationCaller(service, targets(routes), locate)
    return Api(caller).as_caller(OWN)
