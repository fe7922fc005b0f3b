"""`/sitemap.xml` and `/robots.txt`, for search engines."""

from collections.abc import Iterable, Iterator
from html import escape

from landform.schemas.known_names import Anything
from landform.service.pipeline.call import Call
from landform.service.pipeline.errors import no_route
from landform.service.pipeline.operations import Resource
from landform.service.pipeline.reply import Caching, Reply
from landform.storage.pages import listing
from landform.storage.rows import Row

RESOURCE = Resource()
# Search engines may add parameters, also if requests are strict.
QUERY = Anything()
# How many URLs the format allows in one file.
MAX_URLS = 50_000
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
XML, TEXT = "application/xml; charset=utf-8", "text/plain; charset=utf-8"
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'


@RESOURCE.get("/sitemap.xml", public=True, query=QUERY)
def get_sitemap(call: Call) -> Reply:
    """Return the URLs of public pages, or of the parts of that list."""
    call.access.reject_invalid_credentials()
    text = dict(call.incoming.query_pairs).get("page", "")
    page = int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 0
    state = listing.list_state(call.store, {"open_at": listing.NOW})
    variant = page, MAX_URLS, *state.etag_parts
    etag = call.etag("sitemap", state.version, *variant, generation=state.generation)
    reply = Reply(etag=etag, caching=Caching(table="page", until=state.until), content_type=XML)
    if call.has(etag):
        return reply._replace(status=304)
    rows, parts = listing.sitemap_part(call.store, page or 1, MAX_URLS, state.publish_up_to)
    if page > max(parts, 1):
        raise no_route()
    if page or parts <= 1:
        return reply._replace(body=_xml("urlset", "url", _pages(call, rows)))
    base = f"{call.public_url}/sitemap.xml?page="
    index = [(f"{base}{number}", "") for number in range(1, parts + 1)]
    return reply._replace(body=_xml("sitemapindex", "sitemap", index))


@RESOURCE.get("/robots.txt", public=True, query=QUERY)
def get_robots(call: Call) -> Reply:
    """Allow search engines to read everything, and name the sitemap."""
    text = f"User-agent: *\nDisallow:\n\nSitemap: {call.public_url}/sitemap.xml\n"
    return Reply(text, content_type=TEXT)


def _pages(call: Call, rows: Iterable[Row]) -> Iterator[tuple[str, str]]:
    urls = call.urls
    for row in rows:
        if urls.address(row["slug"]) is not None:
            changed = f"<lastmod>{row['modified_utc']}Z</lastmod>" if row["modified_utc"] else ""
            yield urls.page_link(row), changed


def _xml(root: str, item: str, entries: Iterable[tuple[str, str]]) -> str:
    """Return a list of URLs in XML; an entry is a URL and more elements."""
    lines = [f"<{item}><loc>{escape(url)}</loc>{tags}</{item}>" for url, tags in entries]
    return "\n".join([f'{DECLARATION}<{root} xmlns="{NAMESPACE}">', *lines, f"</{root}>\n"])
