"""`/openapi.json`, and `/docs`, a page to read and try the operations on."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from landform.parts.files import bytes_reply, file_reply
from landform.parts.openapi import document
from landform.schemas.known_names import Anything
from landform.service.pipeline.call import Call
from landform.service.pipeline.errors import no_route
from landform.service.pipeline.json_codec import JsonObject, dumps
from landform.service.pipeline.operations import WP_JSON, Resource, all_routes
from landform.service.pipeline.reply import JSON, Reply

ANYTHING = Anything()
STATIC = Path(__file__).parent / "static"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
FILES = {name: STATIC / name for name in ("docs.css", "docs.js", "fields.js", "docs.svg")}


def resource_over(resources: Sequence[Resource]) -> Resource:
    """Return the operations that describe other resources."""
    docs = Resource(http_only=True)

    @cache
    def describe(*, wordpress: bool) -> JsonObject:
        routes = all_routes(resources)
        return document.document(
            route for route in routes if wordpress or not route.path.startswith(WP_JSON)
        )

    @docs.get("/openapi.json", name="openapi", public=True, query=ANYTHING)
    def description(call: Call) -> Reply:
        """Return the OpenAPI 3.1 document."""
        described = describe(wordpress=call.options.wp_json_paths)
        body = dumps({**described, "servers": [{"url": call.root_url}]})
        return bytes_reply(call, body, JSON)

    @docs.get("/docs", name="docs", public=True, query=ANYTHING)
    def page(call: Call) -> Reply:
        """Return the page to read and try the operations on."""
        return file_reply(call, STATIC / "docs.html", POLICY, access=call.service.sign_in)

    @docs.get("/docs/<file>", name="docs_file", public=True, query=ANYTHING)
    def static_file(call: Call, file: str) -> Reply:
        """Return a file of the page."""
        if file not in FILES:
            raise no_route()
        return file_reply(call, FILES[file], POLICY)

    return docs
