"""The types of arguments and results, for annotations: their code is in a stub."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from landform.service.python.operations import *  # noqa: F403
else:

    def __getattr__(name: str) -> Any:
        """Return a dictionary type, which replaces each type at run time."""
        if name.startswith("_"):
            raise AttributeError(name)
        return dict[str, Any]
