"""All resources of the service and their routes."""

from landform.service import batch, events, feeds, pages, previews, revisions, runs, webhooks
from landform.service.discovery import index, resources
from landform.service.openapi import docs
from landform.service.operations import all_routes
from landform.service.site import unsaved

SINGLE = (
    pages.RESOURCE,
    previews.RESOURCE,
    unsaved.RESOURCE,
    revisions.RESOURCE,
    revisions.RESTORE_RESOURCE,
    resources.WHOAMI,
    feeds.RESOURCE,
    runs.RESOURCE,
    events.RESOURCE,
    webhooks.RESOURCE,
)
RESOURCES = (*SINGLE, batch.resource(SINGLE))
ROUTES = all_routes((*RESOURCES, docs.resource(RESOURCES)))
# Further resources below `/wp-json`.
DISCOVERY = (resources.RESOURCE,)
WORDPRESS_RESOURCES = (*RESOURCES, *DISCOVERY, index.resource((*RESOURCES, *DISCOVERY)))
WORDPRESS_ROUTES = all_routes((*WORDPRESS_RESOURCES, docs.resource(WORDPRESS_RESOURCES)))
(HOME,) = all_routes([index.ROOT])
# The slugs that are addresses of other routes, also of the standalone application.
RESERVED = frozenset(
    {route.path.split("/")[1] for route in WORDPRESS_ROUTES}
    | {"wp-json", "healthz", "readyz", "metrics"}
)
