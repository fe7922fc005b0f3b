"""The errors of parts, which have their own codes in the API."""

from collections.abc import Mapping
from types import ModuleType
from typing import ClassVar

from landform.storage.errors import StorageError


class PartError(StorageError):
    """An error of a part, with its code and status in the API; its docstring is the meaning.

    `reason` is a sentence that follows it.
    """

    code: ClassVar[str]
    status: ClassVar[int]

    def __init__(self, details: Mapping[str, object] | None = None, reason: str = "") -> None:
        super().__init__(f"{self.meaning()} {reason}".rstrip(), details)

    @classmethod
    def meaning(cls) -> str:
        """Return the meaning of the code, in a sentence."""
        return " ".join((cls.__doc__ or "").split())


def part_error(code: str, status: int, meaning: str) -> type[PartError]:
    """Return the class of an error of a part; `meaning`: a sentence for clients."""
    return type(code, (PartError,), {"code": code, "status": status, "__doc__": meaning})


def errors_in(module: ModuleType) -> tuple[type[PartError], ...]:
    """Return the errors of a part that its module defines."""
    names = (value for value in vars(module).values() if isinstance(value, type))
    return tuple(
        value for value in names if issubclass(value, PartError) and hasattr(value, "code")
    )
