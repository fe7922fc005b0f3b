"""The root: a page for people, links for clients, and each route below `/wp-json` once more.

`/?rest_route=/wp/v2/pages` is another URL of `/wp-json/wp/v2/pages`.
"""

from contextlib import suppress
from html import escape
from pathlib import Path

from flask import Request, Response, current_app
from flask.globals import request_ctx
from werkzeug.exceptions import HTTPException

from landform.schemas import discovery as schemas
from landform.service.discovery.index import rest_url, site_url
from landform.service.http.arguments import API
from landform.service.http.contract import Contract, Resource, View
from landform.service.http.headers import is_browser
from landform.service.http.query import pairs
from landform.service.http.request import ApiRequest
from landform.service.http.response_cache import CALLER
from landform.service.http.routing import RouteView, not_found

RESOURCE = Resource()
HOME, ANYTHING = schemas.Home(), schemas.Anything()
PAGE = Path(__file__).parent / "home.html"
PARAMETER = "rest_route"
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
}


@RESOURCE.operation(Contract("GET", "/", HOME, public=True, query=ANYTHING, headers=("Link",)))
def home(request: ApiRequest) -> Response:
    """Return where everything is: an HTML page for browsers, JSON for everybody else."""
    options, url, index = request.service.options, site_url(request), rest_url(request, "/")
    found = {
        "name": options.site_title, "description": options.site_description,
        "docs": f"{url}/docs", "openapi": f"{url}/openapi.json", "wp_json": index,
    }  # fmt: skip
    shown = _page(found) if is_browser(request.http) else request.json_response(HOME.dump(found))
    shown.headers["Link"] = f'<{index}>; rel="https://api.w.org/"'
    shown.vary.add("Accept")
    return shown


def _page(found: dict[str, str]) -> Response:
    shown = {name: escape(text) for name, text in found.items()}
    if found["description"]:
        shown["description"] = f"<p>{shown['description']}</p>"
    return Response(PAGE.read_text().format(**shown), headers=HEADERS, mimetype="text/html")


def make_root_view(home: RouteView) -> View:
    """Return the view of the root, which also leads to the views of the routes below it."""

    def root(**variables: str) -> Response:
        request, adapter = request_ctx.request, request_ctx.url_adapter
        route = dict(pairs(request.query_string)).get(PARAMETER)
        if not route or adapter is None:
            return home(**variables)
        led = _request_to(request, f"{API}/{route.strip('/')}".rstrip("/"))
        response = None
        with suppress(HTTPException):
            endpoint, ids = adapter.match(led.path, method="GET")
            view = current_app.view_functions[endpoint]
            response = view.respond(led, ids) if isinstance(view, RouteView) else None
        if response is None:
            return not_found(led)
        if CALLER in led.environ:
            request.environ[CALLER] = led.environ[CALLER]
        return response

    return root


def _request_to(request: Request, path: str) -> Request:
    """Return the same request as it would have come to a path below the root."""
    query = [
        part for part in request.query_string.decode("latin-1").split("&")
        if part.partition("=")[0] != PARAMETER
    ]  # fmt: skip
    environ = {**request.environ, "QUERY_STRING": "&".join(query)}
    environ["PATH_INFO"] = environ.get("PATH_INFO", "/").rstrip("/") + path
    environ.pop("werkzeug.request", None)
    return type(request)(environ)
