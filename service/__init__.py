"""The service: a Flask blueprint with every operation, and the Python API in its `api`."""

from landform.service.auth.credentials import Authorizer as Authorizer
from landform.service.auth.credentials import Identity as Identity
from landform.service.auth.credentials import Rejected as Rejected
from landform.service.blueprint import create_blueprint as create_blueprint
from landform.service.events import event_signal as event_signal
from landform.service.events import feed_created as feed_created
from landform.service.events import feed_deleted as feed_deleted
from landform.service.events import feed_reordered as feed_reordered
from landform.service.events import feed_updated as feed_updated
from landform.service.events import page_created as page_created
from landform.service.events import page_deleted as page_deleted
from landform.service.events import page_published as page_published
from landform.service.events import page_restored as page_restored
from landform.service.events import page_trashed as page_trashed
from landform.service.events import page_unpublished as page_unpublished
from landform.service.events import page_updated as page_updated
from landform.service.events import store_imported as store_imported
from landform.service.events import store_restored as store_restored
from landform.service.pipeline.errors import ApiError as ApiError
from landform.service.python_api import Api as Api
from landform.service.python_api import etag_of as etag_of
