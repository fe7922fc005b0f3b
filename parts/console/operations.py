"""The page of the console, and its files."""

from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from landform.parts import all_parts
from landform.parts.files import file_reply
from landform.schemas.known_names import Anything
from landform.service.pipeline.call import Call
from landform.service.pipeline.errors import no_route
from landform.service.pipeline.loading import accepts_html
from landform.service.pipeline.operations import Resource
from landform.service.pipeline.reply import HTML, Reply

CONSOLE = Resource()
SCREENS = (CONSOLE,)
STATIC = Path(__file__).parent / "static"
PATH = "/console"
# Scripts, styles and the icon by their names, also those that `vendor` holds.
FILES = {path.name: path for path in STATIC.rglob("*.*") if path.suffix in (".css", ".js", ".svg")}
POLICY = (
    "default-src 'none'; script-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
# What a preview loads as the site does: its frame has the policy of the console.
PREVIEWED, ANYWHERE = ("style-src", "img-src", "font-src", "media-src"), "* data: blob:"
ANYTHING = Anything()


@CONSOLE.get(PATH, name="console", public=True, query=ANYTHING)
def page(call: Call) -> Reply:
    """Return the page, with the title, time zone, sign-in and parts of the service."""
    options = call.options
    parts = [name for name, kind in all_parts().items() if kind in options.part_types]
    values = {"title": options.site_title, "timezone": options.timezone, "parts": " ".join(parts)}
    path, policy = STATIC / "console.html", policy_of(options.site_policy)
    return file_reply(call, path, policy, access=call.service.sign_in, **values)


@CONSOLE.get(f"{PATH}/<file>", name="console_file", public=True, query=ANYTHING)
def static_file(call: Call, file: str) -> Reply:
    """Return a file of the page; at another address browsers are led to the console."""
    files = _files(tuple(type(part) for part in call.options.named_parts))
    return file_reply(call, files[file], POLICY) if file in files else _nowhere(call, file)


@CONSOLE.get(f"{PATH}/<place>/<item>", name="console_place", public=True, query=ANYTHING)
def place_page(call: Call, place: str, item: str) -> Reply:
    """Lead browsers to the console, as from `/console/pages/3`."""
    return _nowhere(call, place, item)


def policy_of(site_policy: str) -> str:
    """Return the policy of the page, under which a preview loads what visitors of the site load."""
    directives = [part.strip().partition(" ") for part in site_policy.split(";")]
    # Of two with the same name the first one counts.
    sources = {name.lower(): values for name, _, values in reversed(directives)}
    default = sources.get("default-src", f"{ANYWHERE} 'unsafe-inline'")
    allowed = {name: sources.get(name, default) for name in PREVIEWED}
    # The console has a style sheet of its own.
    allowed["style-src"] = "'self' " + allowed["style-src"].replace("'none'", "")
    return "; ".join([POLICY, *(f"{name} {values}" for name, values in allowed.items())])


@cache
def _files(parts: tuple[Any, ...]) -> dict[str, Path]:
    """Return the files of the console and of parts, by their names."""
    folders = [part.console_files for part in parts if part.console_files]
    return {**FILES, **{path.name: path for folder in folders for path in folder.glob("*.js")}}


def _nowhere(call: Call, *place: str) -> Reply:
    """Redirect browsers to a screen of the console; 404 for others."""
    if not accepts_html(call.incoming.headers):
        raise no_route()
    screen = "/".join(quote(name, safe="") for name in place)
    location = f"{urlsplit(call.root_url).path}{PATH}#/{screen}"
    headers = {"Location": location, "Vary": "Accept", "Cache-Control": "no-store"}
    return Reply(b"", status=302, headers=headers, content_type=HTML)
