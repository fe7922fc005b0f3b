"""The blueprint: every route, and what its requests share, made from the options."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from inspect import signature
from typing import ParamSpec, TypeVar

from flask import Blueprint

from landform.service import feeds, pages, whoami
from landform.service.auth.credentials import CredentialAuthorizer
from landform.service.auth.throttling import Throttle
from landform.service.context import ServiceContext
from landform.service.http.request import WP_JSON_PATHS
from landform.service.http.response_cache import ResponseCache
from landform.service.http.routing import METHODS, Operation, make_view, not_found_view
from landform.service.openapi import docs
from landform.service.options import Options
from landform.service.stores import new_store

PAGES, FEEDS = WP_JSON_PATHS
P = ParamSpec("P")
T = TypeVar("T")

# Path, prefix of the same in WordPress and Gravity Forms, and what each method does there.
ROUTES: list[tuple[str, str, dict[str, Operation]]] = [
    ("/pages", PAGES, {"GET": pages.list_pages, "POST": pages.create_page}),
    (
        "/pages/<page_id>",
        PAGES,
        {
            "GET": pages.get_page,
            "POST": pages.update_page,
            "PUT": pages.update_page,
            "PATCH": pages.update_page,
            "DELETE": pages.delete_page,
        },
    ),
    ("/whoami", "", {"GET": whoami.whoami}),
    ("/feeds", FEEDS, {"GET": feeds.list_feeds, "POST": feeds.create_feed}),
    (
        "/feeds/<feed_id>",
        FEEDS,
        {
            "GET": feeds.get_feed,
            "PUT": feeds.update_feed,
            "PATCH": feeds.patch_feed,
            "DELETE": feeds.delete_feed,
        },
    ),
    ("/feeds/<feed_id>/properties", FEEDS, {"PUT": feeds.update_properties}),
    (
        "/forms/<form_id>/feeds",
        FEEDS,
        {"GET": feeds.list_form_feeds, "POST": feeds.create_form_feed},
    ),
    ("/openapi.json", "", {"GET": docs.description}),
    ("/docs", "", {"GET": docs.page}),
    ("/docs/docs.css", "", {"GET": docs.style}),
    ("/docs/docs.js", "", {"GET": docs.script}),
    ("/docs/docs.svg", "", {"GET": docs.icon}),
]


class Landform(Blueprint):
    """The blueprint, and what its requests share."""

    def __init__(self, name: str, service: ServiceContext) -> None:
        super().__init__(name, __name__)
        self.service = service


def _takes(options: Callable[P, Options]) -> Callable[[Callable[[Options], T]], Callable[P, T]]:
    """Let a function of options take them as arguments, as their class does, for editors too."""

    def decorate(function: Callable[[Options], T]) -> Callable[P, T]:
        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            return function(options(*args, **kwargs))

        returned = signature(function).return_annotation
        shown = signature(options).replace(return_annotation=returned)
        call.__signature__ = shown  # type: ignore[attr-defined]
        return call

    return decorate


@_takes(Options)
def create_blueprint(options: Options) -> Landform:
    """Return a blueprint that serves the pages and feeds of one database, brought up to date.

    The arguments are the fields of `landform.service.options.Options`; the first is the URL of
    the database, and nothing else is required. Raises `storage.DatabaseUnusable` where the
    database cannot be opened, and `ValueError` for an option that is out of bounds.
    """
    return make_blueprint(options)


def make_blueprint(options: Options) -> Landform:
    """Return the blueprint with these options, as `create_blueprint`."""
    service = _make_context(options)
    blueprint = Landform(options.name, service)
    for path, peer_path, operations in ROUTES:
        view = make_view(service, path, operations)
        for rule in (path, peer_path + path) if options.wp_json_paths and peer_path else (path,):
            blueprint.add_url_rule(
                rule, re.sub(r"\W+", "_", rule).strip("_"), view, methods=METHODS,
                strict_slashes=False, provide_automatic_options=False,
            )  # fmt: skip
    blueprint.record(_claim_prefix)
    return blueprint


def _make_context(options: Options) -> ServiceContext:
    """Open the store, and make what looks after requests."""
    store = new_store(options)
    store.open(create=options.create_database)
    given = options.credentials or {}
    return ServiceContext(
        replace(
            options,
            public_url=options.public_url.rstrip("/") if options.public_url else None,
            cors_origins=frozenset(options.cors_origins),
        ),
        store,
        options.authorizer or CredentialAuthorizer(store, given, options.local_mode),
        Throttle(store, options.failed_attempts_per_minute),
        ResponseCache(store, options.cache_bytes),
    )


def _claim_prefix(state: object) -> None:
    """Respond for every other path below the prefix of the blueprint, where it has one."""
    prefix = getattr(state, "url_prefix", None)
    if prefix and prefix.strip("/"):
        add = state.add_url_rule  # type: ignore[attr-defined]
        for rule in ("/", "/<path:rest>"):
            add(rule, f"nowhere_{len(rule)}", not_found_view, methods=METHODS, strict_slashes=False,
                provide_automatic_options=False)  # fmt: skip
