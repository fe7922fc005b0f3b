"""All resources of the service, with those of its parts, and their routes."""

from functools import cache
from itertools import chain

from landform.parts import modules_of
from landform.service import events, feeds, home
from landform.service.pages import actions, previews, resource
from landform.service.pipeline.operations import WP_JSON, Resource, Route, all_routes
from landform.service.site import unsaved_pages

CORE = (
    resource.RESOURCE,
    actions.RESOURCE,
    previews.RESOURCE,
    unsaved_pages.RESOURCE,
    home.RESOURCE,
    feeds.RESOURCE,
    events.RESOURCE,
)
(HOME,) = all_routes([home.ROOT])
# The classes of the parts that a blueprint names.
Parts = tuple[type, ...]


@cache
def http_resources(parts: Parts) -> tuple[Resource, ...]:
    """Return the resources of the core and of parts; some parts make one of all before."""
    modules, resources = modules_of(parts, "operations"), [*CORE]
    for module in modules:
        resources += getattr(module, "RESOURCES", ())
    for module in modules:
        if hasattr(module, "resource_over"):
            resources.append(module.resource_over((*resources,)))
    return tuple(resources)


@cache
def all_resources(parts: Parts) -> tuple[Resource, ...]:
    """Return the resources whose operations the Python API has too."""
    return tuple(resource for resource in http_resources(parts) if not resource.http_only)


@cache
def api_routes(parts: Parts, *, wordpress: bool = False) -> tuple[Route, ...]:
    """Return the routes of the API; with `wordpress` also the ones below `/wp-json` only."""
    routes = all_routes(http_resources(parts))
    return tuple(route for route in routes if wordpress or not route.path.startswith(WP_JSON))


@cache
def screen_routes(parts: Parts) -> tuple[Route, ...]:
    """Return the routes of the screens of parts, which are not operations of the API."""
    modules = modules_of(parts, "operations")
    return tuple(
        all_routes(chain.from_iterable(getattr(module, "SCREENS", ()) for module in modules))
    )


@cache
def reserved_slugs(parts: Parts) -> frozenset[str]:
    """Return the slugs that are addresses of other routes, also of the standalone application."""
    routes = (*api_routes(parts, wordpress=True), *screen_routes(parts))
    slugs = {route.path.split("/")[1] for route in routes}
    return frozenset(slugs | {"wp-json", "healthz", "readyz", "metrics"})
