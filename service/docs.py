"""`/openapi.json`, the description of the service, and `/docs`, a page to read and try it on."""

from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

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
    return _file(call, "docs.html", "text/html")


def style(call: Call) -> Response:
    """`GET /docs/docs.css`: the page's style."""
    return _file(call, "docs.css", "text/css")


def script(call: Call) -> Response:
    """`GET /docs/docs.js`: the page's script."""
    return _file(call, "docs.js", "text/javascript")


@cache
def _document() -> dict[str, Any]:
    from landform.service import ROUTES, openapi  # noqa: PLC0415 - only for whoever asks

    return openapi.document(ROUTES)


def _file(call: Call, name: str, kind: str) -> Response:
    response = _answer(call, (STATIC / name).read_bytes(), f"{kind}; charset=utf-8")
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["Referrer-Policy"] = "no-referrer"
    return response


def _answer(call: Call, body: bytes, kind: str) -> Response:
    tag = f'"{blake2b(body, digest_size=12).hexdigest()}"'
    return call.unchanged(tag) or Response(body, headers={"ETag": tag, "Content-Type": kind})
