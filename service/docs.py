"""`/openapi.json`, the description of the service, and `/docs`, a page to read and try it on."""

from functools import cache
from hashlib import blake2b
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from flask import Response

from landform.service.call import Call
from landform.service.encoding import dumps

STATIC = Path(__file__).parent / "static"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def description(call: Call) -> Response:
    """`GET /openapi.json`: this description, in OpenAPI 3.1."""
    body = dumps({**_document(), "servers": [{"url": call.root(1)}]})
    return _answer(call, body, "application/json")


def page(call: Call) -> Response:
    """`GET /docs`: the page to read and try the operations on."""
    # The page finds its parts, and the service, below whatever prefix it has here.
    root = escape(urlsplit(call.root(1)).path)
    return _file(call, "docs.html", "text/html", root)


def style(call: Call) -> Response:
    """`GET /docs/docs.css`: the page's style."""
    return _file(call, "docs.css", "text/css")


def script(call: Call) -> Response:
    """`GET /docs/docs.js`: the page's script."""
    return _file(call, "docs.js", "text/javascript")


def icon(call: Call) -> Response:
    """`GET /docs/docs.svg`: the page's icon."""
    return _file(call, "docs.svg", "image/svg+xml")


@cache
def _document() -> dict[str, Any]:
    from landform.service import ROUTES, openapi  # noqa: PLC0415 - only for whoever asks

    return openapi.document(ROUTES)


def _file(call: Call, name: str, kind: str, root: str | None = None) -> Response:
    text = (STATIC / name).read_text()
    text = text if root is None else text.replace("{root}", root)
    response = _answer(call, text.encode(), f"{kind}; charset=utf-8")
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["Referrer-Policy"] = "no-referrer"
    return response


def _answer(call: Call, body: bytes, kind: str) -> Response:
    tag = f'"{blake2b(body, digest_size=12).hexdigest()}"'
    return call.unchanged(tag) or Response(body, headers={"ETag": tag, "Content-Type": kind})
