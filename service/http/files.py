"""Files of the service itself, such as its documentation and its console."""

import gzip
from hashlib import blake2b
from html import escape
from mimetypes import guess_type
from pathlib import Path
from urllib.parse import urlsplit

from flask import Response

from landform.service.http.request import ApiRequest


def send_file(request: ApiRequest, path: Path, policy: str, **values: str) -> Response:
    """Return a text file, with values in the place of their names: `{name}` in braces.

    `{root}` is the path of the service, below whatever prefix it has.
    """
    text = path.read_text()
    if values:
        values["root"] = urlsplit(request.api_base_url).path
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", escape(value))
    return send_body(request, text.encode(), f"{guess_type(path.name)[0]}; charset=utf-8", policy)


def send_body(request: ApiRequest, body: bytes, kind: str, policy: str = "") -> Response:
    """Return a body with its entity tag, compressed for clients that read that."""
    accepted = request.http.accept_encodings["gzip"] > 0
    tag = blake2b(body, digest_size=12).hexdigest() + ("-gzip" if accepted else "")
    request.headers |= {"Vary": "Accept-Encoding", "Content-Type": kind}
    if policy:
        request.headers |= {"Content-Security-Policy": policy, "Referrer-Policy": "no-referrer"}
    request.add_etag(f'"{tag}"')
    if accepted:
        body = gzip.compress(body, mtime=0)
        request.headers["Content-Encoding"] = "gzip"
    return Response(body, headers=request.headers)
