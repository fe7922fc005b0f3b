"""The root of the API, and the indexes of routes with their arguments."""

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cache
from html import escape
from pathlib import Path
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from landform.schemas import wordpress as schemas
from landform.service.authors import relation
from landform.service.call import Call
from landform.service.json_codec import JsonObject
from landform.service.loading import accepts_html
from landform.service.operations import (
    NAMESPACES,
    WP_JSON,
    Resource,
    all_routes,
    describe_route,
    wordpress_path,
)
from landform.service.reply import HTML, Reply

ROOT = Resource()
HOME, ANYTHING = schemas.Home(), schemas.Anything()
PAGE = Path(__file__).parent / "home.html"
# What only identified callers see.
ABOUT = "This is landform: landing pages and form feeds over HTTP."
API_LINKS = {
    "docs": "Read and try the operations",
    "openapi": "Their description in OpenAPI",
    "wp_json": "The index for clients of WordPress and Gravity Forms",
}
PAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
}
ROUTE_VARIABLE = re.compile(r"<(\w+)>")
# The names that WordPress gives to variables in paths; clients derive their methods from them.
WORDPRESS_VARIABLES = {"page_id": "id", "user_id": "id"}
NAME_VARIABLES = {"/wp/v2/types": "type", "/wp/v2/statuses": "status"}


def index_link(site_url: str) -> str:
    """Return the `Link` header by which clients of WordPress find the index."""
    return f'<{site_url}{WP_JSON}/>; rel="https://api.w.org/"'


def resource(described: Sequence[Resource]) -> Resource:
    """Return the indexes of the routes of other resources and of their own."""
    index = Resource()

    @cache
    def routes() -> dict[str, JsonObject]:
        paths = [(wordpress_path(route), route) for route in all_routes((*described, index))]
        return {_pattern(path): describe_route(route) for path, route in paths if path}

    for namespace in ("", *NAMESPACES):
        _add_index(index, namespace, routes)
    return index


def _add_index(
    index: Resource, namespace: str, routes: Callable[[], dict[str, JsonObject]]
) -> None:
    def get_index(call: Call) -> Reply:
        """Return the routes of a namespace; without one the site and every route."""
        described = {
            path: route if "(" in path else {**route, "_links": {"self": relation(call, path)}}
            for path, route in routes().items()
            if namespace in ("", route["namespace"])
        }
        about = {"namespace": namespace} if namespace else _describe_site(call)
        links = {"up" if namespace else "self": relation(call, "/")}
        return Reply({**about, "routes": described, "_links": links})

    path = f"{WP_JSON}/{namespace}".rstrip("/")
    name = f"namespace_{namespace.replace('/', '_')}" if namespace else "index"
    index.get(path, name=f"get_{name}", public=True)(get_index)


def _describe_site(call: Call) -> JsonObject:
    options, url = call.options, call.site_url
    offset = datetime.now(ZoneInfo(options.timezone)).utcoffset()
    return {
        "name": options.site_title,
        "description": options.site_description,
        "url": url,
        "home": options.public_url or url,
        "gmt_offset": offset.total_seconds() / 3600 if offset else 0,
        "timezone_string": options.timezone,
        "namespaces": list(NAMESPACES),
        "authentication": {},
    }


def _pattern(route: str) -> str:
    """Return the pattern of a route in WordPress, with a named group per variable."""
    above, _, _ = route.rpartition("/")
    if above in NAME_VARIABLES:
        return rf"{above}/(?P<{NAME_VARIABLES[above]}>[\w-]+)"
    return ROUTE_VARIABLE.sub(
        lambda match: rf"(?P<{WORDPRESS_VARIABLES.get(match[1], match[1])}>[\d]+)", route
    )


@ROOT.get("/", response=HOME, public=True, query=ANYTHING, headers=("Link",))
def home(call: Call) -> Reply:
    """Return the start page for browsers, or its links in JSON."""
    options, url = call.options, call.site_url
    links = {
        "name": options.site_title,
        "description": options.site_description,
        "docs": f"{url}/docs",
        "openapi": f"{url}/openapi.json",
        "wp_json": call.rest_url("/"),
    }
    headers = {"Link": index_link(url), "Vary": "Accept"}
    if not accepts_html(call.incoming.headers):
        return Reply(HOME.dump(links), headers=headers)
    home_links = {
        url + path: text for part in options.named_parts for path, text in part.home_links
    }
    paragraphs = [options.site_description]
    if call.access.identity:
        paragraphs.append(ABOUT)
        home_links |= {links[name]: text for name, text in API_LINKS.items()}
    icon = f"{urlsplit(call.root_url).path}/docs/docs.svg"
    html = _page(options.site_title, paragraphs, home_links, icon)
    return Reply(html, headers={**PAGE_HEADERS, **headers}, content_type=HTML)


def _page(name: str, paragraphs: list[str], links: dict[str, str], icon: str) -> str:
    """Return the start page; `links` are texts by URL."""
    items = "\n".join(f'<li><a href="{escape(url)}">{text}</a></li>' for url, text in links.items())
    return PAGE.read_text().format(
        name=escape(name),
        paragraphs="\n".join(f"<p>{escape(text)}</p>" for text in paragraphs if text),
        links=f"<ul>\n{items}\n</ul>" if items else "",
        icon=escape(icon),
    )
