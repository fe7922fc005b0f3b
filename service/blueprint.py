"""The blueprint: its routes and its service, made from the options."""

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial, update_wrapper
from inspect import signature
from typing import Any, ParamSpec

from flask import Blueprint, Response, current_app, has_app_context, url_for
from flask.blueprints import BlueprintSetupState
from flask.globals import request_ctx
from werkzeug.routing import BuildError

from landform.service.auth.credentials import CredentialAuthorizer, Identity
from landform.service.background import Background
from landform.service.cli import Commands
from landform.service.events import send_signals
from landform.service.http.cache import CALLER, ResponseCache
from landform.service.http.headers import error_response
from landform.service.http.views import FlaskView, HttpViews, not_found_view
from landform.service.options import Options, new_store
from landform.service.pipeline.call import Service
from landform.service.pipeline.errors import ApiError, no_route
from landform.service.pipeline.loading import pairs
from landform.service.pipeline.operations import METHODS, WP_JSON, Route, RouteTable, all_routes
from landform.service.python_api import HOST, Api
from landform.service.resources import HOME, api_routes, reserved_slugs, screen_routes
from landform.service.site import sitemap
from landform.service.site.forms import form_for_host
from landform.service.site.responses import Site
from landform.service.site.views import SiteViews
from landform.storage.failed_attempts import Attempts

P = ParamSpec("P")
RULE: Any = {"strict_slashes": False, "provide_automatic_options": False}
ANY_METHOD: Any = {"methods": METHODS, **RULE}
SITEMAP, ROBOTS = all_routes([sitemap.RESOURCE]), "/robots.txt"
# An operation whose URL, without its path, is that of the blueprint.
BASE_OPERATION, BASE_PATH = "list_pages", "/pages"
NO_REQUEST = (
    "form() needs a request of the application with this blueprint, and `url_defaults` for "
    "variables in its prefix."
)
# The parameter with which `/` is another URL of a route below `/wp-json`.
REST_ROUTE = "rest_route"


class Landform(Blueprint):
    """A blueprint with the operations of one store.

    `api`: its operations as Python methods; `addons`: functions that run feeds, by add-on slug.
    """

    def __init__(self, name: str, service: Service, cache: ResponseCache) -> None:
        super().__init__(name, __name__)
        self.service, self.cache, self.addons = service, cache, service.addons
        self.api = Api(service, self._url, Identity(HOST))

    def deliver(self, *, forever: bool = False) -> float | None:
        """Publish due pages, and do the background work of parts.

        Once, or with `forever` until the service is stopped. Returns in how many seconds more is
        due; None if nothing is.
        """
        background = Background(self.service)
        if not forever:
            return background.run_once()
        background.run()
        return None

    def form(self, form_id: int) -> str:
        """Return a form as HTML for a template of the host, which gives it its style.

        After a submission the visitor is back at the same URL, where this is the confirmation.
        Empty if the form cannot be submitted or read now. Use in a request.
        """
        if not any(part.form_tables for part in self.service.options.named_parts):
            raise RuntimeError("No part shows forms: create_blueprint(..., parts=[Leads()]).")
        url = self._url()
        if url is None:
            raise RuntimeError(NO_REQUEST)
        return form_for_host(self.service, url, form_id, request_ctx.request)

    def _url(self) -> str | None:
        """Return the URL below which the current application has the blueprint, if it tells."""
        if not has_app_context():
            return None
        name = next((name for name, value in current_app.blueprints.items() if value is self), None)
        # A prefix may have variables, and without a request Flask may know no host.
        with suppress(BuildError, RuntimeError):
            url = url_for(f"{name}.{BASE_OPERATION}", _external=True)
            return url.removesuffix(BASE_PATH)
        return None


def _with_arguments_of(make_options: Callable[P, Options]) -> Callable[P, Landform]:
    """Return `create_blueprint`, with the arguments of `Options`."""

    def create_blueprint(*args: P.args, **options: P.kwargs) -> Landform:
        """Return a blueprint that serves the pages and feeds of one database, brought up to date.

        The arguments are the fields of `Options`, which checks them; docs/settings.md describes
        each. Raises `storage.DatabaseUnusable` where the database cannot be opened, and
        `ValueError`, with the name of the option, for a value that it cannot have.
        """
        return make_blueprint(make_options(*args, **options))

    create_blueprint.__signature__ = signature(make_options)  # type: ignore[attr-defined]
    return create_blueprint


create_blueprint = _with_arguments_of(Options)


def make_blueprint(options: Options) -> Landform:
    """Return the blueprint with these options."""
    service = _make_service(options)
    cache = ResponseCache(service.store, options.cache_bytes)
    blueprint, views = Landform(options.name, service, cache), HttpViews(service, cache)
    # Hooks of the host may raise one.
    blueprint.register_error_handler(
        ApiError, lambda error: error_response(request_ctx.request, error)
    )
    send_signals(service, blueprint)
    parts = options.part_types
    routes = [*api_routes(parts, wordpress=options.wp_json_paths), *screen_routes(parts)]
    if options.site:
        routes += [route for route in SITEMAP if options.root_page or route.path != ROBOTS]
    site = SiteViews(views) if options.site else None
    for route in routes:
        _add_route(blueprint, views, route, site)
    root: FlaskView = _rest_route_view(views, RouteTable(routes), views.view(HOME))
    if not options.wp_json_paths:
        root = not_found_view
    root = site.at_root(root) if site else root
    blueprint.record(partial(_claim_prefix, root, site, options))
    # Not the blueprint's own `cli`: Flask would ask that for its commands when it is registered.
    commands = _host_commands(service)
    blueprint.record(lambda state: state.app.cli.add_command(commands, state.name))
    return blueprint


def _add_route(blueprint: Landform, views: HttpViews, route: Route, site: SiteViews | None) -> None:
    """Add an endpoint for each operation of a route, and one for all other methods."""
    rules = route.rules if views.service.options.wp_json_paths else [route.path]
    other_methods = set(METHODS)
    for operation, methods in route.methods.items():
        other_methods -= {*methods}
        view = views.view(route, operation)
        for rule in rules:
            blueprint.add_url_rule(rule, operation.name, view, methods=methods, **RULE)
    endpoint = "other_methods_of_" + re.sub(r"\W+", "_", route.path).strip("_")
    view = views.view(route)
    if site and any(one.is_form_of_visitors for one in route.operations.values()):
        view = update_wrapper(site.at_form(route.path, view), view)
    for rule in rules:
        blueprint.add_url_rule(rule, endpoint, view, methods=other_methods, **RULE)


def _rest_route_view(views: HttpViews, routes: RouteTable, home: FlaskView) -> FlaskView:
    """Return the view of the root, which also leads to the routes that `rest_route` names."""

    def root(**variables: str) -> Response:
        request = request_ctx.request
        name = dict(pairs(request.query_string)).get(REST_ROUTE)
        if not name:
            return home(**variables)
        # The same request, at the path of the route.
        path = f"{WP_JSON}/{name.strip('/')}".rstrip("/")
        environ = {**request.environ}
        sent_path = path.encode(errors="replace").decode("latin-1")
        environ["PATH_INFO"] = environ.get("PATH_INFO", "/").rstrip("/") + sent_path
        environ.pop("werkzeug.request", None)
        same = type(request)(environ)
        match = routes.find(path)
        if match is None:
            return error_response(same, no_route())
        response = views.respond(same, *match)
        request.environ[CALLER] = same.environ.get(CALLER)
        return response

    return root


def _make_service(options: Options) -> Service:
    """Open the store, and return the service of its blueprint."""
    store = new_store(options)
    store.open(create=options.create_database)
    credentials = options.credentials or {}
    return Service(
        options,
        store,
        options.authorizer or CredentialAuthorizer(store, credentials, options.local_mode),
        Attempts(store, options.failed_attempts_per_minute),
        reserved_slugs(options.part_types) if options.site else None,
        site=Site(options),
    )


def _host_commands(service: Service) -> Commands:
    """Return the commands of a host, such as `flask landform verify`."""

    def load() -> Iterable[Any]:
        from landform.standalone.commands import COMMANDS  # noqa: PLC0415 - when one is run

        # An authorizer of the host takes no keys.
        is_hidden = {"key"} if service.is_host_authorized else ()
        return [command for command in COMMANDS if command.name not in is_hidden]

    return Commands(load, lambda: service.options, lambda: service)


def _claim_prefix(
    root: FlaskView, visitors: SiteViews | None, options: Options, state: BlueprintSetupState
) -> None:
    """Respond for the root, for pages, and for every other path below the prefix of the blueprint.

    Without a prefix the root and other paths belong to the host, unless `root_page` is set, and the
    routes of the host come before pages.
    """
    has_prefix, owns_root = bool((state.url_prefix or "").strip("/")), options.root_page
    if options.home_page and not (has_prefix or owns_root):
        raise ValueError("home_page needs root_page=True where the blueprint has no prefix")
    if visitors:
        by_slug = partial(visitors.by_slug, has_prefix or owns_root)
        # Extensions of Flask call a view by its module and name.
        view = update_wrapper(by_slug, visitors.by_slug)
        state.add_url_rule("/<slug>/", "site", view, **ANY_METHOD)
    if has_prefix or owns_root:
        state.add_url_rule("/", "root", root, **ANY_METHOD)
    if has_prefix:
        state.add_url_rule("/<path:rest>", "nowhere", not_found_view, **ANY_METHOD)
