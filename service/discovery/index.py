"""Where clients begin: the root, and the index of every route with its arguments.

`/?rest_route=/wp/v2/pages` is another URL of `/wp-json/wp/v2/pages`.
"""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cache
from html import escape
from pathlib import Path
from zoneinfo import ZoneInfo

from flask import Response, current_app
from flask.globals import request_ctx
from werkzeug.exceptions import HTTPException

from landform.schemas import wordpress as schemas
from landform.service.auth.credentials import CALLER
from landform.service.errors import no_route
from landform.service.http.contract import (
    API,
    NAMESPACES,
    Resource,
    View,
    all_routes,
    describe_route,
    wordpress_name,
)
from landform.service.http.input import pairs
from landform.service.http.request import ApiRequest
from landform.service.http.responses import is_browser
from landform.service.http.routing import RouteView, finish
from landform.service.json_codec import JsonObject

ROOT = Resource()
HOME, ANYTHING = schemas.Home(), schemas.Anything()
PAGE, LINKS = (Path(__file__).parent / name for name in ("home.html", "home_links.html"))
PARAMETER = "rest_route"
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
}
ROUTE_VARIABLE = re.compile(r"<(\w+)>")
# The names that WordPress gives to what varies in a path. Clients make their methods from them.
VARIABLES = {"page_id": "id", "user_id": "id"}
NAMED_BELOW = {"/wp/v2/types": "type", "/wp/v2/statuses": "status"}


def rest_url(request: ApiRequest, route: str) -> str:
    """Return the URL of a route such as `/wp/v2/pages`."""
    return f"{request.site_url}{API}{route}"


def index_link(request: ApiRequest) -> str:
    """Return the header by which clients of WordPress find the index."""
    return f'<{rest_url(request, "/")}>; rel="https://api.w.org/"'


def link(request: ApiRequest, route: str) -> list[JsonObject]:
    """Return a relation to a route, as `_links` hold it."""
    return [{"href": rest_url(request, route)}]


def resource(described: Sequence[Resource]) -> Resource:
    """Return the operations that list the routes of other resources, and themselves."""
    index = Resource()

    @cache
    def routes() -> dict[str, JsonObject]:
        named = [(wordpress_name(route), route) for route in all_routes((*described, index))]
        return {_pattern(name): describe_route(route) for name, route in named if name}

    for namespace in ("", *NAMESPACES):
        _add_index(index, namespace, routes)
    return index


def _add_index(
    index: Resource, namespace: str, routes: Callable[[], dict[str, JsonObject]]
) -> None:
    def get_index(request: ApiRequest) -> Response:
        """Return the routes of the namespace; with none the site, and every route."""
        shown = {
            path: one if "(" in path else {**one, "_links": {"self": link(request, path)}}
            for path, one in routes().items()
            if namespace in ("", one["namespace"])
        }
        about = {"namespace": namespace} if namespace else _describe_site(request)
        links = {"up" if namespace else "self": link(request, "/")}
        return request.json_response({**about, "routes": shown, "_links": links})

    path = f"{API}/{namespace}".rstrip("/")
    name = f"namespace_{namespace.replace('/', '_')}" if namespace else "index"
    get_index.__name__ = f"get_{name}"
    index.operation("GET", path, {}, public=True)(get_index)


def _describe_site(request: ApiRequest) -> JsonObject:
    options, url = request.service.options, request.site_url
    offset = datetime.now(ZoneInfo(options.timezone)).utcoffset()
    return {
        "name": options.site_title,
        "description": options.site_description,
        "url": url,
        "home": options.public_url or url,
        "gmt_offset": offset.total_seconds() / 3600 if offset else 0,
        "timezone_string": options.timezone,
        "namespaces": list(NAMESPACES),
        "authentication": {},
    }


def _pattern(route: str) -> str:
    """Return a route as WordPress writes it: with a named group for each variable."""
    above, _, _ = route.rpartition("/")
    if above in NAMED_BELOW:
        return rf"{above}/(?P<{NAMED_BELOW[above]}>[\w-]+)"
    return ROUTE_VARIABLE.sub(
        lambda found: rf"(?P<{VARIABLES.get(found[1], found[1])}>[\d]+)", route
    )


@ROOT.operation("GET", "/", HOME, public=True, query=ANYTHING, headers=("Link",))
def home(request: ApiRequest) -> Response:
    """Return where everything is: an HTML page for browsers, JSON for everybody else."""
    options, url, index = request.service.options, request.site_url, rest_url(request, "/")
    found = {
        "name": options.site_title, "description": options.site_description,
        "docs": f"{url}/docs", "openapi": f"{url}/openapi.json", "wp_json": index,
    }  # fmt: skip
    is_known = bool(request.access.identity)
    console = f"{url}/console" if options.console else ""
    page = {**found, "console": console}
    shown = _page(page, is_known) if is_browser(request.http) else request.json_response(found)
    shown.headers["Link"] = index_link(request)
    shown.vary.add("Accept")
    return shown


def _page(found: dict[str, str], is_known: bool) -> Response:
    """Return the start page, to callers who are known with links into the API."""
    shown = {name: escape(text) for name, text in found.items()}
    if found["description"]:
        shown["description"] = f"<p>{shown['description']}</p>"
    link = f'<li><a href="{shown["console"]}">Open the console</a></li>'
    shown["console"] = link if shown["console"] else ""
    shown["links"] = LINKS.read_text().format(**shown) if is_known else ""
    return Response(PAGE.read_text().format(**shown), headers=HEADERS, mimetype="text/html")


def make_root_view(home: RouteView) -> View:
    """Return the view of the root, which also leads to the views of the routes below it."""

    def root(**variables: str) -> Response:
        request, adapter = request_ctx.request, request_ctx.url_adapter
        route = dict(pairs(request.query_string)).get(PARAMETER)
        if not route or adapter is None:
            return home(**variables)
        # The same request as it would have come to the path of the route.
        environ = {**request.environ}
        above = environ.get("PATH_INFO", "/").rstrip("/")
        environ["PATH_INFO"] = f"{above}{API}/{route.strip('/')}".rstrip("/")
        environ.pop("werkzeug.request", None)
        led = type(request)(environ)
        response = None
        with suppress(HTTPException):
            endpoint, ids = adapter.match(led.path, method="GET")
            view = current_app.view_functions[endpoint]
            response = view(led, **ids) if isinstance(view, RouteView) else None
        if response is None:
            return finish(led, no_route(led.path).response())
        if CALLER in led.environ:
            request.environ[CALLER] = led.environ[CALLER]
        return response

    return root
