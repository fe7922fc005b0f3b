"""The operations as methods, made from their contracts; `operations.pyi` has their types."""

from collections.abc import Callable, Iterable
from inspect import Parameter, Signature
from typing import Any, Protocol

from landform.schemas.fields import Ignored
from landform.service import feeds, form_feeds, pages, previews, runs, whoami
from landform.service.http.contract import Contract, Operation, Route, all_routes, path_variables

RESOURCES = (
    pages.RESOURCE, previews.RESOURCE, whoami.RESOURCE, feeds.RESOURCE, form_feeds.RESOURCE,
    runs.RESOURCE,
)  # fmt: skip


class Call(Protocol):
    """What calls an operation with the arguments that were given, those of its path included."""

    def __call__(self, route: Route, operation: Operation, given: dict[str, Any]) -> Any:
        """Return what the operation responds."""


class Operations:
    """Every operation of the HTTP API as a method."""

    _call: Call


def keyword_arguments(contract: Contract) -> list[str]:
    """Return the arguments of an operation beside the ids in its path."""
    schemas = filter(None, (contract.query, contract.body))
    fields = [(name, one) for schema in schemas for name, one in schema.load_fields.items()]
    names = [name for name, one in fields if not isinstance(one, Ignored)]
    names += ["_fields"]
    names += ["if_match"] if contract.if_match else []
    names += ["idempotency_key"] if contract.creates else []
    return list(dict.fromkeys(names))


def _method(route: Route, operation: Operation) -> Callable[..., Any]:
    ids, contract = path_variables(route.path), operation.contract
    signature = Signature(
        [
            *(Parameter(name, Parameter.POSITIONAL_ONLY) for name in ("self", *ids)),
            *(
                Parameter(name, Parameter.KEYWORD_ONLY, default=None)
                for name in keyword_arguments(contract)
            ),
        ]
    )

    def method(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        return given.pop("self")._call(route, operation, given)

    scope = f" It needs the scope {contract.scope}." if contract.scope else ""
    method.__name__ = method.__qualname__ = operation.name
    method.__signature__ = signature  # type: ignore[attr-defined]
    method.__doc__ = (
        f"{operation.view.__doc__}\n\nThis is `{contract.methods.split()[0]} {route.path}`.{scope}"
    )
    return method


def _add_methods(routes: Iterable[Route]) -> None:
    for route in routes:
        for operation in route.operations.values():
            setattr(Operations, operation.name, _method(route, operation))


_add_methods(all_routes(RESOURCES))
