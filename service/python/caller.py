"""Calls of operations without HTTP: through the same routes, with everything that belongs to them.

A call is a request that no server has received. It takes the way of all requests from there: the
contract, the scopes, the schemas, the response cache, storage and the serializers.
"""

from collections.abc import Callable, Iterable, Mapping
from io import BytesIO
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

import flask
from flask import Request, has_request_context

from landform.service.errors import from_known
from landform.service.http.contract import Contract, Operation, Route, path_variables
from landform.service.http.request import ServiceContext
from landform.service.http.routing import RouteView
from landform.service.python.values import decode, encode_body, encode_query, if_match

# Where links start if nobody says where else.
NOWHERE = "http://localhost"
# The arguments that every operation takes beside those of its schemas.
OF_EVERY_OPERATION = frozenset({"_fields"})


class Target(NamedTuple):
    """An operation by its name: where it is, and what its arguments are."""

    route: Route
    operation: Operation
    method: str
    query: frozenset[str]
    body: frozenset[str]


def targets(routes: Iterable[Route]) -> dict[str, Target]:
    """Return every operation of some routes by the name of its view."""
    return {
        operation.name: _target(route, operation)
        for route in routes
        for operation in route.operations.values()
    }


def _target(route: Route, operation: Operation) -> Target:
    contract = operation.contract
    query = frozenset(contract.query.load_fields if contract.query else ())
    body = frozenset(contract.body.load_fields if contract.body else ())
    method = contract.methods.split()[0]
    return Target(route, operation, method, query | OF_EVERY_OPERATION, body)


class OperationCaller:
    """Calls the operations of a service, as the caller that its authorizer names.

    `locate` returns the URL below which the service is; None where that is not known.
    """

    def __init__(
        self,
        service: ServiceContext,
        found: Mapping[str, Target],
        locate: Callable[[], str | None],
    ) -> None:
        self.service, self._targets, self._locate = service, found, locate
        self._views = {
            name: RouteView(service, target.route) for name, target in self._targets.items()
        }

    def with_service(self, service: ServiceContext) -> "OperationCaller":
        """Return what calls the same operations of another service context."""
        return OperationCaller(service, self._targets, self._locate)

    def __call__(
        self, name: str, path: tuple[int | str, ...], arguments: Mapping[str, object]
    ) -> Any:
        """Return what an operation responds, as Python values.

        `path`: the ids in its path. Raises `ApiError` for what HTTP has an error for, and
        `TypeError` for an argument that the operation does not have.
        """
        target = self._targets[name]
        variables = {
            variable: str(value)
            for variable, value in zip(path_variables(target.route.path), path, strict=True)
        }
        try:
            request = Request(self._environ(target, variables, arguments))
            return decode(self._views[name].run(request, variables))
        except Exception as error:
            known = from_known(error)
            if known is None:
                raise
            for parameter, text in known.params.items():
                known.add_note(f"{parameter}: {text}")
            raise known from (None if known is error else error)

    def _environ(
        self, target: Target, variables: Mapping[str, str], arguments: Mapping[str, object]
    ) -> dict[str, Any]:
        """Return the request as WSGI has it."""
        headers, query, body = _sorted_out(target, arguments)
        base = urlsplit(self._base_url())
        sent = encode_body(body) if target.operation.contract.body else b""
        path = target.route.path
        for name, value in variables.items():
            path = path.replace(f"<{name}>", value)
        return {
            "REQUEST_METHOD": target.method,
            "SCRIPT_NAME": _as_wsgi(unquote(base.path)),
            "PATH_INFO": _as_wsgi(path),
            "QUERY_STRING": encode_query(query),
            "HTTP_HOST": base.netloc,
            "REMOTE_ADDR": flask.request.remote_addr if has_request_context() else None,
            "CONTENT_TYPE": "application/json" if sent else "",
            "CONTENT_LENGTH": str(len(sent)) if sent else "",
            "wsgi.url_scheme": base.scheme,
            "wsgi.input": BytesIO(sent),
            # What landform would ignore is a mistake in a program.
            "HTTP_PREFER": "handling=strict",
            **headers,
        }

    def _base_url(self) -> str:
        url = None if self.service.options.public_url else self._locate()
        return url or NOWHERE


def _as_wsgi(path: str) -> str:
    """Return a path as WSGI has it: each byte of its UTF-8 as a character."""
    return path.encode(errors="replace").decode("latin-1")


def _sorted_out(
    target: Target, arguments: Mapping[str, object]
) -> tuple[dict[str, str], dict[str, object], dict[str, object]]:
    """Return the headers, the query and the body of a request with these arguments."""
    headers: dict[str, str] = {}
    query: dict[str, object] = {}
    body: dict[str, object] = {}
    for name, value in arguments.items():
        if name in target.query:
            query[name] = value
        elif name in target.body:
            body[name] = value
        elif name in header_arguments(target.operation.contract):
            if value is not None:
                headers |= HEADERS[name](value)
        else:
            what = f"{target.operation.name}() has no argument {name!r}."
            raise TypeError(what)
    return headers, query, body


def header_arguments(contract: Contract) -> list[str]:
    """Return the arguments that a request has in a header: those for conditions and repetition."""
    return [*["if_match"] * bool(contract.if_match), *["idempotency_key"] * contract.creates]


HEADERS: Mapping[str, Callable[[Any], dict[str, str]]] = {
    "if_match": lambda value: {"HTTP_IF_MATCH": if_match(value)},
    "idempotency_key": lambda value: {"HTTP_IDEMPOTENCY_KEY": str(value)},
}
