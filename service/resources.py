"""Every resource of the service: the one module that imports all of them."""

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
# The resources that there are beside them where clients of WordPress and Gravity Forms come.
DISCOVERY = (resources.RESOURCE,)
WORDPRESS_RESOURCES = (*RESOURCES, *DISCOVERY, index.resource((*RESOURCES, *DISCOVERY)))
WORDPRESS_ROUTES = all_routes((*WORDPRESS_RESOURCES, docs.resource(WORDPRESS_RESOURCES)))
(HOME,) = all_routes([index.ROOT])
# The slugs that no page can have at its address: the first parts of all routes, and of those of
# the standalone application.
RESERVED = frozenset(
    {route.path.split("/")[1] for route in WORDPRESS_ROUTES}
    | {"wp-json", "healthz", "readyz", "metrics"}
)
