"""The URLs that discovery gives: of the site, and of the routes below `/wp-json`."""

from landform.service.http.arguments import API
from landform.service.http.request import ApiRequest
from landform.service.json_codec import JsonObject


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
