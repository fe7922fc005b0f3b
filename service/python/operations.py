"""The operations as methods, made from their contracts; `operations.pyi` has their types."""

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any

from landform.schemas.fields import Ignored
from landform.service import batch, events, feeds, pages, previews, revisions, runs, webhooks
from landform.service.discovery.resources import WHOAMI
from landform.service.http.contract import Contract, Operation, Route, all_routes, path_variables
from landform.service.site import unsaved

SINGLE = (
    pages.RESOURCE,
    previews.RESOURCE,
    unsaved.RESOURCE,
    revisions.RESOURCE,
    revisions.RESTORE_RESOURCE,
    WHOAMI,
    feeds.RESOURCE,
    runs.RESOURCE,
    events.RESOURCE,
    webhooks.RESOURCE,
)
RESOURCES = (*SINGLE, batch.resource(SINGLE))


class Operations:
    """Every operation of the HTTP API as a method, which `_call` carries out."""


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


for _route in all_routes(RESOURCES):
    for _operation in _route.operations.values():
        setattr(Operations, _operation.name, _method(_route, _operation))
