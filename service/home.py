"""The root of the API: its start page; and who is calling."""

from landform.schemas import home as schemas
from landform.schemas.known_names import Anything
from landform.service.options import Options
from landform.service.pipeline.call import Call
from landform.service.pipeline.loading import accepts_html
from landform.service.pipeline.operations import Resource
from landform.service.pipeline.reply import HTML, NO_STORE, Reply

# ROOT: its path is that of the blueprint itself.
RESOURCE, ROOT = Resource(), Resource()
HOME, CALLER, ANYTHING = schemas.Home(), schemas.Caller(), Anything()
PAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
}


@RESOURCE.get("/whoami", response=CALLER)
def whoami(call: Call) -> Reply:
    """Return the caller's name, author id and scopes."""
    return Reply(CALLER.dump(call.caller.describe()), caching=NO_STORE)


@ROOT.get("/", response=HOME, public=True, query=ANYTHING, headers=("Link",))
def home(call: Call) -> Reply:
    """Return the start page for browsers, or its links in JSON."""
    options, url = call.options, call.site_url
    links = [link for part in options.named_parts for link in part.home_links]
    headers = {**link_header(options, url), "Vary": "Accept"}
    if not accepts_html(call.incoming.headers):
        about = {"name": options.site_title, "description": options.site_description}
        named = {link.name: url + link.path for link in links if link.name}
        return Reply(HOME.dump({**about, **named}), headers=headers)
    shown = [link for link in links if call.access.identity or not link.name]
    variables = {"links": shown, "url": url, "is_known": bool(call.access.identity)}
    html = call.service.site.render("home.html", variables)
    return Reply(html, headers={**PAGE_HEADERS, **headers}, content_type=HTML)


def link_header(options: Options, site_url: str) -> dict[str, str]:
    """Return the header `Link` with the links of parts that have a relation, if there are any."""
    links = [link for part in options.named_parts for link in part.home_links if link.rel]
    header = ", ".join(f'<{site_url}{link.path}>; rel="{link.rel}"' for link in links)
    return {"Link": header} if header else {}
