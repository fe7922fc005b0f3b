"""`Api`: the operations on one store as methods, for scripts, workers, tests and a host's views."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, Self, overload

from landform.service.auth.credentials import Identity
from landform.service.call import Service
from landform.service.errors import ApiError, from_known
from landform.service.operations import Operation, Route
from landform.service.python.calls import call
from landform.service.python.operations import Operations
from landform.storage import StorageError

if TYPE_CHECKING:
    from typing import Unpack

    from landform.service.python import operations as shapes

# Whoever calls, unless it is said otherwise: the host's own code.
OWN = Identity("python")
# Where links start if nobody says where else.
NOWHERE = "http://localhost"
# The most pages that a list returns at once.
CHUNK = 100
# The arguments of a list that say which pages may be shown, and how, but not which are found.
SHOWN = frozenset({"context", "status", "_fields"})


class Api(Operations):
    """Every operation of the HTTP API as a method, with the same rules, results and errors.

    Any thread may use it, inside a Flask request or without one. The caller has every scope, unless
    `as_caller` names another one. What HTTP answers with an error raises `ApiError`. `locate`
    returns the URL below which the service is; None where that is not known.
    """

    def __init__(
        self,
        service: Service,
        locate: Callable[[], str | None],
        identity: Identity | None = OWN,
    ) -> None:
        self._service, self._locate, self._identity = service, locate, identity

    def as_caller(self, identity: Identity | None) -> Api:
        """Return the same for another caller, with what that may do; None: an anonymous one."""
        if not isinstance(identity, Identity | None):
            raise TypeError("as_caller() takes an Identity, or None for an anonymous caller.")
        return Api(self._service, self._locate, identity)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Let the calls inside be one write: all of them, or none if an exception leaves it.

        Others wait with their writes meanwhile. Inside another one it is a part of that.
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
        """Yield every page that `list_pages` would list, read as the loop goes on.

        Which pages and their order is decided at the first one, so that the loop may change and
        delete them. Those that are gone when their turn comes, or not in such a list any longer,
        are left out.
        """
        if refused := query.keys() & {"page", "per_page", "offset"}:
            raise TypeError(f"iter_pages() has no argument {min(refused)!r}.")
        ids = self._ids(query)
        shown: Any = {name: query[name] for name in query.keys() & SHOWN}
        for start in range(0, len(ids), CHUNK):
            part = ids[start : start + CHUNK]
            yield from self.list_pages(**shown, include=part, orderby="include", per_page=CHUNK)

    def _ids(self, query: Mapping[str, Any]) -> list[int]:
        """Return the ids of every page of a list, in its order."""
        paging: Any = {**query, "per_page": CHUNK, "_fields": "id", "context": "view"}
        found = self.list_pages(**paging)
        ids: dict[int, None] = dict.fromkeys(item["id"] for item in found)
        for page in range(2, found.total_pages + 1):
            try:
                found = self.list_pages(**paging, page=page)
            except ApiError as error:
                # Somebody has deleted so many meanwhile.
                if error.code == "rest_post_invalid_page_number":
                    break
                raise
            ids.update(dict.fromkeys(item["id"] for item in found))
        return list(ids)

    def close(self) -> None:
        """Close the connections of the store; a database in memory is gone then."""
        self._service.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _call(self, route: Route, operation: Operation, arguments: dict[str, Any]) -> Any:
        base_url = None if self._service.options.public_url else self._locate()
        where = base_url or NOWHERE
        return call(self._service, where, self._identity, (route, operation), arguments)
