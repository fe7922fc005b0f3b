"""The indexes of routes with their arguments, and the other operations of the part."""

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cache
from zoneinfo import ZoneInfo

from landform.parts.wordpress import clients
from landform.service.pages.dump import relation
from landform.service.pipeline.call import Call
from landform.service.pipeline.json_codec import JsonObject
from landform.service.pipeline.operations import (
    NAMESPACES,
    WP_JSON,
    Resource,
    all_routes,
    describe_route,
    wordpress_path,
)
from landform.service.pipeline.reply import Reply

ROUTE_VARIABLE = re.compile(r"<(\w+)>")
# The names that WordPress gives to variables in paths; clients derive their methods from them.
WORDPRESS_VARIABLES = {"page_id": "id", "user_id": "id", "media_id": "id"}
NAME_VARIABLES = {"/wp/v2/types": "type", "/wp/v2/statuses": "status"}


def resource_over(resources: Sequence[Resource]) -> Resource:
    """Return what clients ask for first, with indexes of this and of the routes of resources."""
    wordpress = Resource(http_only=True)
    wordpress.paths |= clients.RESOURCE.paths
    paths = {path for resource in resources for path in resource.paths}
    for path, otherwise in (("/forms", clients.FORMS_RESOURCE), ("/media", clients.MEDIA_RESOURCE)):
        if path not in paths:
            wordpress.paths |= otherwise.paths
    types = [clients.PAGE, *([clients.ATTACHMENT] if "/media" in paths else [])]
    clients.add_types(wordpress, types)

    @cache
    def routes() -> dict[str, JsonObject]:
        paths = [(wordpress_path(route), route) for route in all_routes((*resources, wordpress))]
        return {_pattern(path): describe_route(route) for path, route in paths if path}

    for namespace in ("", *NAMESPACES):
        _add_index(wordpress, namespace, routes)
    return wordpress


def _add_index(
    index: Resource, namespace: str, routes: Callable[[], dict[str, JsonObject]]
) -> None:
    def get_index(call: Call) -> Reply:
        """Return the routes of a namespace; without one the site and every route."""
        described = {
            path: route if "(" in path else {**route, "_links": {"self": relation(call, path)}}
            for path, route in routes().items()
            if namespace in ("", route["namespace"])
        }
        about = {"namespace": namespace} if namespace else _describe_site(call)
        links = {"up" if namespace else "self": relation(call, "/")}
        return Reply({**about, "routes": described, "_links": links})

    path = f"{WP_JSON}/{namespace}".rstrip("/")
    name = f"namespace_{namespace.replace('/', '_')}" if namespace else "index"
    index.get(path, name=f"get_{name}", public=True)(get_index)


def _describe_site(call: Call) -> JsonObject:
    options, url = call.options, call.site_url
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
    """Return the pattern of a route in WordPress, with a named group per variable."""
    above, _, _ = route.rpartition("/")
    if above in NAME_VARIABLES:
        return rf"{above}/(?P<{NAME_VARIABLES[above]}>[\w-]+)"
    return ROUTE_VARIABLE.sub(
        lambda match: rf"(?P<{WORDPRESS_VARIABLES.get(match[1], match[1])}>[\d]+)", route
    )
