"""The HTTP service: a Flask blueprint with every operation on pages and feeds.

`create_blueprint` is all that a host application needs.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from landform.service.auth.credentials import Authorizer, Identity, Rejected
    from landform.service.blueprint import create_blueprint
    from landform.service.options import Limits
    from landform.service.planning.planner import plan_feeds

__all__ = ["Authorizer", "Identity", "Limits", "Rejected", "create_blueprint", "plan_feeds"]

# Imported when they are asked for: `landform.service.options` alone needs no web framework.
MODULES = {
    "Authorizer": "auth.credentials",
    "Identity": "auth.credentials",
    "Limits": "options",
    "Rejected": "auth.credentials",
    "create_blueprint": "blueprint",
    "plan_feeds": "planning.planner",
}


def __getattr__(name: str) -> object:
    """Return one of the names above from its module."""
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{MODULES[name]}"), name)
