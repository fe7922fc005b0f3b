"""`/sitemap.xml` and `/robots.txt`: which pages search engines should know."""

from collections.abc import Iterable
from html import escape

from flask import Response

from landform.service.http.operations import Contract, Resource
from landform.service.http.request import ApiRequest
from landform.service.page_links import address
from landform.service.page_shapes import page_link, page_urls
from landform.storage.pages import sitemap
from landform.storage.sql.rows import Row

RESOURCE = Resource()
# The most that the format allows in one file.
MOST = 50_000
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'


@RESOURCE.operation(Contract("GET", "/sitemap.xml", public=True))
def get_sitemap(request: ApiRequest) -> Response:
    """Return the addresses of the pages that everybody sees, or of the parts of that list."""
    request.reject_invalid_credentials()
    number = dict(request.query_pairs).get("page", "")
    page = int(number) if number.isascii() and number.isdigit() and len(number) < 9 else 0
    rows, parts = sitemap.read_part(request.store, page or 1, MOST)
    if page or parts <= 1:
        return _xml(_pages(request, rows))
    base = f"{request.public_base_url(1)}/sitemap.xml"
    return _xml(_index(f"{base}?page={part}" for part in range(1, parts + 1)))


@RESOURCE.operation(Contract("GET", "/robots.txt", public=True))
def get_robots(request: ApiRequest) -> Response:
    """Return that search engines may read everything, and where the list of pages is."""
    text = f"User-agent: *\nDisallow:\n\nSitemap: {request.public_base_url(1)}/sitemap.xml\n"
    return Response(text, mimetype="text/plain")


def _pages(request: ApiRequest, rows: Iterable[Row]) -> Iterable[str]:
    urls = page_urls(request, 1)
    yield f'<urlset xmlns="{NAMESPACE}">\n'
    for row in rows:
        if address(row["slug"], urls.reserved) is not None:
            changed = f"<lastmod>{row['modified_utc']}Z</lastmod>" if row["modified_utc"] else ""
            yield f"<url><loc>{escape(page_link(row, urls))}</loc>{changed}</url>\n"
    yield "</urlset>\n"


def _index(parts: Iterable[str]) -> Iterable[str]:
    yield f'<sitemapindex xmlns="{NAMESPACE}">\n'
    yield from (f"<sitemap><loc>{escape(part)}</loc></sitemap>\n" for part in parts)
    yield "</sitemapindex>\n"


def _xml(parts: Iterable[str]) -> Response:
    return Response(DECLARATION + "".join(parts), mimetype="application/xml")
