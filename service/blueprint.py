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
from landform.service.http.operations import METHODS, all_routes
from landform.service.http.response_cache import ResponseCache
from landform.service.http.routing import make_view, not_found_view
from landform.service.openapi import docs
from landform.service.options import Options
from landform.service.stores import new_store

P = ParamSpec("P")
T = TypeVar("T")

RESOURCES = (pages.RESOURCE, whoami.RESOURCE, feeds.RESOURCE)
ROUTES = all_routes((*RESOURCES, docs.resource(RESOURCES)))


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
    for route in ROUTES:
        view = make_view(service, route)
        for rule in route.rules if options.wp_json_paths else (route.path,):
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
