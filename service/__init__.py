"""The HTTP service: a Flask blueprint with every operation on pages and feeds.

`create_blueprint` is all that a host application needs.
"""

import re
from collections.abc import Iterable, Mapping

from flask import Blueprint

from landform.service import feeds, pages, whoami
from landform.service.auth.credentials import Authorizer, CredentialAuthorizer, Identity, Rejected
from landform.service.auth.throttling import Throttle
from landform.service.context import ServiceContext
from landform.service.http.limits import Limits
from landform.service.http.operations import METHODS, all_routes
from landform.service.http.response_cache import ResponseCache
from landform.service.http.routing import make_view, not_found_view
from landform.service.openapi import docs
from landform.storage import Clock, Store

__all__ = ["Authorizer", "Identity", "Limits", "Rejected", "create_blueprint"]

MAX_BODY_BYTES = 4 * 1024 * 1024
FAILED_ATTEMPTS_PER_MINUTE = 60
CACHE_BYTES = 16 * 1024 * 1024
POSTGRES_TIMEOUT = 15.0
SEARCH_TIMEOUT = 1.0

RESOURCES = (pages.RESOURCE, whoami.RESOURCE, feeds.RESOURCE)
ROUTES = all_routes((*RESOURCES, docs.resource(RESOURCES)))


class Landform(Blueprint):
    """The blueprint, and what its requests share."""

    def __init__(self, name: str, service: ServiceContext) -> None:
        super().__init__(name, __name__)
        self.service = service


def create_blueprint(
    database_url: str,
    *,
    name: str = "landform",
    authorizer: Authorizer | None = None,
    credentials: Mapping[str, str] | None = None,
    timezone: str = "UTC",
    public_url: str | None = None,
    max_body_bytes: int = MAX_BODY_BYTES,
    failed_attempts_per_minute: int = FAILED_ATTEMPTS_PER_MINUTE,
    require_if_match: bool = False,
    cors_origins: Iterable[str] = (),
    limits: Limits | None = None,
    sqlite_synchronous: str = "FULL",
    sqlite_busy_timeout: float = 10.0,
    postgres_timeout: float = POSTGRES_TIMEOUT,
    create_database: bool = True,
    store_identity: str | None = None,
    search_timeout: float = SEARCH_TIMEOUT,
    cache_bytes: int = CACHE_BYTES,
    peer_paths: bool = False,
    local_mode: bool = True,
) -> "Landform":
    """Return a blueprint that serves the pages and feeds of one database, brought up to date.

    `name` tells two blueprints of one host apart. `authorizer` looks at a request and says who it
    is; without one, `credentials` (names to secrets) are asked for by HTTP Basic, and without
    those only direct requests from this machine are answered, and none with `local_mode=False`,
    which a host behind a proxy should set. `timezone` is an IANA name,
    `public_url` what the links of pages start with, `max_body_bytes` the largest body, `limits`
    bound the rest; an address may fail `failed_attempts_per_minute` times, `require_if_match`
    makes every write conditional, pages of `cors_origins` may read the answers;
    `sqlite_busy_timeout` seconds a write waits for others, and `postgres_timeout` a statement for
    a server's answer; for `search_timeout` seconds the database may work for one list that
    searches or filters; `create_database` says whether one that is not there is created, or
    requests get a 503 until it is; with `store_identity` that store alone is served, and none is
    created; a process keeps at most `cache_bytes` of answers, 0 for none;
    with `peer_paths` the paths of the peers are served too.
    Raises `storage.DatabaseUnusable` where the database cannot be opened.
    """
    store = Store(
        database_url,
        Clock(timezone),
        synchronous=sqlite_synchronous,
        busy_timeout=sqlite_busy_timeout,
        answer_timeout=postgres_timeout,
        search_timeout=search_timeout,
        identity=store_identity,
    )
    store.open(create=create_database)
    service = ServiceContext(
        store,
        authorizer or CredentialAuthorizer(store, credentials or {}, local_mode),
        public_url.rstrip("/") if public_url else None,
        max_body_bytes,
        Throttle(store, failed_attempts_per_minute),
        require_if_match,
        frozenset(cors_origins),
        limits or Limits(),
        ResponseCache(store, cache_bytes),
        local_mode,
    )
    blueprint = Landform(name, service)
    for route in ROUTES:
        view = make_view(service, route)
        for rule in route.rules if peer_paths else (route.path,):
            blueprint.add_url_rule(
                rule, re.sub(r"\W+", "_", rule).strip("_"), view, methods=METHODS,
                strict_slashes=False, provide_automatic_options=False,
            )  # fmt: skip
    blueprint.record(_claim_prefix)
    return blueprint


def _claim_prefix(state: object) -> None:
    """Answer for every other address below the blueprint's prefix, where it has one."""
    prefix = getattr(state, "url_prefix", None)
    if prefix and prefix.strip("/"):
        add = state.add_url_rule  # type: ignore[attr-defined]
        for rule in ("/", "/<path:rest>"):
            add(rule, f"nowhere_{len(rule)}", not_found_view, methods=METHODS, strict_slashes=False,
                provide_automatic_options=False)  # fmt: skip
