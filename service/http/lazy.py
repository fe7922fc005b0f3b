"""Values that a request computes when they are first asked for."""

from typing import TYPE_CHECKING, Any

__all__ = ["lazy"]

if TYPE_CHECKING:
    from functools import cached_property as lazy
else:

    class lazy:  # noqa: N801 - it is used like a function
        """`functools.cached_property` without the lock that it takes before Python 3.12."""

        def __init__(self, compute: Any) -> None:
            self._compute = compute
            self.__doc__ = compute.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self._name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            """Return the value, and leave it in the instance, where it is found from now on."""
            if instance is None:
                return self
            value = instance.__dict__[self._name] = self._compute(instance)
            return value
