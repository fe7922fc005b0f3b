"""The service: a Flask blueprint with every operation, and the Python API.

Host applications need `create_blueprint`, scripts need `open_api`.
"""

from landform.service.auth.credentials import Authorizer, Identity, Rejected
from landform.service.errors import ApiError
from landform.service.events import (
    event_signal,
    feed_created,
    feed_deleted,
    feed_reordered,
    feed_updated,
    page_created,
    page_deleted,
    page_published,
    page_restored,
    page_trashed,
    page_unpublished,
    page_updated,
    store_imported,
    store_restored,
)
from landform.service.factories import create_blueprint, open_api
from landform.service.python.api import Api
from landform.service.python.calls import etag_of

__all__ = [
    "Api",
    "ApiError",
    "Authorizer",
    "Identity",
    "Rejected",
    "create_blueprint",
    "etag_of",
    "event_signal",
    "feed_created",
    "feed_deleted",
    "feed_reordered",
    "feed_updated",
    "open_api",
    "page_created",
    "page_deleted",
    "page_published",
    "page_restored",
    "page_trashed",
    "page_unpublished",
    "page_updated",
    "store_imported",
    "store_restored",
]
