"""The root of the API: its start page; and who is calling."""

from html import escape
from pathlib import Path

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
PAGE = Path(__file__).parent / "home.html"
# What only identified callers see.
ABOUT = "This is landform: landing pages and form feeds over HTTP."
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
    paragraphs, visible_links = (
        [options.site_description],
        [link for link in links if not link.name],
    )
    if call.access.identity:
        paragraphs.append(ABOUT)
        visible_links += [link for link in links if link.name]
    items = "\n".join(
        f'<li><a href="{escape(url + link.path)}">{link.text}</a></li>' for link in visible_links
    )
    html = PAGE.read_text().format(
        name=escape(options.site_title),
        paragraphs="\n".join(f"<p>{escape(text)}</p>" for text in paragraphs if text),
        links=f"<ul>\n{items}\n</ul>" if items else "",
    )
    return Reply(html, headers={**PAGE_HEADERS, **headers}, content_type=HTML)


def link_header(options: Options, site_url: str) -> dict[str, str]:
    """Return the header `Link` with the links of parts that have a relation, if there are any."""
    links = [link for part in options.named_parts for link in part.home_links if link.rel]
    header = ", ".join(f'<{site_url}{link.path}>; rel="{link.rel}"' for link in links)
    return {"Link": header} if header else {}
