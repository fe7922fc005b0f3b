"""The index: what the site is called, and which routes it has with which arguments."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cache
from zoneinfo import ZoneInfo

from flask import Response

from landform.schemas import discovery as schemas
from landform.service.http.arguments import API, NAMESPACES, describe_route, wordpress_name
from landform.service.http.contract import Contract, Resource, all_routes
from landform.service.http.request import ApiRequest
from landform.service.json_codec import JsonObject

SITE, NAMESPACE = schemas.SiteIndex(), schemas.NamespaceIndex()
ROUTE_VARIABLE = re.compile(r"<(\w+)>")
# The names that WordPress gives to what varies in a path. Clients make their methods from them.
VARIABLES = {"page_id": "id", "user_id": "id"}
NAMED_BELOW = {"/wp/v2/types": "type", "/wp/v2/statuses": "status"}


def site_url(request: ApiRequest) -> str:
    """Return the URL below which the service is, without a slash at the end."""
    path = request.contract.path.strip("/")
    return request.site_url(len(path.split("/")) if path else 0)


def rest_url(request: ApiRequest, route: str) -> str:
    """Return the URL of a route such as `/wp/v2/pages`."""
    return f"{site_url(request)}{API}{route}"


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

    @index.operation(Contract("GET", API, SITE, public=True))
    def get_index(request: ApiRequest) -> Response:
        """Return the site's name, its time zone, and every route."""
        links = {"self": link(request, "/")}
        shown = {"routes": _with_urls(request, routes()), "_links": links}
        return request.json_response(_describe_site(request) | shown)

    for namespace in NAMESPACES:
        _add_namespace(index, namespace, routes)
    return index


def _add_namespace(
    index: Resource, name: str, routes: Callable[[], Mapping[str, JsonObject]]
) -> None:
    def get_namespace(request: ApiRequest) -> Response:
        """Return the routes of the namespace."""
        found = {path: one for path, one in routes().items() if one["namespace"] == name}
        links = {"up": link(request, "/")}
        body = {"namespace": name, "routes": _with_urls(request, found), "_links": links}
        return request.json_response(body)

    get_namespace.__name__ = f"get_namespace_{name.replace('/', '_')}"
    index.operation(Contract("GET", f"{API}/{name}", NAMESPACE, public=True))(get_namespace)


def _describe_site(request: ApiRequest) -> JsonObject:
    options, url = request.service.options, site_url(request)
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


def _with_urls(request: ApiRequest, routes: Mapping[str, JsonObject]) -> dict[str, JsonObject]:
    return {
        path: one if "(" in path else {**one, "_links": {"self": link(request, path)}}
        for path, one in routes.items()
    }
