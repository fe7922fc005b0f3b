"""The operations as methods, derived from their declarations.

`operations.pyi` has the types of the methods, for editors and type checkers.
"""

from collections.abc import Callable
from functools import cache
from inspect import Parameter, Signature
from types import MethodType
from typing import Any

from landform.schemas.fields import Ignored
from landform.service.operations import Operation, Route, all_routes, path_variables
from landform.service.python.calls import HEADER_ARGUMENTS, takes_any_name
from landform.service.resources import Parts, all_resources


@cache
def operations(parts: Parts) -> dict[str, tuple[Route, Operation]]:
    """Return the operations with those of parts, and their routes, by the names of methods."""
    return {
        operation.name: (route, operation)
        for route in all_routes(all_resources(parts))
        for operation in route.operations.values()
    }


class Operations:
    """Every operation of the HTTP API as a method, which `_call` carries out."""

    _parts: Parts = ()

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Return the method of an operation."""
        if name not in operations(self._parts):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return MethodType(_method(*operations(self._parts)[name]), self)

    def __dir__(self) -> list[str]:
        """Return the names of all methods."""
        return sorted({*super().__dir__(), *operations(self._parts)})


def keyword_arguments(operation: Operation) -> list[str]:
    """Return the keyword arguments of an operation: all but the ids in its path."""
    schemas = filter(None, (operation.query, operation.body))
    fields = [item for schema in schemas for item in schema.load_fields.items()]
    names = [name for name, field in fields if not isinstance(field, Ignored)]
    names += ["_fields"]
    names += ["if_match"] if operation.if_match else []
    names += ["idempotency_key"] if operation.takes_idempotency_key else []
    return list(dict.fromkeys(names))


@cache
def _method(route: Route, operation: Operation) -> Callable[..., Any]:
    """Return the function of a method, with its signature and docstring."""
    positional = ("self", *path_variables(route.path))
    keywords = keyword_arguments(operation)
    others = [Parameter("others", Parameter.VAR_KEYWORD)] if takes_any_name(operation) else []
    signature = Signature(
        [
            *(Parameter(name, Parameter.POSITIONAL_ONLY) for name in positional),
            *(Parameter(name, Parameter.KEYWORD_ONLY, default=None) for name in keywords),
            *others,
        ]
    )

    def method(*args: Any, **kwargs: Any) -> Any:
        arguments = signature.bind(*args, **kwargs).arguments
        more = arguments.pop("others", {})
        if headers := more.keys() & HEADER_ARGUMENTS:
            raise TypeError(f"{operation.name}() has no argument {min(headers)!r}.")
        # The ids in the path win.
        arguments = {**more, **arguments}
        return arguments.pop("self")._call(route, operation, arguments)

    scope = f" It needs the scope {operation.scope}." if operation.scope else ""
    method.__name__ = method.__qualname__ = operation.name
    method.__signature__ = signature  # type: ignore[attr-defined]
    method.__doc__ = (
        f"{operation.view.__doc__}\n\nThis is `{operation.methods[0]} {route.path}`.{scope}"
    )
    return method
