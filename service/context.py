"""What the requests of one blueprint share."""

from dataclasses import dataclass

from landform.service.auth.credentials import Authorizer
from landform.service.auth.throttling import Throttle
from landform.service.http.response_cache import ResponseCache
from landform.service.options import Options
from landform.storage import Store


@dataclass(frozen=True)
class ServiceContext:
    """The options of one blueprint, and what was made of them."""

    options: Options
    store: Store
    authorizer: Authorizer
    throttle: Throttle
    cache: ResponseCache
    # The slugs that give a page no address of its own; None where visitors are not served.
    reserved_slugs: frozenset[str] | None = None
