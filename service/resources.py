"""All resources of the service, with those of its parts, and their routes."""

from functools import cache
from itertools import chain

from landform.parts import modules_of
from landform.service import events, feeds, page_actions, pages, previews
from landform.service.discovery import clients, index
from landform.service.openapi import docs
from landform.service.operations import Resource, Route, all_routes
from landform.service.site import unsaved_pages

CORE = (
    pages.RESOURCE,
    page_actions.RESOURCE,
    previews.RESOURCE,
    unsaved_pages.RESOURCE,
    clients.WHOAMI,
    feeds.RESOURCE,
    events.RESOURCE,
)
(HOME,) = all_routes([index.ROOT])
# The classes of the parts that a blueprint names.
Parts = tuple[type, ...]


@cache
def all_resources(parts: Parts) -> tuple[Resource, ...]:
    """Return the resources of the API: of the core, of parts, and those made of all others."""
    modules = modules_of(parts, "operations")
    resources = [*CORE, *chain.from_iterable(getattr(one, "RESOURCES", ()) for one in modules)]
    for make in (one.resource_over for one in modules if hasattr(one, "resource_over")):
        resources.append(make((*resources,)))
    return tuple(resources)


@cache
def api_routes(parts: Parts, *, wordpress: bool = False) -> tuple[Route, ...]:
    """Return the routes of the API; with `wordpress` also the ones below `/wp-json` only."""
    described = all_resources(parts)
    if wordpress:
        has_forms = any("/forms" in resource.paths for resource in described)
        described += (clients.RESOURCE, *(() if has_forms else (clients.FORMS_RESOURCE,)))
        described += (index.resource(described),)
    return tuple(all_routes((*described, docs.resource(described))))


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
