"""`/openapi.json`, the description of the service, and `/docs`, a page to read and try it on."""

from collections.abc import Sequence
from functools import cache, partial
from hashlib import blake2b
from html import escape
from mimetypes import guess_type
from pathlib import Path
from urllib.parse import urlsplit

from flask import Response

from landform.schemas.wordpress import Anything
from landform.service.http.contract import Contract, Resource, all_routes
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

    @docs.operation(Contract("GET", "/openapi.json", public=True, query=ANYTHING))
    def description(request: ApiRequest) -> Response:
        """Return the description in OpenAPI 3.1."""
        body = dumps({**describe(), "servers": [{"url": request.api_base_url}]})
        return _respond(request, body, "application/json")

    @docs.operation(Contract("GET", "/docs", public=True, query=ANYTHING))
    def page(request: ApiRequest) -> Response:
        """Return the page to read and try the operations on."""
        # The page finds its parts, and the service, below whatever prefix it has here.
        root = escape(urlsplit(request.api_base_url).path)
        return _send_file(request, "docs.html", root=root, access=request.access.sign_in)

    for name in FILES:
        send = partial(_send_file, name=name)
        docs.operation(Contract("GET", f"/docs/{name}", public=True, query=ANYTHING))(send)
    return docs


def _send_file(request: ApiRequest, name: str, **values: str) -> Response:
    """Return a file, with values in the place of their names."""
    text = (STATIC / name).read_text()
    for place, value in values.items():
        text = text.replace(f"{{{place}}}", value)
    response = _respond(request, text.encode(), f"{guess_type(name)[0]}; charset=utf-8")
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["Referrer-Policy"] = "no-referrer"
    return response


def _respond(request: ApiRequest, body: bytes, kind: str) -> Response:
    request.add_etag(f'"{blake2b(body, digest_size=12).hexdigest()}"')
    return Response(body, headers={**request.headers, "Content-Type": kind})
