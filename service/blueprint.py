"""The blueprint: every route, and what its requests share, made from the options."""

import re
from collections.abc import Callable
from contextlib import suppress
from difflib import get_close_matches
from functools import partial, wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

from flask import Blueprint, current_app, has_app_context, url_for
from flask.blueprints import BlueprintSetupState
from werkzeug.routing import BuildError

from landform.service import console
from landform.service.auth.credentials import CredentialAuthorizer
from landform.service.discovery import index, resources
from landform.service.events import send_signals
from landform.service.http.contract import METHODS, View, all_routes
from landform.service.http.request import ServiceContext
from landform.service.http.responses import ResponseCache
from landform.service.http.routing import RouteView, not_found_view
from landform.service.openapi import docs
from landform.service.options import Options, new_store
from landform.service.python.api import Api
from landform.service.python.operations import RESOURCES
from landform.service.site import sitemap
from landform.service.site.views import SiteViews
from landform.service.webhooks.delivery import Deliverer
from landform.storage.failed_attempts import Attempts

P = ParamSpec("P")
T = TypeVar("T")

ROUTES = all_routes((*RESOURCES, docs.resource(RESOURCES)))
# What is there beside them where clients of WordPress and Gravity Forms come.
DISCOVERY = (resources.RESOURCE,)
WP_JSON_RESOURCES = (*RESOURCES, *DISCOVERY, index.resource((*RESOURCES, *DISCOVERY)))
WP_JSON_ROUTES = all_routes((*WP_JSON_RESOURCES, docs.resource(WP_JSON_RESOURCES)))
ANY_METHOD: Any = {
    "methods": METHODS, "strict_slashes": False, "provide_automatic_options": False,
}  # fmt: skip
# What no slug of a page can hide: the first parts of all routes, and of those of the application.
RESERVED = frozenset(
    {route.path.split("/")[1] for route in WP_JSON_ROUTES}
    | {"wp-json", "healthz", "readyz", "metrics"}
)
SITEMAP, ROBOTS = all_routes([sitemap.RESOURCE]), "/robots.txt"
# The route that is found where the blueprint itself is looked for.
ANCHOR = "/pages"
(HOME,) = all_routes([index.ROOT])


class Landform(Blueprint):
    """The blueprint, and what its requests share; `api` is its operations as Python methods."""

    def __init__(self, name: str, service: ServiceContext) -> None:
        super().__init__(name, __name__)
        self.service = service
        self.api = Api(service, self._url)

    def deliver(self, *, forever: bool = False) -> float | None:
        """Deliver the events that webhooks wait for, and publish due pages; once, or for ever.

        Returns in how many seconds the next attempt is due; None where none is.
        """
        deliverer = Deliverer(self.service)
        return deliverer.run() if forever else deliverer.deliver()

    def _url(self) -> str | None:
        """Return the URL below which the current application has the blueprint, if it tells."""
        if not has_app_context():
            return None
        name = next((name for name, one in current_app.blueprints.items() if one is self), None)
        # A prefix may have variables, and without a request Flask may know no host.
        with suppress(BuildError, RuntimeError):
            return url_for(f"{name}.{_endpoint(ANCHOR)}", _external=True).removesuffix(ANCHOR)
        return None


def _takes(options: Callable[P, Options]) -> Callable[[Callable[[Options], T]], Callable[P, T]]:
    """Let a function of options take them as arguments, as their class does, for editors too."""

    def decorate(function: Callable[[Options], T]) -> Callable[P, T]:
        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            for name in kwargs.keys() - shown.parameters.keys():
                near = get_close_matches(name, shown.parameters, 1)
                meant = f"; did you mean {near[0]!r}?" if near else ""
                raise TypeError(f"{function.__name__}() has no option {name!r}{meant}")
            return function(options(*args, **kwargs))

        returned = signature(function).return_annotation
        shown = signature(options).replace(return_annotation=returned)
        call.__signature__ = shown  # type: ignore[attr-defined]
        return call

    return decorate


@_takes(Options)
def open_api(options: Options) -> Api:
    """Return the Python API of one database, brought up to date; close it, or use it in `with`.

    The arguments, and what it raises, are those of `create_blueprint`.
    """
    return Api(_make_context(options), lambda: None)


@_takes(Options)
def create_blueprint(options: Options) -> Landform:
    """Return a blueprint that serves the pages and feeds of one database, brought up to date.

    The arguments are the fields of `landform.service.options.Options`; the first is the URL of
    the database, and nothing else is required. Raises `storage.DatabaseUnusable` where the
    database cannot be opened, and `ValueError`, with the name of the option, for a value that it
    cannot have.
    """
    return make_blueprint(options)


def make_blueprint(options: Options) -> Landform:
    """Return the blueprint with these options, as `create_blueprint`."""
    service = _make_context(options)
    blueprint = Landform(options.name, service)
    send_signals(service, blueprint)
    wp_json = options.wp_json_paths
    routes = [*(WP_JSON_ROUTES if wp_json else ROUTES)]
    if options.console:
        routes += all_routes([console.resource()])
    if options.site:
        routes += [route for route in SITEMAP if options.root_page or route.path != ROBOTS]
    for route in routes:
        view = RouteView(service, route)
        for rule in route.rules if wp_json else [route.path]:
            blueprint.add_url_rule(rule, _endpoint(rule), view, **ANY_METHOD)
    at_root: View = index.make_root_view(RouteView(service, HOME)) if wp_json else not_found_view
    visitors = SiteViews(service) if options.site else None
    at_root = visitors.at_root(at_root) if visitors else at_root
    blueprint.record(partial(_claim_prefix, at_root, visitors, options))
    return blueprint


def _endpoint(rule: str) -> str:
    """Return the name that Flask has for a route."""
    return re.sub(r"\W+", "_", rule).strip("_")


def _make_context(options: Options) -> ServiceContext:
    """Open the store, and make what looks after requests."""
    store = new_store(options)
    store.open(create=options.create_database)
    given = options.credentials or {}
    reserved = RESERVED | {"console"} if options.console else RESERVED
    return ServiceContext(
        options,
        store,
        options.authorizer or CredentialAuthorizer(store, given, options.local_mode),
        Attempts(store, options.failed_attempts_per_minute),
        ResponseCache(store, options.cache_bytes),
        reserved if options.site else None,
    )


def _claim_prefix(
    root: View, visitors: SiteViews | None, options: Options, state: BlueprintSetupState
) -> None:
    """Respond for the root, for pages, and for every other path below the prefix of the blueprint.

    Where it has no prefix, the root and other paths are the host's, unless the blueprint is all
    that there is; its own routes come before pages.
    """
    has_prefix, owns_root = bool((state.url_prefix or "").strip("/")), options.root_page
    if options.home_page and not (has_prefix or owns_root):
        raise ValueError("home_page needs root_page=True where the blueprint has no prefix")
    if visitors:
        by_slug = partial(visitors.by_slug, has_prefix or owns_root)
        state.add_url_rule("/<slug>/", "site", by_slug, **ANY_METHOD)
    if has_prefix or owns_root:
        state.add_url_rule("/", "root", root, **ANY_METHOD)
    if has_prefix:
        state.add_url_rule("/<path:rest>", "nowhere", not_found_view, **ANY_METHOD)
