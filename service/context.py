"""What the requests of one blueprint share."""

from dataclasses import dataclass

from landform.service.auth.credentials import Authorizer
from landform.service.auth.throttling import Throttle
from landform.service.http.limits import Limits
from landform.service.http.response_cache import ResponseCache
from landform.storage import Store


@dataclass(frozen=True)
class ServiceContext:
    """What the calls of one blueprint share: its store, who may call, and its settings."""

    store: Store
    authorizer: Authorizer
    public_url: str | None
    max_body_bytes: int
    throttle: Throttle
    require_if_match: bool
    cors_origins: frozenset[str]
    limits: Limits
    cache: ResponseCache
    local_mode: bool
