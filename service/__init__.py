"""The service: a Flask blueprint with every operation on pages and feeds, and methods for them.

`create_blueprint` is all that a host application needs, and `open_api` all that a script does.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from landform.service.auth.credentials import Authorizer as Authorizer
    from landform.service.auth.credentials import Identity as Identity
    from landform.service.auth.credentials import Rejected as Rejected
    from landform.service.blueprint import create_blueprint as create_blueprint
    from landform.service.blueprint import open_api as open_api
    from landform.service.errors import ApiError as ApiError
    from landform.service.events import *  # noqa: F403
    from landform.service.python.api import Api as Api
    from landform.service.python.calls import etag_of as etag_of

# The names of their signals.
EVENTS = [
    "feed_created", "feed_deleted", "feed_reordered", "feed_updated", "page_created",
    "page_deleted", "page_published", "page_restored", "page_trashed", "page_unpublished",
    "page_updated", "run_failed", "run_succeeded", "store_imported", "store_restored",
]  # fmt: skip
# Imported when they are asked for: `landform.service.options` alone needs no web framework.
MODULES = {
    **dict.fromkeys(EVENTS, "events"),
    "Api": "python.api",
    "ApiError": "errors",
    "Authorizer": "auth.credentials",
    "Identity": "auth.credentials",
    "Rejected": "auth.credentials",
    "create_blueprint": "blueprint",
    "etag_of": "python.calls",
    "open_api": "blueprint",
}
__all__ = list(MODULES)


def __getattr__(name: str) -> object:
    """Return one of the names above from its module."""
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{MODULES[name]}"), name)


def __dir__() -> list[str]:
    """Return what there is, imported or not."""
    return __all__
