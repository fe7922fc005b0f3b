"""The types of what the methods take and return, for annotations: their code is in a stub."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from landform.service.python.operations import *  # noqa: F403
else:

    def __getattr__(name: str) -> Any:
        """Return what stands for a type when a program runs."""
        if name.startswith("_"):
            raise AttributeError(name)
        return dict[str, Any]
