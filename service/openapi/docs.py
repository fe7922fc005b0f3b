"""`/openapi.json`, the description of the service, and `/docs`, a page to read and try it on."""

from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path

from flask import Response

from landform.schemas.wordpress import Anything
from landform.service.http.contract import Resource, all_routes
from landform.service.http.files import send_body, send_file
from landform.service.http.request import ApiRequest
from landform.service.json_codec import JsonObject, dumps
from landform.service.openapi import document

ANYTHING = Anything()
STATIC = Path(__file__).parent / "static"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
FILES = ("docs.css", "docs.js", "fields.js", "docs.svg")


def resource(described: Sequence[Resource]) -> Resource:
    """Return the operations that describe those of other resources."""
    docs = Resource()

    @cache
    def describe() -> JsonObject:
        return document.document(all_routes(described))

    @docs.operation("GET", "/openapi.json", public=True, query=ANYTHING)
    def description(request: ApiRequest) -> Response:
        """Return the description in OpenAPI 3.1."""
        body = dumps({**describe(), "servers": [{"url": request.api_base_url}]})
        return send_body(request, body, "application/json")

    @docs.operation("GET", "/docs", public=True, query=ANYTHING)
    def page(request: ApiRequest) -> Response:
        """Return the page to read and try the operations on."""
        return send_file(request, STATIC / "docs.html", POLICY, access=request.access.sign_in)

    for name in FILES:
        send = partial(send_file, path=STATIC / name, policy=POLICY)
        docs.operation("GET", f"/docs/{name}", public=True, query=ANYTHING)(send)
    return docs
