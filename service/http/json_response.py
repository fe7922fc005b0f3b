"""Responses with JSON, and their short way out."""

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from flask import Response

from landform.service.http.json_codec import dumps

if TYPE_CHECKING:
    from wsgiref.types import StartResponse

JSON = "Content-Type", "application/json"
# A URL that Werkzeug would write into `Location` as it is.
PLAIN_URL = re.compile(
    r"https?://[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*"
    r"(?::(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}))?(?:/[a-zA-Z0-9._~/-]*)?"
)
BODILESS = (204, 304)


class JsonResponse(Response):
    """A response with JSON, sent as it stands where Werkzeug would change nothing about it."""

    def __call__(self, environ: dict[str, Any], start_response: "StartResponse") -> Iterable[bytes]:
        """Respond as a WSGI application."""
        headers, body = list(self.headers), self.response
        if (
            environ["REQUEST_METHOD"] == "HEAD"
            or self.status_code < 200
            or self.status_code in BODILESS
            or self._on_close
            or type(body) is not list
            or not all(type(part) is bytes for part in body)
            or not _are_final(headers)
        ):
            return super().__call__(environ, start_response)
        start_response(self.status, headers)
        return body


def render(body: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a response that carries a value as JSON."""
    return JsonResponse(dumps(body), status, [JSON, *(headers or {}).items()])


def _are_final(headers: Iterable[tuple[str, str]]) -> bool:
    """Return whether headers name the length of the body, and no URL that might be changed."""
    has_length = False
    for name, value in headers:
        lowered = name.lower()
        if lowered == "content-length":
            has_length = True
        elif lowered in ("location", "content-location") and not PLAIN_URL.fullmatch(value):
            return False
    return has_length
