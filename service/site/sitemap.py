"""`/sitemap.xml` and `/robots.txt`: which pages search engines should know."""

from collections.abc import Iterable, Iterator
from html import escape

from flask import Response

from landform.schemas.wordpress import Anything
from landform.service.errors import no_route
from landform.service.http.contract import Resource
from landform.service.http.request import ApiRequest
from landform.service.http.responses import make_etag
from landform.service.page_shapes import address, page_link, page_urls
from landform.storage.pages import listing
from landform.storage.rows import Row

RESOURCE = Resource()
# Search engines are refused nothing for what they add, also where requests are strict.
QUERY = Anything()
# The most that the format allows in one file.
MOST = 50_000
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'


@RESOURCE.operation("GET", "/sitemap.xml", public=True, query=QUERY)
def get_sitemap(request: ApiRequest) -> Response:
    """Return the addresses of the pages that everybody sees, or of the parts of that list."""
    request.access.reject_invalid_credentials()
    asked = dict(request.query_pairs).get("page", "")
    page = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 9 else 0
    state = listing.list_state(request.store, {"open_at": listing.NOW})
    request.allow_caching("page", state.until)
    # Not of the whole query, as in the API: whatever else is in it changes nothing here.
    options = request.service.options
    wanted = request.url, options.public_url, options.home_page, page, MOST, *state.moments
    request.add_etag(make_etag(f"sitemap_{state.generation}", state.version, *wanted))
    rows, parts = listing.sitemap_part(request.store, page or 1, MOST, state.due)
    if page > max(parts, 1):
        raise no_route()
    if page or parts <= 1:
        return _xml(request, "urlset", "url", _pages(request, rows))
    base = f"{request.public_base_url}/sitemap.xml?page="
    index = [(f"{base}{number}", "") for number in range(1, parts + 1)]
    return _xml(request, "sitemapindex", "sitemap", index)


@RESOURCE.operation("GET", "/robots.txt", public=True, query=QUERY)
def get_robots(request: ApiRequest) -> Response:
    """Return that search engines may read everything, and where the list of pages is."""
    text = f"User-agent: *\nDisallow:\n\nSitemap: {request.public_base_url}/sitemap.xml\n"
    return Response(text, mimetype="text/plain")


def _pages(request: ApiRequest, rows: Iterable[Row]) -> Iterator[tuple[str, str]]:
    urls = page_urls(request)
    for row in rows:
        if address(row["slug"], urls) is not None:
            changed = f"<lastmod>{row['modified_utc']}Z</lastmod>" if row["modified_utc"] else ""
            yield page_link(row, urls), changed


def _xml(request: ApiRequest, root: str, item: str, entries: Iterable[tuple[str, str]]) -> Response:
    """Return the response of a list of URLs, each with what else is said of it."""
    lines = [f"<{item}><loc>{escape(url)}</loc>{more}</{item}>" for url, more in entries]
    body = "\n".join([f'{DECLARATION}<{root} xmlns="{NAMESPACE}">', *lines, f"</{root}>\n"])
    return Response(body, headers=request.headers, mimetype="application/xml")
