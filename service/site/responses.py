"""Responses of the site: HTML with the headers that tell browsers and caches what they may do."""

from collections.abc import Mapping
from hashlib import blake2b
from http import HTTPStatus
from typing import Any

from flask import Request, Response

from landform.service.errors import ApiError
from landform.service.http.headers import set_headers
from landform.service.http.request import ServiceContext
from landform.service.site.templates import Templates

HTML = "Content-Type", "text/html; charset=utf-8"
PRIVATE = "private, no-store"
# What other sites may learn of the address of a page: of one that anybody sees, of a protected one,
# and of one that a token or credentials have opened.
REFERRER = "strict-origin-when-cross-origin"
SAME_ORIGIN, NO_REFERRER = "same-origin", "no-referrer"
# What is sent where a template is broken: it needs none.
PLAIN = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>{title}</title></head>
<body><h1>{title}</h1><p>This page cannot be shown. Please try again later.</p></body>
</html>
"""


class Site:
    """What the pages of one blueprint are shown with."""

    def __init__(self, service: ServiceContext) -> None:
        self.service = service
        options = service.options
        self.templates = Templates(options.templates)
        self.language = options.site_language
        self._common = {
            "site": {
                "title": options.site_title,
                "description": options.site_description,
                "language": options.site_language,
            }
        }
        # With what else pages are made of, so that an ETag differs where they do.
        made_with = self.templates.digest, repr(self._common), options.site_policy
        self.variant = blake2b(repr(made_with).encode(), digest_size=9).hexdigest()

    def html(
        self,
        template: str,
        values: Mapping[str, Any],
        status: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """Return what a template makes of values."""
        body = self.templates.render(template, {**self._common, **values})
        return Response(body, status, [HTML, *(headers or {}).items()])

    def error(self, error: ApiError) -> Response:
        """Return the page for a request that is refused, of which a 404 tells nothing.

        Where its template is broken it is a page without one, in which nothing of the reason is.
        """
        title = HTTPStatus(error.status).phrase
        name, values = "error.html", {"title": title, "error": error.message}
        if error.status == 404:
            name, values = "not_found.html", {}
        try:
            return self.html(name, values, error.status, error.headers)
        except ApiError:
            page = PLAIN.format(title=HTTPStatus(500).phrase)
            return Response(page, 500, [HTML])

    def finish(self, request: Request, response: Response) -> Response:
        """Add the headers that every response of the site has."""
        given = response.headers.get("Cache-Control", "")
        set_headers(request, response, frozenset())
        if given == PRIVATE:
            response.headers["Cache-Control"] = PRIVATE
        response.headers.setdefault("Referrer-Policy", REFERRER)
        if response.mimetype == "text/html" and response.status_code != 304:
            response.headers["Content-Security-Policy"] = self.service.options.site_policy
        return response


def set_private(response: Response, referrer: str = SAME_ORIGIN) -> Response:
    """Keep a response out of every cache and search index, and its address from other sites."""
    response.headers["Cache-Control"] = PRIVATE
    response.headers["Referrer-Policy"] = referrer
    response.headers["X-Robots-Tag"] = "noindex, nofollow"
    return response
