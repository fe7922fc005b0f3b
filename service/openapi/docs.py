"""`/openapi.json`, the description of the service, and `/docs`, a page to read and try it on."""

from functools import cache
from hashlib import blake2b
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from flask import Response

from landform.service.http.json_codec import dumps
from landform.service.http.request import ApiRequest

STATIC = Path(__file__).parent / "static"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def description(request: ApiRequest) -> Response:
    """`GET /openapi.json`: this description, in OpenAPI 3.1."""
    body = dumps({**_document(), "servers": [{"url": request.api_base_url(1)}]})
    return _answer(request, body, "application/json")


def page(request: ApiRequest) -> Response:
    """`GET /docs`: the page to read and try the operations on."""
    # The page finds its parts, and the service, below whatever prefix it has here.
    root = escape(urlsplit(request.api_base_url(1)).path)
    return _file(request, "docs.html", "text/html", root)


def style(request: ApiRequest) -> Response:
    """`GET /docs/docs.css`: the page's style."""
    return _file(request, "docs.css", "text/css")


def script(request: ApiRequest) -> Response:
    """`GET /docs/docs.js`: the page's script."""
    return _file(request, "docs.js", "text/javascript")


def icon(request: ApiRequest) -> Response:
    """`GET /docs/docs.svg`: the page's icon."""
    return _file(request, "docs.svg", "image/svg+xml")


@cache
def _document() -> dict[str, Any]:
    from landform.service.blueprint import ROUTES  # noqa: PLC0415 - only for whoever asks
    from landform.service.openapi import document  # noqa: PLC0415 - only for whoever asks

    return document.document(ROUTES)


def _file(request: ApiRequest, name: str, kind: str, root: str | None = None) -> Response:
    text = (STATIC / name).read_text()
    text = text if root is None else text.replace("{root}", root)
    response = _answer(request, text.encode(), f"{kind}; charset=utf-8")
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["Referrer-Policy"] = "no-referrer"
    return response


def _answer(request: ApiRequest, body: bytes, kind: str) -> Response:
    tag = f'"{blake2b(body, digest_size=12).hexdigest()}"'
    return request.not_modified(tag) or Response(body, headers={"ETag": tag, "Content-Type": kind})
