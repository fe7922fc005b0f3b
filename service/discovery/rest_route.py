"""`/?rest_route=/wp/v2/pages`: another URL of each route below `/wp-json`."""

from collections.abc import Mapping
from functools import cache

from flask import Request, Response
from flask.globals import request_ctx
from werkzeug.exceptions import HTTPException
from werkzeug.routing import Map, MapAdapter, Rule

from landform.service.http.arguments import API
from landform.service.http.contract import View
from landform.service.http.query import pairs
from landform.service.http.response_cache import CALLER
from landform.service.http.routing import RouteView, not_found

PARAMETER = "rest_route"


def make_root_view(home: RouteView, views: Mapping[str, RouteView]) -> View:
    """Return the view of the root, which also leads to the views of other rules."""

    @cache
    def adapter() -> MapAdapter:
        # A third of the time that an application takes to be made, and few ever ask for it.
        rules = [Rule(rule, endpoint=rule, strict_slashes=False) for rule in views]
        return Map(rules, merge_slashes=False).bind("")

    def root(**variables: str) -> Response:
        request = request_ctx.request
        route = dict(pairs(request.query_string)).get(PARAMETER)
        if not route:
            return home(**variables)
        path = API + "/" + route.strip("/")
        led = _request_to(request, path)
        try:
            rule, ids = adapter().match(path.rstrip("/"), method="GET")
        except HTTPException:
            return not_found(led)
        response = views[rule].respond(led, ids)
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
